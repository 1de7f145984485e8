// The written forms that names and words of the API must have. Each check answers with the faults it finds, in the
// reference's words, and with one shared empty list where there are none. All of them look at each character once.

/** What is wrong with a text; empty where nothing is. */
export type Faults = readonly string[]

/** Checks a text; `prefix` is true where characters will be appended to it (generateName). */
export type NameFormat = (text: string, prefix: boolean) => Faults

const NONE: Faults = []

/** More than `max` bytes in UTF-8. */
export function longerThan(text: string, max: number): boolean {
  if (text.length > max) return true
  return text.length * 3 > max && Buffer.byteLength(text) > max
}

export const NOT_NEGATIVE = 'must be greater than or equal to 0'
export const POSITIVE = 'must be greater than 0'

export function inclusiveRange(min: number, max: number): string {
  return `must be between ${min} and ${max}, inclusive`
}

export function dns1123Label(text: string): Faults {
  const fits = isLabel(text, LOWER_OR_DIGIT, LOWER_OR_DIGIT | DASH)
  if (fits && text.length <= 63) return NONE
  const faults = longerThan(text, 63) ? ['must be no more than 63 characters'] : []
  if (!fits) faults.push(isSubdomain(text) ? 'must not contain dots' : LABEL_FAULT)
  return faults
}

export function dns1123Subdomain(text: string): Faults {
  return bounded(text, 253, isSubdomain(text), SUBDOMAIN_FAULT)
}

/** A subdomain whose labels may hold and begin with an underscore. */
export function dns1123SubdomainWithUnderscore(text: string): Faults {
  const fits = everySegment(text, '.', (segment) =>
    isLabel(segment.startsWith('_') ? segment.slice(1) : segment, LOWER_OR_DIGIT, LOWER_OR_DIGIT | DASH | UNDERSCORE),
  )
  return bounded(text, 253, fits, UNDERSCORE_SUBDOMAIN_FAULT)
}

export function dns1035Label(text: string): Faults {
  const fits = isLabel(text, LOWER_OR_DIGIT, LOWER_OR_DIGIT | DASH) && isOf(text.charCodeAt(0), LOWER)
  return bounded(text, 63, fits, DNS1035_FAULT)
}

export function wildcardDns1123Subdomain(text: string): Faults {
  return bounded(text, 253, text.startsWith('*.') && isSubdomain(text.slice(2)), WILDCARD_FAULT)
}

/** `name` or `domain/name`: label keys, condition types, taint keys, finalizers and many more. */
export function qualifiedName(text: string): Faults {
  const slash = text.indexOf('/')
  if (slash >= 0 && text.includes('/', slash + 1)) return [TOO_MANY_SLASHES]
  const name = slash < 0 ? text : text.slice(slash + 1)
  const prefixFaults = slash < 0 ? NONE : qualifyingPrefix(text.slice(0, slash))
  const fits = isLabel(name, ALPHANUMERIC, WORD)
  if (fits && name.length <= 63 && prefixFaults.length === 0) return NONE
  const faults = [...prefixFaults]
  if (name === '') faults.push('name part must be non-empty')
  else if (longerThan(name, 63)) faults.push('name part must be no more than 63 bytes')
  if (!fits) faults.push(`name part ${LABEL_KEY_FAULT}`)
  return faults
}

export function labelValue(text: string): Faults {
  const fits = text === '' || isLabel(text, ALPHANUMERIC, WORD)
  if (fits && text.length <= 63) return NONE
  const faults = longerThan(text, 63) ? ['must be no more than 63 bytes'] : []
  if (!fits) faults.push(LABEL_VALUE_FAULT)
  return faults
}

/** What may stand between two slashes of a URL. */
export function pathSegment(text: string): Faults {
  if (text === '.' || text === '..') return [`may not be '${text}'`]
  const slash = text.includes('/')
  const percent = text.includes('%')
  if (!slash && !percent) return NONE
  return [...(slash ? ["may not contain '/'"] : []), ...(percent ? ["may not contain '%'"] : [])]
}

