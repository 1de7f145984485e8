// Persistent volumes and claims: the phase they start in, and the two ways of a claim to say what it is filled with, which
// say the same (W-575, W-578).
import type { ApiObject } from '../../api/object.ts'
import type { ValueMap } from '../../api/value.ts'
import { equalValues, isMap, own } from '../../api/value.ts'
import type { KindStrategy } from '../strategy.ts'
import { mapIn, withMembers, withSpec } from '../shared/members.ts'
import { textOf } from '../../schema/validation/members.ts'
import { claimWarnings, volumeWarnings } from '../shared/volume-warnings.ts'

export const PERSISTENT_VOLUME: KindStrategy = {
  firstStatus: (_object, { now }) => ({ phase: 'Pending', lastPhaseTransitionTime: now }),
  prepareStatus: (object, stored, { now }) => {
    const [status, before] = [mapIn(object, 'status'), mapIn(stored, 'status')]
    const [given, old] = [own(status, 'lastPhaseTransitionTime'), own(before, 'lastPhaseTransitionTime')]
    const isNew = given !== undefined && (old === undefined || !equalValues(given, old))
    if (isNew) return object
    const isSamePhase = textOf(status, 'phase') === textOf(before, 'phase')
    return { ...object, status: withMembers(status, { lastPhaseTransitionTime: isSamePhase ? old : now }) }
  },
  warnings: volumeWarnings,
}

const FROM_ELSEWHERE = 'CrossNamespaceVolumeDataSource'

export const PERSISTENT_VOLUME_CLAIM: KindStrategy = {
  firstStatus: () => ({ phase: 'Pending' }),
  prepareForCreate: (object, { gates }) => mirrored(withoutForeignSource(withoutDistantSource(object, gates))),
  prepareForUpdate: (object, stored, { gates }) => {
    const before = mapIn(stored, 'spec')
    if (Object.hasOwn(before, 'dataSourceRef')) return mirrored(object)
    const near = withoutDistantSource(object, gates)
    return mirrored(Object.hasOwn(before, 'dataSource') ? near : withoutForeignSource(near))
  },
  warnings: claimWarnings,
}

/** A source in another namespace is no source, unless the gate lets it be one. */
function withoutDistantSource(object: ApiObject, gates: ReadonlySet<string>): ApiObject {
  const isDistant = textOf(mapIn(mapIn(object, 'spec'), 'dataSourceRef'), 'namespace') !== ''
  return isDistant && !gates.has(FROM_ELSEWHERE) ? withSpec(object, { dataSourceRef: undefined }) : object
}

/** `dataSource` alone names claims and snapshots only; anything else there is dropped, not refused. */
function withoutForeignSource(object: ApiObject): ApiObject {
  const spec = mapIn(object, 'spec')
  const source = own(spec, 'dataSource')
  if (!isMap(source) || Object.hasOwn(spec, 'dataSourceRef')) return object
  const place = `${textOf(source, 'apiGroup')}/${textOf(source, 'kind')}`
  const isKnown = place === '/PersistentVolumeClaim' || place === 'snapshot.storage.k8s.io/VolumeSnapshot'
  return isKnown ? object : withSpec(object, { dataSource: undefined })
}

/** With both where there is one. */
export function mirrored(object: ApiObject): ApiObject {
  const spec = mapIn(object, 'spec')
  const [source, reference] = [own(spec, 'dataSource'), own(spec, 'dataSourceRef')]
  if (isMap(source) && !isMap(reference)) return withSpec(object, { dataSourceRef: plainReference(source) })
  if (isMap(reference) && !isMap(source) && textOf(reference, 'namespace') === '') {
    return withSpec(object, { dataSource: plainReference(reference) })
  }
  return object
}

function plainReference(reference: ValueMap): ValueMap {
  const apiGroup = own(reference, 'apiGroup')
  return {
    ...(apiGroup === undefined ? {} : { apiGroup }),
    kind: textOf(reference, 'kind'),
    name: textOf(reference, 'name'),
  }
}
