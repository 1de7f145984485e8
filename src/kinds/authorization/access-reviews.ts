// The four kinds of access reviews and their validation.
import { croppedValue } from '../../api/cropped-value.ts'
import { type Shown, shownJson } from '../../api/field-error.ts'
import { FieldPath } from '../../api/field-path.ts'
import type {
  LocalSubjectAccessReview,
  NonResourceAttributes,
  SelfSubjectAccessReview,
  SubjectAccessReview,
  SubjectAccessReviewSpec,
} from '../../api/gen/kinds.ts'
import { MAX_SELECTOR_BYTES } from '../../api/selector-text.ts'
import { isMap, type ValueMap } from '../../api/value.ts'
import type { Check } from '../../schema/validation/check.ts'
import type { CreateRule } from '../../schema/validation/rules.ts'
import { longerThan } from '../../schema/validation/formats.ts'
import { checkAskedRequirement } from '../../schema/validation/labels.ts'
import { type Kind, typedKind } from '../kind.ts'
import { question } from '../shared/question.ts'

const SPEC = FieldPath.root<SubjectAccessReviewSpec>('spec')
const RESOURCE = SPEC.child('resourceAttributes')
const PATH = SPEC.child('nonResourceAttributes')

type Spec = SubjectAccessReviewSpec

function shownPath(path: NonResourceAttributes | undefined): Shown {
  return shownJson(path === undefined ? null : { Path: path.path ?? '', Verb: path.verb ?? '' })
}

const ONE = 'exactly one of nonResourceAttributes or resourceAttributes must be specified'

type CheckAttributes = (spec: Spec, check: Check) => void

const checkAttributes: CheckAttributes = ({ resourceAttributes: resource, nonResourceAttributes: path }, check) => {
  if (resource !== undefined && path !== undefined) {
    check.invalid(PATH, shownPath(path), 'cannot be specified in combination with resourceAttributes')
  }
  if (resource === undefined && path === undefined) {
    check.invalid(RESOURCE, shownPath(path), ONE)
  }
}

const checkOneOf: CheckAttributes = ({ resourceAttributes: resource, nonResourceAttributes: path }, check) => {
  if ((resource === undefined) === (path === undefined)) check.invalid(SPEC, shownPath(path), ONE)
}

function checkSubject({ user = '', groups = [] }: Spec, check: Check): void {
  if (user !== '' || groups.length > 0) return
  check.invalid(SPEC.child('user'), '', 'at least one of user or group must be specified')
}

function checkSelectors({ resourceAttributes: resource = {} }: Spec, check: Check): void {
  for (const field of ['fieldSelector', 'labelSelector'] as const) {
    const selector = resource[field]
    if (selector === undefined) continue
    const at = RESOURCE.child(field)
    const { rawSelector: raw = '', requirements = [] } = selector
    if (longerThan(raw, MAX_SELECTOR_BYTES)) check.tooLong(at.child('rawSelector'), MAX_SELECTOR_BYTES)
    if (raw !== '' && requirements.length > 0) {
      check.invalid(at.child('rawSelector'), raw, 'may not specified at the same time as requirements')
    }
    if (raw === '' && requirements.length === 0) {
      const detail = `when ${at.toString()} is specified, requirements or rawSelector is required`
      check.required(at.child('requirements'), detail)
    }
    check.each(selector, 'requirements', at, (requirement, place) =>
      checkAskedRequirement(requirement, place, { check, isLabel: field === 'labelSelector' }),
    )
  }
}

/** Metadata must be empty, except for members that the server or the path sets. */
function checkEmptyMeta(meta: ValueMap, ignored: readonly string[], check: Check): void {
  const rest = Object.keys(meta).filter((name) => !ignored.includes(name) && meta[name] !== '')
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

/** Metadata with its members in the order of the schema, and the members of maps sorted. */
function inOrder(meta: ValueMap): ValueMap {
  const members = [...FIRST, ...THEN, ...LAST].filter((name) => Object.hasOwn(meta, name))
  return Object.fromEntries(
    members.map((name) => {
      const value = meta[name] ?? null
      if (!isMap(value)) return [name, value]
      return [name, Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))]
    }),
  )
}

interface ReviewRule {
  /** A user or a group is required. */
  readonly hasSubject: boolean
  /** The members of the metadata that may be set. */
  readonly metadata: readonly string[]
  readonly attributes: CheckAttributes
}

type Review = SubjectAccessReview | SelfSubjectAccessReview

function checkReview(
  { metadata: given, spec }: Review,
  { hasSubject, metadata, attributes }: ReviewRule,
  check: Check,
): void {
  attributes(spec, check)
  if (hasSubject) checkSubject(spec, check)
  checkSelectors(spec, check)
  checkEmptyMeta(given, metadata, check)
}

type ReviewRules<T> = (attributes: CheckAttributes) => CreateRule<T>

const subjectRules: ReviewRules<SubjectAccessReview> = (attributes) => (object, check) =>
  checkReview(object, { hasSubject: true, metadata: ['managedFields'], attributes }, check)

export const SUBJECT_ACCESS_REVIEW: Kind = typedKind<SubjectAccessReview>({
  validation: question(subjectRules(checkAttributes)),
  since: { '1.37': { validation: question(subjectRules(checkOneOf)) } },
})

const selfRules: ReviewRules<SelfSubjectAccessReview> = (attributes) => (object, check) =>
  checkReview(object, { hasSubject: false, metadata: ['managedFields'], attributes }, check)

export const SELF_SUBJECT_ACCESS_REVIEW: Kind = typedKind<SelfSubjectAccessReview>({
  validation: question(selfRules(checkAttributes)),
  since: { '1.37': { validation: question(selfRules(checkOneOf)) } },
})

const localRules: ReviewRules<LocalSubjectAccessReview> = (attributes) => (object, check) => {
  checkReview(object, { hasSubject: true, metadata: ['managedFields', 'namespace'], attributes }, check)
  const { resourceAttributes: resource, nonResourceAttributes: path } = object.spec
  const namespace = resource?.namespace ?? ''
  if (resource !== undefined && namespace !== (object.metadata.namespace ?? '')) {
    check.invalid(RESOURCE.child('namespace'), namespace, 'must match metadata.namespace')
  }
  if (path !== undefined) check.invalid(PATH, shownPath(path), 'disallowed on this kind of request')
}

export const LOCAL_SUBJECT_ACCESS_REVIEW: Kind = typedKind<LocalSubjectAccessReview>({
  validation: question(localRules(checkAttributes)),
  since: { '1.37': { validation: question(localRules(checkOneOf)) } },
})

export const SELF_SUBJECT_RULES_REVIEW: Kind = {
  validation: question(() => undefined),
}
