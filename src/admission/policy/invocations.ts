// The policies that match a request, with their bindings and parameters, and the configuration errors of policies.
import type { ApiObject } from '../../api/object.ts'
import { ApiError } from '../../api/status.ts'
import type { Authorizer } from '../../auth/authorizer.ts'
import type { Bindings } from '../../cel/cel.ts'
import type { AdmissionRequest } from '../admission.ts'
import type { ObjectReader } from '../object-reader.ts'
import { RequestAuthorizer } from '../request-authorizer.ts'
import { namespaceOf, namespaceReader } from '../request-selectors.ts'
import { isAboutNamespaces, isAdmissionConfiguration, isReview } from '../resource-rules.ts'
import { requestFacts, type ServedKind, type ServedKinds } from '../webhook/webhook.ts'
import type { Policy, PolicyBinding } from './definition.ts'
import { matchedKind, type MatchParts, mayMatch } from './match.ts'
import type { PolicyMeasures } from './measures.ts'
import { ConfigurationError, paramsFor, type ParamSources, paramSourceOf } from './params.ts'
import type { BoundPolicy, Policies } from './policies.ts'

export interface InvocationParts {
  readonly servedKinds: ServedKinds
  readonly namespaces: ObjectReader
  readonly params: ParamSources
  readonly authorizer: Authorizer
  readonly measures: PolicyMeasures
}

export interface Invocation {
  readonly policy: Policy
  readonly binding: PolicyBinding
  readonly as: ServedKind
  readonly params: readonly (ApiObject | undefined)[]
}

/** A policy that cannot be evaluated and whose failure policy is Fail. */
export interface Misconfiguration {
  readonly policy: Policy
  readonly binding: PolicyBinding | undefined
  readonly message: string
}

/** The reason why a request is refused. */
export interface Denial extends Misconfiguration {
  readonly reason: string
}

/**
 * Policies that may match, found without I/O. No policy applies to access reviews. Only policies from files apply to admission
 * configurations: a policy from the API could refuse its own removal.
 */
export function candidates(policies: Policies, request: AdmissionRequest): readonly BoundPolicy[] {
  const all = isAdmissionConfiguration(request.requestKind) ? policies.fromFiles : policies.inForce
  if (all.length === 0 || isReview(request.requestResource)) return []
  return all.filter(({ policy }) => mayMatch(policy.match, request))
}

/** The evaluation of policies for one request. */
export class PolicyRequest {
  readonly authorizer: RequestAuthorizer
  readonly #parts: InvocationParts
  readonly #request: AdmissionRequest
  readonly #signal: AbortSignal
  readonly #match: MatchParts
  #served: readonly ServedKind[] | undefined

  constructor(parts: InvocationParts, request: AdmissionRequest, signal: AbortSignal) {
    this.#parts = parts
    this.#request = request
    this.#signal = signal
    this.authorizer = new RequestAuthorizer(parts.authorizer, request, signal)
    this.#match = {
      served: () => (this.#served ??= parts.servedKinds(request)),
      namespace: namespaceReader(request, parts.namespaces, signal),
    }
  }

  /** The matching bindings of a policy. With `failurePolicy: Ignore`, configuration errors are left out. */
  async invocations({ policy, bindings }: BoundPolicy): Promise<readonly (Invocation | Misconfiguration)[]> {
    const found: (Invocation | Misconfiguration)[] = []
    const wrong = (error: unknown, binding: PolicyBinding | undefined): void => {
      const what = `failed to configure ${binding === undefined ? 'policy' : 'binding'}`
      if (!policy.failsOpen) found.push({ policy, binding, message: `${what}: ${problemOf(error)}` })
    }
    try {
      const as = await matchedKind(policy.match, this.#request, this.#match)
      if (as === undefined) return []
      const source = paramSourceOf(policy, this.#parts.params)
      for (const binding of bindings) {
        try {
          if (!(await this.#isBound(binding))) continue
          const params = await paramsFor(binding, { source, namespace: namespaceOf(this.#request) }, this.#signal)
          found.push({ policy, binding, as, params })
        } catch (error) {
          wrong(error, binding)
        }
      }
    } catch (error) {
      wrong(error, undefined)
    }
    return found
  }

  async #isBound({ match }: PolicyBinding): Promise<boolean> {
    return match === undefined || (await matchedKind(match, this.#request, this.#match)) !== undefined
  }

  /** The variables of the expressions. */
  async bindings({ policy, as }: Invocation, param: ApiObject | undefined, request = this.#request): Promise<Bindings> {
    const [object, oldObject, namespaceObject] = await Promise.all([
      request.object === undefined ? null : as.show(request.object),
      request.oldObject === undefined ? null : as.show(request.oldObject),
      policy.readsNamespace && request.namespace !== '' && !isAboutNamespaces(request.resource)
        ? this.#match.namespace()
        : null,
    ])
    return {
      object,
      oldObject,
      request: requestFacts(as, request),
      namespaceObject,
      params: param ?? null,
      ...this.authorizer.bindings(),
    }
  }
}

/** The text of a configuration error. Throws every other error. */
function problemOf(error: unknown): string {
  if (error instanceof ConfigurationError || error instanceof ApiError) return error.message
  throw error
}
