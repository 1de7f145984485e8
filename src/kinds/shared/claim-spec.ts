// The spec of persistent volume claims, and templates of them in pods and stateful sets.
import type { FieldPath } from '../../api/field-path.ts'
import { mapOrAbsent, mapOrEmpty, textOrAbsent, textOrEmpty, textsInPlace } from '../../api/members.ts'
import { own, type ValueMap } from '../../api/value.ts'
import type { Check } from '../../schema/validation/check.ts'
import { dns1123Label, dns1123Subdomain } from '../../schema/validation/formats.ts'
import { checkAnnotations, checkLabels, checkLabelSelector } from '../../schema/validation/labels.ts'
import { checkAmount, checkPositiveAmount } from './resource-names.ts'

const ACCESS_MODES: readonly string[] = ['ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOnce', 'ReadWriteOncePod']

/** Known modes, and `ReadWriteOncePod` only alone. */
export function checkAccessModes(modes: readonly string[], at: FieldPath, check: Check): void {
  for (const mode of modes) check.oneOf(at, mode, ACCESS_MODES)
  const known = modes.filter((mode) => ACCESS_MODES.includes(mode))
  if (known.includes('ReadWriteOncePod') && known.some((mode) => mode !== 'ReadWriteOncePod')) {
    check.forbidden(at, 'may not use ReadWriteOncePod with other access modes')
  }
}

export function checkClaimSpec(spec: ValueMap, at: FieldPath, check: Check): void {
  const modes = textsInPlace(spec, 'accessModes')
  if (modes.length === 0) check.required(at.child('accessModes'), 'at least 1 access mode is required')
  check.part(spec, 'selector', at, checkLabelSelector)
  checkAccessModes(modes, at.child('accessModes'), check)
  checkStorage(spec, at.child('resources').key('storage'), check)
  checkClassName(spec, 'storageClassName', at, check)
  check.fields(spec, at, 'core_v1.PersistentVolumeClaimSpec')
  checkDataSources(spec, at, check)
  checkClassName(spec, 'volumeAttributesClassName', at, check)
}

function checkClassName(spec: ValueMap, field: string, at: FieldPath, check: Check): void {
  const name = textOrEmpty(spec, field)
  if (name !== '') check.format(at.child(field), name, dns1123Subdomain(name))
}

function checkStorage(spec: ValueMap, at: FieldPath, check: Check): void {
  const storage = own(mapOrEmpty(mapOrEmpty(spec, 'resources'), 'requests'), 'storage')
  if (storage === undefined) {
    check.required(at)
    return
  }
  const before = check.errors.length
  checkPositiveAmount(storage, at, check)
  if (check.errors.length === before) checkAmount('storage', storage, at, check)
}

function checkDataSources(spec: ValueMap, at: FieldPath, check: Check): void {
  const source = mapOrAbsent(spec, 'dataSource')
  const ref = mapOrAbsent(spec, 'dataSourceRef')
  for (const field of ['dataSource', 'dataSourceRef']) check.part(spec, field, at, checkDataSource)
  const namespace = textOrEmpty(ref ?? {}, 'namespace')
  if (namespace !== '') {
    check.format(at.child('dataSourceRef').child('namespace'), namespace, dns1123Label(namespace))
    if (source !== undefined) {
      check.invalid(at, {}, 'may not be specified when dataSourceRef.namespace is specified')
    }
  } else if (source !== undefined && ref !== undefined && !sameSource(source, ref)) {
    check.invalid(at, {}, 'must match dataSourceRef')
  }
}

function sameSource(a: ValueMap, b: ValueMap): boolean {
  const hasSame = (field: string): boolean => textOrEmpty(a, field) === textOrEmpty(b, field)
  return textOrAbsent(a, 'apiGroup') === textOrAbsent(b, 'apiGroup') && hasSame('kind') && hasSame('name')
}

function checkDataSource(source: ValueMap, at: FieldPath, check: Check): void {
  const kind = textOrEmpty(source, 'kind')
  check.fields(source, at, 'core_v1.TypedLocalObjectReference', 'name', 'kind')
  const group = textOrEmpty(source, 'apiGroup')
  if (group !== '') check.format(at.child('apiGroup'), group, dns1123Subdomain(group))
  else if (kind !== 'PersistentVolumeClaim') {
    check.invalid(at, kind, "must be 'PersistentVolumeClaim' when referencing the default apiGroup")
  }
}

export function checkClaimTemplate(template: ValueMap, at: FieldPath, check: Check): void {
  checkTemplateMeta(mapOrEmpty(template, 'metadata'), at.child('metadata'), check)
  checkClaimSpec(mapOrEmpty(template, 'spec'), at.child('spec'), check)
}

/** Templates may only have labels and annotations. `uID` is the reference's misspelling. */
export function checkTemplateMeta(meta: ValueMap, at: FieldPath, check: Check): void {
  check.part(meta, 'annotations', at, checkAnnotations)
  check.part(meta, 'labels', at, checkLabels)
  for (const [name, value] of Object.entries(meta)) {
    const empty = value === null || value === '' || (value === 0 && name === 'generation')
    if (empty || name === 'annotations' || name === 'labels') continue
    check.forbidden(at.child(name === 'uid' ? 'uID' : name), 'cannot be set')
  }
}
