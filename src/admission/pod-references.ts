// What else a pod refers to beside secrets: config maps, claims for volumes and for devices.
import type { ApiObject } from '../api/object.ts'
import { CONTAINER_LISTS, mapIn, mapsIn, metaText, partIn, specOf, textIn } from './members.ts'

/** The names of all config maps; empty names left out. */
export function configMapsOf(pod: ApiObject): readonly string[] {
  const spec = specOf(pod)
  const containers = CONTAINER_LISTS.flatMap((list) => mapsIn(spec, list))
  const volumes = mapsIn(spec, 'volumes')
  return [
    ...containers.flatMap((container) => [
      ...mapsIn(container, 'env').map((variable) => mapIn(mapIn(variable, 'valueFrom'), 'configMapKeyRef')),
      ...mapsIn(container, 'envFrom').map((source) => mapIn(source, 'configMapRef')),
    ]),
    ...volumes.map((volume) => mapIn(volume, 'configMap')),
    ...volumes.flatMap((volume) =>
      mapsIn(mapIn(volume, 'projected'), 'sources').map((source) => mapIn(source, 'configMap')),
    ),
  ]
    .map((reference) => textIn(reference, 'name'))
    .filter((name) => name !== '')
}

/** The names of the claims of its volumes; those of its own volumes are named after it. */
export function volumeClaimsOf(pod: ApiObject): readonly string[] {
  return mapsIn(specOf(pod), 'volumes').flatMap((volume) => {
    const claim = partIn(volume, 'persistentVolumeClaim')
    if (claim !== undefined) return [textIn(claim, 'claimName')]
    return partIn(volume, 'ephemeral') === undefined ? [] : [`${metaText(pod, 'name')}-${textIn(volume, 'name')}`]
  })
}

/** The names of the claims of devices that are known by now. */
export function deviceClaimsOf(pod: ApiObject): readonly string[] {
  const status = mapIn(pod, 'status')
  const made = new Map(
    mapsIn(status, 'resourceClaimStatuses').map((claim) => [textIn(claim, 'name'), textIn(claim, 'resourceClaimName')]),
  )
  const named = mapsIn(specOf(pod), 'resourceClaims').map((claim) => {
    const own = textIn(claim, 'resourceClaimName')
    return own === '' ? (made.get(textIn(claim, 'name')) ?? '') : own
  })
  const extended = textIn(mapIn(status, 'extendedResourceClaimStatus'), 'resourceClaimName')
  return [...named, extended].filter((name) => name !== '')
}
