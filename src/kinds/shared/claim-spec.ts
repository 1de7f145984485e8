// What a claim on storage asks for, alone or as a template in pods and stateful sets.
import type { FieldPath } from '../../api/field-path.ts'
import { own, type ValueMap } from '../../api/value.ts'
import type { Check } from '../../schema/validation/check.ts'
import { dns1123Subdomain } from '../../schema/validation/formats.ts'
import { checkAnnotations, checkLabels, checkLabelSelector } from '../../schema/validation/labels.ts'
import { partIn, partOf, textIn, textOf, textsOf } from '../../schema/validation/members.ts'
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
  const modes = textsOf(spec, 'accessModes')
  if (modes.length === 0) check.required(at.child('accessModes'), 'at least 1 access mode is required')
  checkLabelSelector(partIn(spec, 'selector'), at.child('selector'), check)
  checkAccessModes(modes, at.child('accessModes'), check)
  checkStorage(spec, at.child('resources').key('storage'), check)
  const className = textOf(spec, 'storageClassName')
  if (className !== '') check.format(at.child('storageClassName'), className, subdomainName(className, false))
  check.fields(spec, at, 'core_v1.PersistentVolumeClaimSpec')
  checkDataSources(spec, at, check)
  const attributes = textOf(spec, 'volumeAttributesClassName')
  if (attributes !== '')
    check.format(at.child('volumeAttributesClassName'), attributes, subdomainName(attributes, false))
}

function checkStorage(spec: ValueMap, at: FieldPath, check: Check): void {
  const storage = own(partOf(partOf(spec, 'resources'), 'requests'), 'storage')
  if (storage === undefined) {
    check.required(at)
    return
  }
  const before = check.errors.length
  checkPositiveAmount(storage, at, check)
  if (check.errors.length === before) checkAmount('storage', storage, { at, check })
}

function checkDataSources(spec: ValueMap, at: FieldPath, check: Check): void {
  const source = partIn(spec, 'dataSource')
  const ref = partIn(spec, 'dataSourceRef')
  if (source !== undefined) checkDataSource(source, at.child('dataSource'), check)
  if (ref !== undefined) checkDataSource(ref, at.child('dataSourceRef'), check)
  const namespace = ref === undefined ? '' : textOf(ref, 'namespace')
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
    textIn(a, 'apiGroup') === textIn(b, 'apiGroup') &&
    textOf(a, 'kind') === textOf(b, 'kind') &&
    textOf(a, 'name') === textOf(b, 'name')
  )
}

function checkDataSource(source: ValueMap, at: FieldPath, check: Check): void {
  const kind = textOf(source, 'kind')
  check.fields(source, at, 'core_v1.TypedLocalObjectReference', 'name', 'kind')
  const group = textOf(source, 'apiGroup')
  if (group !== '') check.format(at.child('apiGroup'), group, dns1123Subdomain(group))
  else if (kind !== 'PersistentVolumeClaim') {
    check.invalid(at, kind, "must be 'PersistentVolumeClaim' when referencing the default apiGroup")
  }
}

const TEMPLATE_MEMBERS: readonly string[] = ['annotations', 'labels']

/** A claim that is made for a pod: of its metadata only labels and annotations are taken. */
export function checkClaimTemplate(template: ValueMap, at: FieldPath, check: Check): void {
  checkTemplateMeta(partOf(template, 'metadata'), at.child('metadata'), check)
  checkClaimSpec(partOf(template, 'spec'), at.child('spec'), check)
}

/** Templates of claims say no more of themselves than labels and annotations; the reference misspells the identity. */
export function checkTemplateMeta(meta: ValueMap, at: FieldPath, check: Check): void {
  checkAnnotations(partIn(meta, 'annotations'), at.child('annotations'), check)
  checkLabels(partIn(meta, 'labels'), at.child('labels'), check)
  for (const [name, value] of Object.entries(meta)) {
    const empty = value === null || value === '' || (value === 0 && name === 'generation')
    if (empty || TEMPLATE_MEMBERS.includes(name)) continue
    check.forbidden(at.child(name === 'uid' ? 'uID' : name), 'cannot be set')
  }
}
