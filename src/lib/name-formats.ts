// The written forms that names and labels must have, after RFC 1123 and RFC 1035. Each check returns its faults in the reference's words,
// or one shared empty list. The patterns take linear time for every text.

const LABEL = /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?$/
export const SUBDOMAIN = /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*$/
const DNS1035_LABEL = /^[a-z](?:[-a-z0-9]*[a-z0-9])?$/
/** The form of the name part of a label's key, and of a label's value that is not empty. */
const LABEL_WORD = /^[A-Za-z0-9](?:[-A-Za-z0-9_.]*[A-Za-z0-9])?$/

/** The faults of a text; empty if it has none. */
export type Faults = readonly string[]

export const NO_FAULTS: Faults = []

/** Whether the text has more than `max` bytes in UTF-8. */
export function longerThan(text: string, max: number): boolean {
  if (text.length > max) return true
  return text.length * 3 > max && Buffer.byteLength(text) > max
}

export function dns1123Label(text: string): Faults {
  const fits = LABEL.test(text)
  if (fits && text.length <= 63) return NO_FAULTS
  const faults = longerThan(text, 63) ? ['must be no more than 63 characters'] : []
  if (!fits) faults.push(SUBDOMAIN.test(text) ? 'must not contain dots' : LABEL_FAULT)
  return faults
}

export function dns1123Subdomain(text: string): Faults {
  return bounded(text, 253, SUBDOMAIN.test(text), SUBDOMAIN_FAULT)
}

export function dns1035Label(text: string): Faults {
  return bounded(text, 63, DNS1035_LABEL.test(text), DNS1035_FAULT)
}

/** `name` or `domain/name`: label keys, condition types, taint keys, finalizers and many more. */
export function qualifiedName(text: string): Faults {
  const slash = text.indexOf('/')
  if (slash >= 0 && text.includes('/', slash + 1)) return [TOO_MANY_SLASHES]
  const name = slash < 0 ? text : text.slice(slash + 1)
  const prefixFaults = slash < 0 ? NO_FAULTS : qualifyingPrefix(text.slice(0, slash))
  const fits = LABEL_WORD.test(name)
  if (fits && name.length <= 63 && prefixFaults.length === 0) return NO_FAULTS
  const faults = [...prefixFaults]
  if (name === '') faults.push('name part must be non-empty')
  else if (longerThan(name, 63)) faults.push('name part must be no more than 63 bytes')
  if (!fits) faults.push(`name part ${LABEL_KEY_FAULT}`)
  return faults
}

export function labelValue(text: string): Faults {
  const fits = text === '' || LABEL_WORD.test(text)
  if (fits && text.length <= 63) return NO_FAULTS
  const faults = longerThan(text, 63) ? ['must be no more than 63 bytes'] : []
  if (!fits) faults.push(LABEL_VALUE_FAULT)
  return faults
}

/** For the check of a prefix, which may end in a dash because more characters follow: makes `aba` of `abc-`. */
export function withoutTrailingDash(text: string): string {
  return text.length > 1 && text.endsWith('-') ? `${text.slice(0, -2)}a` : text
}

function qualifyingPrefix(prefix: string): Faults {
  if (prefix === '') return ['prefix part must be non-empty']
  const fits = SUBDOMAIN.test(prefix)
  if (fits && prefix.length <= 253) return NO_FAULTS
  const faults = longerThan(prefix, 253) ? ['prefix part must be no more than 253 bytes'] : []
  if (!fits) faults.push(`prefix part ${SUBDOMAIN_FAULT}`)
  return faults
}

/** `fits` says whether the text has the form that `fault` describes. */
export function bounded(text: string, max: number, fits: boolean, fault: string): Faults {
  if (fits && text.length <= max) return NO_FAULTS
  const faults = longerThan(text, max) ? [`must be no more than ${max} characters`] : []
  if (!fits) faults.push(fault)
  return faults
}

const LABEL_FAULT =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')"
const SUBDOMAIN_FAULT =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"
const DNS1035_FAULT =
  "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')"
const LABEL_KEY_FAULT =
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"
const TOO_MANY_SLASHES = `a valid label key ${LABEL_KEY_FAULT} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`
const LABEL_VALUE_FAULT =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')"
