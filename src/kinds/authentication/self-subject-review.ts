// SelfSubjectReview: the user that the server has authenticated (P-161).
import type { ApiObject } from '../../api/object.ts'
import { userInfo } from '../../api/user.ts'
import type { Action, ActionAnswer, ActionContext } from '../../registry/registry.ts'
import type { SchemaTable } from '../../schema/table.ts'
import type { Kind } from '../kind.ts'
import { actionBody } from '../shared/action-body.ts'
import { question } from '../shared/question.ts'

const GROUP_VERSION = { group: 'authentication.k8s.io', version: 'v1' } as const

export const SELF_SUBJECT_REVIEW: Kind = { validation: question(() => undefined) }

export function selfSubjectReviewAction(schemas: SchemaTable): Action {
  return {
    at: { ...GROUP_VERSION, resource: 'selfsubjectreviews', subresource: '', namespaced: false },
    body: actionBody(schemas, { ...GROUP_VERSION, kind: 'SelfSubjectReview' }, SELF_SUBJECT_REVIEW),
    alsoVersions: [],
    run: reviewSelf,
  }
}

async function reviewSelf(review: ApiObject, context: ActionContext): Promise<ActionAnswer> {
  await context.validate(review)
  const { kind, apiVersion } = review
  const metadata = { creationTimestamp: context.now }
  return { kind: 'object', object: { kind, apiVersion, metadata, status: { userInfo: userInfo(context.user) } } }
}
