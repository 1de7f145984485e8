// The specification of a persistent volume, on its own or inside of an attachment.
import { shownMap } from '../../api/field-error.ts'
import { FieldPath } from '../../api/field-path.ts'
import { isGiven, mapOrAbsent, mapOrEmpty, textOrAbsent, textOrEmpty, textsInPlace } from '../../api/members.ts'
import type { ValueMap } from '../../api/value.ts'
import { type Check, IMMUTABLE } from '../../schema/validation/check.ts'
import { subdomainName } from '../../schema/validation/object-meta.ts'
import { checkAccessModes } from './claim-spec.ts'
import { isRootPath } from './paths.ts'
import { checkNodeSelector } from './pod-spec/affinity.ts'
import { checkSources, PERSISTENT_SOURCES } from './pod-spec/volume-source.ts'
import { checkBasicAmount, checkPositiveAmount } from './resource-names.ts'

const TYPE = 'core_v1.PersistentVolumeSpec'

export function checkVolumeSpec(spec: ValueMap, at: FieldPath, check: Check): void {
  const modes = textsInPlace(spec, 'accessModes')
  if (modes.length === 0) check.required(at.child('accessModes'))
  checkAccessModes(modes, at.child('accessModes'), check)
  checkCapacity(spec, at, check)
  check.fields(spec, at, TYPE, 'persistentVolumeReclaimPolicy')
  checkNodeAffinity(mapOrAbsent(spec, 'nodeAffinity'), at.child('nodeAffinity'), check)
  checkSources(PERSISTENT_SOURCES, spec, { at, check })
  checkLocal(spec, at, check)
  const policy = textOrEmpty(spec, 'persistentVolumeReclaimPolicy')
  if (policy === 'Recycle' && isRootPath(textOrEmpty(mapOrEmpty(spec, 'hostPath'), 'path'))) {
    check.forbidden(at.child('persistentVolumeReclaimPolicy'), "may not be 'recycle' for a hostPath mount of '/'")
  }
  check.fields(spec, at, TYPE, 'storageClassName', 'volumeMode')
  checkAttributesClass(spec, at, check)
}

/** Where the local volume is what counts, the volume has to say where it is. */
function checkLocal(spec: ValueMap, at: FieldPath, check: Check): void {
  const source = PERSISTENT_SOURCES.find(({ field }) => isGiven(spec, field))
  if (source?.field !== 'local' || isGiven(spec, 'nodeAffinity')) return
  check.required(at.child('nodeAffinity'), 'Local volume requires node affinity')
}

function checkCapacity(spec: ValueMap, volume: FieldPath, check: Check): void {
  const at = volume.child('capacity')
  const capacity = mapOrAbsent(spec, 'capacity')
  const names = Object.keys(capacity ?? {})
  check.fields(spec, volume, TYPE, 'capacity')
  if (names.length !== 1 || names[0] !== 'storage') check.notSupported(at, shownMap(capacity), ['storage'])
  for (const [name, amount] of Object.entries(capacity ?? {})) {
    checkBasicAmount(amount, at.key(name), check)
    checkPositiveAmount(amount, at.key(name), check)
  }
}

function checkNodeAffinity(affinity: ValueMap | undefined, at: FieldPath, check: Check): void {
  if (affinity === undefined) return
  check.fields(affinity, at, 'core_v1.VolumeNodeAffinity')
  const required = mapOrAbsent(affinity, 'required')
  if (required !== undefined) checkNodeSelector(required, at.child('required'), check)
}

function checkAttributesClass(spec: ValueMap, at: FieldPath, check: Check): void {
  const name = textOrAbsent(spec, 'volumeAttributesClassName')
  if (name === undefined) return
  const place = at.child('volumeAttributesClassName')
  if (name === '') check.required(place, 'an empty string is disallowed')
  else check.format(place, name, subdomainName(name, false))
  if (!isGiven(spec, 'csi')) check.required(at.child('csi'), 'has to be specified when using volumeAttributesClassName')
}

/** A volume that is described where it is attached. */
export function checkInlineVolume(spec: ValueMap, at: FieldPath, check: Check): void {
  const inline = 'in the context of inline volumes'
  const not = `may not be specified ${inline}`
  if (isGiven(spec, 'claimRef')) check.forbidden(at.child('claimRef'), not)
  if (Object.keys(mapOrEmpty(spec, 'capacity')).length > 0) check.forbidden(at.child('capacity'), not)
  if (!isGiven(spec, 'csi')) check.required(at.child('csi'), `has to be specified ${inline}`)
  const modes = textsInPlace(spec, 'accessModes')
  if (modes.length === 0) check.required(at.child('accessModes'))
  checkAccessModes(modes, at.child('accessModes'), check)
  const policy = textOrEmpty(spec, 'persistentVolumeReclaimPolicy')
  if (policy !== '' && policy !== 'Retain') {
    check.forbidden(at.child('persistentVolumeReclaimPolicy'), `may only be Retain ${inline}`)
  }
  if (isGiven(spec, 'nodeAffinity')) check.forbidden(at.child('nodeAffinity'), not)
  checkSources(PERSISTENT_SOURCES, spec, { at, check })
  checkLocal(spec, at, check)
  if (textOrEmpty(spec, 'storageClassName') !== '') check.forbidden(at.child('storageClassName'), not)
  const mode = textOrAbsent(spec, 'volumeMode')
  if (mode !== undefined && mode !== 'Filesystem') {
    check.forbidden(at.child('volumeMode'), `may not specify volumeMode other than Filesystem ${inline}`)
  }
}

export function checkSameMode(spec: ValueMap, old: ValueMap, check: Check): void {
  const mode = textOrAbsent(spec, 'volumeMode')
  if (mode !== textOrAbsent(old, 'volumeMode')) check.invalid(FieldPath.root('volumeMode'), mode, IMMUTABLE)
}
