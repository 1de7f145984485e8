// Volumes that outlive pods, and claims on them.
import { FieldPath } from '../../api/field-path.ts'
import { shownMap } from '../../api/field-error.ts'
import { equalValues, own, type Value, type ValueMap } from '../../api/value.ts'
import { compareQuantities } from '../../lib/quantity.ts'
import { checkNodeSelector } from '../shared/pod-spec/affinity.ts'
import { type Check, IMMUTABLE } from '../../schema/validation/check.ts'
import { checkAccessModes, checkClaimSpec, VOLUME_MODES } from '../shared/claim-spec.ts'
import { qualifiedName } from '../../schema/validation/formats.ts'
import { shownAs, VOLUME_AFFINITY } from '../shared/internal-form.ts'
import { has, partIn, partOf, textIn, textOf, textsOf, textUnder } from '../../schema/validation/members.ts'
import {
  checkBuiltInMeta,
  checkBuiltInMetaUpdate,
  METADATA,
  subdomainName,
} from '../../schema/validation/object-meta.ts'
import { isRootPath } from '../shared/paths.ts'
import { amountOf, checkAmount, checkBasicAmount, checkPositiveAmount, isNative } from '../shared/resource-names.ts'
import type { KindRules } from '../../schema/validation/rules.ts'
import { checkSources, PERSISTENT_SOURCES } from '../shared/pod-spec/volume-source.ts'

const SPEC = FieldPath.root('spec')
const STATUS = FieldPath.root('status')

function checkVolume(object: ValueMap, check: Check): void {
  checkBuiltInMeta(object, subdomainName, check)
  checkVolumeSpec(partOf(object, 'spec'), SPEC, check)
  checkMountOptions(object, check)
}

const MOUNT_OPTIONS = 'volume.beta.kubernetes.io/mount-options'
const TAKE_MOUNT_OPTIONS: readonly string[] = [
  'gcePersistentDisk',
  'awsElasticBlockStore',
  'glusterfs',
  'nfs',
  'rbd',
  'quobyte',
  'iscsi',
  'cinder',
  'cephfs',
  'azureFile',
  'vsphereVolume',
  'azureDisk',
  'photonPersistentDisk',
]

function checkMountOptions(object: ValueMap, check: Check): void {
  const spec = partOf(object, 'spec')
  if (!has(partOf(partOf(object, 'metadata'), 'annotations'), MOUNT_OPTIONS)) return
  if (TAKE_MOUNT_OPTIONS.some((source) => has(spec, source))) return
  const at = METADATA.child('annotations').child(MOUNT_OPTIONS)
  check.forbidden(at, 'may not specify mount options for this volume type')
}

function checkVolumeSpec(spec: ValueMap, at: FieldPath, check: Check): void {
  const modes = textsOf(spec, 'accessModes')
  if (modes.length === 0) check.required(at.child('accessModes'))
  checkAccessModes(modes, at.child('accessModes'), check)
  checkCapacity(spec, at.child('capacity'), check)
  const policy = textOf(spec, 'persistentVolumeReclaimPolicy')
  if (policy !== '') check.oneOf(at.child('persistentVolumeReclaimPolicy'), policy, ['Delete', 'Recycle', 'Retain'])
  checkNodeAffinity(partIn(spec, 'nodeAffinity'), at.child('nodeAffinity'), check)
  checkSources(PERSISTENT_SOURCES, spec, { at, check })
  checkLocal(spec, at, check)
  if (policy === 'Recycle' && isRootPath(textOf(partOf(spec, 'hostPath'), 'path'))) {
    check.forbidden(at.child('persistentVolumeReclaimPolicy'), "may not be 'recycle' for a hostPath mount of '/'")
  }
  const className = textOf(spec, 'storageClassName')
  if (className !== '') check.format(at.child('storageClassName'), className, subdomainName(className, false))
  const mode = textIn(spec, 'volumeMode')
  if (mode !== undefined) check.oneOf(at.child('volumeMode'), mode, VOLUME_MODES)
  checkAttributesClass(spec, at, check)
}

