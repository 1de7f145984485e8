// Persistent volumes: their source is immutable, and the status says when the phase changed last (W-578).
import { FieldPath } from '../../api/field-path.ts'
import type { PersistentVolume, PersistentVolumeSpec } from '../../api/gen/kinds.ts'
import { membersOf, withMembers } from '../../api/object-members.ts'
import { equalValues, own, type Value, type ValueMap } from '../../api/value.ts'
import { AGE, column, NAME, tableOf } from '../../codec/tables/column.ts'
import { absent, always, blank, within } from '../../schema/defaults/rule.ts'
import { type Check, IMMUTABLE } from '../../schema/validation/check.ts'
import {
  checkBuiltInMeta,
  checkBuiltInMetaUpdate,
  METADATA,
  subdomainName,
} from '../../schema/validation/object-meta.ts'
import { type Kind, typedKind } from '../kind.ts'
import { formOf, shownAs } from '../shared/internal-form.ts'
import { SHARED_SOURCES } from '../shared/pod-spec/defaults.ts'
import { PERSISTENT_SOURCES } from '../shared/pod-spec/volume-source.ts'
import { rounded } from '../shared/resource-list.ts'
import { WITH_STATUS } from '../shared/strategies.ts'
import { checkSameMode, checkVolumeSpec } from '../shared/volume-spec.ts'
import { OLD_STORAGE_CLASS, sourceWarnings } from '../shared/volume-warnings.ts'
import { annotationWarnings, nodeTermWarnings } from '../shared/warnings.ts'
import {
  accessModes,
  ATTRIBUTES_COLUMN,
  STATUS_COLUMN,
  STORAGE_CLASS_COLUMN,
  VOLUME_MODE_COLUMN,
} from './volume-columns.ts'

const SPEC = FieldPath.root<PersistentVolumeSpec>('spec')

function checkVolume(object: PersistentVolume, check: Check): void {
  checkBuiltInMeta(object, subdomainName, check)
  checkVolumeSpec(object.spec, SPEC, check)
  checkMountOptions(object, check)
}

const MOUNT_OPTIONS = 'volume.beta.kubernetes.io/mount-options'

const TAKE_MOUNT_OPTIONS: readonly (keyof PersistentVolumeSpec)[] = [
  'gcePersistentDisk',
  'awsElasticBlockStore',
  'glusterfs',
  'nfs',
  'rbd',
  'quobyte',
  'iscsi',
  'cinder',
  'cephfs',
  'azureFile',
  'vsphereVolume',
  'azureDisk',
  'photonPersistentDisk',
]

function checkMountOptions({ metadata: { annotations = {} }, spec }: PersistentVolume, check: Check): void {
  if (!Object.hasOwn(annotations, MOUNT_OPTIONS)) return
  if (TAKE_MOUNT_OPTIONS.some((source) => spec[source] !== undefined)) return
  const at = METADATA.child('annotations').child(MOUNT_OPTIONS)
  check.forbidden(at, 'may not specify mount options for this volume type')
}

/** The source for comparison. It leaves out `controllerExpandSecretRef` if there was none before: this member may be added. */
function sourceOf(spec: PersistentVolumeSpec, old: PersistentVolumeSpec): ValueMap {
  const source = withMembers({}, membersOf(spec, ...PERSISTENT_SOURCES.map(({ field }) => field)))
  if (spec.csi === undefined || old.csi === undefined || old.csi.controllerExpandSecretRef !== undefined) return source
  const { controllerExpandSecretRef: _, ...rest } = spec.csi
  return { ...source, csi: rest }
}

const STABLE_LABELS: ReadonlyMap<Value, string> = new Map([
  ['failure-domain.beta.kubernetes.io/zone', 'topology.kubernetes.io/zone'],
  ['failure-domain.beta.kubernetes.io/region', 'topology.kubernetes.io/region'],
  ['beta.kubernetes.io/os', 'kubernetes.io/os'],
  ['beta.kubernetes.io/arch', 'kubernetes.io/arch'],
  ['beta.kubernetes.io/instance-type', 'node.kubernetes.io/instance-type'],
])

/** The value with deprecated labels replaced by the stable labels. */
function withStableLabels(value: Value | undefined): Value | undefined {
  if (typeof value !== 'object' || value === null)
    return value === undefined ? undefined : (STABLE_LABELS.get(value) ?? value)
  if (Array.isArray(value)) return value.map((item) => withStableLabels(item as Value) ?? null)
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, withStableLabels(member) ?? null]))
}

