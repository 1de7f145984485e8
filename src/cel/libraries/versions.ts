// Semantic versions: `semver('1.2.3-rc.1').isLessThan(semver('1.2.3'))`.
import { define, type FunctionDefinition } from '../function.ts'
import { type CelValue, Fault, OpaqueValue } from '../value.ts'

const S = 'kubernetes.Semver'

class Semver extends OpaqueValue {
  readonly typeName = S
  /** Major, minor and patch. */
  readonly numbers: readonly bigint[]
  readonly prerelease: readonly string[]

  constructor(numbers: readonly bigint[], prerelease: readonly string[]) {
    super()
    this.numbers = numbers
    this.prerelease = prerelease
  }

  equals(other: OpaqueValue): boolean {
    return other instanceof Semver && compareVersions(this, other) === 0
  }
}

const NUMBER = '(0|[1-9][0-9]*)'
const WORD = '[0-9A-Za-z-]+'
const VERSION = new RegExp(
  `^${NUMBER}\\.${NUMBER}\\.${NUMBER}(?:-(${WORD}(?:\\.${WORD})*))?(?:\\+${WORD}(?:\\.${WORD})*)?$`,
)
const MAX_NUMBER = 2n ** 64n - 1n
const MAX_TEXT = 1024

function parse(text: string): Semver | Fault {
  if (text === '') return new Fault('Version string empty')
  const found = text.length > MAX_TEXT ? null : VERSION.exec(text)
  if (found === null) return new Fault(problemOf(text))
  const numbers = found.slice(1, 4).map(BigInt)
  const prerelease = found[4] === undefined ? [] : found[4].split('.')
  const leadingZero = prerelease.find((part) => /^0[0-9]+$/.test(part))
  if (leadingZero !== undefined) {
    return new Fault(`Numeric PreRelease version must not contain leading zeroes "${leadingZero}"`)
  }
  if (numbers.some((number) => number > MAX_NUMBER))
    return new Fault(`Invalid character(s) found in major number "${text}"`)
  return new Semver(numbers, prerelease)
}

function problemOf(text: string): string {
  const parts = text.split('.', 3)
  if (parts.length < 3) return 'No Major.Minor.Patch elements found'
  const names = ['major', 'minor', 'patch']
  for (const [i, part] of parts.entries()) {
    const digits = i === 2 ? (part.split(/[-+]/, 1)[0] ?? '') : part
    if (!/^[0-9]+$/.test(digits)) return `Invalid character(s) found in ${names[i]} number "${digits}"`
    if (/^0[0-9]/.test(digits)) {
      const name = `${names[i]?.charAt(0).toUpperCase()}${names[i]?.slice(1)}`
      return `${name} number must not contain leading zeroes "${digits}"`
    }
  }
  return 'Invalid character(s) found in prerelease or build'
}

/** Removes a leading `v` and leading zeros, and adds the missing numbers as zeros. */
function normalized(text: string): string | Fault {
  const body = text.replace(/^v/, '')
  const [major = '', minor, ...rest] = body.split('.')
  const parts = [major, ...(minor === undefined ? [] : [minor]), ...(rest.length === 0 ? [] : [rest.join('.')])].map(
    (part) => (part.length > 1 ? part.replace(/^0+/, '').replace(/^(?![0-9])/, '0') : part),
  )
  if (parts.length < 3 && /[+-]/.test(parts.at(-1) ?? '')) {
    return new Fault('short version cannot contain PreRelease/Build meta data')
  }
  while (parts.length < 3) parts.push('0')
  return parts.join('.')
}

function read([text, normalize]: [string, boolean?]): Semver | Fault {
  const form = normalize === true ? normalized(text) : text
  return form instanceof Fault ? form : parse(form)
}

function compareVersions(a: Semver, b: Semver): number {
  for (const [i, number] of a.numbers.entries()) {
    const other = b.numbers[i] ?? 0n
    if (number !== other) return number < other ? -1 : 1
  }
  if (a.prerelease.length === 0 || b.prerelease.length === 0)
    return Math.sign(b.prerelease.length - a.prerelease.length)
  for (const [i, part] of a.prerelease.entries()) {
    const other = b.prerelease[i]
    if (other === undefined) return 1
    const order = compareParts(part, other)
    if (order !== 0) return order
  }
  return a.prerelease.length < b.prerelease.length ? -1 : 0
}

function compareParts(a: string, b: string): number {
  const [left, right] = [/^[0-9]+$/.test(a), /^[0-9]+$/.test(b)]
  if (left && right) return BigInt(a) < BigInt(b) ? -1 : BigInt(a) > BigInt(b) ? 1 : 0
  if (left !== right) return left ? -1 : 1
  return a < b ? -1 : a > b ? 1 : 0
}

function relation(name: string, signature: string, of: (order: number) => CelValue): FunctionDefinition {
  return define(name, [signature], ([a, b]: [Semver, Semver]) => of(compareVersions(a, b)))
}

function part(name: string, index: number): FunctionDefinition {
  return define(name, [`semver_${name}: ${S}.() int`], ([version]: [Semver]) => version.numbers[index] ?? 0n)
}

export const VERSIONS: readonly FunctionDefinition[] = [
  define('semver', [`string_to_semver: (string) ${S}`, `string_bool_to_semver: (string, bool) ${S}`], read),
  define(
    'isSemver',
    ['is_semver_string: (string) bool', 'is_semver_string_bool: (string, bool) bool'],
    (args: [string, boolean?]) => read(args) instanceof Semver,
  ),
  relation('isGreaterThan', `semver_is_greater_than: ${S}.(${S}) bool`, (order) => order > 0),
  relation('isLessThan', `semver_is_less_than: ${S}.(${S}) bool`, (order) => order < 0),
  relation('compareTo', `semver_compare_to: ${S}.(${S}) int`, BigInt),
  part('major', 0),
  part('minor', 1),
  part('patch', 2),
]
