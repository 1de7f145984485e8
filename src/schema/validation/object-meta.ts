// The rules for `metadata` that all kinds share, for creates and updates. Kinds add the format of the name.
import { quoted, type Shown, shownJson } from '../../api/field-error.ts'
import { EXPIRES_AT } from '../../api/expiry.ts'
import { FieldPath } from '../../api/field-path.ts'
import {
  integerOrZero,
  isGiven,
  isTrue,
  mapOrAbsent,
  mapOrEmpty,
  mapsInPlace,
  textOrEmpty,
  textsInPlace,
} from '../../api/members.ts'
import { parseGroupVersion } from '../../api/object.ts'
import { equalValues, own, type Value, type ValueMap } from '../../api/value.ts'
import { parseTime } from '../time.ts'
import { type Check, IMMUTABLE } from './check.ts'
import {
  asName,
  dns1123Label,
  dns1123Subdomain,
  longerThan,
  type NameFormat,
  pathSegment,
  qualifiedName,
} from './formats.ts'
import { checkAnnotations, checkLabels } from './labels.ts'

export const METADATA = FieldPath.root('metadata')
/** The place of faults for which the reference names no field. */
export const NOWHERE = FieldPath.root('')

export const subdomainName: NameFormat = asName(dns1123Subdomain)
export const labelName: NameFormat = asName(dns1123Label)
export const segmentName: NameFormat = (text) => pathSegment(text)

const STANDARD_FINALIZERS: readonly string[] = ['kubernetes', 'orphan', 'foregroundDeletion']

/** Checks the metadata by the rules of all kinds. `validateCreate` calls this only if the rules of the kind have found no fault. */
export function checkCommonMeta(object: ValueMap, check: Check): void {
  checkMeta(object, segmentName, check)
}

/** Checks the metadata of a new object of a built-in kind. Finalizers without a domain must be the server's own. */
export function checkBuiltInMeta(object: ValueMap, name: NameFormat, check: Check): void {
  const meta = mapOrEmpty(object, 'metadata')
  checkMeta(object, name, check)
  checkFinalizerWords(meta, check)
}

/** Checks the metadata of a new object of a kind that accepts any qualified finalizer. */
export function checkMeta(object: ValueMap, name: NameFormat, check: Check): void {
  const meta = mapOrEmpty(object, 'metadata')
  checkNames(meta, name, check)
  checkNamespace(meta, check)
  check.notNegative(METADATA.child('generation'), integerOrZero(meta, 'generation'))
  checkCollections(meta, check)
}

/** Checks the metadata of a changed object against the stored metadata. */
export function checkMetaUpdate(object: ValueMap, stored: ValueMap, check: Check): void {
  const meta = mapOrEmpty(object, 'metadata')
  const old = mapOrEmpty(stored, 'metadata')
  if (isGiven(old, 'deletionTimestamp')) checkNoNewFinalizers(meta, old, check)
  if (textOrEmpty(meta, 'resourceVersion') === '') {
    check.invalid(METADATA.child('resourceVersion'), '', 'must be specified for an update')
  }
  const generation = integerOrZero(meta, 'generation')
  if (generation < integerOrZero(old, 'generation')) {
    check.invalid(METADATA.child('generation'), generation, 'must not be decremented')
  }
  for (const field of ['name', 'namespace', 'uid']) {
    const now = textOrEmpty(meta, field)
    if (now !== textOrEmpty(old, field)) check.invalid(METADATA.child(field), now, IMMUTABLE)
  }
  for (const field of ['creationTimestamp', 'deletionTimestamp', 'deletionGracePeriodSeconds']) {
    const now = meta[field] ?? null
    if (!equalValues(now, old[field] ?? null)) check.invalid(METADATA.child(field), now, IMMUTABLE)
  }
  checkCollections(meta, check, NO_FINALIZERS)
}

/** Checks the annotation with the time of expiry. An invalid value that another server has stored may stay. */
export function checkExpiry(object: ValueMap, stored: ValueMap | undefined, check: Check): void {
  const text = expiryOf(object)
  if (text === undefined || (stored !== undefined && expiryOf(stored) === text)) return
  if (typeof text === 'string' && parseTime(text).ok) return
  const at = METADATA.child('annotations').key(EXPIRES_AT)
  check.invalid(at, text, 'must be a time in RFC 3339, such as 2030-01-02T15:04:05Z')
}

