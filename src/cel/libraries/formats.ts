// Named formats: `format.dns1123Label().validate(self.name)`.
import { dns1035Label, dns1123Label, dns1123Subdomain, labelValue } from '../../lib/name-formats.ts'
import { qualifiedName, withoutTrailingDash } from '../../lib/name-formats.ts'
import { define, type FunctionDefinition } from '../function.ts'
import { parseDate, parseTimestamp } from '../time.ts'
import { ArrayList, type CelValue, Fault, noSuchOverload, NONE, OpaqueValue, Optional } from '../value.ts'

const F = 'kubernetes.NamedFormat'

interface Form {
  /** The length of the format's regular expression. The cost of a check depends on it. */
  readonly patternSize: number
  readonly validate: (text: string) => readonly string[]
}

class NamedFormat extends OpaqueValue {
  readonly typeName = F
  readonly name: string
  readonly form: Form
  override readonly size: number

  constructor(name: string, form: Form) {
    super()
    this.name = name
    this.form = form
    this.size = form.patternSize
  }

  equals(other: OpaqueValue): boolean {
    return other instanceof NamedFormat && this.name === other.name
  }
}

const refused = (bad: boolean, message: string): readonly string[] => (bad ? [message] : [])
const UUID = /^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{4})$/
const DAY = /^\d{4}-\d{2}-\d{2}$/

const onPrefix =
  (validate: Form['validate']): Form['validate'] =>
  (text) =>
    validate(withoutTrailingDash(text))

const FORMS: ReadonlyMap<string, Form> = new Map<string, Form>([
  ['dns1123Label', { patternSize: 30, validate: dns1123Label }],
  ['dns1123Subdomain', { patternSize: 60, validate: dns1123Subdomain }],
  ['dns1035Label', { patternSize: 30, validate: dns1035Label }],
  ['qualifiedName', { patternSize: 60, validate: qualifiedName }],
  ['dns1123LabelPrefix', { patternSize: 30, validate: onPrefix(dns1123Label) }],
  ['dns1123SubdomainPrefix', { patternSize: 60, validate: onPrefix(dns1123Subdomain) }],
  ['dns1035LabelPrefix', { patternSize: 30, validate: onPrefix(dns1035Label) }],
  ['labelValue', { patternSize: 40, validate: labelValue }],
  ['uri', { patternSize: 128, validate: uri }],
  ['uuid', { patternSize: 98, validate: (text) => refused(!UUID.test(text), 'does not match the UUID format') }],
  ['byte', { patternSize: 96, validate: (text) => refused(!BASE64.test(text), 'invalid base64') }],
  ['date', { patternSize: 99, validate: (text) => refused(!isDate(text), 'invalid date') }],
  ['datetime', { patternSize: 99, validate: (text) => refused(!isDateTime(text), 'invalid datetime') }],
])

function uri(text: string): readonly string[] {
  const isUri = /^(?:[a-zA-Z][a-zA-Z0-9+.-]*:)?\//.test(text)
  return refused(!isUri, `parse ${JSON.stringify(text)}: invalid URI for request`)
}

const isDate = (text: string): boolean => DAY.test(text) && !(parseDate(text) instanceof Fault)
const isDateTime = (text: string): boolean => !(parseTimestamp(text) instanceof Fault)

function named(name: string): NamedFormat | undefined {
  const form = FORMS.get(name)
  return form === undefined ? undefined : new NamedFormat(name, form)
}

function validate([{ form }, text]: [NamedFormat, string]): CelValue {
  const faults = form.validate(text)
  return faults.length === 0 ? NONE : new Optional(new ArrayList(faults))
}

export const FORMATS: readonly FunctionDefinition[] = [
  define('validate', [`format_validate: ${F}.(string) optional(list(string))`], validate),
  define('format.named', [`format_named: (string) optional(${F})`], ([name]: [string]) => new Optional(named(name))),
  ...[...FORMS.keys()].map((name) =>
    define(`format.${name}`, [`format_${name}: () ${F}`], () => named(name) ?? noSuchOverload()),
  ),
]
