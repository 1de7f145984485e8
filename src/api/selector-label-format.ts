// The rules for the keys and values of labels, in the reference's words. Bytes are counted, not characters.

const NAME = /^([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$/
const SUBDOMAIN = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/
const MAX_NAME_BYTES = 63
const MAX_SUBDOMAIN_BYTES = 253

const NAME_RULE =
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character " +
  "(e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"
const VALUE_RULE =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end " +
  "with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is " +
  "'(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')"
const SUBDOMAIN_RULE =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end " +
  "with an alphanumeric character (e.g. 'example.com', regex used for validation is " +
  "'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"

/** The rules that a key breaks; none for a good one. */
export function labelKeyFaults(key: string): readonly string[] {
  const parts = key.split('/')
  const name = parts.at(-1) ?? ''
  if (parts.length > 2) {
    return [`a valid label key ${NAME_RULE} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`]
  }
  const faults = parts.length === 2 ? prefixFaults(parts[0] ?? '') : []
  if (name === '') faults.push('name part must be non-empty')
  else if (Buffer.byteLength(name) > MAX_NAME_BYTES) faults.push(tooLong('name part ', MAX_NAME_BYTES))
  if (!NAME.test(name)) faults.push(`name part ${NAME_RULE}`)
  return faults
}

function prefixFaults(prefix: string): string[] {
  if (prefix === '') return ['prefix part must be non-empty']
  const faults: string[] = []
  if (Buffer.byteLength(prefix) > MAX_SUBDOMAIN_BYTES) faults.push(tooLong('prefix part ', MAX_SUBDOMAIN_BYTES))
  if (!SUBDOMAIN.test(prefix)) faults.push(`prefix part ${SUBDOMAIN_RULE}`)
  return faults
}

/** The rules that a value breaks; none for a good one, the empty one included. */
export function labelValueFaults(value: string): readonly string[] {
  const faults: string[] = []
  if (Buffer.byteLength(value) > MAX_NAME_BYTES) faults.push(tooLong('', MAX_NAME_BYTES))
  if (value !== '' && !NAME.test(value)) faults.push(VALUE_RULE)
  return faults
}

function tooLong(part: string, bytes: number): string {
  return `${part}must be no more than ${bytes} bytes`
}
