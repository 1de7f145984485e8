// An access check as the `spec` of a SubjectAccessReview, for webhooks.
import type { FieldTerm, LabelRequirement } from '../api/selector.ts'
import type { Access, ResourceAccess } from './authorizer.ts'

export interface AccessReviewSpec {
  readonly resourceAttributes?: ReviewedResource
  readonly nonResourceAttributes?: { readonly path: string; readonly verb: string }
  readonly user: string
  readonly groups?: readonly string[]
  readonly extra?: Readonly<Record<string, readonly string[]>>
  readonly uid?: string
}

export interface ReviewedResource {
  readonly namespace?: string
  readonly verb: string
  readonly group?: string
  readonly version: string
  readonly resource: string
  readonly subresource?: string
  readonly name?: string
  readonly fieldSelector?: { readonly requirements: readonly ReviewedRequirement[] }
  readonly labelSelector?: { readonly requirements: readonly ReviewedRequirement[] }
}

interface ReviewedRequirement {
  readonly key: string
  readonly operator: 'In' | 'NotIn' | 'Exists' | 'DoesNotExist'
  readonly values?: readonly string[]
}

export function reviewSpecOf(access: Access): AccessReviewSpec {
  const { name, uid, groups, extra } = access.user
  return {
    ...(access.kind === 'path'
      ? { nonResourceAttributes: { path: access.path, verb: access.verb } }
      : { resourceAttributes: attributesOf(access) }),
    user: name,
    ...(groups.length === 0 ? {} : { groups }),
    ...(Object.keys(extra).length === 0 ? {} : { extra }),
    ...(uid === undefined ? {} : { uid }),
  }
}

function attributesOf(access: ResourceAccess): ReviewedResource {
  const { namespace = '', verb, group, version, resource, subresource = '', name = '' } = access
  const { fields = [], labels = [] } = access.selectors?.() ?? {}
  const requirements = labels.flatMap(labelRequirement)
  return {
    ...(namespace === '' ? {} : { namespace }),
    verb,
    ...(group === '' ? {} : { group }),
    version,
    resource,
    ...(subresource === '' ? {} : { subresource }),
    ...(name === '' ? {} : { name }),
    ...(fields.length === 0 ? {} : { fieldSelector: { requirements: fields.map(fieldRequirement) } }),
    ...(requirements.length === 0 ? {} : { labelSelector: { requirements } }),
  }
}

function fieldRequirement({ field, operator, value }: FieldTerm): ReviewedRequirement {
  return { key: field, operator: operator === '=' ? 'In' : 'NotIn', values: [value] }
}

/** Requirements that a review cannot express are left out. Without them the check needs more rights, never fewer. */
function labelRequirement(requirement: LabelRequirement): readonly ReviewedRequirement[] {
  const { key } = requirement
  switch (requirement.kind) {
    case 'equals':
      return [{ key, operator: 'In', values: [requirement.value] }]
    case 'in':
      return [{ key, operator: 'In', values: requirement.values }]
    case 'notEquals':
      return [{ key, operator: 'NotIn', values: [requirement.value] }]
    case 'notIn':
      return [{ key, operator: 'NotIn', values: requirement.values }]
    case 'exists':
      return [{ key, operator: 'Exists' }]
    case 'absent':
      return [{ key, operator: 'DoesNotExist' }]
    case 'greater':
    case 'less':
      return []
  }
}
