// The rules of pods: for new pods, for later changes, and for changes through subresources.
import type { Container, Pod, PodSpec, Toleration } from '../../../api/gen/kinds.ts'
import { quoted } from '../../../api/field-error.ts'
import { FieldPath } from '../../../api/field-path.ts'
import { membersOf, withMembers } from '../../../api/object-members.ts'
import { equalValues } from '../../../api/value.ts'
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

const SPEC = FieldPath.root<PodSpec>('spec')
const ANNOTATIONS = METADATA.child('annotations')
const CONTAINERS = ['containers', 'initContainers'] as const
const MAX_INT32 = 2 ** 31 - 1

function checkMetadata(object: Pod, check: Check): void {
  checkBuiltInMeta(object, subdomainName, check)
  checkPodAnnotations(object.metadata.annotations ?? {}, object.spec, ANNOTATIONS, check)
}

function checkMetadataAndSpec(object: Pod, check: Check): void {
  const { spec } = object
  checkMetadata(object, check)
  checkPodSpec(spec, SPEC, { check, pod: object.metadata })
  if (spec.serviceAccountName === undefined) checkNoTokens(spec, check)
  for (const field of CONTAINERS) check.each(spec, field, SPEC, checkImageOfPod)
}

function checkNoTokens(spec: PodSpec, check: Check): void {
  check.each(spec, 'volumes', SPEC, (volume, at) =>
    check.part(volume, 'projected', at, (projected, inner) =>
      check.each(projected, 'sources', inner, (source, place) => {
        if (source.serviceAccountToken === undefined) return
        check.forbidden(place.child('serviceAccountToken'), 'must not be specified when serviceAccountName is not set')
      }),
    ),
  )
}

function checkCreate(object: Pod, check: Check): void {
  checkMetadataAndSpec(object, check)
  const { spec } = object
  if (spec.ephemeralContainers !== undefined) {
    check.forbidden(SPEC.child('ephemeralContainers'), 'cannot be set on create')
  }
  if (spec.nodeName !== undefined && spec.schedulingGates !== undefined) {
    check.forbidden(SPEC.child('nodeName'), 'cannot be set until all schedulingGates have been cleared')
  }
  checkProfilesAgree(object.metadata.annotations ?? {}, spec, SPEC, check)
}

/** An unchanged spec was validated when it was stored. */
function checkUpdatedMeta(object: Pod, stored: Pod, check: Check): void {
  checkBuiltInMetaUpdate(object, stored, check)
  if (equalValues(object.spec, stored.spec)) checkMetadata(object, check)
  else checkMetadataAndSpec(object, check)
}

function checkUpdatedAnnotations(object: Pod, stored: Pod, check: Check): void {
  checkKeptAnnotations(object.metadata.annotations ?? {}, stored.metadata.annotations ?? {}, ANNOTATIONS, check)
  checkPodAnnotations(object.metadata.annotations ?? {}, object.spec, ANNOTATIONS, check)
}

const MUTABLE = [
  '`spec.containers[*].image`',
  '`spec.initContainers[*].image`',
  '`spec.activeDeadlineSeconds`',
  '`spec.tolerations` (only additions to existing tolerations)',
  '`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)',
].join(',')

const checkUpdate: UpdateRule<Pod> = (object, stored, check) => {
  checkUpdatedMeta(object, stored, check)
  checkUpdatedAnnotations(object, stored, check)
  const { spec } = object
  const { spec: old } = stored
  if (spec === old) return
  if (!checkSameContainers(spec, old, check) || !checkDeadline(spec, old, check)) return
  checkAddedTolerations(spec, old, check)
  checkRemovedGates(spec, old, check)
  if (equalValues(spec, old)) return
  const rest = withoutMutable(spec, old)
  const gated = (old.schedulingGates ?? []).length > 0
  const compared = gated ? withoutNodeChoices(rest, old, SPEC, check) : rest
  if (!equalValues(compared, old)) check.forbidden(SPEC, `pod updates may not change fields other than ${MUTABLE}\n`)
}

