// Warnings about volumes and claims: removed sources, deprecated annotations, fractions of bytes.
import type { PersistentVolumeClaimSpec } from '../../api/gen/kinds.ts'
import type { ValueMap } from '../../api/value.ts'
import { fractionWarnings } from './warnings.ts'

/** The warning about the annotation that the field replaced. */
export const OLD_STORAGE_CLASS = 'deprecated since v1.8; use "storageClassName" attribute instead'

const REMOVED_SOURCES: Readonly<Record<string, string>> = {
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

/** Names in warnings that differ from the names of the fields. */
const WARNING_NAMES: Readonly<Record<string, string>> = { storageos: 'storageOS' }

export function sourceWarnings(volume: ValueMap, path: string, except?: ReadonlySet<string>): readonly string[] {
  return Object.keys(REMOVED_SOURCES).flatMap((source) =>
    Object.hasOwn(volume, source) && except?.has(source) !== true
      ? [`${path}.${WARNING_NAMES[source] ?? source}: ${REMOVED_SOURCES[source]}`]
      : [],
  )
}

export function claimSpecWarnings({ resources }: PersistentVolumeClaimSpec, path: string): readonly string[] {
  return (['requests', 'limits'] as const).flatMap((kind) =>
    fractionWarnings(`${path}.resources.${kind}`, resources[kind] ?? {}, 'storage'),
  )
}
