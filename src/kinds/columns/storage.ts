// The tables of storage: volumes, claims, classes, drivers.
import type { ValueMap } from '../../api/value.ts'
import {
  AGE,
  boolean,
  column,
  integer,
  length,
  NAME,
  NAME_DESCRIPTION,
  tableOf,
  text,
  wide,
} from '../../codec/tables/column.ts'
import type { Column, TableShapes } from '../../codec/tables/column.ts'
import { at, booleanAt, listAt, orNone, orUnset, textAt, textsAt } from '../../codec/tables/reading.ts'

const MODES: Readonly<Record<string, string>> = {
  ReadWriteOnce: 'RWO',
  ReadOnlyMany: 'ROX',
  ReadWriteMany: 'RWX',
  ReadWriteOncePod: 'RWOP',
}

/** Each mode once, in this order whatever theirs. */
function accessModes(modes: readonly string[]): string {
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

/** A quantity that is not there is none. */
function quantity(object: ValueMap, ...path: readonly string[]): string {
  return textAt(object, ...path) || '0'
}

function claimOf(volume: ValueMap): string {
  const claim = at(volume, 'spec', 'claimRef')
  return claim === undefined ? '' : `${textAt(claim, 'namespace')}/${textAt(claim, 'name')}`
}

function isBound(claim: ValueMap): boolean {
  return textAt(claim, 'spec', 'volumeName') !== ''
}

function className(storage: ValueMap): string {
  const name = textAt(storage, 'metadata', 'name')
  const marks = ['storageclass.kubernetes.io/is-default-class', 'storageclass.beta.kubernetes.io/is-default-class']
  const isDefault = marks.some((mark) => textAt(storage, 'metadata', 'annotations', mark) === 'true')
  return isDefault ? `${name} (default)` : name
}

const ATTRIBUTES: Column = column('VolumeAttributesClass', 'The class of changeable attributes.', (object) =>
  orUnset(textAt(object, 'spec', 'volumeAttributesClassName')),
)
const VOLUME_MODE: Column = wide('VolumeMode', 'Whether it is a file system or a block device.', (object) =>
  orUnset(textAt(object, 'spec', 'volumeMode')),
)
const STORAGE_CLASS: Column = column('StorageClass', 'The storage class.', storageClass)
const STATUS: Column = column('Status', 'How far it has come.', phase)

export const STORAGE_TABLES: TableShapes = {
  ' PersistentVolume': tableOf([
    NAME,
    column('Capacity', 'How much it holds.', (volume) => quantity(volume, 'spec', 'capacity', 'storage')),
    column('Access Modes', 'How it can be mounted.', (volume) => accessModes(textsAt(volume, 'spec', 'accessModes'))),
    column('Reclaim Policy', 'What happens to it after its claim.', text('spec', 'persistentVolumeReclaimPolicy')),
    STATUS,
    column('Claim', 'The claim that has it.', claimOf),
    STORAGE_CLASS,
    ATTRIBUTES,
    column('Reason', 'Why it is in this state.', text('status', 'reason')),
    AGE,
    VOLUME_MODE,
  ]),
  ' PersistentVolumeClaim': tableOf([
    NAME,
    STATUS,
    column('Volume', 'The volume that it has.', text('spec', 'volumeName')),
    column('Capacity', 'How much the volume holds.', (claim) =>
      isBound(claim) ? quantity(claim, 'status', 'capacity', 'storage') : '',
    ),
    column('Access Modes', 'How the volume can be mounted.', (claim) =>
      isBound(claim) ? accessModes(textsAt(claim, 'status', 'accessModes')) : '',
    ),
    STORAGE_CLASS,
    ATTRIBUTES,
    AGE,
    VOLUME_MODE,
  ]),
  'storage.k8s.io StorageClass': tableOf([
    column('Name', NAME_DESCRIPTION, className, { format: 'name' }),
    column('Provisioner', 'What makes the volumes.', text('provisioner')),
    column(
      'ReclaimPolicy',
      'What happens to a volume after its claim.',
      (one) => textAt(one, 'reclaimPolicy') || 'Delete',
    ),
    column(
      'VolumeBindingMode',
      'When a claim gets its volume.',
      (one) => textAt(one, 'volumeBindingMode') || 'Immediate',
    ),
    column('AllowVolumeExpansion', 'Whether volumes can grow.', (one) => booleanAt(one, 'allowVolumeExpansion')),
    AGE,
  ]),
  'storage.k8s.io VolumeAttachment': tableOf([
    NAME,
    column('Attacher', 'The driver that attaches it.', text('spec', 'attacher'), { format: 'name' }),
    column('PV', 'The volume.', text('spec', 'source', 'persistentVolumeName')),
    column('Node', 'The node that it is attached to.', text('spec', 'nodeName')),
    boolean('Attached', 'Whether it is attached.', (one) => booleanAt(one, 'status', 'attached')),
    AGE,
  ]),
  'storage.k8s.io VolumeAttributesClass': tableOf([
    NAME,
    column('DriverName', 'The driver that knows the attributes.', text('driverName')),
    AGE,
  ]),
  'storage.k8s.io CSINode': tableOf([
    NAME,
    integer('Drivers', 'How many drivers the node has.', length('spec', 'drivers')),
    AGE,
  ]),
  'storage.k8s.io CSIDriver': tableOf([
    NAME,
    boolean('AttachRequired', 'Whether volumes are attached before they are mounted.', (driver) => {
      const required = at(driver, 'spec', 'attachRequired')
      return required === undefined || required === true
    }),
    boolean('PodInfoOnMount', 'Whether the driver is told about the pod.', (one) =>
      booleanAt(one, 'spec', 'podInfoOnMount'),
    ),
    boolean('StorageCapacity', 'Whether scheduling looks at capacity.', (one) =>
      booleanAt(one, 'spec', 'storageCapacity'),
    ),
    column('TokenRequests', 'The audiences of the tokens that the driver gets.', (driver) => {
      const requests = at(driver, 'spec', 'tokenRequests')
      return requests === undefined
        ? '<unset>'
        : listAt(requests)
            .map((request) => textAt(request, 'audience'))
            .join(',')
    }),
    boolean('RequiresRepublish', 'Whether mounts are renewed.', (one) => booleanAt(one, 'spec', 'requiresRepublish')),
    column('Modes', 'The life cycles of volumes that it serves.', (driver) =>
      orNone(textsAt(driver, 'spec', 'volumeLifecycleModes').join(',')),
    ),
    AGE,
  ]),
}
