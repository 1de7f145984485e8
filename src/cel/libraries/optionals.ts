// Optional values, and the functions that macros over maps expand to.
import { define, type FunctionDefinition } from '../function.ts'
import { MAP_INSERT } from '../macros.ts'
import { CelList, CelMap, type CelValue, Fault, noSuchOverload, NONE, Optional, Uint } from '../value.ts'

function isZero(value: CelValue): boolean {
  if (value === null || value === false || value === '' || value === 0n || value === 0) return true
  if (typeof value !== 'object') return false
  if (value instanceof CelList || value instanceof CelMap) return value.size === 0
  if (value instanceof Uint8Array) return value.length === 0
  return value instanceof Uint && value.value === 0n
}

export const OPTIONALS: readonly FunctionDefinition[] = [
  define('optional.of', ['optional_of: (A) optional(A)'], ([value]: [CelValue]) => new Optional(value)),
  define('optional.ofNonZeroValue', ['optional_ofNonZeroValue: (A) optional(A)'], ([value]: [CelValue]) =>
    isZero(value) ? NONE : new Optional(value),
  ),
  define('optional.none', ['optional_none: () optional(A)'], () => NONE),
  define('value', ['optional_value: optional(A).() A'], ([{ value }]: [Optional]) =>
    value === undefined ? new Fault('optional.none() dereference') : value,
  ),
  define('hasValue', ['optional_hasValue: optional(A).() bool'], ([{ value }]: [Optional]) => value !== undefined),
  define(
    'or',
    ['optional_or_optional: optional(A).(optional(A)) optional(A)'],
    ([optional, other]: [Optional, Optional]) => (optional.value === undefined ? other : optional),
  ),
  define('orValue', ['optional_orValue_value: optional(A).(A) A'], ([{ value }, other]: [Optional, CelValue]) =>
    value === undefined ? other : value,
  ),
  // The folds evaluate these functions. Only their signatures are here.
  define(
    MAP_INSERT,
    ['@mapInsert_map_key_value: (map(A, B), A, B) map(A, B)', '@mapInsert_map_map: (map(A, B), map(A, B)) map(A, B)'],
    () => noSuchOverload(),
  ),
]
