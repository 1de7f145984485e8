// Persistent volume claims: `dataSource` and `dataSourceRef` are kept the same (W-575).
import { FieldPath } from '../../api/field-path.ts'
import type {
  PersistentVolumeClaim,
  PersistentVolumeClaimSpec,
  PersistentVolumeClaimStatus,
  TypedLocalObjectReference,
} from '../../api/gen/kinds.ts'
import { withMembers, withSpec } from '../../api/object-members.ts'
import { entriesOf, equalValues, own } from '../../api/value.ts'
import { AGE, column, NAME, tableOf } from '../../codec/tables/column.ts'
import { compareQuantities } from '../../lib/quantity.ts'
import { within } from '../../schema/defaults/rule.ts'
import { type Check, IMMUTABLE } from '../../schema/validation/check.ts'
import { qualifiedName } from '../../schema/validation/formats.ts'
import {
  checkBuiltInMeta,
  checkBuiltInMetaUpdate,
  METADATA,
  subdomainName,
} from '../../schema/validation/object-meta.ts'
import { type Kind, typedKind } from '../kind.ts'
import { CLAIM_FIELDS } from '../shared/claim-fields.ts'
import { checkClaimSpec } from '../shared/claim-spec.ts'
import { amountOf, checkAmount, checkBasicAmount, isNative } from '../shared/resource-names.ts'
import { gatedFields, withGatedFields } from '../shared/gated-field.ts'
import { WITH_STATUS } from '../shared/strategies.ts'
import { checkVolumeHealth } from '../shared/volume-health.ts'
import { checkSameMode } from '../shared/volume-spec.ts'
import { claimSpecWarnings, OLD_STORAGE_CLASS } from '../shared/volume-warnings.ts'
import { annotationWarnings } from '../shared/warnings.ts'
import {
  accessModes,
  ATTRIBUTES_COLUMN,
  STATUS_COLUMN,
  STORAGE_CLASS_COLUMN,
  VOLUME_MODE_COLUMN,
} from './volume-columns.ts'

const SPEC = FieldPath.root<PersistentVolumeClaimSpec>('spec')
const STATUS = FieldPath.root<PersistentVolumeClaimStatus>('status')
const CLASS_ANNOTATION = 'volume.beta.kubernetes.io/storage-class'

function checkClaim(object: PersistentVolumeClaim, check: Check): void {
  checkBuiltInMeta(object, subdomainName, check)
  checkClaimSpec(object.spec, SPEC, check)
}

function checkClaimChange(object: PersistentVolumeClaim, stored: PersistentVolumeClaim, check: Check): void {
  const { spec } = object
  const { spec: old, status } = stored
  if (!equalValues(comparable(object, stored, check), old)) {
    const detail =
      'spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims\n'
    check.forbidden(SPEC, detail)
  }
  const size = amountOf(storageOf(spec) ?? '0')
  const before = amountOf(storageOf(old))
  const capacity = amountOf(own(status.capacity ?? {}, 'storage') ?? '0')
  const isLess = size !== undefined && before !== undefined && compareQuantities(size, before) < 0
  if (isLess && capacity !== undefined && compareQuantities(size, capacity) <= 0) {
    const requests: FieldPath = SPEC.child('resources').child('requests')
    check.forbidden(requests.child('storage'), 'field can not be less than status.capacity')
  }
  checkSameMode(spec, old, check)
  const { volumeAttributesClassName: attributes } = spec
  const isChanged = attributes !== old.volumeAttributesClassName
  if (status.currentVolumeAttributesClassName !== undefined && isChanged && (attributes ?? '') === '') {
    const to = attributes === undefined ? 'nil' : 'empty string'
    const detail = `update to ${to} is forbidden when status.currentVolumeAttributesClassName is not nil`
    check.forbidden(SPEC.child('volumeAttributesClassName'), detail)
  }
}

