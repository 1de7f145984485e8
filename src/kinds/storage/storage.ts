// Classes of storage, drivers, and the attaching of volumes to nodes.
import { FieldPath } from '../../api/field-path.ts'
import { shownJson } from '../../api/field-error.ts'
import { equalValues, type ValueMap } from '../../api/value.ts'
import { type Check, IMMUTABLE } from '../../schema/validation/check.ts'
import { inclusiveRange, longerThan, qualifiedName } from '../../schema/validation/formats.ts'
import { checkLabelSelector } from '../../schema/validation/labels.ts'
import { ATTACHMENT, shownAs } from '../shared/internal-form.ts'
import { has, numberIn, partIn, partOf, partsOf, textIn, textOf, textsOf } from '../../schema/validation/members.ts'
import { checkBuiltInMeta, checkBuiltInMetaUpdate, subdomainName } from '../../schema/validation/object-meta.ts'
import { checkInlineVolume } from '../shared/volume-spec.ts'
import { checkTokenSeconds } from '../shared/pod-spec/projected-volume.ts'
import { checkNotNegativeAmount } from '../shared/resource-names.ts'
import type { GroupRules, KindRules } from '../../schema/validation/rules.ts'
import { checkDriverName } from '../shared/pod-spec/volume-source.ts'

const SPEC = FieldPath.root('spec')
const STATUS = FieldPath.root('status')
const MAX_PARAMETERS = 512
const MAX_PARAMETER_BYTES = 256 * 1024
const MAX_ERROR_BYTES = 1024
const MAX_NODE_ID = 256
const MIN_UPDATE_SECONDS = 10

function bytesOf(map: ValueMap): number {
  let bytes = 0
  for (const [key, value] of Object.entries(map)) {
    bytes += Buffer.byteLength(key) + (typeof value === 'string' ? Buffer.byteLength(value) : 0)
  }
  return bytes
}

function checkProvisioner(object: ValueMap, field: string, check: Check): void {
  const at = FieldPath.root(field)
  const name = textOf(object, field)
  if (name === '') check.required(at)
  else check.format(at, name.toLowerCase(), qualifiedName(name.toLowerCase()))
}

function checkParameters(object: ValueMap, mayBeEmpty: boolean, check: Check): void {
  const at = FieldPath.root('parameters')
  const parameters = partOf(object, 'parameters')
  const names = Object.keys(parameters)
  if (names.length > MAX_PARAMETERS) {
    check.tooLong(at, MAX_PARAMETERS)
    return
  }
  if (names.includes('')) check.invalid(at, '', 'field can not be empty.')
  if (bytesOf(parameters) > MAX_PARAMETER_BYTES) check.tooLong(at, MAX_PARAMETER_BYTES)
  if (!mayBeEmpty && names.length === 0) check.required(at, 'must contain at least one key/value pair')
}

function checkClass(object: ValueMap, check: Check): void {
  checkBuiltInMeta(object, subdomainName, check)
  checkProvisioner(object, 'provisioner', check)
  checkParameters(object, true, check)
  const reclaim = textOf(object, 'reclaimPolicy')
  if (reclaim !== '') check.oneOf(FieldPath.root('reclaimPolicy'), reclaim, ['Delete', 'Retain'])
  const mode = textIn(object, 'volumeBindingMode')
  const at = FieldPath.root('volumeBindingMode')
  if (mode === undefined) check.required(at)
  else check.oneOf(at, mode, ['Immediate', 'WaitForFirstConsumer'])
  checkTopologies(partsOf(object, 'allowedTopologies'), check)
}

function checkTopologies(terms: readonly ValueMap[], check: Check): void {
  const list = FieldPath.root('allowedTopologies')
  const seen = new Set<string>()
  for (const [i, term] of terms.entries()) {
    const at = list.index(i).child('matchLabelExpressions')
    const keys = new Map<string, string>()
    for (const [e, expression] of partsOf(term, 'matchLabelExpressions').entries()) {
      const place = at.index(e)
      const values = textsOf(expression, 'values')
      if (values.length === 0) check.required(place.child('values'))
      const distinct = new Set<string>()
      for (const [v, value] of values.entries()) {
        if (distinct.has(value)) check.duplicate(place.child('values').index(v), value)
        distinct.add(value)
      }
      const key = textOf(expression, 'key')
      check.format(place.child('key'), key, qualifiedName(key))
      if (keys.has(key)) check.duplicate(place.child('key'), key)
      keys.set(key, JSON.stringify([key, ...[...distinct].sort()]))
    }
    const form = JSON.stringify([...keys.values()].sort())
    // A term that says nothing counts as said before.
    if (seen.has(form) || keys.size === 0) check.duplicate(at, '')
    seen.add(form)
  }
}

