// Persistent volume claims: `dataSource` and `dataSourceRef` are kept the same (W-575).
import { FieldPath } from '../../api/field-path.ts'
import { isGiven, mapOrEmpty, textOrAbsent, textOrEmpty, textsInPlace } from '../../api/members.ts'
import { annotationsOf, membersOf, metaOf, specOf, statusOf, withMembers, withSpec } from '../../api/object-members.ts'
import type { ApiObject } from '../../api/object.ts'
import { equalValues, isMap, own, type Value, type ValueMap } from '../../api/value.ts'
import { AGE, column, NAME, tableOf, text } from '../../codec/tables/column.ts'
import { textAt, textsAt } from '../../codec/tables/reading.ts'
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
import type { Kind } from '../kind.ts'
import { CLAIM_FIELDS } from '../shared/claim-fields.ts'
import { checkClaimSpec } from '../shared/claim-spec.ts'
import { amountOf, checkAmount, checkBasicAmount, isNative } from '../shared/resource-names.ts'
import { WITH_STATUS } from '../shared/strategies.ts'
import { checkSameMode } from '../shared/volume-spec.ts'
import { claimSpecWarnings, OLD_STORAGE_CLASS } from '../shared/volume-warnings.ts'
import { annotationWarnings } from '../shared/warnings.ts'
import {
  accessModes,
  ATTRIBUTES_COLUMN,
  quantity,
  STATUS_COLUMN,
  STORAGE_CLASS_COLUMN,
  VOLUME_MODE_COLUMN,
} from './volume-columns.ts'

const SPEC = FieldPath.root('spec')
const STATUS = FieldPath.root('status')
const CLASS_ANNOTATION = 'volume.beta.kubernetes.io/storage-class'

function checkClaim(object: ValueMap, check: Check): void {
  checkBuiltInMeta(object, subdomainName, check)
  checkClaimSpec(specOf(object), SPEC, check)
}

function checkClaimChange(object: ValueMap, stored: ValueMap, check: Check): void {
  const spec = specOf(object)
  const old = specOf(stored)
  if (!equalValues(comparable(object, stored, check), old)) {
    const detail =
      'spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims\n'
    check.forbidden(SPEC, detail)
  }
  const size = amountOf(storageOf(spec) ?? '0')
  const before = amountOf(storageOf(old))
  const capacity = amountOf(own(mapOrEmpty(statusOf(stored), 'capacity'), 'storage') ?? '0')
  const isLess = size !== undefined && before !== undefined && compareQuantities(size, before) < 0
  if (isLess && capacity !== undefined && compareQuantities(size, capacity) <= 0) {
    const at = SPEC.child('resources').child('requests').child('storage')
    check.forbidden(at, 'field can not be less than status.capacity')
  }
  checkSameMode(spec, old, check)
  const applied = textOrAbsent(statusOf(stored), 'currentVolumeAttributesClassName')
  const attributes = textOrAbsent(spec, 'volumeAttributesClassName')
  const isChanged = attributes !== textOrAbsent(old, 'volumeAttributesClassName')
  if (applied !== undefined && isChanged && (attributes ?? '') === '') {
    const to = attributes === undefined ? 'nil' : 'empty string'
    const detail = `update to ${to} is forbidden when status.currentVolumeAttributesClassName is not nil`
    check.forbidden(SPEC.child('volumeAttributesClassName'), detail)
  }
}

function storageOf(spec: ValueMap): Value | undefined {
  return own(mapOrEmpty(mapOrEmpty(spec, 'resources'), 'requests'), 'storage')
}

/** The new spec with everything that may change as it was. */
function comparable(object: ValueMap, stored: ValueMap, check: Check): ValueMap {
  const [spec, old] = [specOf(object), specOf(stored)]
  const isBound = textOrEmpty(statusOf(object), 'phase') === 'Bound'
  const resources = mapOrEmpty(spec, 'resources')
  const storage = storageOf(old)
  return withMembers(spec, {
    ...(textOrEmpty(old, 'volumeName') === '' ? membersOf(old, 'volumeName') : {}),
    ...(mayNameClass(object, stored, check) ? membersOf(old, 'storageClassName') : {}),
    ...(isBound ? membersOf(old, 'volumeAttributesClassName') : {}),
    ...(isBound && storage !== undefined && isGiven(resources, 'requests')
      ? { resources: { ...resources, requests: { ...mapOrEmpty(resources, 'requests'), storage } } }
      : {}),
  })
}