export function portNumber(port: number | bigint): Faults {
  return port >= 1 && port <= 65535 ? NONE : [PORT_RANGE]
}

export function portName(text: string): Faults {
  const fits = text.length <= 15 && /^[a-z0-9]+(-[a-z0-9]+)*$/.test(text) && /[a-z]/.test(text)
  if (fits) return NONE
  const faults: string[] = []
  if (longerThan(text, 15)) faults.push('must be no more than 15 characters')
  if (!allOf(text, LOWER_OR_DIGIT | DASH)) faults.push(PORT_NAME_CHARACTERS)
  if (!/[a-z]/.test(text)) faults.push('must contain at least one letter (a-z)')
  if (text.includes('--')) faults.push('must not contain consecutive hyphens')
  if (text.startsWith('-') || text.endsWith('-')) faults.push('must not begin or end with a hyphen')
  return faults
}

export function environmentName(text: string): Faults {
  if (text === '') return ['environment variable name must be non-empty']
  return /^[ -<>-~]*$/.test(text) ? NONE : [ENVIRONMENT_NAME_FAULT]
}

/** A key of a config map or secret, also a file name. */
export function configKey(text: string): Faults {
  const fits = allOf(text, WORD)
  if (fits && text.length <= 253 && !text.startsWith('.')) return NONE
  const faults = longerThan(text, 253) ? ['must be no more than 253 characters'] : []
  if (!fits) faults.push(CONFIG_KEY_FAULT)
  if (text === '.') faults.push("must not be '.'")
  else if (text === '..') faults.push("must not be '..'")
  else if (text.startsWith('..')) faults.push("must not start with '..'")
  return faults
}

export function percentage(text: string): Faults {
  return text.length > 1 && text.endsWith('%') && allOf(text.slice(0, -1), DIGIT) ? NONE : [PERCENT_FAULT]
}

export function httpHeaderName(text: string): Faults {
  return allOf(text, ALPHANUMERIC | DASH) ? NONE : [HEADER_NAME_FAULT]
}

