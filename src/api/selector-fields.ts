// Field selectors: their text form, and the selectable fields of each kind. Objects of kinds without an entry in the table can be selected
// by name and namespace.
import { quoted } from './field-error.ts'
import { type ApiLevel, DEFAULT_LEVEL, isAtLevel } from './level.ts'
import type { GroupVersionKind } from './object.ts'
import { formatGroupVersion } from './object.ts'
import { EVERY_FIELD } from './selector.ts'
import type { FieldSelector, FieldTerm } from './selector.ts'
import { ApiError } from './status.ts'
import { isList, isMap, own } from './value.ts'
import type { Value, ValueMap } from './value.ts'

/** Throws `ApiError` `BadRequest` for text that cannot be read. `resolve` checks that the kind has the fields. */
export function parseFieldSelector(text: string): FieldSelector {
  if (text === '') return EVERY_FIELD
  const terms: FieldTerm[] = []
  // Sorted, because the first fault in this order is reported.
  for (const term of splitTerms(text).sort()) {
    if (term === '') continue
    const parts = /^((?:(?!!=|=)[\s\S])*)(!=|==|=)([\s\S]*)$/.exec(term)
    if (parts === null) throw bad(`invalid selector: '${text}'; can't understand '${term}'`)
    const [, field = '', operator, value = ''] = parts
    terms.push({ field, operator: operator === '!=' ? '!=' : '=', value: unescapeValue(value) })
  }
  return terms.length === 0 ? EVERY_FIELD : { terms }
}

/** Splits at commas without a backslash before them. */
function splitTerms(text: string): string[] {
  const terms: string[] = []
  let start = 0
  for (let i = 0; i < text.length; i++) {
    if (text[i] === '\\') i++
    else if (text[i] === ',') {
      terms.push(text.slice(start, i))
      start = i + 1
    }
  }
  terms.push(text.slice(start))
  return terms
}

function unescapeValue(value: string): string {
  if (!/[\\,=]/.test(value)) return value
  let out = ''
  let escaped = false
  for (const char of value) {
    if (escaped) {
      if (char !== '\\' && char !== ',' && char !== '=') throw badEscape(`\\${char}`)
      out += char
      escaped = false
    } else if (char === '\\') escaped = true
    else if (char === ',' || char === '=') {
      throw bad(`invalid field selector: unescaped character in value: ${char.codePointAt(0)}`)
    } else out += char
  }
  if (escaped) throw badEscape('\\')
  return out
}

function badEscape(sequence: string): ApiError {
  return bad(`invalid field selector: invalid escape sequence: ${sequence}`)
}

function bad(message: string): ApiError {
  return new ApiError('BadRequest', message)
}

/** A field that selectors may name. Its value is compared as text. */
export interface SelectableField {
  /** The name in the storage version: `spec.nodeName`. */
  readonly name: string
  /** The paths of the value. The first path whose value exists and is not empty counts. A number in a path is an index of a list. */
  readonly paths: readonly (readonly string[])[]
  /** The value of an object that has no value at any of the paths. */
  readonly absent: string
  /** Many watches select one value of the field, so an index pays off. */
  readonly indexed: boolean
  /** The first API level that has the field. Absent: every level has it. */
  readonly since?: ApiLevel
}

/** The fields by which objects of one kind can be selected. */
export interface SelectableFields {
  /** The fields besides `metadata.name` and `metadata.namespace`, which every object has. */
  readonly own: readonly SelectableField[]
  /** The selector with the names of the storage version. Throws `ApiError` `BadRequest` for a field that the kind does not have. */
  resolve(selector: FieldSelector): FieldSelector
}

/** The text of a field in a stored object. */
export function readField(object: ValueMap, field: SelectableField): string {
  for (const path of field.paths) {
    const text = textAt(object, path)
    if (text !== '') return text
  }
  return field.absent
}

function textAt(object: ValueMap, path: readonly string[]): string {
  let value: Value | undefined = object
  for (const name of path) {
    if (isMap(value)) value = own(value, name)
    else value = isList(value) ? value[Number(name)] : undefined
  }
  if (typeof value === 'string') return value
  return typeof value === 'number' || typeof value === 'bigint' || typeof value === 'boolean' ? String(value) : ''
}

interface FieldTable {
  readonly fields: readonly SelectableField[]
  /** The name in the storage version, by the name that clients write. */
  readonly labels: ReadonlyMap<string, string>
  readonly refusal: (label: string) => string
}

function selectableFieldsIn(table: FieldTable): SelectableFields {
  return {
    own: table.fields,
    resolve: (selector) => ({
      terms: selector.terms.map((term) => {
        const field = table.labels.get(term.field)
        if (field === undefined) throw bad(table.refusal(term.field))
        return { ...term, field }
      }),
    }),
  }
}

function field(name: string, rest: Partial<SelectableField> = {}): SelectableField {
  return { name, paths: [name.split('.')], absent: '', indexed: false, ...rest }
}

const NAME: readonly string[] = ['metadata.name']
const NAMES: readonly string[] = ['metadata.name', 'metadata.namespace']

const notSupported = (label: string): string => `field label not supported: ${label}`

