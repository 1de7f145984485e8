// The spec of a persistent volume, on its own or inline in a volume attachment.
import type { PersistentVolumeSpec } from '../../api/gen/kinds.ts'
import { shownMap } from '../../api/field-error.ts'
import { FieldPath } from '../../api/field-path.ts'
import { entriesOf } from '../../api/value.ts'
import { type Check, IMMUTABLE } from '../../schema/validation/check.ts'
import { dns1123Subdomain } from '../../schema/validation/formats.ts'
import { checkAccessModes } from './claim-spec.ts'
import { isRootPath } from './paths.ts'
import { checkNodeSelector } from './pod-spec/affinity.ts'
import { checkSources, PERSISTENT_SOURCES } from './pod-spec/volume-source.ts'
import { checkBasicAmount, checkPositiveAmount } from './resource-names.ts'

const TYPE = 'core_v1.PersistentVolumeSpec'

export function checkVolumeSpec(spec: PersistentVolumeSpec, at: FieldPath<PersistentVolumeSpec>, check: Check): void {
  const modes = spec.accessModes ?? []
  if (modes.length === 0) check.required(at.child('accessModes'))
  checkAccessModes(modes, at.child('accessModes'), check)
  checkCapacity(spec, at, check)
  check.fields(spec, at, TYPE, 'persistentVolumeReclaimPolicy')
  check.part(spec, 'nodeAffinity', at, (affinity, place) => {
    check.fields(affinity, place, 'core_v1.VolumeNodeAffinity')
    check.part(affinity, 'required', place, checkNodeSelector)
  })
  checkSources(PERSISTENT_SOURCES, spec, at, check)
  checkLocal(spec, at, check)
  const policy = spec.persistentVolumeReclaimPolicy ?? ''
  if (policy === 'Recycle' && isRootPath(spec.hostPath?.path ?? '')) {
    check.forbidden(at.child('persistentVolumeReclaimPolicy'), "may not be 'recycle' for a hostPath mount of '/'")
  }
  check.fields(spec, at, TYPE, 'storageClassName', 'volumeMode')
  checkAttributesClass(spec, at, check)
}

/** Local volumes need node affinity. */
function checkLocal(spec: PersistentVolumeSpec, at: FieldPath<PersistentVolumeSpec>, check: Check): void {
  const source = PERSISTENT_SOURCES.find(({ field }) => spec[field] !== undefined)
  if (source?.field !== 'local' || spec.nodeAffinity !== undefined) return
  check.required(at.child('nodeAffinity'), 'Local volume requires node affinity')
}

function checkCapacity(spec: PersistentVolumeSpec, volume: FieldPath<PersistentVolumeSpec>, check: Check): void {
  const at = volume.child('capacity')
  const { capacity } = spec
  const names = Object.keys(capacity ?? {})
  check.fields(spec, volume, TYPE, 'capacity')
  if (names.length !== 1 || names[0] !== 'storage') check.notSupported(at, shownMap(capacity), ['storage'])
  for (const [name, amount] of entriesOf(capacity ?? {})) {
    const place = at.key(name)
    checkBasicAmount(amount, place, check)
    checkPositiveAmount(amount, place, check)
  }
}

function checkAttributesClass(spec: PersistentVolumeSpec, at: FieldPath<PersistentVolumeSpec>, check: Check): void {
  const { volumeAttributesClassName: name } = spec
  if (name === undefined) return
  const place = at.child('volumeAttributesClassName')
  if (name === '') check.required(place, 'an empty string is disallowed')
  else check.format(place, name, dns1123Subdomain(name))
  if (spec.csi === undefined)
    check.required(at.child('csi'), 'has to be specified when using volumeAttributesClassName')
}

/** Checks a volume that is inline in a volume attachment. */
export function checkInlineVolume(spec: PersistentVolumeSpec, at: FieldPath<PersistentVolumeSpec>, check: Check): void {
  const inline = 'in the context of inline volumes'
  const refuse = (field: keyof PersistentVolumeSpec, isSet: boolean, detail = 'may not be specified'): void => {
    if (isSet) check.forbidden(at.child(field), `${detail} ${inline}`)
  }
  refuse('claimRef', spec.claimRef !== undefined)
  refuse('capacity', Object.keys(spec.capacity ?? {}).length > 0)
  if (spec.csi === undefined) check.required(at.child('csi'), `has to be specified ${inline}`)
  const modes = spec.accessModes ?? []
  if (modes.length === 0) check.required(at.child('accessModes'))
  checkAccessModes(modes, at.child('accessModes'), check)
  const policy = spec.persistentVolumeReclaimPolicy ?? ''
  refuse('persistentVolumeReclaimPolicy', policy !== '' && policy !== 'Retain', 'may only be Retain')
  refuse('nodeAffinity', spec.nodeAffinity !== undefined)
  checkSources(PERSISTENT_SOURCES, spec, at, check)
  checkLocal(spec, at, check)
  refuse('storageClassName', spec.storageClassName !== undefined)
  const { volumeMode: mode = 'Filesystem' } = spec
  refuse('volumeMode', mode !== 'Filesystem', 'may not specify volumeMode other than Filesystem')
}

export function checkSameMode(spec: PersistentVolumeSpec, old: PersistentVolumeSpec, check: Check): void {
  const { volumeMode: mode } = spec
  if (mode !== old.volumeMode) check.invalid(FieldPath.root('volumeMode'), mode, IMMUTABLE)
}