/** Where the local volume is what counts, the volume has to say where it is. */
function checkLocal(spec: ValueMap, at: FieldPath, check: Check): void {
  const source = PERSISTENT_SOURCES.find(({ field }) => has(spec, field))
  if (source?.field !== 'local' || has(spec, 'nodeAffinity')) return
  check.required(at.child('nodeAffinity'), 'Local volume requires node affinity')
}

function checkCapacity(spec: ValueMap, at: FieldPath, check: Check): void {
  const capacity = partIn(spec, 'capacity')
  const names = Object.keys(capacity ?? {})
  if (names.length === 0) check.required(at)
  if (names.length !== 1 || names[0] !== 'storage') check.notSupported(at, shownMap(capacity), ['storage'])
  for (const [name, amount] of Object.entries(capacity ?? {})) {
    checkBasicAmount(amount, at.key(name), check)
    checkPositiveAmount(amount, at.key(name), check)
  }
}

function checkNodeAffinity(affinity: ValueMap | undefined, at: FieldPath, check: Check): void {
  if (affinity === undefined) return
  const required = partIn(affinity, 'required')
  if (required === undefined) check.required(at.child('required'), 'must specify required node constraints')
  else checkNodeSelector(required, at.child('required'), check)
}

function checkAttributesClass(spec: ValueMap, at: FieldPath, check: Check): void {
  const name = textIn(spec, 'volumeAttributesClassName')
  if (name === undefined) return
  const place = at.child('volumeAttributesClassName')
  if (name === '') check.required(place, 'an empty string is disallowed')
  else check.format(place, name, subdomainName(name, false))
  if (!has(spec, 'csi')) check.required(at.child('csi'), 'has to be specified when using volumeAttributesClassName')
}

/** A volume that is described where it is attached. */
export function checkInlineVolume(spec: ValueMap, at: FieldPath, check: Check): void {
  const inline = 'in the context of inline volumes'
  const not = `may not be specified ${inline}`
  if (has(spec, 'claimRef')) check.forbidden(at.child('claimRef'), not)
  if (Object.keys(partOf(spec, 'capacity')).length > 0) check.forbidden(at.child('capacity'), not)
  if (!has(spec, 'csi')) check.required(at.child('csi'), `has to be specified ${inline}`)
  const modes = textsOf(spec, 'accessModes')
  if (modes.length === 0) check.required(at.child('accessModes'))
  checkAccessModes(modes, at.child('accessModes'), check)
  const policy = textOf(spec, 'persistentVolumeReclaimPolicy')
  if (policy !== '' && policy !== 'Retain') {
    check.forbidden(at.child('persistentVolumeReclaimPolicy'), `may only be Retain ${inline}`)
  }
  if (has(spec, 'nodeAffinity')) check.forbidden(at.child('nodeAffinity'), not)
  checkSources(PERSISTENT_SOURCES, spec, { at, check })
  checkLocal(spec, at, check)
  if (textOf(spec, 'storageClassName') !== '') check.forbidden(at.child('storageClassName'), not)
  const mode = textIn(spec, 'volumeMode')
  if (mode !== undefined && mode !== 'Filesystem') {
    check.forbidden(at.child('volumeMode'), `may not specify volumeMode other than Filesystem ${inline}`)
  }
}

/** The source as it may be compared: a secret for growing may be added where there was none. */
function sourceOf(spec: ValueMap, old: ValueMap): ValueMap {
  const source = Object.fromEntries(
    PERSISTENT_SOURCES.flatMap(({ field }): [string, Value][] => {
      const value = partIn(spec, field)
      return value === undefined ? [] : [[field, value]]
    }),
  )
  const csi = partIn(spec, 'csi')
  const before = partIn(old, 'csi')
  if (csi === undefined || before === undefined || has(before, 'controllerExpandSecretRef')) return source
  const { controllerExpandSecretRef: _, ...rest } = csi
  return { ...source, csi: rest }
}

