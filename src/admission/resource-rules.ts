// The rules of webhooks and policies: operations, resources and scope (W-483, W-487).
import { textOrEmpty, textsOnly } from '../api/members.ts'
import type { GroupVersionKind, GroupVersionResource } from '../api/object.ts'
import type { ValueMap } from '../api/value.ts'
import type { AdmissionRequest } from './admission.ts'

/** An asterisk stands for all. */
export interface ResourceRule {
  readonly operations: readonly string[]
  readonly groups: readonly string[]
  readonly versions: readonly string[]
  readonly resources: readonly { readonly resource: string; readonly subresource: string }[]
  /** `Cluster`, `Namespaced`, or `*` for both. */
  readonly scope: string
}

/** Reads a rule of a stored configuration. */
export function readRule(rule: ValueMap): ResourceRule {
  return {
    operations: textsOnly(rule, 'operations'),
    groups: textsOnly(rule, 'apiGroups'),
    versions: textsOnly(rule, 'apiVersions'),
    resources: textsOnly(rule, 'resources').map((text) => {
      const [resource = '', subresource = ''] = text.split('/')
      return { resource, subresource }
    }),
    scope: textOrEmpty(rule, 'scope') || '*',
  }
}

/** `as` is the requested version, or an equivalent one. */
export function ruleMatches(rule: ResourceRule, request: AdmissionRequest, as: GroupVersionResource): boolean {
  return (
    mayName(rule, request, as) &&
    names(rule.groups, as.group) &&
    names(rule.versions, as.version) &&
    inScope(rule.scope, request)
  )
}

/** Whether the operation and the resource match, in any group and version. */
export function mayName(rule: ResourceRule, request: AdmissionRequest, as: GroupVersionResource): boolean {
  return (
    names(rule.operations, request.operation) &&
    rule.resources.some(
      ({ resource, subresource }) =>
        (resource === '*' || resource === as.resource) && (subresource === '*' || subresource === request.subresource),
    )
  )
}

function names(words: readonly string[], word: string): boolean {
  return words.includes(word) || words.includes('*')
}

function inScope(scope: string, request: AdmissionRequest): boolean {
  if (scope === '*') return true
  return (request.namespace === '' || isAboutNamespaces(request.resource)) === (scope === 'Cluster')
}

export function isAboutNamespaces({ group, resource }: GroupVersionResource): boolean {
  return group === '' && resource === 'namespaces'
}

const CONFIGURATIONS: ReadonlySet<string> = new Set([
  'ValidatingWebhookConfiguration',
  'MutatingWebhookConfiguration',
  'ValidatingAdmissionPolicy',
  'ValidatingAdmissionPolicyBinding',
  'MutatingAdmissionPolicy',
  'MutatingAdmissionPolicyBinding',
])

const REVIEWS: ReadonlySet<string> = new Set(['authentication.k8s.io', 'authorization.k8s.io'])

/** Whether the resource is a review of access or of identity. */
export function isReview({ group }: GroupVersionResource): boolean {
  return REVIEWS.has(group)
}

/**
 * Whether the kind configures webhooks or policies. Only webhooks and policies from files apply to such objects: otherwise a broken webhook
 * could not be removed.
 */
export function isAdmissionConfiguration({ group, kind }: GroupVersionKind): boolean {
  return group === 'admissionregistration.k8s.io' && CONFIGURATIONS.has(kind)
}
