// Matches and calls webhooks, with their failure policies, metrics and audit annotations.
import { ApiError } from '../../api/status.ts'
import type { Authorizer } from '../../auth/authorizer.ts'
import { CancelledError } from '../../lib/errors.ts'
import type { Log } from '../../lib/log.ts'
import type { OutgoingCaller } from '../../outgoing/call.ts'
import type { AdmissionRequest } from '../admission.ts'
import type { ObjectReader } from '../object-reader.ts'
import { RequestAuthorizer } from '../request-authorizer.ts'
import { namespaceReader } from '../request-selectors.ts'
import { callHook, HookFailure, internal } from './call.ts'
import type { Hook } from './hook.ts'
import type { Invocation, ServedKinds } from './invocation.ts'
import { invocationOf, type MatchParts } from './matching.ts'
import type { WebhookObserver, WebhookRejection, WebhookType } from './measures.ts'
import type { Verdict } from './review.ts'

export interface DispatchParts {
  readonly caller: OutgoingCaller
  readonly servedKinds: ServedKinds
  readonly namespaces: ObjectReader
  readonly authorizer: Authorizer
  readonly observer: WebhookObserver
  readonly log: Log
}

/** The round and the index of a webhook, for audit annotations. */
export interface CallPosition {
  readonly round: 0 | 1
  readonly index: number
}

interface Call {
  readonly invocation: Invocation
  readonly request: AdmissionRequest
}

export class Dispatch {
  readonly #parts: DispatchParts
  readonly #type: WebhookType

  constructor(parts: DispatchParts, type: WebhookType) {
    this.#parts = parts
    this.#type = type
  }

  /** Returns a function that matches webhooks with a request. The namespace is read once for all webhooks. */
  matcher(
    request: AdmissionRequest,
    signal: AbortSignal,
  ): (hook: Hook, request: AdmissionRequest) => Promise<Invocation | undefined> | undefined {
    const { servedKinds, namespaces, authorizer } = this.#parts
    let kinds: ReturnType<ServedKinds> | undefined
    const parts: MatchParts = {
      servedKinds: () => (kinds ??= servedKinds(request)),
      namespace: namespaceReader(request, namespaces, signal),
      authorizer: new RequestAuthorizer(authorizer, request, signal),
    }
    return (hook, current) => invocationOf(hook, current, parts)
  }

  /**
   * Calls a webhook and passes its verdict to `use`. Undefined: the call failed and the failure policy is Ignore. Throws an
   * `ApiError` if the request is denied, or if the call failed and the policy is Fail.
   */
  async call<T>(
    call: Call & { readonly position: CallPosition },
    use: (verdict: Verdict) => T | Promise<T>,
    signal: AbortSignal,
  ): Promise<T | undefined> {
    const { invocation, request, position } = call
    const { hook } = invocation
    const began = performance.now()
    try {
      const isMutating = this.#type === 'admit'
      const used = await use(await callHook(this.#parts.caller, { invocation, request, isMutating }, signal))
      this.#observe(call, began, { code: 200, rejected: false })
      return used
    } catch (error) {
      if (error instanceof CancelledError) throw error
      if (!(error instanceof HookFailure)) {
        const isRefusal = error instanceof ApiError && error.reason !== 'InternalError'
        const code = isRefusal ? error.code : 0
        this.#observe(call, began, { code, rejected: true })
        this.#reject(call, isRefusal ? 'no_error' : 'apiserver_internal_error', code)
        throw error
      }
      this.#observe(call, began, { code: error.code, rejected: !hook.failsOpen })
      const fields = { webhook: hook.name, configuration: hook.configuration, reason: error.message }
      if (!hook.failsOpen) {
        this.#parts.log.warn(fields, 'admission webhook failed, request rejected')
        this.#reject(call, 'calling_webhook_error', error.code)
        throw internal(error.message)
      }
      this.#parts.log.warn(fields, 'admission webhook failed, ignored by its failure policy')
      this.#parts.observer.failedOpen(hook.name, this.#type)
      const kind = this.#type === 'admit' ? 'mutation' : 'validating'
      request.annotate(`failed-open.${kind}.webhook.admission.k8s.io/${positionName(position)}`, hook.name)
      return undefined
    }
  }

  #observe(call: Call, began: number, outcome: { readonly code: number; readonly rejected: boolean }): void {
    this.#parts.observer.called({ ...this.#subject(call), milliseconds: performance.now() - began, ...outcome })
  }

  #reject(call: Call, errorType: WebhookRejection['errorType'], code: number): void {
    this.#parts.observer.rejected({ ...this.#subject(call), errorType, code })
  }

  #subject({ invocation, request }: Call): Pick<WebhookRejection, 'name' | 'type' | 'operation'> {
    return { name: invocation.hook.name, type: this.#type, operation: request.operation }
  }
}

/** `round_0_index_2`. */
export function positionName({ round, index }: CallPosition): string {
  return `round_${round}_index_${index}`
}
