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
  type TableShapes,
  text,
} from '../../codec/tables/column.ts'
import { at, booleanAt, listAt, orNone, textAt, textsAt } from '../../codec/tables/reading.ts'

function className(storage: ValueMap): string {
  const name = textAt(storage, 'metadata', 'name')
  const marks = ['storageclass.kubernetes.io/is-default-class', 'storageclass.beta.kubernetes.io/is-default-class']
  const isDefault = marks.some((mark) => textAt(storage, 'metadata', 'annotations', mark) === 'true')
  return isDefault ? `${name} (default)` : name
}

export const STORAGE_TABLES: TableShapes = {
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