export function isHttpPath(text: string): boolean {
  return /^[A-Za-z0-9/\-._~%!$&'()*+,;=:]+$/.test(text)
}

export const HTTP_PATH_FAULT = "Invalid path (regex used for validation is '[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+')"

/** The name of a kernel parameter, with dots or slashes between its segments. */
export function isSysctlName(text: string): boolean {
  return everySegment(text.replaceAll('/', '.'), '.', (part) =>
    isLabel(part, LOWER_OR_DIGIT, LOWER_OR_DIGIT | DASH | UNDERSCORE),
  )
}

export function conditionReason(text: string): Faults {
  return /^[A-Za-z][A-Za-z0-9_,:]*$/.test(text) && !/[,:]$/.test(text) ? NONE : [CONDITION_REASON_FAULT]
}

/** The forms that a field can be declared to have. */
export const FORMATS = {
  configKey,
  dns1035Label,
  dns1123Label,
  dns1123Subdomain,
  environmentName,
  labelValue,
  pathSegment,
  portName,
  qualifiedName,
} as const satisfies Readonly<Record<string, (text: string) => Faults>>

export type FormatName = keyof typeof FORMATS

/** The same format for a generated name's prefix, which may end in a dash. */
export function asName(format: (text: string) => Faults): NameFormat {
  return (text, prefix) => format(prefix ? withoutTrailingDash(text) : text)
}

function withoutTrailingDash(text: string): string {
  return text.length > 1 && text.endsWith('-') ? `${text.slice(0, -2)}a` : text
}

function qualifyingPrefix(prefix: string): Faults {
  if (prefix === '') return ['prefix part must be non-empty']
  if (isSubdomain(prefix) && prefix.length <= 253) return NONE
  const faults = longerThan(prefix, 253) ? ['prefix part must be no more than 253 bytes'] : []
  if (!isSubdomain(prefix)) faults.push(`prefix part ${SUBDOMAIN_FAULT}`)
  return faults
}

function bounded(text: string, max: number, fits: boolean, fault: string): Faults {
  if (fits && text.length <= max) return NONE
  const faults = longerThan(text, max) ? [`must be no more than ${max} characters`] : []
  if (!fits) faults.push(fault)
  return faults
}

const LOWER = 1
const UPPER = 2
const DIGIT = 4
const DASH = 8
const UNDERSCORE = 16
const DOT = 32
const LOWER_OR_DIGIT = LOWER | DIGIT
const ALPHANUMERIC = LOWER | UPPER | DIGIT
const WORD = ALPHANUMERIC | DASH | UNDERSCORE | DOT

function classOf(code: number): number {
  if (code >= 97 && code <= 122) return LOWER
  if (code >= 48 && code <= 57) return DIGIT
  if (code === 45) return DASH
  if (code === 46) return DOT
  if (code >= 65 && code <= 90) return UPPER
  return code === 95 ? UNDERSCORE : 0
}

function isOf(code: number, classes: number): boolean {
  return (classOf(code) & classes) !== 0
}

/** Non-empty, `ends` at both ends and `inside` between. */
function isLabel(text: string, ends: number, inside: number): boolean {
  const last = text.length - 1
  if (last < 0 || !isOf(text.charCodeAt(0), ends) || !isOf(text.charCodeAt(last), ends)) return false
  for (let at = 1; at < last; at++) if (!isOf(text.charCodeAt(at), inside)) return false
  return true
}

/** Labels of lower-case letters, digits and dashes with dots between them. */
function isSubdomain(text: string): boolean {
  let before = DOT
  for (let at = 0; at < text.length; at++) {
    const now = classOf(text.charCodeAt(at))
    if ((now & (LOWER_OR_DIGIT | DASH | DOT)) === 0) return false
    if (before === DOT && (now & LOWER_OR_DIGIT) === 0) return false
    if (now === DOT && before === DASH) return false
    before = now
  }
  return (before & LOWER_OR_DIGIT) !== 0
}

function allOf(text: string, classes: number): boolean {
  for (let at = 0; at < text.length; at++) if (!isOf(text.charCodeAt(at), classes)) return false
  return text !== ''
}

function everySegment(text: string, separator: string, fits: (segment: string) => boolean): boolean {
  return text.split(separator).every(fits)
}

const LABEL_FAULT =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')"
const SUBDOMAIN_FAULT =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"
const UNDERSCORE_SUBDOMAIN_FAULT =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '_', '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?(\\._?[a-z0-9]([-_a-z0-9]*[a-z0-9])?)*')"
const DNS1035_FAULT =
  "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')"
const WILDCARD_FAULT =
  "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which must consist of lower case alphanumeric characters, '-' or '.' and end with an alphanumeric character (e.g. '*.example.com', regex used for validation is '\\*\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"
const LABEL_KEY_FAULT =
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"
const TOO_MANY_SLASHES = `a valid label key ${LABEL_KEY_FAULT} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`
const LABEL_VALUE_FAULT =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')"
const PORT_RANGE = inclusiveRange(1, 65535)
const PORT_NAME_CHARACTERS = 'must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)'
const ENVIRONMENT_NAME_FAULT =
  "a valid environment variable name must consist only of printable ASCII characters other than '='"
const CONFIG_KEY_FAULT =
  "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')"
const PERCENT_FAULT =
  "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')"
const HEADER_NAME_FAULT =
  "a valid HTTP header must consist of alphanumeric characters or '-' (e.g. 'X-Header-Name', regex used for validation is '[-A-Za-z0-9]+')"
const CONDITION_REASON_FAULT =
  "a condition reason must start with alphabetic character, optionally followed by a string of alphanumeric characters or '_,:', and must end with an alphanumeric character or '_' (e.g. 'my_name',  or 'MY_NAME',  or 'MyName',  or 'ReasonA,ReasonB',  or 'ReasonA:ReasonB', regex used for validation is '[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?')"
