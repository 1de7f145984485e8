// MutatingAdmissionWebhook: calls webhooks one after the other. After a change, webhooks with `reinvocationPolicy: IfNeeded` that were
// called before the change are called again (W-447, W-448, W-496).
import type { ApiObject } from '../../api/object.ts'
import { ApiError } from '../../api/status.ts'
import { equalValues, isList, type Value } from '../../api/value.ts'
import type { AdmissionPlugin, AdmissionRequest } from '../admission.ts'
import { type Reinvocation, reinvocationOf } from '../reinvocation.ts'
import { HookFailure, internal } from './call.ts'
import { type Dispatch, type CallPosition, positionName } from './dispatch.ts'
import type { Hook, Hooks } from './hook.ts'
import type { Invocation } from './invocation.ts'
import type { Verdict } from './review.ts'

const NAME = 'MutatingAdmissionWebhook'

/** Reads and applies patches. The implementation is in other folders. */
export interface JsonPatching {
  /** Throws if the bytes are not JSON. */
  parse(bytes: Buffer): Value
  /** Throws if the patch does not fit. */
  applyPatch(document: Value, patch: Value): Value
}

export function mutatingWebhooks(hooks: Hooks, dispatch: Dispatch, json: JsonPatching): AdmissionPlugin {
  return {
    name: NAME,
    mayRepeat: true,
    hasExtensions: () => hooks.all.length > 0,
    mutate(request, signal) {
      const all = hooks.for(request)
      if (all.length === 0) return undefined
      return new MutatingPass({ hooks: all, dispatch, json }, request, signal).run()
    },
  }
}

interface PassParts {
  readonly hooks: readonly Hook[]
  readonly dispatch: Dispatch
  readonly json: JsonPatching
}

class MutatingPass {
  readonly #parts: PassParts
  readonly #signal: AbortSignal
  readonly #memory: Reinvocation
  readonly #round: 0 | 1
  #request: AdmissionRequest

  constructor(parts: PassParts, request: AdmissionRequest, signal: AbortSignal) {
    this.#parts = parts
    this.#signal = signal
    this.#request = request
    this.#round = request.walk?.isSecond === true ? 1 : 0
    this.#memory = reinvocationOf(request, NAME)
  }

  async run(): Promise<ApiObject | undefined> {
    if (this.#round === 1) this.#memory.beginAgain(this.#request.object)
    const invocationFor = this.#parts.dispatch.matcher(this.#request, this.#signal)
    for (const [index, hook] of this.#parts.hooks.entries()) {
      if (this.#round === 1 && !this.#memory.isDue(hook.key)) continue
      const wanted = invocationFor(hook, this.#request)
      // Most webhooks do not match, and cost no wait.
      if (wanted === undefined) continue
      const invocation = await wanted
      if (invocation === undefined) continue
      if (await this.#call(invocation, { round: this.#round, index })) {
        this.#memory.changed()
        this.#request.walk?.repeat()
      }
      if (hook.reinvoked) this.#memory.called(hook.key)
    }
    this.#memory.end(this.#request.object)
    return this.#request.object
  }

  /** Calls a webhook. Returns whether the object has changed. */
  async #call(invocation: Invocation, position: CallPosition): Promise<boolean> {
    const request = this.#request
    const { hook } = invocation
    const made = await this.#parts.dispatch.call(
      { invocation, request, position },
      (verdict) => this.#patched(invocation, verdict),
      this.#signal,
    )
    const mutated = made !== undefined
    request.annotate(
      `mutation.webhook.admission.k8s.io/${positionName(position)}`,
      JSON.stringify({ configuration: hook.configuration, webhook: hook.name, mutated }),
    )
    if (mutated) this.#request = { ...request, object: made }
    return mutated
  }

  /** Undefined: the webhook does not change the object. */
  async #patched({ hook, as, object }: Invocation, { patch }: Verdict): Promise<ApiObject | undefined> {
    if (patch === undefined) return undefined
    const { json } = this.#parts
    const operations = parsePatch(hook, patch, json)
    if (isList(operations) && operations.length === 0) return undefined
    if (object === undefined) {
      const what = 'attempted to modify the object, which is not supported for this operation'
      throw internal(`admission webhook ${JSON.stringify(hook.name)} ${what}`)
    }
    const read = attempt(() => as.read(json.applyPatch(object, operations)))
    return equalValues(read, object) ? undefined : await as.adopt(read)
  }
}

function parsePatch(hook: Hook, patch: Buffer, json: JsonPatching): Value {
  try {
    return json.parse(patch)
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    throw new HookFailure(hook.name, `received undecodable patch in webhook response: ${why}`, 503)
  }
}

/** An invalid result of a webhook is an internal error, not an error of the client. */
function attempt<T>(work: () => T): T {
  try {
    return work()
  } catch (error) {
    if (!(error instanceof Error)) throw error
    const why = error instanceof ApiError && error.cause instanceof Error ? error.cause.message : error.message
    throw internal(why, error)
  }
}
