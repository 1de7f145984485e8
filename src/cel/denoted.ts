// The types that names in expressions denote: `int`, `google.protobuf.Timestamp`, `net.IP`.
import { BOOL, BYTES, DOUBLE, DURATION, DYN, INT, listOf, mapOf, NULL, opaque, optionalOf } from './type.ts'
import { STRING, TIMESTAMP, type Type, typeOf, UINT } from './type.ts'

const OPAQUE = [
  'kubernetes.Quantity',
  'kubernetes.URL',
  'kubernetes.Semver',
  'kubernetes.NamedFormat',
  'kubernetes.authorization.Authorizer',
  'kubernetes.authorization.PathCheck',
  'kubernetes.authorization.GroupCheck',
  'kubernetes.authorization.ResourceCheck',
  'kubernetes.authorization.Decision',
  'net.IP',
  'net.CIDR',
] as const

const DENOTED: ReadonlyMap<string, Type> = new Map<string, Type>([
  ['bool', BOOL],
  ['int', INT],
  ['uint', UINT],
  ['double', DOUBLE],
  ['string', STRING],
  ['bytes', BYTES],
  ['null_type', NULL],
  ['list', listOf(DYN)],
  ['map', mapOf(DYN, DYN)],
  ['type', typeOf(DYN)],
  ['optional_type', optionalOf(DYN)],
  ['google.protobuf.Timestamp', TIMESTAMP],
  ['google.protobuf.Duration', DURATION],
  ...OPAQUE.map((name): [string, Type] => [name, opaque(name)]),
])

export function denotedType(name: string): Type | undefined {
  return DENOTED.get(name)
}
