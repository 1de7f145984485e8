// The four kinds of access reviews and their validation.
import { croppedValue } from '../../api/cropped-value.ts'
import { type Shown, shownJson } from '../../api/field-error.ts'
import { FieldPath } from '../../api/field-path.ts'
import { isGiven, mapOrAbsent, mapOrEmpty, textOrEmpty, textsInPlace } from '../../api/members.ts'
import { metaText, specOf } from '../../api/object-members.ts'
import type { ValueMap } from '../../api/value.ts'
import type { Check } from '../../schema/validation/check.ts'
import { checkAskedRequirement } from '../../schema/validation/labels.ts'
import type { Kind } from '../kind.ts'
import { placedMaps } from '../shared/placed-items.ts'
import { question } from '../shared/question.ts'

const SPEC = FieldPath.root('spec')
const RESOURCE = SPEC.child('resourceAttributes')
const PATH = SPEC.child('nonResourceAttributes')

function shownPath(path: ValueMap | undefined): Shown {
  return path === undefined
    ? shownJson(null)
    : shownJson({ Path: textOrEmpty(path, 'path'), Verb: textOrEmpty(path, 'verb') })
}

function checkAttributes(spec: ValueMap, check: Check): void {
  const resource = mapOrAbsent(spec, 'resourceAttributes')
  const path = mapOrAbsent(spec, 'nonResourceAttributes')
  if (resource !== undefined && path !== undefined) {
    check.invalid(PATH, shownPath(path), 'cannot be specified in combination with resourceAttributes')
  }
  if (resource === undefined && path === undefined) {
    const detail = 'exactly one of nonResourceAttributes or resourceAttributes must be specified'
    check.invalid(RESOURCE, shownPath(path), detail)
  }
}

function checkSubject(spec: ValueMap, check: Check): void {
  if (textOrEmpty(spec, 'user') !== '' || textsInPlace(spec, 'groups').length > 0) return
  check.invalid(SPEC.child('user'), '', 'at least one of user or group must be specified')
}

function checkSelectors(spec: ValueMap, check: Check): void {
  const resource = mapOrEmpty(spec, 'resourceAttributes')
  for (const field of ['fieldSelector', 'labelSelector']) {
    const selector = mapOrAbsent(resource, field)
    if (selector === undefined) continue
    const at = RESOURCE.child(field)
    const raw = textOrEmpty(selector, 'rawSelector')
    const requirements = placedMaps(selector, 'requirements', at)
    if (raw !== '' && requirements.length > 0) {
      check.invalid(at.child('rawSelector'), raw, 'may not specified at the same time as requirements')
    }
    if (raw === '' && requirements.length === 0) {
      const detail = `when ${at.toString()} is specified, requirements or rawSelector is required`
      check.required(at.child('requirements'), detail)
    }
    for (const [requirement, place] of requirements) {
      checkAskedRequirement(requirement, place, { check, isLabel: field === 'labelSelector' })
    }
  }
}

/** Metadata must be empty, but for what the server or the path sets. */
function checkEmptyMeta(object: ValueMap, ignored: readonly string[], check: Check): void {
  const meta = mapOrEmpty(object, 'metadata')
  const rest = Object.keys(meta).filter((name) => isGiven(meta, name) && !ignored.includes(name) && meta[name] !== '')
  if (rest.length === 0) return
  const detail = ignored.includes('namespace') ? 'must be empty except for namespace' : 'must be empty'
  check.invalid(FieldPath.root('metadata'), shownJson(inOrder(croppedValue(meta))), detail)
}

const FIRST: readonly string[] = [
  'name',
  'generateName',
  'namespace',
  'selfLink',
  'uid',
  'resourceVersion',
  'generation',
]

const THEN: readonly string[] = ['creationTimestamp', 'deletionTimestamp', 'deletionGracePeriodSeconds']
const LAST: readonly string[] = ['labels', 'annotations', 'ownerReferences', 'finalizers', 'managedFields']

/** Metadata with its members in the order of the schema, and those of maps sorted. */
function inOrder(meta: ValueMap): ValueMap {
  const members = [...FIRST, ...THEN, ...LAST].filter((name) => isGiven(meta, name))
  return Object.fromEntries(
    members.map((name) => {
      const value = meta[name] ?? null
      if (name !== 'labels' && name !== 'annotations') return [name, value]
      return [name, Object.fromEntries(Object.entries(mapOrEmpty(meta, name)).sort(([a], [b]) => (a < b ? -1 : 1)))]
    }),
  )
}

interface ReviewRule {
  /** A user or a group is required. */
  readonly hasSubject: boolean
  /** The members of the metadata that may be set. */
  readonly metadata: readonly string[]
}

function checkReview(object: ValueMap, { hasSubject, metadata }: ReviewRule, check: Check): void {
  const spec = specOf(object)
  checkAttributes(spec, check)
  if (hasSubject) checkSubject(spec, check)
  checkSelectors(spec, check)
  checkEmptyMeta(object, metadata, check)
}

export const SUBJECT_ACCESS_REVIEW: Kind = {
  validation: question((object, check) =>
    checkReview(object, { hasSubject: true, metadata: ['managedFields'] }, check),
  ),
}

export const SELF_SUBJECT_ACCESS_REVIEW: Kind = {
  validation: question((object, check) =>
    checkReview(object, { hasSubject: false, metadata: ['managedFields'] }, check),
  ),
}

export const LOCAL_SUBJECT_ACCESS_REVIEW: Kind = {
  validation: question((object, check) => {
    checkReview(object, { hasSubject: true, metadata: ['managedFields', 'namespace'] }, check)
    const resource = mapOrAbsent(specOf(object), 'resourceAttributes')
    const namespace = textOrEmpty(resource ?? {}, 'namespace')
    if (resource !== undefined && namespace !== metaText(object, 'namespace')) {
      check.invalid(RESOURCE.child('namespace'), namespace, 'must match metadata.namespace')
    }
    const path = mapOrAbsent(specOf(object), 'nonResourceAttributes')
    if (path !== undefined) check.invalid(PATH, shownPath(path), 'disallowed on this kind of request')
  }),
}

export const SELF_SUBJECT_RULES_REVIEW: Kind = {
  validation: question(() => undefined),
}
