// Evaluates the expressions of one request, and provides their `authorizer`. Expressions cannot await: if a decision is asynchronous, the
// evaluation is aborted, and repeated when the decision is known. Expressions have no side effects.
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { User } from '../api/user.ts'
import { askedSelectors } from '../auth/asked-selectors.ts'
import type { Access, Authorizer, Decision } from '../auth/authorizer.ts'
import { type AuthorizationCheck, type AuthorizationDecision, AuthorizerValue, ResourceCheck } from '../cel/cel.ts'
import type { AdmissionRequest } from './admission.ts'

/** An evaluation of several expressions. It yields the cost of each expression. */
export type Steps<T> = Generator<number, T>

/**
 * The cost of the expressions in one turn of the event loop, which is a few milliseconds. A single expression may cost ten times as much.
 */
const TURN_COST = 100_000

/** Thrown to abort an evaluation. */
class Undecided {
  readonly decision: Promise<void>

  constructor(decision: Promise<void>) {
    this.decision = decision
  }
}

export class RequestAuthorizer {
  readonly #authorizer: Authorizer
  readonly #request: AdmissionRequest
  readonly #signal: AbortSignal
  readonly #known = new Map<string, AuthorizationDecision>()
  /** The cost of expressions since the last turn of the event loop. */
  #spent = 0

  constructor(authorizer: Authorizer, request: AdmissionRequest, signal: AbortSignal) {
    this.#authorizer = authorizer
    this.#request = request
    this.#signal = signal
  }

  /** The values of `authorizer` and `authorizer.requestResource`. */
  bindings(): { readonly authorizer: AuthorizerValue; readonly 'authorizer.requestResource': ResourceCheck } {
    const authorizer = new AuthorizerValue((check) => this.#decide(check))
    const { requestResource, subresource, namespace, name } = this.#request
    const { group, resource } = requestResource
    const asked = { group, resource, subresource, namespace, name, fieldSelector: '', labelSelector: '' }
    return { authorizer, 'authorizer.requestResource': new ResourceCheck(authorizer, asked) }
  }

  /** Repeats the evaluation until all decisions are known. Other requests run between expensive expressions. */
  async settle<T>(evaluate: () => Steps<T>): Promise<T> {
    for (;;) {
      try {
        const steps = evaluate()
        let step = steps.next()
        while (step.done !== true) {
          await this.#spend(step.value)
          step = steps.next()
        }
        return step.value
      } catch (error) {
        if (!(error instanceof Undecided)) throw error
        await error.decision
      }
    }
  }

  async #spend(cost: number): Promise<void> {
    this.#spent += cost
    if (this.#spent < TURN_COST) return
    this.#spent = 0
    await nextTurn()
    this.#signal.throwIfAborted()
  }

  #decide(check: AuthorizationCheck): AuthorizationDecision {
    const key = JSON.stringify(check)
    const known = this.#known.get(key)
    if (known !== undefined) return known
    const decision = this.#authorizer.authorize(this.#access(check), this.#signal)
    if (decision instanceof Promise) {
      throw new Undecided(
        decision.then(
          (made) => void this.#known.set(key, answerOf(made)),
          (error: unknown) => this.#fail(key, error),
        ),
      )
    }
    const answer = answerOf(decision)
    this.#known.set(key, answer)
    return answer
  }

  #fail(key: string, error: unknown): void {
    this.#signal.throwIfAborted()
    const message = error instanceof Error ? error.message : String(error)
    this.#known.set(key, { allowed: false, reason: '', error: message })
  }

  #access(check: AuthorizationCheck): Access {
    const user = check.serviceAccount === undefined ? this.#request.user : serviceAccountUser(check.serviceAccount)
    if (check.kind === 'path') return { kind: 'path', user, verb: check.verb, path: check.path }
    const { verb, group, resource, fieldSelector, labelSelector } = check
    const isNarrowed = fieldSelector !== '' || labelSelector !== ''
    return {
      kind: 'resource',
      user,
      verb,
      group,
      version: '*',
      resource,
      subresource: check.subresource || undefined,
      namespace: check.namespace || undefined,
      name: check.name || undefined,
      ...(isNarrowed ? { selectors: () => askedSelectors(fieldSelector, labelSelector) } : {}),
    }
  }
}

function answerOf(decision: Decision): AuthorizationDecision {
  return { allowed: decision.kind === 'allow', reason: decision.reason ?? '', error: decision.problem ?? '' }
}

function serviceAccountUser({ namespace, name }: { readonly namespace: string; readonly name: string }): User {
  return {
    name: `system:serviceaccount:${namespace}:${name}`,
    uid: undefined,
    groups: ['system:serviceaccounts', `system:serviceaccounts:${namespace}`],
    extra: {},
  }
}
