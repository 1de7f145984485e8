// Service accounts. References to secrets keep only the name (W-561).
import type { ServiceAccount } from '../../api/gen/kinds.ts'
import { AGE, NAME, tableOf } from '../../codec/tables/column.ts'
import { checkBuiltInMeta, checkBuiltInMetaUpdate, subdomainName } from '../../schema/validation/object-meta.ts'
import { type Kind, typedKind } from '../kind.ts'

const MOUNTABLE_SECRETS = 'kubernetes.io/enforce-mountable-secrets'

function withPlainSecrets(account: ServiceAccount): ServiceAccount {
  const { secrets } = account
  return secrets === undefined
    ? account
    : { ...account, secrets: secrets.map(({ name }) => (name === undefined ? {} : { name })) }
}

function isAnnotated({ metadata: { annotations = {} } }: ServiceAccount): boolean {
  return Object.hasOwn(annotations, MOUNTABLE_SECRETS)
}

export const SERVICE_ACCOUNT: Kind = typedKind<ServiceAccount>({
  validation: {
    create: (object, check) => checkBuiltInMeta(object, subdomainName, check),
    update: (object, stored, check) => {
      checkBuiltInMetaUpdate(object, stored, check)
      checkBuiltInMeta(object, subdomainName, check)
    },
  },
  strategy: {
    answersDeleteWithObject: true,
    prepareForCreate: withPlainSecrets,
    prepareForUpdate: withPlainSecrets,
    warnings: (object, stored) => {
      if (!isAnnotated(object) || (stored !== undefined && isAnnotated(stored))) return []
      return [
        `metadata.annotations[${MOUNTABLE_SECRETS}]: deprecated in v1.32+; prefer separate namespaces to isolate access to mounted secrets`,
      ]
    },
  },
  columns: tableOf([NAME, AGE]),
})
