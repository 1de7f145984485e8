// Warnings about volumes and claims: sources that are gone, old annotations, amounts that are no whole bytes.
import type { ApiObject } from '../../api/object.ts'
import type { ValueMap } from '../../api/value.ts'
import { metaOf } from '../../registry/object-meta.ts'
import { mapIn, mapsIn } from './members.ts'
import { textOf } from '../../schema/validation/members.ts'
import { annotationWarnings, fractionWarnings, nodeTermWarnings } from './warnings.ts'

const OLD_STORAGE_CLASS = 'deprecated since v1.8; use "storageClassName" attribute instead'

const GONE_SOURCES: Readonly<Record<string, string>> = {
  photonPersistentDisk: 'deprecated in v1.11, non-functional in v1.16+',
  gitRepo: 'deprecated in v1.11, and disabled by default in v1.33+',
  scaleIO: 'deprecated in v1.16, non-functional in v1.22+',
  flocker: 'deprecated in v1.22, non-functional in v1.25+',
  storageos: 'deprecated in v1.22, non-functional in v1.25+',
  quobyte: 'deprecated in v1.22, non-functional in v1.25+',
  glusterfs: 'deprecated in v1.25, non-functional in v1.26+',
  cephfs: 'deprecated in v1.28, non-functional in v1.31+',
  rbd: 'deprecated in v1.28, non-functional in v1.31+',
}

/** Of a volume's own object the reference knows fewer. */
const NOT_OF_OBJECTS: ReadonlySet<string> = new Set(['gitRepo', 'flocker', 'quobyte'])

/** Volumes say `storageos` where it counts and `storageOS` where it is spoken of. */
const SPOKEN: Readonly<Record<string, string>> = { storageos: 'storageOS' }

export function sourceWarnings(volume: ValueMap, path: string, except?: ReadonlySet<string>): readonly string[] {
  return Object.keys(GONE_SOURCES).flatMap((source) =>
    Object.hasOwn(volume, source) && except?.has(source) !== true
      ? [`${path}.${SPOKEN[source] ?? source}: ${GONE_SOURCES[source]}`]
      : [],
  )
}

export function claimSpecWarnings(spec: ValueMap, path: string): readonly string[] {
  const resources = mapIn(spec, 'resources')
  return ['requests', 'limits'].flatMap((kind) =>
    fractionWarnings(`${path}.resources.${kind}`, mapIn(resources, kind), 'storage'),
  )
}

export function claimWarnings(object: ApiObject): readonly string[] {
  return [
    ...annotationWarnings(metaOf(object), 'metadata.annotations', {
      'volume.beta.kubernetes.io/storage-class': OLD_STORAGE_CLASS,
    }),
    ...claimSpecWarnings(mapIn(object, 'spec'), 'spec'),
  ]
}

export function volumeWarnings(object: ApiObject): readonly string[] {
  const spec = mapIn(object, 'spec')
  const terms = mapsIn(mapIn(mapIn(spec, 'nodeAffinity'), 'required'), 'nodeSelectorTerms')
  const place = 'spec.nodeAffinity.required.nodeSelectorTerms'
  return [
    ...annotationWarnings(metaOf(object), 'metadata.annotations', {
      'volume.beta.kubernetes.io/storage-class': OLD_STORAGE_CLASS,
      'volume.beta.kubernetes.io/mount-options': 'deprecated since v1.31; use "mountOptions" attribute instead',
    }),
    ...(textOf(spec, 'persistentVolumeReclaimPolicy') === 'Recycle'
      ? [
          'spec.persistentVolumeReclaimPolicy: The Recycle reclaim policy is deprecated. Instead, the recommended approach is to use dynamic provisioning.',
        ]
      : []),
    ...terms.flatMap((term, index) => nodeTermWarnings(term, `${place}[${index}]`)),
    ...sourceWarnings(spec, 'spec', NOT_OF_OBJECTS),
  ]
}
