// The config maps, volume claims and resource claims that a pod references; and whether it references any API object.
import { quoted } from '../api/field-error.ts'
import { mapOrAbsent, mapOrEmpty, mapsOnly, textOrEmpty } from '../api/members.ts'
import { metaText, specOf } from '../api/object-members.ts'
import type { ApiObject } from '../api/object.ts'
import { CONTAINER_LISTS } from '../api/pod-containers.ts'
import type { ValueMap } from '../api/value.ts'
import { secretsOf } from './pod-secrets.ts'

/** The names of all config maps; empty names left out. */
export function configMapsOf(pod: ApiObject): readonly string[] {
  const spec = specOf(pod)
  const containers = CONTAINER_LISTS.flatMap((list) => mapsOnly(spec, list))
  const volumes = mapsOnly(spec, 'volumes')
  return [
    ...containers.flatMap((container) => [
      ...mapsOnly(container, 'env').map((variable) => mapOrEmpty(mapOrEmpty(variable, 'valueFrom'), 'configMapKeyRef')),
      ...mapsOnly(container, 'envFrom').map((source) => mapOrEmpty(source, 'configMapRef')),
    ]),
    ...volumes.map((volume) => mapOrEmpty(volume, 'configMap')),
    ...volumes.flatMap((volume) =>
      mapsOnly(mapOrEmpty(volume, 'projected'), 'sources').map((source) => mapOrEmpty(source, 'configMap')),
    ),
  ]
    .map((reference) => textOrEmpty(reference, 'name'))
    .filter((name) => name !== '')
}

/** Claims of its volumes; those of ephemeral volumes are named after the pod. */
export function volumeClaimsOf(pod: ApiObject): readonly string[] {
  return mapsOnly(specOf(pod), 'volumes').flatMap((volume) => volumeClaimOf(pod, volume) ?? [])
}

export function volumeClaimOf(pod: ApiObject, volume: ValueMap): string | undefined {
  const claim = mapOrAbsent(volume, 'persistentVolumeClaim')
  if (claim !== undefined) return textOrEmpty(claim, 'claimName')
  return mapOrAbsent(volume, 'ephemeral') === undefined
    ? undefined
    : `${metaText(pod, 'name')}-${textOrEmpty(volume, 'name')}`
}

/** The resource claims that are known so far. */
export function deviceClaimsOf(pod: ApiObject): readonly string[] {
  const status = mapOrEmpty(pod, 'status')
  const made = new Map(
    mapsOnly(status, 'resourceClaimStatuses').map((claim) => [
      textOrEmpty(claim, 'name'),
      textOrEmpty(claim, 'resourceClaimName'),
    ]),
  )
  const named = mapsOnly(specOf(pod), 'resourceClaims').map((claim) => {
    const own = textOrEmpty(claim, 'resourceClaimName')
    return own === '' ? (made.get(textOrEmpty(claim, 'name')) ?? '') : own
  })
  const extended = textOrEmpty(mapOrEmpty(status, 'extendedResourceClaimStatus'), 'resourceClaimName')
  return [...named, extended].filter((name) => name !== '')
}

/** Volumes that reference no API object. */
const PLAIN_VOLUMES: readonly string[] = [
  'awsElasticBlockStore',
  'azureDisk',
  'cephfs',
  'cinder',
  'downwardAPI',
  'emptyDir',
  'fc',
  'flexVolume',
  'flocker',
  'gcePersistentDisk',
  'gitRepo',
  'hostPath',
  'image',
  'iscsi',
  'nfs',
  'photonPersistentDisk',
  'portworxVolume',
  'quobyte',
  'rbd',
  'scaleIO',
  'storageos',
  'vsphereVolume',
]

const VOLUME_REFERENCES: readonly (readonly [source: string, resource: string])[] = [
  ['configMap', 'configmaps (via configmap volumes)'],
  ['secret', 'secrets (via secret volumes)'],
  ['csi', 'csidrivers (via CSI volumes)'],
  ['glusterfs', 'endpoints (via glusterFS volumes)'],
  ['persistentVolumeClaim', 'persistentvolumeclaims'],
  ['ephemeral', 'persistentvolumeclaims (via ephemeral volumes)'],
  ['azureFile', 'secrets (via azureFile volumes)'],
]

const PROJECTED_REFERENCES: readonly (readonly [source: string, resource: string])[] = [
  ['configMap', 'configmaps (via projected volumes)'],
  ['secret', 'secrets (via projected volumes)'],
  ['serviceAccountToken', 'serviceaccounts (via projected volumes)'],
  ['clusterTrustBundle', 'clustertrustbundles'],
  ['podCertificate', 'podcertificates'],
]

export type ApiReference =
  | { readonly kind: 'known'; readonly resource: string }
  /** An unknown type of volume. */
  | { readonly kind: 'unknown'; readonly problem: string }

/** The first reference of the pod to another API object. */
export function apiReferenceOf(pod: ApiObject): ApiReference | undefined {
  const spec = specOf(pod)
  if (textOrEmpty(spec, 'serviceAccountName') !== '') return known('serviceaccounts')
  if (secretsOf(pod).length > 0) return known('secrets')
  if (configMapsOf(pod).length > 0) return known('configmaps')
  if (mapsOnly(spec, 'resourceClaims').length > 0) return known('resourceclaims')
  for (const volume of mapsOnly(spec, 'volumes')) {
    const found = referenceOfVolume(volume)
    if (found !== undefined) return found
  }
  return undefined
}

function referenceOfVolume(volume: ValueMap): ApiReference | undefined {
  if (PLAIN_VOLUMES.some((source) => mapOrAbsent(volume, source) !== undefined)) return undefined
  const found = VOLUME_REFERENCES.find(([source]) => mapOrAbsent(volume, source) !== undefined)
  if (found !== undefined) return known(found[1])
  const name = quoted(textOrEmpty(volume, 'name'))
  const projected = mapOrAbsent(volume, 'projected')
  if (projected === undefined) return { kind: 'unknown', problem: `unknown volume type for volume  ${name}` }
  for (const source of mapsOnly(projected, 'sources')) {
    const reference = PROJECTED_REFERENCES.find(([member]) => mapOrAbsent(source, member) !== undefined)
    if (reference !== undefined) return known(reference[1])
    if (mapOrAbsent(source, 'downwardAPI') === undefined) {
      return { kind: 'unknown', problem: `unknown source for projected volume ${name}` }
    }
  }
  return undefined
}

function known(resource: string): ApiReference {
  return { kind: 'known', resource }
}
