// The columns that volumes and claims have in common.
import type { PersistentVolume, PersistentVolumeClaim } from '../../api/gen/kinds.ts'
import { own } from '../../api/value.ts'
import { type Column, column, wide } from '../../codec/tables/column.ts'
import { orUnset } from '../../codec/tables/reading.ts'

const MODES: Readonly<Record<string, string>> = {
  ReadWriteOnce: 'RWO',
  ReadOnlyMany: 'ROX',
  ReadWriteMany: 'RWX',
  ReadWriteOncePod: 'RWOP',
}

/** The modes abbreviated, each once, in this order. */
export function accessModes(modes: readonly string[]): string {
  return Object.entries(MODES)
    .filter(([mode]) => modes.includes(mode))
    .map(([, short]) => short)
    .join(',')
}

type VolumeOrClaim = PersistentVolume | PersistentVolumeClaim

function storageClass({ metadata: { annotations = {} }, spec }: VolumeOrClaim): string {
  return own(annotations, 'volume.beta.kubernetes.io/storage-class') || (spec.storageClassName ?? '')
}

export const ATTRIBUTES_COLUMN: Column<VolumeOrClaim> = column(
  'VolumeAttributesClass',
  'The class of changeable attributes.',
  ({ spec }) => orUnset(spec.volumeAttributesClassName ?? ''),
)

export const VOLUME_MODE_COLUMN: Column<VolumeOrClaim> = wide(
  'VolumeMode',
  'Whether the volume is a file system or a block device.',
  ({ spec }) => orUnset(spec.volumeMode ?? ''),
)

export const STORAGE_CLASS_COLUMN: Column<VolumeOrClaim> = column('StorageClass', 'The storage class.', storageClass)
export const STATUS_COLUMN: Column<VolumeOrClaim> = column(
  'Status',
  'The phase of the volume or claim.',
  ({ metadata, status }) => (metadata.deletionTimestamp === undefined ? (status.phase ?? '') : 'Terminating'),
)