const storageClass: KindRules = {
  create: checkClass,
  update: (object, stored, check) => {
    checkClass(object, check)
    checkBuiltInMetaUpdate(object, stored, check)
    for (const field of ['parameters', 'provisioner', 'reclaimPolicy', 'volumeBindingMode']) {
      check.unchanged(FieldPath.root(field), object[field], stored[field])
    }
  },
}

const volumeAttributesClass: KindRules = {
  create: checkAttributes,
  update: (object, stored, check) => {
    checkAttributes(object, check)
    checkBuiltInMetaUpdate(object, stored, check)
    for (const field of ['driverName', 'parameters']) {
      if (!equalValues(object[field] ?? null, stored[field] ?? null)) {
        check.forbidden(FieldPath.root(field), `updates to ${field} are forbidden.`)
      }
    }
  },
}

function checkAttributes(object: ValueMap, check: Check): void {
  checkBuiltInMeta(object, subdomainName, check)
  checkProvisioner(object, 'driverName', check)
  checkParameters(object, false, check)
}

function checkAttachment(object: ValueMap, check: Check): void {
  checkBuiltInMeta(object, subdomainName, check)
  const spec = partOf(object, 'spec')
  const source = partOf(spec, 'source')
  checkDriverName(textOf(spec, 'attacher'), SPEC.child('attacher'), check)
  checkAttachmentSource(source, SPEC.child('source'), check)
  const node = textOf(spec, 'nodeName')
  check.format(SPEC.child('nodeName'), node, subdomainName(node, false))
  checkAttachmentStatus(partOf(object, 'status'), check)
  const name = textIn(source, 'persistentVolumeName')
  if (name !== undefined)
    check.format(SPEC.child('source').child('persistentVolumeName'), name, subdomainName(name, false))
}

function checkAttachmentSource(source: ValueMap, at: FieldPath, check: Check): void {
  const inline = partIn(source, 'inlineVolumeSpec')
  const name = textIn(source, 'persistentVolumeName')
  const exactlyOne = 'must specify exactly one of inlineVolumeSpec and persistentVolumeName'
  if (inline === undefined && name === undefined) check.required(at, exactlyOne)
  else if (inline !== undefined && name !== undefined) check.forbidden(at, exactlyOne)
  else if (name === '') check.required(at.child('persistentVolumeName'), 'must specify non empty persistentVolumeName')
  else if (inline !== undefined) checkInlineVolume(inline, at.child('inlineVolumeSpec'), check)
}

function checkAttachmentStatus(status: ValueMap, check: Check): void {
  if (bytesOf(partOf(status, 'attachmentMetadata')) > MAX_PARAMETER_BYTES) {
    check.tooLong(STATUS.child('attachmentMetadata'), MAX_PARAMETER_BYTES)
  }
  for (const field of ['attachError', 'detachError']) {
    const error = partIn(status, field)
    if (error === undefined) continue
    if (longerThan(textOf(error, 'message'), MAX_ERROR_BYTES)) {
      check.tooLong(STATUS.child(field).child('message'), MAX_PARAMETER_BYTES)
    }
    const code = numberIn(error, 'errorCode')
    if (code !== undefined && code < 0) {
      check.invalid(STATUS.child(field).child('errorCode'), code, inclusiveRange(0, 2 ** 31 - 1))
    }
  }
}

const volumeAttachment: KindRules = {
  create: checkAttachment,
  update: checkAttachmentUpdate,
  subresources: { status: checkAttachmentUpdate },
}

function checkAttachmentUpdate(object: ValueMap, stored: ValueMap, check: Check): void {
  checkAttachment(object, check)
  const { spec } = object
  if (!equalValues(spec, stored['spec'])) check.invalid(SPEC, shownAs(spec, ATTACHMENT), IMMUTABLE)
}

const LIFECYCLE_MODES: readonly string[] = ['Persistent', 'Ephemeral']

function checkDriverSpec(spec: ValueMap, check: Check): void {
  for (const field of ['attachRequired', 'podInfoOnMount', 'storageCapacity']) {
    if (!has(spec, field)) check.required(SPEC.child(field))
  }
  const policy = textIn(spec, 'fsGroupPolicy')
  if (policy === undefined) check.required(SPEC.child('fsGroupPolicy'))
  else check.oneOf(SPEC.child('fsGroupPolicy'), policy, ['File', 'None', 'ReadWriteOnceWithFSType'])
  const audiences = new Set<string>()
  for (const [i, request] of partsOf(spec, 'tokenRequests').entries()) {
    const at = SPEC.child('tokenRequests').index(i)
    const audience = textOf(request, 'audience')
    if (audiences.has(audience)) check.duplicate(at.child('audience'), audience)
    audiences.add(audience)
    const seconds = numberIn(request, 'expirationSeconds')
    if (seconds !== undefined) checkTokenSeconds(seconds, at.child('expirationSeconds'), check)
  }
  for (const mode of textsOf(spec, 'volumeLifecycleModes')) {
    check.oneOf(SPEC.child('volumeLifecycleModes'), mode, LIFECYCLE_MODES)
  }
  if (has(spec, 'serviceAccountTokenInSecrets') && partsOf(spec, 'tokenRequests').length === 0) {
    const detail = 'serviceAccountTokenInSecrets is set but no tokenRequests are specified'
    check.invalid(SPEC.child('serviceAccountTokenInSecrets'), spec['serviceAccountTokenInSecrets'], detail)
  }
  if (!has(spec, 'seLinuxMount')) check.required(SPEC.child('seLinuxMount'))
  const period = numberIn(spec, 'nodeAllocatableUpdatePeriodSeconds')
  if (period !== undefined && period < MIN_UPDATE_SECONDS) {
    const detail = `must be greater than or equal to ${MIN_UPDATE_SECONDS} seconds`
    check.invalid(SPEC.child('nodeAllocatableUpdatePeriodSeconds'), period, detail)
  }
}

