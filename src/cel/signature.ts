// Parses the signatures of functions: `starts_with_string: string.(string) bool`. They are read once, at the start.
import { InvariantError } from '../lib/errors.ts'
import { BOOL, BYTES, DOUBLE, DURATION, DYN, INT, listOf, mapOf, NULL, opaque, optionalOf } from './type.ts'
import { parameter, STRING, TIMESTAMP, type Type, typeOf, UINT } from './type.ts'

export interface Overload {
  readonly id: string
  /** The function is called on a target. The type of the target is the first parameter. */
  readonly member: boolean
  readonly parameters: readonly Type[]
  readonly result: Type
}

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

/** Types that are named alike in signatures and in expressions. */
const NAMED: readonly (readonly [string, Type])[] = [
  ['bool', BOOL],
  ['int', INT],
  ['uint', UINT],
  ['double', DOUBLE],
  ['string', STRING],
  ['bytes', BYTES],
  ...OPAQUE.map((name) => [name, opaque(name)] as const),
]

const IN_SIGNATURES: ReadonlyMap<string, Type> = new Map([
  ...NAMED,
  ['null', NULL],
  ['dyn', DYN],
  ['timestamp', TIMESTAMP],
  ['duration', DURATION],
])

const IN_EXPRESSIONS: ReadonlyMap<string, Type> = new Map([
  ...NAMED,
  ['null_type', NULL],
  ['list', listOf(DYN)],
  ['map', mapOf(DYN, DYN)],
  ['type', typeOf(DYN)],
  ['optional_type', optionalOf(DYN)],
  ['google.protobuf.Timestamp', TIMESTAMP],
  ['google.protobuf.Duration', DURATION],
])

/** The type that a name in an expression denotes: `int`, `google.protobuf.Timestamp`, `net.IP`. */
export function denotedType(name: string): Type | undefined {
  return IN_EXPRESSIONS.get(name)
}

const LINE = /^([a-z0-9_@.A-Z]+): (?:(.*)\.)?\((.*)\) (.+)$/

export function signature(line: string): Overload {
  const found = LINE.exec(line)
  if (found === null) throw new InvariantError(`no signature: ${line}`)
  const [, id = '', target, parameters = '', result = ''] = found
  const types = parameters === '' ? [] : splitTypes(parameters).map(readType)
  const all = target === undefined ? types : [readType(target), ...types]
  return { id, member: target !== undefined, parameters: all, result: readType(result) }
}

function readType(text: string): Type {
  const named = IN_SIGNATURES.get(text)
  if (named !== undefined) return named
  if (/^[A-Z]$/.test(text)) return parameter(text)
  const found = /^([a-z]+)\((.*)\)$/.exec(text)
  const [first, second] = found === null ? [] : splitTypes(found[2] ?? '').map(readType)
  if (first === undefined) throw new InvariantError(`no type: ${text}`)
  switch (found?.[1]) {
    case 'list':
      return listOf(first)
    case 'map':
      return mapOf(first, second ?? DYN)
    case 'optional':
      return optionalOf(first)
    case 'type':
      return typeOf(first)
    default:
      throw new InvariantError(`no type: ${text}`)
  }
}

function splitTypes(text: string): readonly string[] {
  const parts: string[] = []
  let depth = 0
  let start = 0
  for (let i = 0; i < text.length; i++) {
    if (text[i] === '(') depth++
    else if (text[i] === ')') depth--
    else if (text[i] === ',' && depth === 0) {
      parts.push(text.slice(start, i).trim())
      start = i + 1
    }
  }
  parts.push(text.slice(start).trim())
  return parts
}