function expiryOf(object: ValueMap): Value | undefined {
  return own(mapOrEmpty(mapOrEmpty(object, 'metadata'), 'annotations'), EXPIRES_AT)
}

/** `checkMetaUpdate`, plus the check of finalizers for built-in kinds. */
export function checkBuiltInMetaUpdate(object: ValueMap, stored: ValueMap, check: Check): void {
  checkMetaUpdate(object, stored, check)
  checkFinalizerWords(mapOrEmpty(object, 'metadata'), check)
}

function checkNames(meta: ValueMap, format: NameFormat, check: Check): void {
  const generateName = textOrEmpty(meta, 'generateName')
  if (generateName !== '') check.format(METADATA.child('generateName'), generateName, format(generateName, true))
  const name = textOrEmpty(meta, 'name')
  if (name === '') check.required(METADATA.child('name'), 'name or generateName is required')
  else check.format(METADATA.child('name'), name, format(name, false))
}

function checkNamespace(meta: ValueMap, check: Check): void {
  const namespace = textOrEmpty(meta, 'namespace')
  const at = METADATA.child('namespace')
  if (!check.context.namespaced) {
    if (namespace !== '') check.forbidden(at, 'not allowed on this type')
  } else if (namespace === '') check.required(at)
  else check.format(at, namespace, labelName(namespace, false))
}

/** The finalizers of a changed object are not checked again. */
const NO_FINALIZERS: readonly string[] = []

function checkCollections(meta: ValueMap, check: Check, finalizers = textsInPlace(meta, 'finalizers')): void {
  check.unlessFaultless(meta, finalizers !== NO_FINALIZERS, () => checkEachCollection(meta, check, finalizers))
}

function checkEachCollection(meta: ValueMap, check: Check, finalizers: readonly string[]): void {
  checkLabels(mapOrAbsent(meta, 'labels'), METADATA.child('labels'), check)
  checkAnnotations(mapOrAbsent(meta, 'annotations'), METADATA.child('annotations'), check)
  checkOwners(mapsInPlace(meta, 'ownerReferences'), METADATA.child('ownerReferences'), check)
  checkFinalizers(finalizers, METADATA.child('finalizers'), check)
  checkManagedFields(mapsInPlace(meta, 'managedFields'), METADATA.child('managedFields'), check)
}

/** The number of faults that show the whole list. If every item has a fault, the list must not be shown once for each item. */
const MAX_WHOLE_LISTS = 8

function checkOwners(owners: readonly ValueMap[], at: FieldPath, check: Check): void {
  let first: string | undefined
  let shown: Shown | undefined
  let shownLists = 0
  for (const [i, owner] of owners.entries()) {
    if (check.form.placesOwners) checkPlacedOwner(owner, at.index(i), check)
    else checkOwner(owner, at, check)
    if (!isTrue(owner, 'controller')) continue
    const name = `${textOrEmpty(owner, 'kind')}/${textOrEmpty(owner, 'name')}`
    if (first === undefined) first = name
    else if (shownLists++ < MAX_WHOLE_LISTS) {
      shown ??= shownJson(owners)
      const detail = `Only one reference can have Controller set to true. Found "true" in references for ${first} and ${name}`
      check.invalid(at, shown, detail)
    }
  }
}

function checkOwner(owner: ValueMap, at: FieldPath, check: Check): void {
  const apiVersion = textOrEmpty(owner, 'apiVersion')
  const kind = textOrEmpty(owner, 'kind')
  const gv = parseGroupVersion(apiVersion)
  if (gv === undefined || gv.version === '')
    check.invalid(at.child('apiVersion'), apiVersion, 'version must not be empty')
  if (kind === '') check.invalid(at.child('kind'), kind, 'must not be empty')
  for (const field of ['name', 'uid']) {
    if (textOrEmpty(owner, field) === '') check.invalid(at.child(field), '', 'must not be empty')
  }
  checkMayOwn(owner, at, check)
}

