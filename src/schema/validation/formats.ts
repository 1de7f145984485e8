// The formats of names and words in the API. Each check returns the faults that it finds, in the reference's words. Without faults it
// returns one shared empty list. All checks take linear time.
import { bounded, dns1035Label, dns1123Label, dns1123Subdomain, type Faults } from '../../lib/name-formats.ts'
import {
  labelValue,
  longerThan,
  NO_FAULTS,
  qualifiedName,
  SUBDOMAIN,
  withoutTrailingDash,
} from '../../lib/name-formats.ts'

export { dns1035Label, dns1123Label, dns1123Subdomain, type Faults } from '../../lib/name-formats.ts'
export { labelValue, longerThan, qualifiedName } from '../../lib/name-formats.ts'

/** Checks a text. `prefix`: characters will be appended to the text (generateName). */
export type NameFormat = (text: string, prefix: boolean) => Faults

export const NOT_NEGATIVE = 'must be greater than or equal to 0'
export const POSITIVE = 'must be greater than 0'

export function inclusiveRange(min: number, max: number): string {
  return `must be between ${min} and ${max}, inclusive`
}

/** A subdomain whose labels may contain and begin with an underscore. */
export function dns1123SubdomainWithUnderscore(text: string): Faults {
  const fits = text.split('.').every((segment) => /^_?[a-z0-9](?:[-_a-z0-9]*[a-z0-9])?$/.test(segment))
  return bounded(text, 253, fits, UNDERSCORE_SUBDOMAIN_FAULT)
}

export function wildcardDns1123Subdomain(text: string): Faults {
  return bounded(text, 253, text.startsWith('*.') && SUBDOMAIN.test(text.slice(2)), WILDCARD_FAULT)
}

/** A segment of a URL path. */
export function pathSegment(text: string): Faults {
  if (text === '.' || text === '..') return [`may not be '${text}'`]
  const slash = text.includes('/')
  const percent = text.includes('%')
  if (!slash && !percent) return NO_FAULTS
  return [...(slash ? ["may not contain '/'"] : []), ...(percent ? ["may not contain '%'"] : [])]
}

export function portNumber(port: number | bigint): Faults {
  return port >= 1 && port <= 65535 ? NO_FAULTS : [PORT_RANGE]
}

export function portName(text: string): Faults {
  const fits = text.length <= 15 && /^[a-z0-9]+(-[a-z0-9]+)*$/.test(text) && /[a-z]/.test(text)
  if (fits) return NO_FAULTS
  const faults: string[] = []
  if (longerThan(text, 15)) faults.push('must be no more than 15 characters')
  if (!/^[-a-z0-9]+$/.test(text)) faults.push(PORT_NAME_CHARACTERS)
  if (!/[a-z]/.test(text)) faults.push('must contain at least one letter (a-z)')
  if (text.includes('--')) faults.push('must not contain consecutive hyphens')
  if (text.startsWith('-') || text.endsWith('-')) faults.push('must not begin or end with a hyphen')
  return faults
}

export function environmentName(text: string): Faults {
  if (text === '') return ['environment variable name must be non-empty']
  return /^[ -<>-~]*$/.test(text) ? NO_FAULTS : [ENVIRONMENT_NAME_FAULT]
}

/** A key of a config map or secret, which is also used as a file name. */
export function configKey(text: string): Faults {
  const fits = /^[-._a-zA-Z0-9]+$/.test(text)
  if (fits && text.length <= 253 && !text.startsWith('.')) return NO_FAULTS
  const faults = longerThan(text, 253) ? ['must be no more than 253 characters'] : []
  if (!fits) faults.push(CONFIG_KEY_FAULT)
  if (text === '.') faults.push("must not be '.'")
  else if (text === '..') faults.push("must not be '..'")
  else if (text.startsWith('..')) faults.push("must not start with '..'")
  return faults
}

export function percentage(text: string): Faults {
  return /^[0-9]+%$/.test(text) ? NO_FAULTS : [PERCENT_FAULT]
}

export function httpHeaderName(text: string): Faults {
  return /^[-A-Za-z0-9]+$/.test(text) ? NO_FAULTS : [HEADER_NAME_FAULT]
}

export function isHttpPath(text: string): boolean {
  return /^[A-Za-z0-9/\-._~%!$&'()*+,;=:]+$/.test(text)
}

export const HTTP_PATH_FAULT = "Invalid path (regex used for validation is '[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+')"

/** The name of a kernel parameter, with dots or slashes between its segments. */
export function isSysctlName(text: string): boolean {
  return text.split(/[./]/).every((segment) => /^[a-z0-9](?:[-_a-z0-9]*[a-z0-9])?$/.test(segment))
}

export function conditionReason(text: string): Faults {
  return /^[A-Za-z][A-Za-z0-9_,:]*$/.test(text) && !/[,:]$/.test(text) ? NO_FAULTS : [CONDITION_REASON_FAULT]
}

/** The formats that `proto/` can declare for a field. */
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

/** The format for names. It also checks prefixes of generated names, which may end in a dash. */
export function asName(format: (text: string) => Faults): NameFormat {
  return (text, prefix) => format(prefix ? withoutTrailingDash(text) : text)
}

const UNDERSCORE_SUBDOMAIN_FAULT =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '_', '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?(\\._?[a-z0-9]([-_a-z0-9]*[a-z0-9])?)*')"
const WILDCARD_FAULT =
  "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which must consist of lower case alphanumeric characters, '-' or '.' and end with an alphanumeric character (e.g. '*.example.com', regex used for validation is '\\*\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"
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
