// Tells others whose a token is that they were shown (P-058 to P-060).
import { mapOrEmpty, textOrEmpty } from '../../api/members.ts'
import { ApiError } from '../../api/status.ts'
import { isList, own, type Value } from '../../api/value.ts'
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
      const spec = mapOrEmpty(object, 'spec')
      const token = textOrEmpty(spec, 'token')
      if (token === '') throw new ApiError('BadRequest', 'token is required for TokenReview in authentication')
      await context.validate(object)
      const asked = own(spec, 'audiences')
      const audiences = isList(asked) ? asked.filter((audience) => typeof audience === 'string') : []
      const status = statusOf(await review(token, audiences, context.signal))
      return { kind: 'object', object: { ...object, status } }
    },
  }
}

function statusOf(review: TokenReview): Value {
  if (review.kind === 'refused') return { user: {}, error: review.problem }
  const { name, uid, groups, extra } = review.user
  const hasExtra = Object.keys(extra).length > 0
  return {
    authenticated: true,
    user: {
      ...(name === '' ? {} : { username: name }),
      ...(uid === undefined || uid === '' ? {} : { uid }),
      ...(groups.length === 0 ? {} : { groups }),
      ...(hasExtra ? { extra } : {}),
    },
    ...(review.audiences.length === 0 ? {} : { audiences: review.audiences }),
  }
}