function checkPlacedOwner(owner: ValueMap, at: FieldPath, check: Check): void {
  const apiVersion = textOrEmpty(owner, 'apiVersion')
  const isVersion = (parseGroupVersion(apiVersion)?.version ?? '') !== ''
  if (apiVersion !== '' && !isVersion)
    check.invalid(at.child('apiVersion'), apiVersion, 'must be <group>/<version> or <version>')
  for (const field of ['apiVersion', 'kind', 'name', 'uid'])
    if (textOrEmpty(owner, field) === '') check.required(at.child(field), 'must not be empty')
  checkMayOwn(owner, at, check)
}

function checkMayOwn(owner: ValueMap, at: FieldPath, check: Check): void {
  if (textOrEmpty(owner, 'apiVersion') === 'v1' && textOrEmpty(owner, 'kind') === 'Event') {
    check.invalid(at, shownJson(owner), '/v1, Kind=Event is disallowed from being an owner')
  }
}

function checkFinalizers(finalizers: readonly string[], at: FieldPath, check: Check): void {
  for (const finalizer of finalizers) check.format(at, finalizer, qualifiedName(finalizer))
  if (finalizers.includes('orphan') && finalizers.includes('foregroundDeletion')) {
    check.invalid(at, finalizers, 'finalizer orphan and foregroundDeletion cannot be both set')
  }
}

function checkFinalizerWords(meta: ValueMap, check: Check): void {
  for (const [i, finalizer] of textsInPlace(meta, 'finalizers').entries()) {
    checkFinalizerWord(finalizer, METADATA.child('finalizers').index(i), check)
  }
}

/** Checks a finalizer of a built-in kind. It must be one of the server's own words, or a name with a domain. */
export function checkFinalizerWord(finalizer: string, at: FieldPath, check: Check): void {
  if (!finalizer.includes('/') && !STANDARD_FINALIZERS.includes(finalizer)) {
    check.invalid(at, finalizer, 'name is neither a standard finalizer name nor is it fully qualified')
  }
}

function checkNoNewFinalizers(meta: ValueMap, old: ValueMap, check: Check): void {
  const before = new Set(textsInPlace(old, 'finalizers'))
  const added = [...new Set(textsInPlace(meta, 'finalizers'))].filter((finalizer) => !before.has(finalizer)).sort()
  if (added.length === 0) return
  const shown = `[]string{${added.map(quoted).join(', ')}}`
  const detail = `no new finalizers can be added if the object is being deleted, found new finalizers ${shown}`
  check.forbidden(METADATA.child('finalizers'), detail)
}

function checkManagedFields(entries: readonly ValueMap[], list: FieldPath, check: Check): void {
  for (const [i, entry] of entries.entries()) {
    const at = list.index(i)
    const operation = textOrEmpty(entry, 'operation')
    if (operation !== 'Apply' && operation !== 'Update') {
      check.invalid(at.child('operation'), operation, 'must be `Apply` or `Update`')
    }
    const fieldsType = textOrEmpty(entry, 'fieldsType')
    if (fieldsType !== '' && fieldsType !== 'FieldsV1') {
      check.invalid(at.child('fieldsType'), fieldsType, 'must be `FieldsV1`')
    }
    checkFieldManager(textOrEmpty(entry, 'manager'), at.child('manager'), check)
    if (longerThan(textOrEmpty(entry, 'subresource'), 256)) check.tooLong(at.child('subresource'), 256)
  }
}

const PRINTABLE_ASCII = /^[ -~]*$/

/** Checks the name of a field manager. It must be short, and every character must be printable. */
function checkFieldManager(manager: string, at: FieldPath, check: Check): void {
  if (longerThan(manager, 128)) {
    check.tooLong(at, 128)
    return
  }
  if (PRINTABLE_ASCII.test(manager)) return
  let position = 0
  for (const char of manager) {
    if (!/[\p{L}\p{M}\p{N}\p{P}\p{S} ]/u.test(char)) {
      check.invalid(at, manager, `invalid character ${codePoint(char)} (at position ${position})`)
    }
    position += Buffer.byteLength(char)
  }
}

function codePoint(char: string): string {
  return `U+${(char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`
}
