// Reads `metadata.managedFields` into the fields of each manager, and writes them back in the reference's order.
import { textOrEmpty } from '../api/members.ts'
import { metaOf, withoutManagedFields } from '../api/object-members.ts'
import { isList, isMap, own, type Value, type ValueMap } from '../api/value.ts'
import { compareTexts } from '../lib/text-order.ts'
import { type FieldSet, isEmptySet } from './field-set.ts'
import { decodeFieldsV1, encodeFieldsV1 } from './fields-v1.ts'

export type Operation = 'Apply' | 'Update'

/** A manager of fields. Apply entries are identified by manager and subresource, Update entries also by version. */
export interface Manager {
  readonly name: string
  readonly operation: Operation
  readonly apiVersion: string
  /** Empty for the main resource. */
  readonly subresource: string
}

export interface ManagedEntry extends Manager {
  readonly fields: FieldSet
  /** The stored entry from which `fields` were read. Unchanged fields are written back as they were in this entry. */
  readonly recorded?: Recorded | undefined
  /** RFC 3339, whole seconds. Absent until the manager first changes the object. */
  readonly time: string | undefined
}

interface Recorded {
  readonly fields: FieldSet
  readonly time: string | undefined
  readonly item: ValueMap
}

/** All entries of an object by the identity of their manager. */
export type ManagedFields = ReadonlyMap<string, ManagedEntry>

/** The identity of an entry. Entries with equal identities have the same manager. Conflicts are sorted by this identity. */
export function identityOf(manager: Manager): string {
  const { name, operation, apiVersion, subresource } = manager
  const version = operation === 'Update' ? `,"apiVersion":${JSON.stringify(apiVersion)}` : ''
  const below = subresource === '' ? '' : `,"subresource":${JSON.stringify(subresource)}`
  return `{"manager":${JSON.stringify(name)},"operation":"${operation}"${version}${below}}`
}

/** The manager as conflicts name it. */
export function formatManager(manager: Manager): string {
  const subresource = manager.subresource === '' ? '' : ` with subresource ${JSON.stringify(manager.subresource)}`
  const version = manager.operation === 'Update' ? ` using ${manager.apiVersion}` : ''
  return `${JSON.stringify(manager.name)}${subresource}${version}`
}

/** Whether a client asks to forget all ownership, by an empty list or a list of one empty entry. */
export function isReset(list: Value | undefined): boolean {
  if (!isList(list)) return false
  return list.length === 0 || (list.length === 1 && isMap(list[0]) && Object.keys(list[0]).length === 0)
}

type ReadFields = (fields: Value | undefined) => FieldSet | undefined

/** The entries, or the reason why the list is malformed. An absent list is empty. */
export function decodeManagedFields(
  list: Value | undefined,
  read: ReadFields = decodeForeignFields,
): ManagedFields | { readonly problem: string } {
  const managed = new Map<string, ManagedEntry>()
  if (list === undefined || list === null) return managed
  if (!isList(list)) return { problem: 'managedFields must be a list' }
  for (const [index, item] of list.entries()) {
    const entry = isMap(item) ? decodeEntry(item, index, read) : { problem: `entry ${index} is not an object` }
    if ('problem' in entry) return entry
    managed.set(identityOf(entry), entry)
  }
  return managed
}

function decodeForeignFields(fields: Value | undefined): FieldSet | undefined {
  return decodeFieldsV1(fields, false)
}

function decodeEntry(item: ValueMap, index: number, read: ReadFields): ManagedEntry | { readonly problem: string } {
  const operation = own(item, 'operation')
  if (operation !== 'Apply' && operation !== 'Update') return { problem: 'operation must be `Apply` or `Update`' }
  const apiVersion = textOrEmpty(item, 'apiVersion')
  if (apiVersion === '') return { problem: 'apiVersion must not be empty' }
  const fieldsType = textOrEmpty(item, 'fieldsType')
  if (fieldsType === '') return { problem: `missing fieldsType in managed fields entry ${index}` }
  if (fieldsType !== 'FieldsV1') {
    return { problem: `invalid fieldsType ${JSON.stringify(fieldsType)} in managed fields entry ${index}` }
  }
  const fields = read(own(item, 'fieldsV1'))
  if (fields === undefined) return { problem: `error decoding manager from managed fields entry ${index}` }
  const time = textOrEmpty(item, 'time') || undefined
  return {
    name: textOrEmpty(item, 'manager'),
    operation,
    apiVersion,
    subresource: textOrEmpty(item, 'subresource'),
    fields,
    recorded: read !== decodeForeignFields && isMap(own(item, 'fieldsV1')) ? { fields, time, item } : undefined,
    time,
  }
}

/** Encodes the entries: Apply entries first, then by time, manager, version and subresource. Entries without fields are left out. */
export function encodeManagedFields(managed: ManagedFields): readonly ValueMap[] {
  return [...managed.values()]
    .filter((entry) => !isEmptySet(entry.fields))
    .sort(compareEntries)
    .map(encodeEntry)
}

function encodeEntry(entry: ManagedEntry): ValueMap {
  const { name, operation, apiVersion, time, fields, recorded, subresource } = entry
  const isRecorded = recorded?.fields === fields
  if (isRecorded && recorded.time === time && textOrEmpty(recorded.item, 'apiVersion') === apiVersion)
    return recorded.item
  return {
    manager: name,
    operation,
    apiVersion,
    ...(time === undefined ? {} : { time }),
    fieldsType: 'FieldsV1',
    fieldsV1: isRecorded ? recorded.item['fieldsV1']! : encodeFieldsV1(fields),
    ...(subresource === '' ? {} : { subresource }),
  }
}

function compareEntries(a: ManagedEntry, b: ManagedEntry): number {
  return (
    compareTexts(a.operation, b.operation) ||
    compareTimes(a.time, b.time) ||
    compareTexts(a.name, b.name) ||
    compareTexts(a.apiVersion, b.apiVersion) ||
    compareTexts(a.subresource, b.subresource)
  )
}

/** The older time comes first. An absent time counts as 1970, but clients can send older times. */
export function compareTimes(a: string | undefined, b: string | undefined): number {
  return a === b ? 0 : millisecondsOf(a) - millisecondsOf(b)
}

function millisecondsOf(time: string | undefined): number {
  return time === undefined ? 0 : Date.parse(time)
}

/** The object with these managedFields, or without the member if there are no owners. */
export function withManagedFields<T extends ValueMap>(object: T, managed: ManagedFields): T {
  const entries = encodeManagedFields(managed)
  if (entries.length === 0) return withoutManagedFields(object)
  return { ...object, metadata: { ...(object['metadata'] as ValueMap), managedFields: entries } }
}

export function managedFieldsOf(object: ValueMap): Value | undefined {
  return metaOf(object).managedFields
}
