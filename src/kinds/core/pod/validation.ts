// Pods: what a new one may be, what may change afterwards, and what may change through its subresources.
import { quoted } from '../../../api/field-error.ts'
import { FieldPath } from '../../../api/field-path.ts'
import {
  integerOrAbsent,
  isGiven,
  listOrEmpty,
  mapOrEmpty,
  mapsInPlace,
  numberOrZero,
  textOfEach,
  textOrEmpty,
} from '../../../api/members.ts'
import { annotationsOf, membersOf, metaOf, specOf, withMembers } from '../../../api/object-members.ts'
import { equalValues, type Value, type ValueMap } from '../../../api/value.ts'
import type { Check } from '../../../schema/validation/check.ts'
import { inclusiveRange } from '../../../schema/validation/formats.ts'
import {
  checkBuiltInMeta,
  checkBuiltInMetaUpdate,
  METADATA,
  NOWHERE,
  subdomainName,
} from '../../../schema/validation/object-meta.ts'
import type { KindRules, UpdateRule } from '../../../schema/validation/rules.ts'
import { checkImageOfPod } from '../../shared/pod-spec/container.ts'
import {
  checkKeptAnnotations,
  checkPodAnnotations,
  checkProfilesAgree,
  isMirror,
} from '../../shared/pod-spec/pod-annotations.ts'
import { checkPodSpec } from '../../shared/pod-spec/pod-spec.ts'
import { checkTolerations } from '../../shared/pod-spec/tolerations.ts'
import { checkResize } from './resize.ts'
import { withoutNodeChoices } from './scheduling-change.ts'
import { checkPodStatus } from './status.ts'

const SPEC = FieldPath.root('spec')
const ANNOTATIONS = METADATA.child('annotations')
const MAX_INT32 = 2 ** 31 - 1

function checkMetadata(object: ValueMap, check: Check): void {
  checkBuiltInMeta(object, subdomainName, check)
  checkPodAnnotations(annotationsOf(object), specOf(object), ANNOTATIONS, check)
}

function checkMetadataAndSpec(object: ValueMap, check: Check): void {
  const spec = specOf(object)
  checkMetadata(object, check)
  checkPodSpec(spec, SPEC, { check, pod: metaOf(object) })
  if (textOrEmpty(spec, 'serviceAccountName') === '') checkNoTokens(spec, check)
  for (const field of ['containers', 'initContainers']) check.each(spec, field, SPEC, checkImageOfPod)
}

function checkNoTokens(spec: ValueMap, check: Check): void {
  check.each(spec, 'volumes', SPEC, (volume, at) =>
    check.each(mapOrEmpty(volume, 'projected'), 'sources', at.child('projected'), (source, place) => {
      if (!isGiven(source, 'serviceAccountToken')) return
      check.forbidden(place.child('serviceAccountToken'), 'must not be specified when serviceAccountName is not set')
    }),
  )
}

function checkCreate(object: ValueMap, check: Check): void {
  checkMetadataAndSpec(object, check)
  const spec = specOf(object)
  if (mapsInPlace(spec, 'ephemeralContainers').length > 0) {
    check.forbidden(SPEC.child('ephemeralContainers'), 'cannot be set on create')
  }
  if (textOrEmpty(spec, 'nodeName') !== '' && mapsInPlace(spec, 'schedulingGates').length > 0) {
    check.forbidden(SPEC.child('nodeName'), 'cannot be set until all schedulingGates have been cleared')
  }
  checkProfilesAgree(annotationsOf(object), spec, SPEC, check)
}

/** An unchanged spec was validated when it was stored. */
function checkUpdatedMeta(object: ValueMap, stored: ValueMap, check: Check): void {
  checkBuiltInMetaUpdate(object, stored, check)
  if (equalValues(specOf(object), specOf(stored))) checkMetadata(object, check)
  else checkMetadataAndSpec(object, check)
}

function checkUpdatedAnnotations(object: ValueMap, stored: ValueMap, check: Check): void {
  checkKeptAnnotations(annotationsOf(object), annotationsOf(stored), ANNOTATIONS, check)
  checkPodAnnotations(annotationsOf(object), specOf(object), ANNOTATIONS, check)
}

const MUTABLE = [
  '`spec.containers[*].image`',
  '`spec.initContainers[*].image`',
  '`spec.activeDeadlineSeconds`',
  '`spec.tolerations` (only additions to existing tolerations)',
  '`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)',
].join(',')

const checkUpdate: UpdateRule = (object, stored, check) => {
  checkUpdatedMeta(object, stored, check)
  checkUpdatedAnnotations(object, stored, check)
  const spec = specOf(object)
  const old = specOf(stored)
  if (spec === old) return
  if (!checkSameContainers(spec, old, check) || !checkDeadline(spec, old, check)) return
  checkAddedTolerations(spec, old, check)
  checkRemovedGates(spec, old, check)
  if (equalValues(spec, old)) return
  const rest = withoutMutable(spec, old)
  const gated = mapsInPlace(old, 'schedulingGates').length > 0
  const compared = gated ? withoutNodeChoices(rest, old, SPEC, check) : rest
  if (!equalValues(compared, old)) check.forbidden(SPEC, `pod updates may not change fields other than ${MUTABLE}\n`)
}

