// The strategy by which the holder of a lease is chosen: a strategy of the API, or a name with a domain such as `example.com/oldest`.
import type { FieldPath } from '../../api/field-path.ts'
import type { Check } from '../../schema/validation/check.ts'
import { qualifiedName } from '../../schema/validation/formats.ts'

export const OLDEST_VERSION = 'OldestEmulationVersion'

export function checkLeaseStrategy(strategy: string, at: FieldPath, check: Check): void {
  if (strategy.includes('/')) check.format(at, strategy, qualifiedName(strategy))
  else if (strategy !== OLDEST_VERSION) check.notSupported(at, strategy, [OLDEST_VERSION])
}
