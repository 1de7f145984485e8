// Persistent volumes and claims: the phase they start in, and the two ways of a claim to say what it is filled with, which
// say the same (W-575, W-578).
import type { ApiObject } from '../api/object.ts'
import type { ValueMap } from '../api/value.ts'
import { equalValues, isMap, own } from '../api/value.ts'
import type { CharacterTraits } from './character.ts'
import type { GatedField } from './gated-field.ts'
import { withGatedFields } from './gated-field.ts'
import { mapIn, textIn, withMembers, withSpec } from './members.ts'
import { claimWarnings, volumeWarnings } from './warnings-volume.ts'

export const PERSISTENT_VOLUME: CharacterTraits = {
  firstStatus: (_object, { now }) => ({ phase: 'Pending', lastPhaseTransitionTime: now }),
  prepareStatus: (object, stored, { now }) => {
    const [status, before] = [mapIn(object, 'status'), mapIn(stored, 'status')]
    const [given, old] = [own(status, 'lastPhaseTransitionTime'), own(before, 'lastPhaseTransitionTime')]
    const isNew = given !== undefined && (old === undefined || !equalValues(given, old))
    if (textIn(status, 'phase') === textIn(before, 'phase') || isNew) return object
    return { ...object, status: withMembers(status, { lastPhaseTransitionTime: now }) }
  },
  warnings: volumeWarnings,
}

const SOURCE_NAMESPACE: GatedField = {
  gate: 'CrossNamespaceVolumeDataSource',
  path: ['spec', 'dataSourceRef', 'namespace'],
}

export const PERSISTENT_VOLUME_CLAIM: CharacterTraits = withGatedFields([SOURCE_NAMESPACE], {
  firstStatus: () => ({ phase: 'Pending' }),
  prepareForCreate: (object) => mirrored(withoutForeignSource(object)),
  prepareForUpdate: (object, stored) => {
    const before = mapIn(stored, 'spec')
    const hadSource = Object.hasOwn(before, 'dataSource') || Object.hasOwn(before, 'dataSourceRef')
    return mirrored(hadSource ? object : withoutForeignSource(object))
  },
  warnings: claimWarnings,
})

/** `dataSource` names claims and snapshots only; anything else there is dropped, not refused. */
function withoutForeignSource(object: ApiObject): ApiObject {
  const source = own(mapIn(object, 'spec'), 'dataSource')
  if (!isMap(source)) return object
  const place = `${textIn(source, 'apiGroup')}/${textIn(source, 'kind')}`
  const isKnown = place === '/PersistentVolumeClaim' || place === 'snapshot.storage.k8s.io/VolumeSnapshot'
  return isKnown ? object : withSpec(object, { dataSource: undefined })
}

function mirrored(object: ApiObject): ApiObject {
  const spec = mapIn(object, 'spec')
  const [source, reference] = [own(spec, 'dataSource'), own(spec, 'dataSourceRef')]
  if (isMap(source) && !isMap(reference)) return withSpec(object, { dataSourceRef: plainReference(source) })
  if (isMap(reference) && !isMap(source) && textIn(reference, 'namespace') === '') {
    return withSpec(object, { dataSource: plainReference(reference) })
  }
  return object
}

function plainReference(reference: ValueMap): ValueMap {
  const apiGroup = own(reference, 'apiGroup')
  return {
    ...(apiGroup === undefined ? {} : { apiGroup }),
    kind: textIn(reference, 'kind'),
    name: textIn(reference, 'name'),
  }
}
