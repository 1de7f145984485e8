// Leases.
import { FieldPath } from '../../api/field-path.ts'
import { mapOrEmpty, textOrAbsent, textOrEmpty } from '../../api/members.ts'
import type { ValueMap } from '../../api/value.ts'
import { AGE, column, NAME, tableOf, text } from '../../codec/tables/column.ts'
import type { Check } from '../../schema/validation/check.ts'
import { qualifiedName } from '../../schema/validation/formats.ts'
import { checkMeta, checkMetaUpdate, subdomainName } from '../../schema/validation/object-meta.ts'
import type { Kind } from '../kind.ts'
import { gatedFields, withGatedFields } from '../shared/gated-field.ts'

const SPEC = FieldPath.root('spec')

function checkLease(object: ValueMap, check: Check): void {
  const spec = mapOrEmpty(object, 'spec')
  check.fields(spec, SPEC, 'coordination.k8s.io_v1.LeaseSpec')
  if (!check.gate('CoordinatedLeaderElection')) return
  const strategy = textOrAbsent(spec, 'strategy')
  if (strategy !== undefined) checkLeaseStrategy(strategy, SPEC.child('strategy'), check)
  else if (textOrEmpty(spec, 'preferredHolder') !== '') {
    check.forbidden(SPEC.child('preferredHolder'), 'may only be specified when `strategy` is defined')
  }
}

function checkLeaseStrategy(strategy: string, at: FieldPath, check: Check): void {
  if (strategy === 'OldestEmulationVersion') return
  check.format(at, strategy, qualifiedName(strategy))
  if (!strategy.includes('/')) {
    check.notSupported(at, strategy, ['OldestEmulationVersion'])
  }
}

export const LEASE: Kind = {
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
  columns: tableOf([NAME, column('Holder', 'Who holds it.', text('spec', 'holderIdentity')), AGE]),
  olderVersions: { 'coordination.k8s.io/v1beta1': 'same' },
}