const csiDriver: KindRules = {
  create: (object, check) => {
    checkBuiltInMeta(object, subdomainName, check)
    const name = textOf(partOf(object, 'metadata'), 'name')
    if (name !== '') checkDriverName(name, FieldPath.root('name'), check)
    checkDriverSpec(partOf(object, 'spec'), check)
  },
  update: (object, stored, check) => {
    checkBuiltInMetaUpdate(object, stored, check)
    const [spec, old] = [partOf(object, 'spec'), partOf(stored, 'spec')]
    checkDriverSpec(spec, check)
    check.unchanged(SPEC.child('attachedRequired'), spec['attachRequired'], old['attachRequired'])
    check.unchanged(SPEC.child('volumeLifecycleModes'), spec['volumeLifecycleModes'], old['volumeLifecycleModes'])
  },
}

const DRIVERS = SPEC.child('drivers')

function checkCsiNode(object: ValueMap, check: Check): void {
  checkBuiltInMeta(object, subdomainName, check)
  const names = new Set<string>()
  for (const [i, driver] of partsOf(partOf(object, 'spec'), 'drivers').entries()) {
    const at = DRIVERS.index(i)
    const name = textOf(driver, 'name')
    checkDriverName(name, at.child('name'), check)
    const id = textOf(driver, 'nodeID')
    if (id === '') check.required(at.child('nodeID'))
    if (longerThan(id, MAX_NODE_ID)) check.invalid(at.child('nodeID'), id, `must be ${MAX_NODE_ID} characters or less`)
    check.notNegative(at.child('allocatable').child('count'), numberIn(partOf(driver, 'allocatable'), 'count'))
    if (names.has(name)) check.duplicate(at.child('name'), name)
    names.add(name)
    const keys = new Set<string>()
    for (const key of textsOf(driver, 'topologyKeys')) {
      if (key === '') check.required(at)
      if (keys.has(key)) check.duplicate(at, key)
      keys.add(key)
      check.format(at, key, qualifiedName(key))
    }
  }
}

const csiNode: KindRules = {
  create: checkCsiNode,
  update: (object, stored, check) => {
    checkCsiNode(object, check)
    const old = new Map(partsOf(partOf(stored, 'spec'), 'drivers').map((driver) => [textOf(driver, 'name'), driver]))
    for (const driver of partsOf(partOf(object, 'spec'), 'drivers')) {
      const before = old.get(textOf(driver, 'name'))
      if (before === undefined) continue
      const { allocatable: _now, ...now } = driver
      const { allocatable: _then, ...then } = before
      if (!equalValues(now, then)) check.invalid(DRIVERS, shownJson(now), IMMUTABLE)
    }
  },
}

function checkCapacity(object: ValueMap, check: Check): void {
  checkBuiltInMeta(object, subdomainName, check)
  checkLabelSelector(partIn(object, 'nodeTopology'), FieldPath.root('nodeTopology'), check)
  const className = textOf(object, 'storageClassName')
  check.format(FieldPath.root('storageClassName'), className, subdomainName(className, false))
  for (const field of ['capacity', 'maximumVolumeSize']) {
    checkNotNegativeAmount(object[field], FieldPath.root(field), check)
  }
}

const csiStorageCapacity: KindRules = {
  create: checkCapacity,
  update: (object, stored, check) => {
    checkCapacity(object, check)
    for (const field of ['nodeTopology', 'storageClassName']) {
      check.unchanged(FieldPath.root(field), object[field], stored[field])
    }
  },
}

export const STORAGE_RULES: GroupRules = {
  CSIDriver: csiDriver,
  CSINode: csiNode,
  CSIStorageCapacity: csiStorageCapacity,
  StorageClass: storageClass,
  VolumeAttachment: volumeAttachment,
  VolumeAttributesClass: volumeAttributesClass,
}
