// Leases: locks that a holder must renew.
import { FieldPath } from '../../api/field-path.ts'
import type { Lease } from '../../api/gen/kinds.ts'
import { AGE, column, NAME, tableOf } from '../../codec/tables/column.ts'
import type { Check } from '../../schema/validation/check.ts'
import { checkMeta, checkMetaUpdate, subdomainName } from '../../schema/validation/object-meta.ts'
import { type Kind, typedKind } from '../kind.ts'
import { gatedFields, withGatedFields } from '../shared/gated-field.ts'
import { checkLeaseStrategy } from './lease-strategy.ts'

const SPEC = FieldPath.root<Lease['spec']>('spec')

function checkLease({ spec }: Lease, check: Check): void {
  check.fields(spec, SPEC, 'coordination.k8s.io_v1.LeaseSpec')
  if (!check.gate('CoordinatedLeaderElection')) return
  const { strategy, preferredHolder = '' } = spec
  if (strategy !== undefined) checkLeaseStrategy(strategy, SPEC.child('strategy'), check)
  else if (preferredHolder !== '') {
    check.forbidden(SPEC.child('preferredHolder'), 'may only be specified when `strategy` is defined')
  }
}

export const LEASE: Kind = typedKind<Lease>({
  validation: {
    create: (object, check) => {
      checkMeta(object, subdomainName, check)
      checkLease(object, check)
    },
    update: (object, stored, check) => {
      checkMetaUpdate(object, stored, check)
      checkLease(object, check)
    },
  },
  strategy: withGatedFields(gatedFields('coordination.k8s.io_v1.Lease', 'spec/strategy', 'spec/preferredHolder'), {
    createOnUpdate: true,
    conditionalUpdate: true,
  }),
  columns: tableOf([NAME, column('Holder', 'The holder of the lease.', ({ spec }) => spec.holderIdentity ?? ''), AGE]),
  olderVersions: { 'coordination.k8s.io/v1beta1': 'same' },
})
