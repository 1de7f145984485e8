// What a claim on storage asks for, alone or as a template in pods and stateful sets.
import type { FieldPath } from '../../api/field-path.ts'
import { mapOrAbsent, mapOrEmpty, textOrAbsent, textOrEmpty, textsInPlace } from '../../api/members.ts'
import { own, type ValueMap } from '../../api/value.ts'
import type { Check } from '../../schema/validation/check.ts'
import { dns1123Subdomain } from '../../schema/validation/formats.ts'
import { checkAnnotations, checkLabels, checkLabelSelector } from '../../schema/validation/labels.ts'
import { labelName, subdomainName } from '../../schema/validation/object-meta.ts'
import { checkAmount, checkPositiveAmount } from './resource-names.ts'

const ACCESS_MODES: readonly string[] = ['ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOnce', 'ReadWriteOncePod']

/** Each mode is known, and the one for a single pod stands alone. */
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
  checkLabelSelector(mapOrAbsent(spec, 'selector'), at.child('selector'), check)
  checkAccessModes(modes, at.child('accessModes'), check)
  checkStorage(spec, at.child('resources').key('storage'), check)
  const className = textOrEmpty(spec, 'storageClassName')
  if (className !== '') check.format(at.child('storageClassName'), className, subdomainName(className, false))
  check.fields(spec, at, 'core_v1.PersistentVolumeClaimSpec')
  checkDataSources(spec, at, check)
  const attributes = textOrEmpty(spec, 'volumeAttributesClassName')
  if (attributes !== '')
    check.format(at.child('volumeAttributesClassName'), attributes, subdomainName(attributes, false))
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
  if (source !== undefined) checkDataSource(source, at.child('dataSource'), check)
  if (ref !== undefined) checkDataSource(ref, at.child('dataSourceRef'), check)
  const namespace = ref === undefined ? '' : textOrEmpty(ref, 'namespace')
  if (ref !== undefined && namespace !== '') {
    check.format(at.child('dataSourceRef').child('namespace'), namespace, labelName(namespace, false))
    if (source !== undefined) {
      check.invalid(at, {}, 'may not be specified when dataSourceRef.namespace is specified')
    }
  } else if (source !== undefined && ref !== undefined && !sameSource(source, ref)) {
    check.invalid(at, {}, 'must match dataSourceRef')
  }
}

function sameSource(a: ValueMap, b: ValueMap): boolean {
  return (
    textOrAbsent(a, 'apiGroup') === textOrAbsent(b, 'apiGroup') &&
    textOrEmpty(a, 'kind') === textOrEmpty(b, 'kind') &&
    textOrEmpty(a, 'name') === textOrEmpty(b, 'name')
  )
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

const TEMPLATE_MEMBERS: readonly string[] = ['annotations', 'labels']

/** A claim that is made for a pod: of its metadata only labels and annotations are taken. */
export function checkClaimTemplate(template: ValueMap, at: FieldPath, check: Check): void {
  checkTemplateMeta(mapOrEmpty(template, 'metadata'), at.child('metadata'), check)
  checkClaimSpec(mapOrEmpty(template, 'spec'), at.child('spec'), check)
}

/** Templates of claims say no more of themselves than labels and annotations; the reference misspells the identity. */
export function checkTemplateMeta(meta: ValueMap, at: FieldPath, check: Check): void {
  checkAnnotations(mapOrAbsent(meta, 'annotations'), at.child('annotations'), check)
  checkLabels(mapOrAbsent(meta, 'labels'), at.child('labels'), check)
  for (const [name, value] of Object.entries(meta)) {
    const empty = value === null || value === '' || (value === 0 && name === 'generation')
    if (empty || TEMPLATE_MEMBERS.includes(name)) continue
    check.forbidden(at.child(name === 'uid' ? 'uID' : name), 'cannot be set')
  }
}
