// The config maps, volume claims and resource claims that a pod references, and its first reference to any API object.
import { quoted } from '../api/field-error.ts'
import type { Pod, Volume, VolumeProjection } from '../api/gen/kinds.ts'
import { containersOf } from '../api/pod-containers.ts'
import { firstFound } from '../lib/first-found.ts'
import { secretsOf } from './pod-secrets.ts'

/** The names of all config maps that the pod references. Empty names are left out. */
export function configMapsOf({ spec }: Pod): readonly string[] {
  return [
    ...containersOf(spec).flatMap(({ env = [], envFrom = [] }) => [
      ...env.map(({ valueFrom }) => valueFrom?.configMapKeyRef),
      ...envFrom.map(({ configMapRef }) => configMapRef),
    ]),
    ...(spec.volumes ?? []).flatMap(({ configMap, projected }) => [
      configMap,
      ...(projected?.sources ?? []).map((source) => source.configMap),
    ]),
  ]
    .map((reference) => reference?.name ?? '')
    .filter((name) => name !== '')
}

/** The claims of the pod's volumes. The claims of ephemeral volumes are named after the pod. */
export function volumeClaimsOf(pod: Pod): readonly string[] {
  return (pod.spec.volumes ?? []).flatMap((volume) => volumeClaimOf(pod, volume) ?? [])
}

export function volumeClaimOf({ metadata }: Pod, volume: Volume): string | undefined {
  if (volume.persistentVolumeClaim !== undefined) return volume.persistentVolumeClaim.claimName
  return volume.ephemeral === undefined ? undefined : `${metadata.name ?? ''}-${volume.name}`
}

/** The resource claims of the pod whose names are known. */
export function deviceClaimsOf({ spec, status }: Pod): readonly string[] {
  const made = new Map(status.resourceClaimStatuses?.map(({ name, resourceClaimName }) => [name, resourceClaimName]))
  const named = (spec.resourceClaims ?? []).map(({ name, resourceClaimName }) => resourceClaimName || made.get(name))
  const extended = status.extendedResourceClaimStatus?.resourceClaimName
  return [...named, extended].flatMap((name) => name || [])
}

/** Volumes that reference no API object. */
const PLAIN_VOLUMES: readonly (keyof Volume)[] = [
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

const VOLUME_REFERENCES: readonly (readonly [source: keyof Volume, resource: string])[] = [
  ['configMap', 'configmaps (via configmap volumes)'],
  ['secret', 'secrets (via secret volumes)'],
  ['csi', 'csidrivers (via CSI volumes)'],
  ['glusterfs', 'endpoints (via glusterFS volumes)'],
  ['persistentVolumeClaim', 'persistentvolumeclaims'],
  ['ephemeral', 'persistentvolumeclaims (via ephemeral volumes)'],
  ['azureFile', 'secrets (via azureFile volumes)'],
]

const PROJECTED_REFERENCES: readonly (readonly [source: keyof VolumeProjection, resource: string])[] = [
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
export function apiReferenceOf(pod: Pod): ApiReference | undefined {
  const { serviceAccountName = '', resourceClaims = [], volumes = [] } = pod.spec
  if (serviceAccountName !== '') return known('serviceaccounts')
  if (secretsOf(pod).length > 0) return known('secrets')
  if (configMapsOf(pod).length > 0) return known('configmaps')
  if (resourceClaims.length > 0) return known('resourceclaims')
  return firstFound(volumes, referenceOfVolume)
}

function referenceOfVolume(volume: Volume): ApiReference | undefined {
  if (PLAIN_VOLUMES.some((source) => volume[source] !== undefined)) return undefined
  const found = VOLUME_REFERENCES.find(([source]) => volume[source] !== undefined)
  if (found !== undefined) return known(found[1])
  const name = quoted(volume.name)
  const { projected } = volume
  if (projected === undefined) return { kind: 'unknown', problem: `unknown volume type for volume  ${name}` }
  for (const source of projected.sources ?? []) {
    const reference = PROJECTED_REFERENCES.find(([member]) => source[member] !== undefined)
    if (reference !== undefined) return known(reference[1])
    if (source.downwardAPI === undefined) {
      return { kind: 'unknown', problem: `unknown source for projected volume ${name}` }
    }
  }
  return undefined
}

function known(resource: string): ApiReference {
  return { kind: 'known', resource }
}
