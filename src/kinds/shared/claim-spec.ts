// Checks the spec of persistent volume claims, and of their templates in pods and stateful sets.
import type {
  ObjectMeta,
  PersistentVolumeClaimSpec,
  PersistentVolumeClaimTemplate,
  TypedLocalObjectReference,
} from '../../api/gen/kinds.ts'
import type { FieldPath } from '../../api/field-path.ts'
import { own, type Value } from '../../api/value.ts'
import type { Check } from '../../schema/validation/check.ts'
import { dns1123Label, dns1123Subdomain } from '../../schema/validation/formats.ts'
import { checkAnnotations, checkLabels, checkLabelSelector } from '../../schema/validation/labels.ts'
import { checkAmount, checkPositiveAmount } from './resource-names.ts'

const ACCESS_MODES: readonly string[] = ['ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOnce', 'ReadWriteOncePod']

/** Modes must be known, and `ReadWriteOncePod` must be the only mode. */
export function checkAccessModes(modes: readonly string[], at: FieldPath, check: Check): void {
  for (const mode of modes) check.oneOf(at, mode, ACCESS_MODES)
  const known = modes.filter((mode) => ACCESS_MODES.includes(mode))
  if (known.includes('ReadWriteOncePod') && known.some((mode) => mode !== 'ReadWriteOncePod')) {
    check.forbidden(at, 'may not use ReadWriteOncePod with other access modes')
  }
}

export function checkClaimSpec(
  spec: PersistentVolumeClaimSpec,
  at: FieldPath<PersistentVolumeClaimSpec>,
  check: Check,
): void {
  const { accessModes: modes = [] } = spec
  if (modes.length === 0) check.required(at.child('accessModes'), 'at least 1 access mode is required')
  check.part(spec, 'selector', at, checkLabelSelector)
  checkAccessModes(modes, at.child('accessModes'), check)
  checkStorage(own(spec.resources.requests ?? {}, 'storage'), at.child('resources').key('storage'), check)
  checkClassName(spec.storageClassName, at.child('storageClassName'), check)
  check.fields(spec, at, 'core_v1.PersistentVolumeClaimSpec')
  checkDataSources(spec, at, check)
  checkClassName(spec.volumeAttributesClassName, at.child('volumeAttributesClassName'), check)
}

function checkClassName(name = '', at: FieldPath, check: Check): void {
  if (name !== '') check.format(at, name, dns1123Subdomain(name))
}

function checkStorage(storage: string | undefined, at: FieldPath, check: Check): void {
  if (storage === undefined) {
    check.required(at)
    return
  }
  const before = check.errors.length
  checkPositiveAmount(storage, at, check)
  if (check.errors.length === before) checkAmount('storage', storage, at, check)
}

function checkDataSources(
  spec: PersistentVolumeClaimSpec,
  at: FieldPath<PersistentVolumeClaimSpec>,
  check: Check,
): void {
  const { dataSource: source, dataSourceRef: ref } = spec
  for (const field of ['dataSource', 'dataSourceRef'] as const) check.part(spec, field, at, checkDataSource)
  const namespace = (ref ?? {}).namespace ?? ''
  if (namespace !== '') {
    check.format(at.child('dataSourceRef').child('namespace'), namespace, dns1123Label(namespace))
    if (source !== undefined) {
      check.invalid(at, {}, 'may not be specified when dataSourceRef.namespace is specified')
    }
  } else if (source !== undefined && ref !== undefined && !sameSource(source, ref)) {
    check.invalid(at, {}, 'must match dataSourceRef')
  }
}

type Source = TypedLocalObjectReference

function sameSource(a: Source, b: Source): boolean {
  return a.apiGroup === b.apiGroup && a.kind === b.kind && a.name === b.name
}

function checkDataSource(source: Source, at: FieldPath<Source>, check: Check): void {
  const { kind, apiGroup: group } = source
  check.fields(source, at, 'core_v1.TypedLocalObjectReference', 'name', 'kind')
  if (group !== null && group !== '') check.format(at.child('apiGroup'), group, dns1123Subdomain(group))
  else if (kind !== 'PersistentVolumeClaim') {
    check.invalid(at, kind, "must be 'PersistentVolumeClaim' when referencing the default apiGroup")
  }
}

export function checkClaimTemplate(
  template: PersistentVolumeClaimTemplate,
  at: FieldPath<PersistentVolumeClaimTemplate>,
  check: Check,
): void {
  checkTemplateMeta(template.metadata, at.child('metadata'), check)
  checkClaimSpec(template.spec, at.child('spec'), check)
}

/** The metadata of a template may have only labels and annotations. `uID` is the reference's misspelling. */
export function checkTemplateMeta(meta: ObjectMeta, at: FieldPath<ObjectMeta>, check: Check): void {
  check.part(meta, 'annotations', at, checkAnnotations)
  check.part(meta, 'labels', at, checkLabels)
  for (const [name, value] of Object.entries<Value>(meta)) {
    const empty = value === null || value === '' || (value === 0 && name === 'generation')
    if (empty || name === 'annotations' || name === 'labels') continue
    check.forbidden(at.place(name === 'uid' ? 'uID' : name), 'cannot be set')
  }
}