/** The reference checks a changed volume or claim as a new one, and again with the change. */
export const persistentVolume: KindRules = {
  create: checkVolume,
  update: (object, stored, check) => {
    checkVolume(object, check)
    checkVolume(object, check)
    const spec = partOf(object, 'spec')
    const old = partOf(stored, 'spec')
    if (!equalValues(sourceOf(spec, old), sourceOf(old, old))) {
      const detail = 'spec.persistentvolumesource is immutable after creation\n'
      check.forbidden(SPEC.child('persistentvolumesource'), detail)
    }
    checkSameMode(spec, old, check)
    const affinity = partIn(spec, 'nodeAffinity')
    const before = partIn(old, 'nodeAffinity')
    if (
      before !== undefined &&
      !check.gate('MutablePVNodeAffinity') &&
      !equalValues(renewed(before), renewed(affinity))
    ) {
      const detail = `${IMMUTABLE}, except for updating from beta label to GA`
      check.invalid(FieldPath.root('nodeAffinity'), shownAs(affinity, VOLUME_AFFINITY), detail)
    }
    if (textIn(old, 'volumeAttributesClassName') !== undefined && !has(spec, 'volumeAttributesClassName')) {
      const detail = 'update from non-nil value to nil is forbidden'
      check.forbidden(SPEC.child('volumeAttributesClassName'), detail)
    }
  },
  subresources: { status: checkBuiltInMetaUpdate },
}

function checkSameMode(spec: ValueMap, old: ValueMap, check: Check): void {
  const mode = textIn(spec, 'volumeMode')
  if (mode !== textIn(old, 'volumeMode')) check.invalid(FieldPath.root('volumeMode'), mode, IMMUTABLE)
}

const STABLE_LABELS: ReadonlyMap<Value, string> = new Map([
  ['failure-domain.beta.kubernetes.io/zone', 'topology.kubernetes.io/zone'],
  ['failure-domain.beta.kubernetes.io/region', 'topology.kubernetes.io/region'],
  ['beta.kubernetes.io/os', 'kubernetes.io/os'],
  ['beta.kubernetes.io/arch', 'kubernetes.io/arch'],
  ['beta.kubernetes.io/instance-type', 'node.kubernetes.io/instance-type'],
])

/** With the labels that have taken the place of older ones. */
function renewed(value: Value | undefined): Value | undefined {
  if (typeof value !== 'object' || value === null)
    return value === undefined ? undefined : (STABLE_LABELS.get(value) ?? value)
  if (Array.isArray(value)) return value.map((item) => renewed(item as Value) ?? null)
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, renewed(member) ?? null]))
}

const CLASS_ANNOTATION = 'volume.beta.kubernetes.io/storage-class'

function checkClaim(object: ValueMap, check: Check): void {
  checkBuiltInMeta(object, subdomainName, check)
  checkClaimSpec(partOf(object, 'spec'), SPEC, check)
}

export const persistentVolumeClaim: KindRules = {
  create: checkClaim,
  update: (object, stored, check) => {
    checkBuiltInMetaUpdate(object, stored, check)
    checkClaim(object, check)
    checkClaimChange(object, stored, check)
  },
  subresources: {
    status: (object, stored, check) => {
      checkBuiltInMetaUpdate(object, stored, check)
      if (textsOf(partOf(object, 'spec'), 'accessModes').length === 0) {
        check.required(FieldPath.root('Spec').child('accessModes'))
      }
      checkClaimStatus(partOf(object, 'status'), check)
    },
  },
}

function checkClaimChange(object: ValueMap, stored: ValueMap, check: Check): void {
  const spec = partOf(object, 'spec')
  const old = partOf(stored, 'spec')
  if (!equalValues(comparable(object, stored, check), old)) {
    const detail =
      'spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims\n'
    check.forbidden(SPEC, detail)
  }
  const size = amountOf(storageOf(spec) ?? '0')
  const before = amountOf(storageOf(old))
  const capacity = amountOf(own(partOf(partOf(stored, 'status'), 'capacity'), 'storage') ?? '0')
  if (size !== undefined && before !== undefined && compareQuantities(size, before) < 0) {
    if (capacity !== undefined && compareQuantities(size, capacity) <= 0) {
      const at = SPEC.child('resources').child('requests').child('storage')
      check.forbidden(at, 'field can not be less than status.capacity')
    }
  }
  checkSameMode(spec, old, check)
  const applied = textIn(partOf(stored, 'status'), 'currentVolumeAttributesClassName')
  const attributes = textIn(spec, 'volumeAttributesClassName')
  if (applied !== undefined && attributes !== textIn(old, 'volumeAttributesClassName') && (attributes ?? '') === '') {
    const to = attributes === undefined ? 'nil' : 'empty string'
    const detail = `update to ${to} is forbidden when status.currentVolumeAttributesClassName is not nil`
    check.forbidden(SPEC.child('volumeAttributesClassName'), detail)
  }
}

