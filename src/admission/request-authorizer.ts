// The `authorizer` of CEL expressions. Expressions cannot await: if a decision is asynchronous, the evaluation is aborted, and repeated
// when the decision is known. Expressions have no side effects.
import type { User } from '../api/user.ts'
import { askedSelectors } from '../auth/asked-selectors.ts'
import type { Access, Authorizer, Decision } from '../auth/authorizer.ts'
import { type AuthorizationCheck, type AuthorizationDecision, AuthorizerValue, ResourceCheck } from '../cel/cel.ts'
import type { AdmissionRequest } from './admission.ts'

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

  /** Repeats the evaluation until all decisions are known. */
  async settle<T>(evaluate: () => T): Promise<T> {
    for (;;) {
      try {
        return evaluate()
      } catch (error) {
        if (!(error instanceof Undecided)) throw error
        await error.decision
      }
    }
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
