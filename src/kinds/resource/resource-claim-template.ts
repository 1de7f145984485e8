// Templates of claims of devices.
import { FieldPath } from '../../api/field-path.ts'
import type { ResourceClaimTemplate } from '../../api/gen/kinds.ts'
import { AGE, NAME, tableOf } from '../../codec/tables/column.ts'
import { within } from '../../schema/defaults/rule.ts'
import type { Check } from '../../schema/validation/check.ts'
import { checkBuiltInMeta, subdomainName } from '../../schema/validation/object-meta.ts'
import { type Kind, typedKind } from '../kind.ts'
import { checkTemplateMeta } from '../shared/claim-spec.ts'
import { gatedFields, withGatedFields } from '../shared/gated-field.ts'
import { adminGuard } from './admin-access.ts'
import { checkClaimSpec, CLAIM_DEFAULTS, GATED_FIELDS } from './claim-spec.ts'
import { checkSameSpec } from './resource-claim.ts'
import { TEMPLATE_V1BETA1 } from './v1beta1.ts'

const SPEC = FieldPath.root<ResourceClaimTemplate['spec']>('spec')

function checkTemplate(object: ResourceClaimTemplate, check: Check): void {
  checkBuiltInMeta(object, subdomainName, check)
  const { metadata, spec } = object.spec
  checkTemplateMeta(metadata, SPEC.child('metadata'), check)
  checkClaimSpec(spec, SPEC.child('spec'), check)
}

const GATED = gatedFields(
  'resource.k8s.io_v1.ResourceClaimTemplate',
  ...GATED_FIELDS.map((path) => `spec/spec/${path}`),
)

export const RESOURCE_CLAIM_TEMPLATE: Kind = typedKind<ResourceClaimTemplate>({
  validation: {
    create: checkTemplate,
    // The reference checks the whole template again.
    update: (object, stored, check) => {
      checkTemplate(object, check)
      checkSameSpec(object, stored, check)
    },
  },
  defaults: within({ spec: within({ spec: CLAIM_DEFAULTS }) }),
  strategy: ({ find }) =>
    withGatedFields(GATED, {
      answersDeleteWithObject: true,
      authorizeWrite: adminGuard('ResourceClaimTemplate', find),
    }),
  columns: tableOf([NAME, AGE]),
  storedAs: TEMPLATE_V1BETA1,
})
