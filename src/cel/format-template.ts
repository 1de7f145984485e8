// Parses the template of `'%s is %.2f'.format([…])`, and checks calls whose arguments are literals.
import type { Call, Expr } from './ast.ts'
import type { Checked } from './checker.ts'
import type { SourceIssue } from './source.ts'
import { DYN, plainTypeName, type Type } from './type.ts'

export interface Clause {
  readonly verb: Verb
  readonly precision: number | undefined
}

export type Verb = 's' | 'd' | 'f' | 'e' | 'b' | 'o' | 'x' | 'X'

export type TemplatePart =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'clause'; readonly clause: Clause }
  /** The last part: the text after it is unreadable. `ends`: no text is after it. */
  | { readonly kind: 'fault'; readonly message: string; readonly ends: boolean }

/** The errors for values of a wrong type. The name of the value's type follows. */
export const WRONG_VALUES: Readonly<Record<Verb, string>> = {
  s: 'string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps',
  d: 'decimal clause can only be used on integers',
  f: 'fixed-point clause can only be used on doubles',
  e: 'scientific clause can only be used on doubles',
  b: 'only integers and bools can be formatted as binary',
  o: 'octal clause can only be used on integers',
  x: 'only integers, byte buffers, and strings can be formatted as hex',
  X: 'only integers, byte buffers, and strings can be formatted as hex',
}

const CLAUSE = /^(?:\.([0-9]*))?([sdfeboxX])/
const UNREADABLE = 'could not parse formatting clause: '

export function* partsOf(template: string): Generator<TemplatePart> {
  let at = 0
  while (at < template.length) {
    const sign = template.indexOf('%', at)
    if (sign !== at) yield { kind: 'text', text: template.slice(at, sign < 0 ? undefined : sign) }
    if (sign < 0) return
    const rest = template.slice(sign + 1)
    if (rest.startsWith('%')) {
      yield { kind: 'text', text: '%' }
      at = sign + 2
      continue
    }
    const found = CLAUSE.exec(rest)
    if (found === null || found[1] === '') {
      yield faultIn(rest)
      return
    }
    const precision = found[1] === undefined ? undefined : Number(found[1])
    yield { kind: 'clause', clause: { verb: found[2] as Verb, precision } }
    at = sign + 1 + found[0].length
  }
}

function faultIn(rest: string): TemplatePart {
  if (rest === '') return { kind: 'fault', message: 'unexpected end of string', ends: true }
  const [, digits] = /^\.([0-9]*)/.exec(rest) ?? []
  const precision = 'error while parsing precision: '
  const why =
    digits === undefined
      ? unknownVerb(rest)
      : rest.length === digits.length + 1
        ? `${precision}could not find end of precision specifier`
        : digits === ''
          ? `${precision}error while converting precision to integer: strconv.Atoi: parsing "": invalid syntax`
          : unknownVerb(rest.slice(digits.length + 1))
  return { kind: 'fault', message: UNREADABLE + why, ends: false }
}

function unknownVerb(text: string): string {
  return `unrecognized formatting clause "${text.charAt(0)}"`
}

/** The issues of a call of `format` whose template and list are literals. Empty for other calls. */
export function templateIssues(call: Call, checked: Checked): readonly SourceIssue[] {
  const [{ target: template }, list] = [call, call.args[0]]
  if (
    call.name !== 'format' ||
    template?.kind !== 'literal' ||
    typeof template.value !== 'string' ||
    list?.kind !== 'list'
  )
    return []
  const items = list.items.map(({ value }) => value)
  const issue = (message: string, { at }: Expr = call): SourceIssue[] => [{ message, at }]
  let next = 0
  for (const part of partsOf(template.value)) {
    if (part.kind === 'text') continue
    if (part.kind === 'fault' && part.ends) return issue(part.message)
    const item = items[next++]
    if (item === undefined) return issue(`index ${next - 1} out of range`)
    if (part.kind === 'fault') return issue(part.message)
    const { verb } = part.clause
    const wrong = wrongItem(item, verb, checked)
    if (wrong === undefined) continue
    const given = plainTypeName(checked.types.get(wrong) ?? DYN)
    return issue(`error during formatting: ${WRONG_VALUES[verb]}, was given ${given}`, wrong)
  }
  if (items.length <= next) return []
  return issue(`too many arguments supplied to string.format (expected ${next}, got ${items.length})`)
}

const TEXTS: readonly Type['kind'][] = ['list', 'map', 'int', 'uint', 'double', 'bool', 'string', 'timestamp']
const TAKEN: Readonly<Record<Verb, ReadonlySet<Type['kind']>>> = {
  s: new Set([...TEXTS, 'bytes', 'duration', 'type', 'null']),
  d: new Set(['int', 'uint']),
  // NaN and the infinities have no literal in CEL: a text names them.
  f: new Set(['double', 'string']),
  e: new Set(['double', 'string']),
  b: new Set(['int', 'uint', 'bool']),
  o: new Set(['int', 'uint']),
  x: new Set(['int', 'uint', 'string', 'bytes']),
  X: new Set(['int', 'uint', 'string', 'bytes']),
}

function wrongItem(item: Expr, verb: Verb, checked: Checked): Expr | undefined {
  const { kind } = checked.types.get(item) ?? DYN
  if (kind !== 'dyn' && !TAKEN[verb].has(kind)) return item
  if (verb !== 's') return undefined
  return insideOf(item)
    .map((inner) => wrongItem(inner, verb, checked))
    .find((wrong) => wrong !== undefined)
}

function insideOf(item: Expr): readonly Expr[] {
  if (item.kind === 'list') return item.items.map(({ value }) => value)
  return item.kind === 'map' ? item.entries.flatMap(({ key, value }) => [key, value]) : []
}