function checkSameContainers(spec: ValueMap, old: ValueMap, check: Check): boolean {
  for (const field of ['containers', 'initContainers']) {
    if (listOrEmpty(spec, field).length !== listOrEmpty(old, field).length) {
      check.forbidden(SPEC.child(field), 'pod updates may not add or remove containers')
      return false
    }
    check.each(spec, field, SPEC, (container, at) => {
      check.fields(container, at, 'core_v1.Container', 'image')
      checkImageOfPod(container, at, check)
    })
  }
  return true
}

/** It may be set where it was not, and lowered. */
function checkDeadline(spec: ValueMap, old: ValueMap, check: Check): boolean {
  const at = SPEC.child('activeDeadlineSeconds')
  const now = integerOrAbsent(spec, 'activeDeadlineSeconds')
  const before = integerOrAbsent(old, 'activeDeadlineSeconds')
  if (now === undefined) {
    if (before !== undefined) check.invalid(at, undefined, 'must not update from a positive integer to nil value')
    return true
  }
  if (now < 0 || now > MAX_INT32) check.invalid(at, now, inclusiveRange(0, MAX_INT32))
  else if (before !== undefined && before < now) check.invalid(at, now, 'must be less than or equal to previous value')
  else return true
  return false
}

function checkAddedTolerations(spec: ValueMap, old: ValueMap, check: Check): void {
  const at = SPEC.child('tolerations')
  const tolerations = mapsInPlace(spec, 'tolerations')
  const now = new Set(tolerations.map(tolerationKey))
  if (!mapsInPlace(old, 'tolerations').every((toleration) => now.has(tolerationKey(toleration)))) {
    check.forbidden(at, 'existing toleration can not be modified except its tolerationSeconds')
  } else checkTolerations(tolerations, at, check)
}

function tolerationKey(toleration: ValueMap): string {
  return ['key', 'operator', 'value', 'effect'].map((field) => textOrEmpty(toleration, field)).join('\0')
}

function checkRemovedGates(spec: ValueMap, old: ValueMap, check: Check): void {
  const before = new Set(textOfEach(old, 'schedulingGates', 'name'))
  const gates = new Map(textOfEach(spec, 'schedulingGates', 'name').map((name, i) => [name, i]))
  for (const [name, i] of gates) {
    if (before.has(name)) continue
    const at = SPEC.child('schedulingGates').index(i).child('name')
    check.forbidden(at, `only deletion is allowed, but found new scheduling gate '${name}'`)
  }
}

/** The spec with all mutable fields as they were. */
function withoutMutable(spec: ValueMap, old: ValueMap): ValueMap {
  const images = (field: string): Value | undefined => {
    const before = mapsInPlace(old, field)
    if (!isGiven(spec, field)) return undefined
    return mapsInPlace(spec, field).map((container, i) => ({ ...container, image: before[i]?.['image'] ?? '' }))
  }
  const grace = integerOrAbsent(old, 'terminationGracePeriodSeconds')
  const isFixed = grace !== undefined && grace < 0 && numberOrZero(spec, 'terminationGracePeriodSeconds') === 1
  return withMembers(spec, {
    ...membersOf(old, 'activeDeadlineSeconds', 'schedulingGates', 'tolerations'),
    ...(isFixed ? membersOf(old, 'terminationGracePeriodSeconds') : {}),
    containers: images('containers'),
    initContainers: images('initContainers'),
  })
}

const checkEphemeral: UpdateRule = (object, stored, check) => {
  if (isMirror(metaOf(stored))) {
    check.forbidden(NOWHERE, 'static pods do not support ephemeral containers')
    return
  }
  checkUpdatedMeta(object, stored, check)
  checkUpdatedAnnotations(object, stored, check)
  const containers = mapsInPlace(specOf(object), 'ephemeralContainers')
  const byName = new Map(containers.map((container) => [textOrEmpty(container, 'name'), container]))
  for (const old of mapsInPlace(specOf(stored), 'ephemeralContainers')) {
    const name = textOrEmpty(old, 'name')
    const container = byName.get(name)
    if (equalValues(container, old)) continue
    const detail = `existing ephemeral containers ${quoted(name)} may not be`
    check.forbidden(SPEC.child('ephemeralContainers'), `${detail} ${container === undefined ? 'removed' : 'changed'}\n`)
  }
}

const checkStatus: UpdateRule = (object, stored, check) => {
  checkBuiltInMetaUpdate(object, stored, check)
  checkUpdatedAnnotations(object, stored, check)
  checkPodStatus(object, stored, check)
}

export const VALIDATION: KindRules = {
  create: checkCreate,
  update: checkUpdate,
  subresources: {
    status: checkStatus,
    ephemeralcontainers: checkEphemeral,
    resize: (object, stored, check) => {
      if (isMirror(metaOf(stored))) check.forbidden(NOWHERE, 'static pods cannot be resized')
      else if (textOrEmpty(mapOrEmpty(specOf(stored), 'os'), 'name') === 'windows') {
        check.forbidden(NOWHERE, 'windows pods cannot be resized')
      } else {
        checkUpdatedMeta(object, stored, check)
        checkResize(object, stored, check)
      }
    },
  },
}
