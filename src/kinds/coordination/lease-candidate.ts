// Lease candidates: servers that can hold a lease. By default, the kind is not served.
import { FieldPath } from '../../api/field-path.ts'
import type { LeaseCandidate } from '../../api/gen/kinds.ts'
import { AGE, column, NAME, tableOf } from '../../codec/tables/column.ts'
import type { Check } from '../../schema/validation/check.ts'
import { configKey } from '../../schema/validation/formats.ts'
import { type Kind, typedKind } from '../kind.ts'
import { builtInRules } from '../shared/built-in-rules.ts'
import { compareVersions, isVersion } from '../shared/semantic-version.ts'
import { checkLeaseStrategy, OLDEST_VERSION } from './lease-strategy.ts'

const SPEC = FieldPath.root<LeaseCandidate['spec']>('spec')

function checkCandidate({ spec }: LeaseCandidate, check: Check, stored?: LeaseCandidate): void {
  const { leaseName, binaryVersion: binary, emulationVersion: emulated = '', strategy = '' } = spec
  const detail = 'must be a valid semantic version'
  if (leaseName === '') check.required(SPEC.child('leaseName'))
  if (emulated !== '' && !isVersion(emulated)) check.invalid(SPEC.child('emulationVersion'), emulated, detail)
  if (binary === '') check.required(SPEC.child('binaryVersion'))
  else if (!isVersion(binary)) check.invalid(SPEC.child('binaryVersion'), binary, detail)
  if (binary !== '' && emulated !== '' && compareVersions(binary, emulated) < 0) {
    check.invalid(SPEC.child('binaryVersion'), binary, 'must be greater than or equal to `emulationVersion`')
  }
  const at: FieldPath = SPEC.child('strategy')
  if (strategy === '') check.required(at)
  else {
    if (strategy === OLDEST_VERSION && compareVersions(emulated, '0.0.0') === 0) {
      check.required(SPEC.child('emulationVersion'), "must be specified when `strategy` is 'OldestEmulationVersion'")
    }
    // The reference has the field twice in the path.
    checkLeaseStrategy(strategy, at.child('strategy'), check)
  }
  if (stored !== undefined) check.unchanged(SPEC.child('leaseName'), leaseName, stored.spec.leaseName)
}

export const LEASE_CANDIDATE: Kind = typedKind<LeaseCandidate>({
  validation: builtInRules({ name: configKey, object: checkCandidate }),
  strategy: { createOnUpdate: true, conditionalUpdate: true },
  columns: tableOf([
    NAME,
    column('LeaseName', 'The lease that the candidate wants.', ({ spec }) => spec.leaseName),
    column('BinaryVersion', 'The version of the candidate.', ({ spec }) => spec.binaryVersion),
    column('EmulationVersion', 'The version that the candidate emulates.', ({ spec }) => spec.emulationVersion ?? ''),
    AGE,
  ]),
})