/** A class may be set where there was none; where the annotation names one, only that. */
function mayNameClass(object: ValueMap, stored: ValueMap, check: Check): boolean {
  const before = textOrAbsent(annotationsOf(stored), CLASS_ANNOTATION)
  const now = textOrAbsent(annotationsOf(object), CLASS_ANNOTATION)
  const name = textOrAbsent(specOf(object), 'storageClassName')
  const unnamed = !isGiven(specOf(stored), 'storageClassName')
  const follows = unnamed && name !== undefined && (before === undefined || name === before)
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

function checkClaimStatus(status: ValueMap, check: Check): void {
  const capacity = STATUS.child('capacity')
  check.members(mapOrEmpty(status, 'capacity'), (name, amount) => checkBasicAmount(amount, capacity.key(name), check))
  const states = STATUS.child('allocatedResourceStatuses')
  check.members(mapOrEmpty(status, 'allocatedResourceStatuses'), (name, state) => {
    checkClaimResource(name, states, check)
    if (typeof state !== 'string' || !RESIZE_STATES.includes(state)) check.notSupported(states, name, RESIZE_STATES)
  })
  const allocated = STATUS.child('allocatedResources')
  check.members(mapOrEmpty(status, 'allocatedResources'), (name, amount) => {
    const before = check.errors.length
    checkClaimResource(name, allocated, check)
    if (check.errors.length > before) return
    checkBasicAmount(amount, allocated.key(name), check)
    if (check.errors.length === before) checkAmount('storage', amount, allocated.key(name), check)
  })
}

function checkClaimResource(name: string, at: FieldPath, check: Check): void {
  const faults = qualifiedName(name)
  check.format(at, name, faults)
  if (faults.length === 0 && isNative(name) && name !== 'storage') check.notSupported(at, name, ['storage'])
}

const CROSS_NAMESPACE = 'CrossNamespaceVolumeDataSource'

function withoutSourceElsewhere(object: ApiObject, gates: ReadonlySet<string>): ApiObject {
  const isElsewhere = textOrEmpty(mapOrEmpty(specOf(object), 'dataSourceRef'), 'namespace') !== ''
  return isElsewhere && !gates.has(CROSS_NAMESPACE) ? withSpec(object, { dataSourceRef: undefined }) : object
}

/** Without `dataSourceRef`, a `dataSource` that is neither a claim nor a snapshot is dropped, not refused. */
function withoutUnknownSource(object: ApiObject): ApiObject {
  const spec = specOf(object)
  const source = own(spec, 'dataSource')
  if (!isMap(source) || Object.hasOwn(spec, 'dataSourceRef')) return object
  const place = `${textOrEmpty(source, 'apiGroup')}/${textOrEmpty(source, 'kind')}`
  const isKnown = place === '/PersistentVolumeClaim' || place === 'snapshot.storage.k8s.io/VolumeSnapshot'
  return isKnown ? object : withSpec(object, { dataSource: undefined })
}

/** With both sources where one is given. */
function mirrored(object: ApiObject): ApiObject {
  const spec = specOf(object)
  const [source, reference] = [own(spec, 'dataSource'), own(spec, 'dataSourceRef')]
  if (isMap(source) && !isMap(reference)) return withSpec(object, { dataSourceRef: plainReference(source) })
  if (isMap(reference) && !isMap(source) && textOrEmpty(reference, 'namespace') === '') {
    return withSpec(object, { dataSource: plainReference(reference) })
  }
  return object
}

function plainReference(reference: ValueMap): ValueMap {
  const apiGroup = own(reference, 'apiGroup')
  return {
    ...(apiGroup === undefined ? {} : { apiGroup }),
    kind: textOrEmpty(reference, 'kind'),
    name: textOrEmpty(reference, 'name'),
  }
}

function isBound(claim: ValueMap): boolean {
  return textAt(claim, 'spec', 'volumeName') !== ''
}

function claimWarnings(object: ApiObject): readonly string[] {
  return [
    ...annotationWarnings(metaOf(object), 'metadata.annotations', {
      [CLASS_ANNOTATION]: OLD_STORAGE_CLASS,
    }),
    ...claimSpecWarnings(specOf(object), 'spec'),
  ]
}

export const PERSISTENT_VOLUME_CLAIM: Kind = {
  validation: {
    create: checkClaim,
    // The reference checks a changed claim as a new one, too.
    update: (object, stored, check) => {
      checkBuiltInMetaUpdate(object, stored, check)
      checkClaim(object, check)
      checkClaimChange(object, stored, check)
    },
    subresources: {
      status: (object, stored, check) => {
        checkBuiltInMetaUpdate(object, stored, check)
        if (textsInPlace(specOf(object), 'accessModes').length === 0) {
          check.required(FieldPath.root('Spec').child('accessModes'))
        }
        checkClaimStatus(statusOf(object), check)
      },
    },
  },
  defaults: within(CLAIM_FIELDS),
  strategy: {
    status: WITH_STATUS,
    answersDeleteWithObject: true,
    firstStatus: () => ({ phase: 'Pending' }),
    prepareForCreate: (object, { gates }) => mirrored(withoutUnknownSource(withoutSourceElsewhere(object, gates))),
    prepareForUpdate: (object, stored, { gates }) => {
      const before = specOf(stored)
      if (Object.hasOwn(before, 'dataSourceRef')) return mirrored(object)
      const near = withoutSourceElsewhere(object, gates)
      return mirrored(Object.hasOwn(before, 'dataSource') ? near : withoutUnknownSource(near))
    },
    warnings: claimWarnings,
  },
  columns: tableOf([
    NAME,
    STATUS_COLUMN,
    column('Volume', 'The volume that it has.', text('spec', 'volumeName')),
    column('Capacity', 'How much the volume holds.', (claim) =>
      isBound(claim) ? quantity(claim, 'status', 'capacity', 'storage') : '',
    ),
    column('Access Modes', 'How the volume can be mounted.', (claim) =>
      isBound(claim) ? accessModes(textsAt(claim, 'status', 'accessModes')) : '',
    ),
    STORAGE_CLASS_COLUMN,
    ATTRIBUTES_COLUMN,
    AGE,
    VOLUME_MODE_COLUMN,
  ]),
  defaultOnRead: mirrored,
}
