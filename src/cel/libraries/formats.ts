// The written forms of names that the API knows by name: `format.dns1123Label().validate(self.name)`.
import { define, type FunctionDefinition } from '../function.ts'
import { parseDate, parseTimestamp } from '../time.ts'
import { ArrayList, type CelValue, Fault, noSuchOverload, NONE, OpaqueValue, Optional } from '../value.ts'

const F = 'kubernetes.NamedFormat'

interface Form {
  /** The length of the expression behind it, which a check is charged for. */
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

const ALPHANUMERIC_ENDS = 'and must start and end with an alphanumeric character'
const LABEL = '[a-z0-9]([-a-z0-9]*[a-z0-9])?'
const SUBDOMAIN = `${LABEL}(\\.${LABEL})*`
const DNS1035 = '[a-z]([-a-z0-9]*[a-z0-9])?'
const NAME = '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]'
const used = (pattern: string): string => `regex used for validation is '${pattern}')`

const LABEL_FAULT = `a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', ${ALPHANUMERIC_ENDS} (e.g. 'my-name',  or '123-abc', ${used(LABEL)}`
const SUBDOMAIN_FAULT = `a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', ${ALPHANUMERIC_ENDS} (e.g. 'example.com', ${used(SUBDOMAIN)}`
const DNS1035_FAULT = `a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', ${used(DNS1035)}`
const NAME_FAULT = `name part must consist of alphanumeric characters, '-', '_' or '.', ${ALPHANUMERIC_ENDS} (e.g. 'MyName',  or 'my.name',  or '123-abc', ${used(NAME)}`
const LABEL_VALUE = `(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?`
const LABEL_VALUE_FAULT = `a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', ${ALPHANUMERIC_ENDS} (e.g. 'MyValue',  or 'my_value',  or '12345', ${used(LABEL_VALUE)}`

interface NameRule {
  readonly max: number
  readonly pattern: RegExp
  readonly fault: string
  readonly unit?: string
}

function nameForm(patternSize: number, { max, pattern, fault, unit = 'characters' }: NameRule, prefix = false): Form {
  return {
    patternSize,
    validate: (whole) => {
      // A prefix may end in a dash; the reference looks at neither the dash nor what is before it.
      const text = prefix && whole.length > 1 && whole.endsWith('-') ? `${whole.slice(0, -2)}a` : whole
      const faults = Buffer.byteLength(text) > max ? [`must be no more than ${max} ${unit}`] : []
      return text.length <= max && pattern.test(text)
        ? faults
        : [...faults, ...(pattern.test(text.slice(0, max)) && text.length > max ? [] : [fault])]
    },
  }
}

const LABEL_RULE: NameRule = { max: 63, pattern: /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?$/, fault: LABEL_FAULT }
const SUBDOMAIN_RULE: NameRule = {
  max: 253,
  pattern: /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*$/,
  fault: SUBDOMAIN_FAULT,
}
const DNS1035_RULE: NameRule = { max: 63, pattern: /^[a-z](?:[-a-z0-9]*[a-z0-9])?$/, fault: DNS1035_FAULT }
const VALUE_RULE: NameRule = {
  max: 63,
  pattern: /^(?:[A-Za-z0-9](?:[-A-Za-z0-9_.]*[A-Za-z0-9])?)?$/,
  fault: LABEL_VALUE_FAULT,
  unit: 'bytes',
}

function qualifiedName(text: string): readonly string[] {
  const parts = text.split('/')
  if (parts.length > 2) {
    return [
      `a valid label key must consist of alphanumeric characters, '-', '_' or '.', ${ALPHANUMERIC_ENDS} (e.g. 'MyName',  or 'my.name',  or '123-abc', ${used(NAME)} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`,
    ]
  }
  const name = parts.at(-1) ?? ''
  const faults: string[] = []
  if (parts.length === 2) {
    if (parts[0] === '') faults.push('prefix part must be non-empty')
    else
      faults.push(
        ...nameForm(60, SUBDOMAIN_RULE)
          .validate(parts[0] ?? '')
          .map((fault) => `prefix part ${fault}`),
      )
  }
  if (name === '') faults.push('name part must be non-empty')
  else if (name.length > 63) faults.push('name part must be no more than 63 bytes')
  return VALUE_RULE.pattern.test(name) && name !== '' ? faults : [...faults, NAME_FAULT]
}

const refused = (bad: boolean, message: string): readonly string[] => (bad ? [message] : [])
const UUID = /^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{4})$/
const DAY = /^\d{4}-\d{2}-\d{2}$/

const FORMS: ReadonlyMap<string, Form> = new Map<string, Form>([
  ['dns1123Label', nameForm(30, LABEL_RULE)],
  ['dns1123Subdomain', nameForm(60, SUBDOMAIN_RULE)],
  ['dns1035Label', nameForm(30, DNS1035_RULE)],
  ['qualifiedName', { patternSize: 60, validate: qualifiedName }],
  ['dns1123LabelPrefix', nameForm(30, LABEL_RULE, true)],
  ['dns1123SubdomainPrefix', nameForm(60, SUBDOMAIN_RULE, true)],
  ['dns1035LabelPrefix', nameForm(30, DNS1035_RULE, true)],
  ['labelValue', nameForm(40, VALUE_RULE)],
  [
    'uri',
    {
      patternSize: 128,
      validate: (text) =>
        refused(
          !/^(?:[a-zA-Z][a-zA-Z0-9+.-]*:)?\//.test(text),
          `parse ${JSON.stringify(text)}: invalid URI for request`,
        ),
    },
  ],
  ['uuid', { patternSize: 98, validate: (text) => refused(!UUID.test(text), 'does not match the UUID format') }],
  ['byte', { patternSize: 96, validate: (text) => refused(!BASE64.test(text), 'invalid base64') }],
  [
    'date',
    {
      patternSize: 99,
      validate: (text) => refused(!DAY.test(text) || parseDate(text) instanceof Fault, 'invalid date'),
    },
  ],
  [
    'datetime',
    { patternSize: 99, validate: (text) => refused(parseTimestamp(text) instanceof Fault, 'invalid datetime') },
  ],
])

function named(name: string): NamedFormat | undefined {
  const form = FORMS.get(name)
  return form === undefined ? undefined : new NamedFormat(name, form)
}

function validate([format, text]: readonly CelValue[]): CelValue {
  if (!(format instanceof NamedFormat) || typeof text !== 'string') return noSuchOverload()
  const faults = format.form.validate(text)
  return faults.length === 0 ? NONE : new Optional(new ArrayList(faults))
}

export const FORMATS: readonly FunctionDefinition[] = [
  define('validate', [`format_validate: ${F}.(string) optional(list(string))`], validate),
  define('format.named', [`format_named: (string) optional(${F})`], ([name]) =>
    typeof name === 'string' ? (FORMS.has(name) ? new Optional(named(name)) : NONE) : noSuchOverload(),
  ),
  ...[...FORMS.keys()].map((name) =>
    define(`format.${name}`, [`format_${name}: () ${F}`], () => named(name) ?? noSuchOverload()),
  ),
]
