// Reports the type errors of expressions in the status of their ValidatingAdmissionPolicy.
import { isKind } from '../api/kind-guard.ts'
import { metaOf, statusOf } from '../api/object-members.ts'
import type { ApiObject } from '../api/object.ts'
import type { ValueMap } from '../api/value.ts'
import { together } from '../lib/together.ts'
import type { Controller, ControllerParts } from './controllers.ts'
import { WorkQueue } from './work-queue.ts'
import { controllerContext, succeeds, updateLive } from './writes.ts'
import { runInformer } from './informer.ts'
import { servedResource } from '../registry/served-resource.ts'

const NAME = 'validatingadmissionpolicy-status-controller'

/** Another room checks types. */
export type TypeCheck = (policy: ApiObject) => readonly ValueMap[]

export function policyStatus(parts: ControllerParts, typeCheck: TypeCheck): Controller {
  return {
    name: NAME,
    canWait: true,
    async run(signal) {
      const policies = new Map<string, ApiObject>()
      const queue = new WorkQueue(parts, {
        name: NAME,
        workers: 1,
        work: (name, inner) => updateStatus(parts, { name, policy: policies.get(name), typeCheck }, inner),
      })
      const onPresent = (stored: { readonly name: string; object(): ApiObject }): void => {
        const policy = stored.object()
        policies.set(stored.name, policy)
        if (!isObserved(policy)) queue.add(stored.name)
      }
      const onGone = ({ name }: { readonly name: string }): void => void policies.delete(name)
      const resource = servedResource(parts.resources(), 'validatingadmissionpolicies', 'admissionregistration.k8s.io')
      const { store } = parts.registry
      await together(signal, (until) => [queue.run(until), runInformer(store, resource, { onPresent, onGone }, until)])
    },
  }
}

function isObserved(policy: ApiObject): boolean {
  if (!isKind(policy, 'admissionregistration.k8s.io_v1.ValidatingAdmissionPolicy')) return true
  const { observedGeneration } = policy.status
  return observedGeneration !== undefined && observedGeneration === policy.metadata.generation
}

interface CheckedPolicy {
  readonly name: string
  readonly policy: ApiObject | undefined
  readonly typeCheck: TypeCheck
}

async function updateStatus(
  parts: ControllerParts,
  { name, policy, typeCheck }: CheckedPolicy,
  signal: AbortSignal,
): Promise<void> {
  if (policy === undefined || isObserved(policy)) return
  const generation = metaOf(policy).generation ?? 0
  const expressionWarnings = typeCheck(policy)
  const typeChecking: ValueMap = expressionWarnings.length === 0 ? {} : { expressionWarnings }
  const change = (live: ApiObject): ApiObject => {
    return { ...live, status: { ...statusOf(live), observedGeneration: generation, typeChecking } }
  }
  const resource = servedResource(parts.resources(), 'validatingadmissionpolicies', 'admissionregistration.k8s.io')
  const update = { name, subresource: 'status', change } as const
  await succeeds(updateLive(parts, resource, update, controllerContext(parts, '', signal)), 'NotFound')
}