function claimOf({ spec: { claimRef } }: PersistentVolume): string {
  return claimRef === undefined ? '' : `${claimRef.namespace ?? ''}/${claimRef.name ?? ''}`
}

/** The reference does not warn of these sources in persistent volumes. */
const NOT_OF_OBJECTS: ReadonlySet<string> = new Set(['gitRepo', 'flocker', 'quobyte'])

function volumeWarnings({ metadata, spec }: PersistentVolume): readonly string[] {
  const terms = spec.nodeAffinity?.required?.nodeSelectorTerms ?? []
  const place = 'spec.nodeAffinity.required.nodeSelectorTerms'
  return [
    ...annotationWarnings(metadata, 'metadata.annotations', {
      'volume.beta.kubernetes.io/storage-class': OLD_STORAGE_CLASS,
      'volume.beta.kubernetes.io/mount-options': 'deprecated since v1.31; use "mountOptions" attribute instead',
    }),
    ...(spec.persistentVolumeReclaimPolicy === 'Recycle'
      ? [
          'spec.persistentVolumeReclaimPolicy: The Recycle reclaim policy is deprecated. Instead, the recommended approach is to use dynamic provisioning.',
        ]
      : []),
    ...terms.flatMap((term, index) => nodeTermWarnings(term, `${place}[${index}]`)),
    ...sourceWarnings(spec, 'spec', NOT_OF_OBJECTS),
  ]
}

export const PERSISTENT_VOLUME: Kind = typedKind<PersistentVolume>({
  validation: {
    create: checkVolume,
    // The reference checks a changed volume like a new volume, twice.
    update: (object, stored, check) => {
      checkVolume(object, check)
      checkVolume(object, check)
      const { spec } = object
      const { spec: old } = stored
      if (!equalValues(sourceOf(spec, old), sourceOf(old, old))) {
        const detail = 'spec.persistentvolumesource is immutable after creation\n'
        check.forbidden(FieldPath.root('spec').child('persistentvolumesource'), detail)
      }
      checkSameMode(spec, old, check)
      const [affinity, before] = [spec.nodeAffinity, old.nodeAffinity]
      if (
        before !== undefined &&
        !check.gate('MutablePVNodeAffinity') &&
        !equalValues(withStableLabels(before), withStableLabels(affinity))
      ) {
        const detail = `${IMMUTABLE}, except for updating from beta label to GA`
        check.invalid(FieldPath.root('nodeAffinity'), shownAs(affinity, formOf('core_v1.VolumeNodeAffinity')), detail)
      }
      if (old.volumeAttributesClassName !== undefined && spec.volumeAttributesClassName === undefined) {
        const detail = 'update from non-nil value to nil is forbidden'
        check.forbidden(SPEC.child('volumeAttributesClassName'), detail)
      }
    },
    subresources: { status: checkBuiltInMetaUpdate },
  },
  defaults: within({
    status: always({ phase: blank('Pending') }),
    spec: always({
      persistentVolumeReclaimPolicy: blank('Retain'),
      volumeMode: absent('Filesystem'),
      capacity: rounded,
      ...SHARED_SOURCES,
    }),
  }),
  strategy: {
    status: WITH_STATUS,
    answersDeleteWithObject: true,
    firstStatus: (_object, { now }) => ({ phase: 'Pending', lastPhaseTransitionTime: now }),
    prepareStatus: (object, stored, { now }) => {
      const { status } = object
      const { phase, lastPhaseTransitionTime: old } = stored.status
      const { lastPhaseTransitionTime: given = old } = status
      if (given !== old) return object
      const isSamePhase = status.phase === phase
      return { ...object, status: withMembers(status, { lastPhaseTransitionTime: isSamePhase ? old : now }) }
    },
    warnings: volumeWarnings,
  },
  columns: tableOf([
    NAME,
    column('Capacity', 'The size of the volume.', ({ spec }) => own(spec.capacity ?? {}, 'storage') ?? '0'),
    column('Access Modes', 'The ways in which the volume can be mounted.', ({ spec }) =>
      accessModes(spec.accessModes ?? []),
    ),
    column(
      'Reclaim Policy',
      'The treatment of the volume after its claim is deleted.',
      ({ spec }) => spec.persistentVolumeReclaimPolicy ?? '',
    ),
    STATUS_COLUMN,
    column('Claim', 'The claim that has the volume.', claimOf),
    STORAGE_CLASS_COLUMN,
    ATTRIBUTES_COLUMN,
    column('Reason', 'The reason for the status.', ({ status }) => status.reason ?? ''),
    AGE,
    VOLUME_MODE_COLUMN,
  ]),
})
