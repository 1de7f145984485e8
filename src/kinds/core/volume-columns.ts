// The columns that volumes and claims have in common.
import type { ValueMap } from '../../api/value.ts'
import { type Column, column, wide } from '../../codec/tables/column.ts'
import { at, orUnset, textAt } from '../../codec/tables/reading.ts'

const MODES: Readonly<Record<string, string>> = {
  ReadWriteOnce: 'RWO',
  ReadOnlyMany: 'ROX',
  ReadWriteMany: 'RWX',
  ReadWriteOncePod: 'RWOP',
}

/** Abbreviated, each once, in this order. */
export function accessModes(modes: readonly string[]): string {
  return Object.entries(MODES)
    .filter(([mode]) => modes.includes(mode))
    .map(([, short]) => short)
    .join(',')
}

function storageClass(object: ValueMap): string {
  const old = textAt(object, 'metadata', 'annotations', 'volume.beta.kubernetes.io/storage-class')
  return old || textAt(object, 'spec', 'storageClassName')
}

function phase(object: ValueMap): string {
  return at(object, 'metadata', 'deletionTimestamp') === undefined ? textAt(object, 'status', 'phase') : 'Terminating'
}

export function quantity(object: ValueMap, ...path: readonly string[]): string {
  return textAt(object, ...path) || '0'
}

export const ATTRIBUTES_COLUMN: Column = column(
  'VolumeAttributesClass',
  'The class of changeable attributes.',
  (object) => orUnset(textAt(object, 'spec', 'volumeAttributesClassName')),
)

export const VOLUME_MODE_COLUMN: Column = wide(
  'VolumeMode',
  'Whether it is a file system or a block device.',
  (object) => orUnset(textAt(object, 'spec', 'volumeMode')),
)

export const STORAGE_CLASS_COLUMN: Column = column('StorageClass', 'The storage class.', storageClass)
export const STATUS_COLUMN: Column = column('Status', 'How far it has come.', phase)
