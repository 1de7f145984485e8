// Pods: what a new one may be, what may change afterwards, and what may change through its subresources.
import { quoted } from '../../../api/field-error.ts'
import { FieldPath } from '../../../api/field-path.ts'
import { integerOrAbsent, isGiven, mapOrAbsent, mapOrEmpty, mapsInPlace, textOrEmpty } from '../../../api/members.ts'
import { annotationsOf, metaOf, specOf } from '../../../api/object-members.ts'
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
  for (const field of ['containers', 'initContainers']) {
    for (const [i, container] of mapsInPlace(spec, field).entries()) {
      checkImageOfPod(container, SPEC.child(field).index(i), check)
    }
  }
}

function checkNoTokens(spec: ValueMap, check: Check): void {
  for (const [v, volume] of mapsInPlace(spec, 'volumes').entries()) {
    for (const [s, source] of mapsInPlace(mapOrEmpty(volume, 'projected'), 'sources').entries()) {
      if (!isGiven(source, 'serviceAccountToken')) continue
      const at = SPEC.child('volumes')
        .index(v)
        .child('projected')
        .child('sources')
        .index(s)
        .child('serviceAccountToken')
      check.forbidden(at, 'must not be specified when serviceAccountName is not set')
    }
  }
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

/** A specification that does not change was judged when it was stored. */
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
  const compared = gated ? withoutNodeChoices(rest, old, { at: SPEC, check }) : rest
  if (!equalValues(compared, old)) check.forbidden(SPEC, `pod updates may not change fields other than ${MUTABLE}\n`)
}

function checkSameContainers(spec: ValueMap, old: ValueMap, check: Check): boolean {
  for (const field of ['containers', 'initContainers']) {
    const containers = mapsInPlace(spec, field)
    if (containers.length !== mapsInPlace(old, field).length) {
      check.forbidden(SPEC.child(field), 'pod updates may not add or remove containers')
      return false
    }
    for (const [i, container] of containers.entries()) {
      if (textOrEmpty(container, 'image') === '') check.required(SPEC.child(field).index(i).child('image'))
      checkImageOfPod(container, SPEC.child(field).index(i), check)
    }
  }
  return true
}

/** It may be set where it was not, and be brought forward. */
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
  const before = new Set(mapsInPlace(old, 'schedulingGates').map((gate) => textOrEmpty(gate, 'name')))
  const added = new Map(mapsInPlace(spec, 'schedulingGates').map((gate, i) => [textOrEmpty(gate, 'name'), i]))
  for (const [name, i] of added) {
    if (before.has(name)) continue
    const at = SPEC.child('schedulingGates').index(i).child('name')
    check.forbidden(at, `only deletion is allowed, but found new scheduling gate '${name}'`)
  }
}

/** The spec with everything that may change as it was. */
function withoutMutable(spec: ValueMap, old: ValueMap): ValueMap {
  const rest: Record<string, Value> = { ...spec }
  for (const field of ['activeDeadlineSeconds', 'schedulingGates', 'tolerations']) restore(rest, old, field)
  for (const field of ['containers', 'initContainers']) {
    const before = mapsInPlace(old, field)
    if (!isGiven(spec, field)) continue
    rest[field] = mapsInPlace(spec, field).map((container, i) => ({ ...container, image: before[i]?.['image'] ?? '' }))
  }
  const grace = integerOrAbsent(old, 'terminationGracePeriodSeconds')
  if (grace !== undefined && grace < 0 && Number(integerOrAbsent(spec, 'terminationGracePeriodSeconds')) === 1) {
    restore(rest, old, 'terminationGracePeriodSeconds')
  }
  return rest
}

function restore(target: Record<string, Value>, old: ValueMap, field: string): void {
  const before = old[field]
  if (before === undefined) delete target[field]
  else target[field] = before
}

const checkEphemeral: UpdateRule = (object, stored, check) => {
  if (isMirror(metaOf(stored))) {
    check.forbidden(NOWHERE, 'static pods do not support ephemeral containers')
    return
  }
  checkUpdatedMeta(object, stored, check)
  checkUpdatedAnnotations(object, stored, check)
  const at = SPEC.child('ephemeralContainers')
  const now = new Map(
    mapsInPlace(specOf(object), 'ephemeralContainers').map((container) => [textOrEmpty(container, 'name'), container]),
  )
  for (const old of mapsInPlace(specOf(stored), 'ephemeralContainers')) {
    const name = quoted(textOrEmpty(old, 'name'))
    const container = now.get(textOrEmpty(old, 'name'))
    if (container === undefined) check.forbidden(at, `existing ephemeral containers ${name} may not be removed\n`)
    else if (!equalValues(container, old)) {
      check.forbidden(at, `existing ephemeral containers ${name} may not be changed\n`)
    }
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
      else if (textOrEmpty(mapOrAbsent(specOf(stored), 'os') ?? {}, 'name') === 'windows') {
        check.forbidden(NOWHERE, 'windows pods cannot be resized')
      } else {
        checkUpdatedMeta(object, stored, check)
        checkResize(object, stored, check)
      }
    },
  },
}
