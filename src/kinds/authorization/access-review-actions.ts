// Access reviews: whether a user or the caller has a right, and all rights of the caller (P-155 to P-160). The server's authorizer answers
// them.
import { type DeniedExplanation, EXPLANATION } from '../../api/explanation.ts'
import { invalidError } from '../../api/invalid-error.ts'
import { listOrEmpty, mapOrAbsent, mapOrEmpty, textOrEmpty, textsOnly } from '../../api/members.ts'
import { specOf, withMembers, withMeta } from '../../api/object-members.ts'
import type { ApiObject } from '../../api/object.ts'
import { ruleDocument } from '../../api/policy-rule.ts'
import { parseFieldSelector } from '../../api/selector-fields.ts'
import { labelSelectorOf, parseLabelSelector } from '../../api/selector-text.ts'
import type { FieldTerm, LabelRequirement } from '../../api/selector.ts'
import { ApiError } from '../../api/status.ts'
import type { User } from '../../api/user.ts'
import { isMap, own, type Value, type ValueMap } from '../../api/value.ts'
import type { Access, Authorizer, Decision } from '../../auth/authorizer.ts'
import type { Action, ActionAnswer, ActionContext } from '../../registry/registry.ts'
import type { SchemaTable } from '../../schema/table.ts'
import { METADATA_RULES, validateCreate } from '../../schema/validation/validation.ts'
import { type Kind, kindAt } from '../kind.ts'
import { actionBody } from '../shared/action-body.ts'
import {
  LOCAL_SUBJECT_ACCESS_REVIEW,
  SELF_SUBJECT_ACCESS_REVIEW,
  SELF_SUBJECT_RULES_REVIEW,
  SUBJECT_ACCESS_REVIEW,
} from './access-reviews.ts'

const GROUP_VERSION = { group: 'authorization.k8s.io', version: 'v1' } as const

type Answer = (review: ApiObject, context: ActionContext) => Promise<ActionAnswer>

export function accessReviewActions(schemas: SchemaTable, authorizer: Authorizer): readonly Action[] {
  const action = (name: string, kind: Kind, run: Answer): Action => ({
    at: { ...GROUP_VERSION, resource: `${name.toLowerCase()}s`, subresource: '', namespaced: name.startsWith('Local') },
    body: actionBody(schemas, { ...GROUP_VERSION, kind: name }, kind),
    alsoVersions: [],
    run,
  })
  const accessReview = (
    name: string,
    kind: Kind,
    userOf: (review: ApiObject, context: ActionContext) => User,
  ): Action => {
    const { validation: rules = METADATA_RULES } = kindAt(schemas.level, kind)
    return action(name, kind, async (review, context) => {
      const faults = validateCreate(rules, review, { gates: context.gates, namespaced: false })
      // The reference leaves the kind empty here.
      if (faults.length > 0) throw invalidError({ group: GROUP_VERSION.group, kind: '' }, '', faults)
      await context.validate(review)
      const { access, problems } = accessOf(specOf(review), userOf(review, context))
      const decision = await authorizer.authorize(access, context.signal)
      const answer = { ...review, status: statusOf(decision, problems) }
      if (context.explain !== true || decision.kind === 'allow') return { kind: 'object', object: answer }
      const explanation = await authorizer.explain?.({ access, decision, reader: context.user }, context.signal)
      return { kind: 'object', object: explanation === undefined ? answer : withExplanation(answer, explanation) }
    })
  }
  return [
    accessReview('SubjectAccessReview', SUBJECT_ACCESS_REVIEW, subjectOf),
    accessReview('LocalSubjectAccessReview', LOCAL_SUBJECT_ACCESS_REVIEW, subjectOf),
    accessReview('SelfSubjectAccessReview', SELF_SUBJECT_ACCESS_REVIEW, (_review, { user }) => user),
    action('SelfSubjectRulesReview', SELF_SUBJECT_RULES_REVIEW, (review, context) =>
      reviewRules(authorizer, review, context),
    ),
  ]
}

/** Adds the explanation as an annotation: the kind has no field for it, and clients of all encodings must find it. */
function withExplanation(review: ApiObject, explanation: DeniedExplanation): ApiObject {
  return withMeta(review, { annotations: { [EXPLANATION]: JSON.stringify(explanation) } })
}

function statusOf({ kind, reason = '', problem }: Decision, problems: readonly string[]): ValueMap {
  const evaluationError = [...(problem === undefined ? [] : [problem]), ...problems].join('; ')
  return {
    allowed: kind === 'allow',
    ...(kind === 'deny' ? { denied: true } : {}),
    ...(reason === '' ? {} : { reason }),
    ...(evaluationError === '' ? {} : { evaluationError }),
  }
}

/** The answer is made in one turn of the event loop. With more rules it is incomplete. */
const MOST_RULES = 20_000

