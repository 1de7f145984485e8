// The specification of a persistent volume, on its own or inside of an attachment.
import { shownMap } from '../../api/field-error.ts'
import { FieldPath } from '../../api/field-path.ts'
import type { ValueMap } from '../../api/value.ts'
import { type Check, IMMUTABLE } from '../../schema/validation/check.ts'
import { has, partIn, partOf, textIn, textOf, textsOf } from '../../schema/validation/members.ts'
import { subdomainName } from '../../schema/validation/object-meta.ts'
import { checkAccessModes } from './claim-spec.ts'
import { isRootPath } from './paths.ts'
import { checkNodeSelector } from './pod-spec/affinity.ts'
import { checkSources, PERSISTENT_SOURCES } from './pod-spec/volume-source.ts'
import { checkBasicAmount, checkPositiveAmount } from './resource-names.ts'

const TYPE = 'core_v1.PersistentVolumeSpec'

export function checkVolumeSpec(spec: ValueMap, at: FieldPath, check: Check): void {
  const modes = textsOf(spec, 'accessModes')
  if (modes.length === 0) check.required(at.child('accessModes'))
  checkAccessModes(modes, at.child('accessModes'), check)
  checkCapacity(spec, at, check)
  check.fields(spec, at, TYPE, 'persistentVolumeReclaimPolicy')
  checkNodeAffinity(partIn(spec, 'nodeAffinity'), at.child('nodeAffinity'), check)
  checkSources(PERSISTENT_SOURCES, spec, { at, check })
  checkLocal(spec, at, check)
  const policy = textOf(spec, 'persistentVolumeReclaimPolicy')
  if (policy === 'Recycle' && isRootPath(textOf(partOf(spec, 'hostPath'), 'path'))) {
    check.forbidden(at.child('persistentVolumeReclaimPolicy'), "may not be 'recycle' for a hostPath mount of '/'")
  }
  check.fields(spec, at, TYPE, 'storageClassName', 'volumeMode')
  checkAttributesClass(spec, at, check)
}

/** Where the local volume is what counts, the volume has to say where it is. */
function checkLocal(spec: ValueMap, at: FieldPath, check: Check): void {
  const source = PERSISTENT_SOURCES.find(({ field }) => has(spec, field))
  if (source?.field !== 'local' || has(spec, 'nodeAffinity')) return
  check.required(at.child('nodeAffinity'), 'Local volume requires node affinity')
}

function checkCapacity(spec: ValueMap, volume: FieldPath, check: Check): void {
  const at = volume.child('capacity')
  const capacity = partIn(spec, 'capacity')
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
  const required = partIn(affinity, 'required')
  if (required !== undefined) checkNodeSelector(required, at.child('required'), check)
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

export function checkSameMode(spec: ValueMap, old: ValueMap, check: Check): void {
  const mode = textIn(spec, 'volumeMode')
  if (mode !== textIn(old, 'volumeMode')) check.invalid(FieldPath.root('volumeMode'), mode, IMMUTABLE)
}
