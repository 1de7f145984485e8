// What a pod refers to beside secrets: config maps, claims for volumes and for devices; and whether it refers to anything at all.
import { quoted } from '../api/field-error.ts'
import type { ApiObject } from '../api/object.ts'
import type { ValueMap } from '../api/value.ts'
import { CONTAINER_LISTS, mapIn, mapsIn, metaText, partIn, specOf, textIn } from '../admission/members.ts'
import { secretsOf } from './pod-secrets.ts'

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
  return mapsIn(specOf(pod), 'volumes').flatMap((volume) => volumeClaimOf(pod, volume) ?? [])
}

export function volumeClaimOf(pod: ApiObject, volume: ValueMap): string | undefined {
  const claim = partIn(volume, 'persistentVolumeClaim')
  if (claim !== undefined) return textIn(claim, 'claimName')
  return partIn(volume, 'ephemeral') === undefined ? undefined : `${metaText(pod, 'name')}-${textIn(volume, 'name')}`
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

/** Volumes that are what they are without another object of the API. */
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
  /** Nobody knows what it refers to. */
  | { readonly kind: 'unknown'; readonly problem: string }

/** The first that the pod makes to another object of the API, in the reference's words; undefined where there is none. */
export function apiReferenceOf(pod: ApiObject): ApiReference | undefined {
  const spec = specOf(pod)
  if (textIn(spec, 'serviceAccountName') !== '') return known('serviceaccounts')
  if (secretsOf(pod).length > 0) return known('secrets')
  if (configMapsOf(pod).length > 0) return known('configmaps')
  if (mapsIn(spec, 'resourceClaims').length > 0) return known('resourceclaims')
  for (const volume of mapsIn(spec, 'volumes')) {
    const found = referenceOfVolume(volume)
    if (found !== undefined) return found
  }
  return undefined
}

function referenceOfVolume(volume: ValueMap): ApiReference | undefined {
  if (PLAIN_VOLUMES.some((source) => partIn(volume, source) !== undefined)) return undefined
  const found = VOLUME_REFERENCES.find(([source]) => partIn(volume, source) !== undefined)
  if (found !== undefined) return known(found[1])
  const name = quoted(textIn(volume, 'name'))
  const projected = partIn(volume, 'projected')
  if (projected === undefined) return { kind: 'unknown', problem: `unknown volume type for volume  ${name}` }
  for (const source of mapsIn(projected, 'sources')) {
    const reference = PROJECTED_REFERENCES.find(([member]) => partIn(source, member) !== undefined)
    if (reference !== undefined) return known(reference[1])
    if (partIn(source, 'downwardAPI') === undefined) {
      return { kind: 'unknown', problem: `unknown source for projected volume ${name}` }
    }
  }
  return undefined
}

function known(resource: string): ApiReference {
  return { kind: 'known', resource }
}
