// Finds the rights of a user. The rights of the logged-in user come from one review of rules. For another user, each verb of each kind is a
// review.
import { type Answer, answerOf, type ResourceRule, type Subject, type Verb } from './access-rules.ts'
import { post } from './api.ts'
import type { Kind } from './kind.ts'

interface RulesReview {
  readonly status: { readonly resourceRules: readonly ResourceRule[] }
}

interface AccessReview {
  readonly status: { readonly allowed: boolean }
}

const REVIEWS = '/apis/authorization.k8s.io/v1'

export type Decide = (kind: Kind, verb: Verb) => Promise<Answer>

export async function ownRights(namespace: string): Promise<Decide> {
  const { status } = await post<RulesReview>(`${REVIEWS}/selfsubjectrulesreviews`, {
    spec: { namespace: namespace || 'default' },
  })
  return async (kind, verb) => answerOf(status.resourceRules, kind, verb)
}

export function rightsOf({ user, groups }: Subject, namespace: string): Decide {
  return async (kind, verb) => {
    const place = kind.namespaced && namespace !== '' ? { namespace } : {}
    const resourceAttributes = { verb, group: kind.group, resource: kind.plural, ...place }
    const { status } = await post<AccessReview>(`${REVIEWS}/subjectaccessreviews`, {
      spec: { user, groups, resourceAttributes },
    })
    return status.allowed ? 'yes' : 'no'
  }
}