/** The common case: clients write the names of the storage version. */
function table(common: readonly string[], fields: readonly SelectableField[], refusal = notSupported): FieldTable {
  const names = [...common, ...fields.map(({ name }) => name)]
  return { fields, labels: new Map(names.map((name) => [name, name])), refusal }
}

const INVOLVED = ['kind', 'namespace', 'name', 'uid', 'apiVersion', 'resourceVersion', 'fieldPath'] as const

/** Events of the core group and of events.k8s.io are stored in the core form. */
const EVENT: FieldTable = table(NAMES, [
  ...INVOLVED.map((name) => field(`involvedObject.${name}`)),
  field('reason'),
  field('reportingComponent'),
  field('source', { paths: [['source', 'component'], ['reportingComponent']] }),
  field('type'),
])

const POD: FieldTable = table(NAMES, [
  field('spec.nodeName', { indexed: true }),
  field('spec.restartPolicy'),
  field('spec.schedulerName'),
  field('spec.serviceAccountName'),
  field('spec.hostNetwork', { absent: 'false' }),
  field('status.phase'),
  field('status.podIP', {
    paths: [
      ['status', 'podIPs', '0', 'ip'],
      ['status', 'podIP'],
    ],
  }),
  // As in the reference, selectors may name this field, but its value is always empty.
  field('status.podIPs', { paths: [] }),
  field('status.nominatedNodeName'),
])

/** All versions have the same fields. Only the refusal names the version. */
const SLICES = Object.fromEntries(
  ['v1', 'v1beta1', 'v1beta2'].map((version) => [
    `resource.k8s.io/${version} ResourceSlice`,
    table(
      NAME,
      [field('spec.nodeName', { indexed: true }), field('spec.driver'), field('spec.pool.name', { since: '1.37' })],
      (label) => `field label not supported for resource.k8s.io/${version}, Kind=ResourceSlice: ${label}`,
    ),
  ]),
)

const OF_SIGNERS = Object.fromEntries(
  ['v1', 'v1beta1', 'v1alpha1'].flatMap((version) => [
    [`certificates.k8s.io/${version} ClusterTrustBundle`, table(NAME, [field('spec.signerName')])],
    [
      `certificates.k8s.io/${version} PodCertificateRequest`,
      table(NAME, [field('spec.signerName'), field('spec.podName'), field('spec.nodeName', { indexed: true })]),
    ],
  ]),
)

/** By `apiVersion` and kind. */
const TABLES: Readonly<Record<string, FieldTable>> = {
  'v1 Pod': { ...POD, labels: new Map([...POD.labels, ['spec.host', 'spec.nodeName']]) },
  'v1 Node': table(NAME, [field('spec.unschedulable', { absent: 'false' })]),
  'v1 ReplicationController': table(NAMES, [field('status.replicas', { absent: '0' })]),
  'v1 Event': EVENT,
  'v1 Namespace': table(NAME, [field('status.phase')]),
  'v1 Secret': table(NAMES, [field('type')]),
  'v1 Service': table(NAMES, [field('spec.clusterIP'), field('spec.type')]),
  'batch/v1 Job': table(
    NAMES,
    [field('status.successful', { paths: [['status', 'succeeded']], absent: '0' })],
    (label) => `field label ${quoted(label)} not supported for Job`,
  ),
  'certificates.k8s.io/v1 CertificateSigningRequest': table(NAME, [field('spec.signerName')]),
  ...OF_SIGNERS,
  ...SLICES,
  'events.k8s.io/v1 Event': {
    ...EVENT,
    labels: new Map([
      ...INVOLVED.map((name) => [`regarding.${name}`, `involvedObject.${name}`] as const),
      ['reportingController', 'reportingComponent'],
      ...['reason', 'type', ...NAMES].map((name) => [name, name] as const),
    ]),
  },
}

const OTHERS: FieldTable = table(
  NAMES,
  [],
  (label) => `${quoted(label)} is not a known field selector: only "metadata.name", "metadata.namespace"`,
)

export function selectableFields(gvk: GroupVersionKind, level: ApiLevel = DEFAULT_LEVEL): SelectableFields {
  const key = `${formatGroupVersion(gvk)} ${gvk.kind}`
  return selectableFieldsIn(Object.hasOwn(TABLES, key) ? tableAt(level, TABLES[key] ?? OTHERS) : OTHERS)
}

function tableAt(level: ApiLevel, table: FieldTable): FieldTable {
  const later = new Set(table.fields.filter((one) => !isAtLevel(level, one)).map(({ name }) => name))
  if (later.size === 0) return table
  return {
    ...table,
    fields: table.fields.filter(({ name }) => !later.has(name)),
    labels: new Map([...table.labels].filter(([, name]) => !later.has(name))),
  }
}

/** `paths` are the `selectableFields` of a custom kind, simple JSON paths such as `.spec.colour`. */
export function customSelectableFields(options: {
  readonly namespaced: boolean
  readonly paths: readonly string[]
}): SelectableFields {
  const fields = options.paths.map((path) => field(path.replace(/^\./, '')))
  return selectableFieldsIn(table(options.namespaced ? NAMES : NAME, fields))
}
