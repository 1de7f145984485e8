// ValidatingAdmissionWebhook: calls all matching webhooks in parallel. The first denial ends the others.
import { InvariantError } from '../../lib/errors.ts'
import { anySignal } from '../../lib/light-signal.ts'
import type { AdmissionPlugin, AdmissionRequest } from '../admission.ts'
import { isAdmissionConfiguration } from '../resource-rules.ts'
import type { Dispatch } from './dispatch.ts'
import type { Hooks } from './hook.ts'
import type { Invocation } from './invocation.ts'

export function validatingWebhooks(hooks: Hooks, dispatch: Dispatch): AdmissionPlugin {
  return {
    name: 'ValidatingAdmissionWebhook',
    hasExtensions: () => hooks.all.length > 0,
    validate(request, signal) {
      const { all } = hooks
      if (all.length === 0 || isAdmissionConfiguration(request.requestKind)) return undefined
      return validate(request, signal)
    },
  }

  async function validate(request: AdmissionRequest, signal: AbortSignal): Promise<void> {
    const invocationFor = dispatch.matcher(request, signal)
    const invocations: { readonly invocation: Invocation; readonly index: number }[] = []
    for (const [index, hook] of hooks.all.entries()) {
      const wanted = invocationFor(hook, request)
      // Most webhooks do not match: those are not awaited.
      if (wanted === undefined) continue
      const invocation = await wanted
      if (invocation !== undefined) invocations.push({ invocation, index })
    }
    if (invocations.length === 0) return
    await allAtOnce(
      invocations.map(
        ({ invocation, index }) =>
          (until: AbortSignal) =>
            dispatch.call({ invocation, request, position: { round: 0, index } }, () => {}, until),
      ),
      signal,
    )
  }
}

/** Runs all; the first that throws aborts the others. Resolves or throws when all have ended. */
async function allAtOnce(
  works: readonly ((signal: AbortSignal) => Promise<unknown>)[],
  signal: AbortSignal,
): Promise<void> {
  const [only] = works
  if (only === undefined) throw new InvariantError('nothing to run')
  if (works.length === 1) {
    await only(signal)
    return
  }
  const stop = new AbortController()
  const until = anySignal([signal, stop.signal])
  const failures: unknown[] = []
  await Promise.all(
    works.map((work) =>
      work(until).catch((error: unknown) => {
        failures.push(error)
        stop.abort()
      }),
    ),
  )
  if (failures.length > 0) throw failures[0]
}