function storageOf({ resources: { requests = {} } }: PersistentVolumeClaimSpec): string | undefined {
  return own(requests, 'storage')
}

/** The new spec with the old values of all fields that may change. */
function comparable(
  object: PersistentVolumeClaim,
  stored: PersistentVolumeClaim,
  check: Check,
): PersistentVolumeClaimSpec {
  const { spec, status } = object
  const { spec: old } = stored
  const { volumeName, storageClassName, volumeAttributesClassName } = old
  const isBound = status.phase === 'Bound'
  const { resources } = spec
  const storage = storageOf(old)
  const requests = storage === undefined ? resources.requests : { ...resources.requests, storage }
  return withMembers(spec, {
    ...(volumeName === undefined ? { volumeName } : {}),
    ...(mayNameClass(object, stored, check) ? { storageClassName } : {}),
    ...(isBound ? { volumeAttributesClassName } : {}),
    ...(isBound && requests !== undefined && resources.requests !== undefined
      ? { resources: { ...resources, requests } }
      : {}),
  })
}

/**
 * Whether the update may set the storage class: there must have been no class. If the annotation names a class, only that class may be set.
 */
function mayNameClass(object: PersistentVolumeClaim, stored: PersistentVolumeClaim, check: Check): boolean {
  const before = own(stored.metadata.annotations ?? {}, CLASS_ANNOTATION)
  const now = own(object.metadata.annotations ?? {}, CLASS_ANNOTATION)
  const { storageClassName: name } = object.spec
  const follows =
    stored.spec.storageClassName === undefined && name !== undefined && (before === undefined || name === before)
  if (!(follows && before !== undefined && (now === undefined || now === before)) && (now ?? '') !== (before ?? '')) {
    check.invalid(METADATA.child('annotations').child(CLASS_ANNOTATION), now ?? '', IMMUTABLE)
  }
  return follows
}

const RESIZE_STATES: readonly string[] = [
  'ControllerResizeInProgress',
  'ControllerResizeInfeasible',
  'NodeResizeInProgress',
  'NodeResizeInfeasible',
  'NodeResizePending',
]

function checkClaimStatus(status: PersistentVolumeClaimStatus, check: Check): void {
  const capacity = STATUS.child('capacity')
  for (const [name, amount] of entriesOf(status.capacity ?? {})) checkBasicAmount(amount, capacity.key(name), check)
  check.part(status, 'healthStatus', STATUS, checkVolumeHealth)
  const states = STATUS.child('allocatedResourceStatuses')
  for (const [name, state] of entriesOf(status.allocatedResourceStatuses ?? {})) {
    checkClaimResource(name, states, check)
    if (!RESIZE_STATES.includes(state)) check.notSupported(states, name, RESIZE_STATES)
  }
  const allocated = STATUS.child('allocatedResources')
  for (const [name, amount] of entriesOf(status.allocatedResources ?? {})) {
    const before = check.errors.length
    checkClaimResource(name, allocated, check)
    if (check.errors.length > before) continue
    checkBasicAmount(amount, allocated.key(name), check)
    if (check.errors.length === before) checkAmount('storage', amount, allocated.key(name), check)
  }
}

function checkClaimResource(name: string, at: FieldPath, check: Check): void {
  const faults = qualifiedName(name)
  check.format(at, name, faults)
  if (faults.length === 0 && isNative(name) && name !== 'storage') check.notSupported(at, name, ['storage'])
}

const CROSS_NAMESPACE = 'CrossNamespaceVolumeDataSource'

function withoutSourceElsewhere(object: PersistentVolumeClaim, gates: ReadonlySet<string>): PersistentVolumeClaim {
  const isElsewhere = (object.spec.dataSourceRef?.namespace ?? '') !== ''
  return isElsewhere && !gates.has(CROSS_NAMESPACE) ? withSpec(object, { dataSourceRef: undefined }) : object
}