function checkSameContainers(spec: PodSpec, old: PodSpec, check: Check): boolean {
  for (const field of CONTAINERS) {
    if (spec[field]?.length !== old[field]?.length) {
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

/** The deadline may be set if it was unset, and may be lowered. False: the deadline has a fault. */
function checkDeadline(spec: PodSpec, old: PodSpec, check: Check): boolean {
  const at = SPEC.child('activeDeadlineSeconds')
  const { activeDeadlineSeconds: now } = spec
  const { activeDeadlineSeconds: before } = old
  if (now === undefined) {
    if (before !== undefined) check.invalid(at, undefined, 'must not update from a positive integer to nil value')
    return true
  }
  if (now < 0 || now > MAX_INT32) check.invalid(at, now, inclusiveRange(0, MAX_INT32))
  else if (before !== undefined && before < now) check.invalid(at, now, 'must be less than or equal to previous value')
  else return true
  return false
}

function checkAddedTolerations(spec: PodSpec, old: PodSpec, check: Check): void {
  const at = SPEC.child('tolerations')
  const { tolerations = [] } = spec
  const now = new Set(tolerations.map(tolerationKey))
  if (!(old.tolerations ?? []).every((toleration) => now.has(tolerationKey(toleration)))) {
    check.forbidden(at, 'existing toleration can not be modified except its tolerationSeconds')
  } else checkTolerations(tolerations, at, check)
}

function tolerationKey({ key, operator, value, effect }: Toleration): string {
  return [key, operator, value, effect].join('\0')
}

function checkRemovedGates(spec: PodSpec, old: PodSpec, check: Check): void {
  const before = new Set((old.schedulingGates ?? []).map(({ name }) => name))
  const gates = new Map((spec.schedulingGates ?? []).map(({ name }, i) => [name, i]))
  for (const [name, i] of gates) {
    if (before.has(name)) continue
    const at = SPEC.child('schedulingGates').index(i).child('name')
    check.forbidden(at, `only deletion is allowed, but found new scheduling gate '${name}'`)
  }
}

/** The spec with the old values of all mutable fields. */
function withoutMutable(spec: PodSpec, old: PodSpec): PodSpec {
  const images = (field: (typeof CONTAINERS)[number]): readonly Container[] | undefined =>
    spec[field]?.map((container, i) => withMembers(container, { image: old[field]?.[i]?.image }))
  const { terminationGracePeriodSeconds: grace = 0 } = old
  const isFixed = grace < 0 && spec.terminationGracePeriodSeconds === 1
  return withMembers(spec, {
    ...membersOf(old, 'activeDeadlineSeconds', 'schedulingGates', 'tolerations'),
    ...(isFixed ? membersOf(old, 'terminationGracePeriodSeconds') : {}),
    containers: images('containers'),
    initContainers: images('initContainers'),
  })
}

const checkEphemeral: UpdateRule<Pod> = (object, stored, check) => {
  if (isMirror(stored.metadata)) {
    check.forbidden(NOWHERE, 'static pods do not support ephemeral containers')
    return
  }
  checkUpdatedMeta(object, stored, check)
  checkUpdatedAnnotations(object, stored, check)
  const containers = object.spec.ephemeralContainers ?? []
  const byName = new Map(containers.map((container) => [container.name, container]))
  for (const old of stored.spec.ephemeralContainers ?? []) {
    const { name } = old
    const container = byName.get(name)
    if (equalValues(container, old)) continue
    const detail = `existing ephemeral containers ${quoted(name)} may not be`
    check.forbidden(SPEC.child('ephemeralContainers'), `${detail} ${container === undefined ? 'removed' : 'changed'}\n`)
  }
}

const checkStatus: UpdateRule<Pod> = (object, stored, check) => {
  checkBuiltInMetaUpdate(object, stored, check)
  checkUpdatedAnnotations(object, stored, check)
  checkPodStatus(object, stored, check)
}

function resizeRule(keepsClaims: boolean): UpdateRule<Pod> {
  return (object, stored, check) => {
    if (isMirror(stored.metadata)) check.forbidden(NOWHERE, 'static pods cannot be resized')
    else if (stored.spec.os?.name === 'windows') {
      check.forbidden(NOWHERE, 'windows pods cannot be resized')
    } else {
      checkUpdatedMeta(object, stored, check)
      checkResize(object, stored, check, keepsClaims)
    }
  }
}

function rulesWith(resize: UpdateRule<Pod>): KindRules<Pod> {
  return {
    create: checkCreate,
    update: checkUpdate,
    subresources: { status: checkStatus, ephemeralcontainers: checkEphemeral, resize },
  }
}

export const VALIDATION = rulesWith(resizeRule(false))

/** The rules from level 1.37 on. */
export const VALIDATION_WITH_CLAIMS = rulesWith(resizeRule(true))