async function reviewRules(authorizer: Authorizer, review: ApiObject, context: ActionContext): Promise<ActionAnswer> {
  const namespace = textOrEmpty(specOf(review), 'namespace')
  if (namespace === '') throw new ApiError('BadRequest', 'no namespace on request')
  await context.validate(review)
  const none = { rules: [], incomplete: false, problem: undefined }
  const { rules, incomplete, problem } = authorizer.rulesFor?.(context.user, namespace) ?? none
  const documents = rules.slice(0, MOST_RULES).map(ruleDocument)
  const resourceRules = documents.filter((rule) => own(rule, 'resources') !== undefined)
  const nonResourceRules = documents.filter((rule) => own(rule, 'nonResourceURLs') !== undefined)
  const { kind, apiVersion } = review
  const status = {
    resourceRules: resourceRules.map((rule) => withMembers(rule, { nonResourceURLs: undefined })),
    nonResourceRules: nonResourceRules.map(({ verbs, nonResourceURLs }) => withMembers({}, { verbs, nonResourceURLs })),
    incomplete: incomplete || rules.length > MOST_RULES,
    ...(problem === undefined ? {} : { evaluationError: problem }),
  }
  return { kind: 'object', object: { kind, apiVersion, metadata: {}, spec: {}, status } }
}

function subjectOf(review: ApiObject): User {
  const spec = specOf(review)
  const extra = mapOrEmpty(spec, 'extra')
  return {
    name: textOrEmpty(spec, 'user'),
    uid: textOrEmpty(spec, 'uid') || undefined,
    groups: textsOnly(spec, 'groups'),
    extra: Object.fromEntries(Object.keys(extra).map((key) => [key, textsOnly(extra, key)])),
  }
}

/** The access that a review asks about. Empty fields are taken literally, but an empty version means every version (P-159). */
function accessOf(spec: ValueMap, user: User): { readonly access: Access; readonly problems: readonly string[] } {
  const asked = mapOrAbsent(spec, 'resourceAttributes')
  if (asked === undefined) {
    const on = mapOrEmpty(spec, 'nonResourceAttributes')
    const access = { kind: 'path', user, verb: textOrEmpty(on, 'verb'), path: textOrEmpty(on, 'path') } as const
    return { access, problems: [] }
  }
  const fields = readSelector(own(asked, 'fieldSelector'), FIELDS)
  const labels = readSelector(own(asked, 'labelSelector'), LABELS)
  const selectors = { fields: fields.requirements, labels: labels.requirements }
  const optional = (key: string): string | undefined => textOrEmpty(asked, key) || undefined
  return {
    access: {
      kind: 'resource',
      user,
      verb: textOrEmpty(asked, 'verb'),
      group: textOrEmpty(asked, 'group'),
      version: optional('version') ?? '*',
      resource: textOrEmpty(asked, 'resource'),
      subresource: optional('subresource'),
      namespace: optional('namespace'),
      name: optional('name'),
      selectors: () => selectors,
    },
    problems: [...ignored('fieldSelector', fields), ...ignored('labelSelector', labels)],
  }
}

interface SelectorReader<T> {
  readonly parse: (text: string) => readonly T[]
  /** Undefined if the requirement is invalid. */
  readonly one: (requirement: ValueMap) => T | undefined
}

interface ReadSelector<T> {
  readonly requirements: readonly T[] | undefined
  readonly isBroken: boolean
}

const FIELDS: SelectorReader<FieldTerm> = {
  parse: (selector) => parseFieldSelector(selector).terms,
  one: (requirement) => {
    const values = textsOnly(requirement, 'values')
    const operator = textOrEmpty(requirement, 'operator')
    if (values.length !== 1 || (operator !== 'In' && operator !== 'NotIn')) return undefined
    return { field: textOrEmpty(requirement, 'key'), operator: operator === 'In' ? '=' : '!=', value: values[0]! }
  },
}

const LABELS: SelectorReader<LabelRequirement> = {
  parse: (selector) => parseLabelSelector(selector).requirements,
  one: (requirement) => labelSelectorOf({ matchExpressions: [requirement] })?.requirements[0],
}

/** Invalid requirements are ignored: the review then asks for more access, never for less (P-160). */
function readSelector<T>(selector: Value | undefined, reader: SelectorReader<T>): ReadSelector<T> {
  if (!isMap(selector)) return { requirements: undefined, isBroken: false }
  const raw = textOrEmpty(selector, 'rawSelector')
  if (raw !== '') {
    try {
      return { requirements: reader.parse(raw), isBroken: false }
    } catch {
      return { requirements: undefined, isBroken: true }
    }
  }
  const given = listOrEmpty(selector, 'requirements')
  const all = given.map((each) => (isMap(each) ? reader.one(each) : undefined))
  const requirements = all.filter((each) => each !== undefined)
  return {
    requirements: requirements.length === 0 ? undefined : requirements,
    isBroken: requirements.length < all.length,
  }
}

function ignored(name: string, { requirements, isBroken }: ReadSelector<unknown>): readonly string[] {
  if (!isBroken) return []
  const extent = requirements === undefined ? 'ignored' : 'partially ignored'
  return [`spec.resourceAttributes.${name} ${extent} due to parse error`]
}