/** If `dataSourceRef` is absent, a `dataSource` that is neither a claim nor a snapshot is dropped, not refused. */
function withoutUnknownSource(object: PersistentVolumeClaim): PersistentVolumeClaim {
  const { dataSource: source, dataSourceRef: reference } = object.spec
  if (source === undefined || reference !== undefined) return object
  const place = `${source.apiGroup ?? ''}/${source.kind}`
  const isKnown = place === '/PersistentVolumeClaim' || place === 'snapshot.storage.k8s.io/VolumeSnapshot'
  return isKnown ? object : withSpec(object, { dataSource: undefined })
}

/** Copies `dataSource` to `dataSourceRef` or back, if only one of them is set. A reference with a namespace is not copied. */
function mirrored(object: PersistentVolumeClaim): PersistentVolumeClaim {
  const { dataSource: source, dataSourceRef: reference } = object.spec
  if (source !== undefined && reference === undefined) {
    return withSpec(object, { dataSourceRef: plainReference(source) })
  }
  return source === undefined && reference !== undefined && (reference.namespace ?? '') === ''
    ? withSpec(object, { dataSource: plainReference(reference) })
    : object
}

function plainReference({ apiGroup, kind, name }: TypedLocalObjectReference): TypedLocalObjectReference {
  return { apiGroup, kind, name }
}

function isBound({ spec }: PersistentVolumeClaim): boolean {
  return spec.volumeName !== undefined
}

function claimWarnings({ metadata, spec }: PersistentVolumeClaim): readonly string[] {
  return [
    ...annotationWarnings(metadata, 'metadata.annotations', { [CLASS_ANNOTATION]: OLD_STORAGE_CLASS }),
    ...claimSpecWarnings(spec, 'spec'),
  ]
}

export const PERSISTENT_VOLUME_CLAIM: Kind = typedKind<PersistentVolumeClaim>({
  validation: {
    create: checkClaim,
    // The reference also checks a changed claim like a new claim.
    update: (object, stored, check) => {
      checkBuiltInMetaUpdate(object, stored, check)
      checkClaim(object, check)
      checkClaimChange(object, stored, check)
    },
    subresources: {
      status: (object, stored, check) => {
        checkBuiltInMetaUpdate(object, stored, check)
        if (object.spec.accessModes === undefined) check.required(FieldPath.root('Spec').child('accessModes'))
        checkClaimStatus(object.status, check)
      },
    },
  },
  defaults: within(CLAIM_FIELDS),
  strategy: withGatedFields(gatedFields('core_v1.PersistentVolumeClaim', 'status/healthStatus'), {
    status: WITH_STATUS,
    answersDeleteWithObject: true,
    firstStatus: () => ({ phase: 'Pending' }),
    prepareForCreate: (object, { gates }) => mirrored(withoutUnknownSource(withoutSourceElsewhere(object, gates))),
    prepareForUpdate: (object, stored, { gates }) => {
      const { dataSource, dataSourceRef } = stored.spec
      if (dataSourceRef !== undefined) return mirrored(object)
      const near = withoutSourceElsewhere(object, gates)
      return mirrored(dataSource === undefined ? withoutUnknownSource(near) : near)
    },
    warnings: claimWarnings,
  }),
  columns: tableOf([
    NAME,
    STATUS_COLUMN,
    column('Volume', 'The volume of the claim.', ({ spec }) => spec.volumeName ?? ''),
    column('Capacity', 'The size of the volume.', (claim) =>
      isBound(claim) ? (own(claim.status.capacity ?? {}, 'storage') ?? '0') : '',
    ),
    column('Access Modes', 'The ways in which the volume can be mounted.', (claim) =>
      isBound(claim) ? accessModes(claim.status.accessModes ?? []) : '',
    ),
    STORAGE_CLASS_COLUMN,
    ATTRIBUTES_COLUMN,
    AGE,
    VOLUME_MODE_COLUMN,
  ]),
  defaultOnRead: mirrored,
})
