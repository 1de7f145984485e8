// The rights of a user: by the rules of the user's own review, or by a review for each verb and kind of another user.
import { type Answer, answerOf, type ResourceRule, type Subject, type Verb } from './access-rules.ts'
import { ask, post } from './api.ts'
import type { Kind } from './kind.ts'

interface RulesReview {
  readonly status: { readonly resourceRules: readonly ResourceRule[] }
}

const REVIEWS = '/apis/authorization.k8s.io/v1'

export type Decide = (kind: Kind, verb: Verb) => Promise<Answer>

export async function ownRights(namespace: string): Promise<Decide> {
  const { status } = await post<RulesReview>(`${REVIEWS}/selfsubjectrulesreviews`, {
    spec: { namespace: namespace || 'default' },
  })
  return async (kind, verb) => answerOf(status.resourceRules, kind, verb)
}

/** Every cell is a request. So many run at a time. */
const AT_ONCE = 12

export function rightsOf({ user, groups }: Subject, namespace: string): Decide {
  const slots = new Slots(AT_ONCE)
  return (kind, verb) =>
    slots.run(async () => {
      const place = kind.namespaced && namespace !== '' ? { namespace } : {}
      const resourceAttributes = { verb, group: kind.group, resource: kind.plural, ...place }
      const spec = { user, groups, resourceAttributes }
      const { status } = await ask<{ readonly status: { readonly allowed: boolean } }>(
        `${REVIEWS}/subjectaccessreviews`,
        {
          method: 'POST',
          body: JSON.stringify({ spec }),
        },
      )
      return status.allowed ? 'yes' : 'no'
    })
}

class Slots {
  #free: number
  readonly #waiting: (() => void)[] = []

  constructor(count: number) {
    this.#free = count
  }

  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#free === 0) await new Promise<void>((resolve) => this.#waiting.push(resolve))
    else this.#free--
    try {
      return await work()
    } finally {
      const next = this.#waiting.shift()
      if (next === undefined) this.#free++
      else next()
    }
  }
}
