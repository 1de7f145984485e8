// ValidatingAdmissionWebhook: calls all matching webhooks in parallel. The first denial ends the others.
import { together } from '../../lib/together.ts'
import type { AdmissionPlugin, AdmissionRequest } from '../admission.ts'
import type { Dispatch } from './dispatch.ts'
import type { Hook, Hooks } from './hook.ts'
import type { Invocation } from './invocation.ts'

export function validatingWebhooks(hooks: Hooks, dispatch: Dispatch): AdmissionPlugin {
  return {
    name: 'ValidatingAdmissionWebhook',
    hasExtensions: () => hooks.all.length > 0,
    validate(request, signal) {
      const all = hooks.for(request)
      return all.length === 0 ? undefined : validate(all, request, signal)
    },
  }

  async function validate(all: readonly Hook[], request: AdmissionRequest, signal: AbortSignal): Promise<void> {
    const invocationFor = dispatch.matcher(request, signal)
    const invocations: { readonly invocation: Invocation; readonly index: number }[] = []
    for (const [index, hook] of all.entries()) {
      const wanted = invocationFor(hook, request)
      // Most webhooks do not match, and cost no wait.
      if (wanted === undefined) continue
      const invocation = await wanted
      if (invocation !== undefined) invocations.push({ invocation, index })
    }
    if (invocations.length === 0) return
    const call = ({ invocation, index }: (typeof invocations)[number], until: AbortSignal): Promise<unknown> =>
      dispatch.call({ invocation, request, position: { round: 0, index } }, () => {}, until)
    if (invocations.length === 1) await call(invocations[0]!, signal)
    else await together(signal, (until) => invocations.map((each) => call(each, until)))
  }
}
