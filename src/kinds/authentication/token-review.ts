// TokenReview: authenticates a token for another server (P-058 to P-060).
import { isKind } from '../../api/kind-guard.ts'
import { ApiError } from '../../api/status.ts'
import { userInfo } from '../../api/user.ts'
import type { Value } from '../../api/value.ts'
import type { BearerTokens, TokenReview } from '../../auth/bearer-tokens.ts'
import type { Action } from '../../registry/registry.ts'
import type { SchemaTable } from '../../schema/table.ts'
import type { Kind } from '../kind.ts'
import { actionBody } from '../shared/action-body.ts'
import { question } from '../shared/question.ts'

const GROUP_VERSION = { group: 'authentication.k8s.io', version: 'v1' } as const

export const TOKEN_REVIEW: Kind = { validation: question(() => undefined) }

export function tokenReviewAction(schemas: SchemaTable, review: BearerTokens['review']): Action {
  return {
    at: { ...GROUP_VERSION, resource: 'tokenreviews', subresource: '', namespaced: false },
    body: actionBody(schemas, { ...GROUP_VERSION, kind: 'TokenReview' }, TOKEN_REVIEW),
    alsoVersions: [],
    run: async (object, context) => {
      const { token = '', audiences = [] } = isKind(object, 'authentication.k8s.io_v1.TokenReview') ? object.spec : {}
      if (token === '') throw new ApiError('BadRequest', 'token is required for TokenReview in authentication')
      await context.validate(object)
      const status = statusOf(await review(token, audiences, context.signal))
      return { kind: 'object', object: { ...object, status } }
    },
  }
}

function statusOf(review: TokenReview): Value {
  if (review.kind === 'refused') return { user: {}, error: review.problem }
  const { user, audiences } = review
  return { authenticated: true, user: userInfo(user), ...(audiences.length > 0 && { audiences }) }
}
