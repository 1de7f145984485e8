// Service accounts. Of references to secrets only the name is kept (W-561).
import { mapsOnly } from '../../api/members.ts'
import { annotationsOf } from '../../api/object-members.ts'
import type { ApiObject } from '../../api/object.ts'
import { own } from '../../api/value.ts'
import { AGE, NAME, tableOf } from '../../codec/tables/column.ts'
import { checkBuiltInMeta, checkBuiltInMetaUpdate, subdomainName } from '../../schema/validation/object-meta.ts'
import type { Kind } from '../kind.ts'

const MOUNTABLE_SECRETS = 'kubernetes.io/enforce-mountable-secrets'

function withPlainSecrets(object: ApiObject): ApiObject {
  const secrets = mapsOnly(object, 'secrets')
  if (secrets.length === 0) return object
  return {
    ...object,
    secrets: secrets.map((secret) => {
      const name = own(secret, 'name')
      return name === undefined ? {} : { name }
    }),
  }
}

export const SERVICE_ACCOUNT: Kind = {
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
      const isAnnotated = (account: ApiObject): boolean => Object.hasOwn(annotationsOf(account), MOUNTABLE_SECRETS)
      if (!isAnnotated(object) || (stored !== undefined && isAnnotated(stored))) return []
      return [
        `metadata.annotations[${MOUNTABLE_SECRETS}]: deprecated in v1.32+; prefer separate namespaces to isolate access to mounted secrets`,
      ]
    },
  },
  columns: tableOf([NAME, AGE]),
}