function storageOf(spec: ValueMap): Value | undefined {
  return own(partOf(partOf(spec, 'resources'), 'requests'), 'storage')
}

/** The new spec with everything that may change as it was. */
function comparable(object: ValueMap, stored: ValueMap, check: Check): ValueMap {
  const old = partOf(stored, 'spec')
  const rest: Record<string, Value> = { ...partOf(object, 'spec') }
  const restore = (field: string): void => {
    const before = old[field]
    if (before === undefined) delete rest[field]
    else rest[field] = before
  }
  if (textOf(old, 'volumeName') === '') restore('volumeName')
  if (mayNameClass(object, stored, check)) restore('storageClassName')
  if (textOf(partOf(object, 'status'), 'phase') === 'Bound') {
    restore('volumeAttributesClassName')
    const resources = partOf(rest, 'resources')
    const storage = storageOf(old)
    if (storage !== undefined && has(resources, 'requests')) {
      rest['resources'] = { ...resources, requests: { ...partOf(resources, 'requests'), storage } }
    }
  }
  return rest
}

/** A class may be named where none was, in the words of the annotation where that names one. */
function mayNameClass(object: ValueMap, stored: ValueMap, check: Check): boolean {
  const before = textUnder(partOf(partOf(stored, 'metadata'), 'annotations'), CLASS_ANNOTATION)
  const now = textUnder(partOf(partOf(object, 'metadata'), 'annotations'), CLASS_ANNOTATION)
  const name = textIn(partOf(object, 'spec'), 'storageClassName')
  const unnamed = !has(partOf(stored, 'spec'), 'storageClassName')
  const follows = unnamed && name !== undefined && (before === undefined || name === before)
  if (!(follows && before !== undefined && (now === undefined || now === before)) && (now ?? '') !== (before ?? '')) {
    check.invalid(METADATA.child('annotations').child(CLASS_ANNOTATION), now ?? '', IMMUTABLE)
  }
  return follows
}

const RESIZE_STATES: readonly string[] = [
  'ControllerResizeInProgress',
  'ControllerResizeInfeasible',
  'NodeResizeInProgress',
  'NodeResizeInfeasible',
  'NodeResizePending',
]

function checkClaimStatus(status: ValueMap, check: Check): void {
  for (const [name, amount] of Object.entries(partOf(status, 'capacity'))) {
    checkBasicAmount(amount, STATUS.child('capacity').key(name), check)
  }
  const states = STATUS.child('allocatedResourceStatuses')
  for (const [name, state] of Object.entries(partOf(status, 'allocatedResourceStatuses'))) {
    checkClaimResource(name, states, check)
    if (typeof state !== 'string' || !RESIZE_STATES.includes(state)) check.notSupported(states, name, RESIZE_STATES)
  }
  const allocated = STATUS.child('allocatedResources')
  for (const [name, amount] of Object.entries(partOf(status, 'allocatedResources'))) {
    const before = check.errors.length
    checkClaimResource(name, allocated, check)
    if (check.errors.length > before) continue
    checkBasicAmount(amount, allocated.key(name), check)
    if (check.errors.length === before) checkAmount('storage', amount, { at: allocated.key(name), check })
  }
}

function checkClaimResource(name: string, at: FieldPath, check: Check): void {
  const faults = qualifiedName(name)
  check.format(at, name, faults)
  if (faults.length === 0 && isNative(name) && name !== 'storage') check.notSupported(at, name, ['storage'])
}
