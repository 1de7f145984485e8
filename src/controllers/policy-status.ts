// Reports the type errors of expressions in the status of their ValidatingAdmissionPolicy.
import { isKind } from '../api/kind-guard.ts'
import { metaOf, statusOf } from '../api/object-members.ts'
import type { ApiObject } from '../api/object.ts'
import type { StoredObject } from '../api/read.ts'
import type { ValueMap } from '../api/value.ts'
import type { Controller, ControllerParts } from './controllers.ts'
import { keyedController } from './keyed-controller.ts'
import { controllerContext, succeeds, updateLive } from './writes.ts'
import { servedResource } from '../registry/served-resource.ts'

const NAME = 'validatingadmissionpolicy-status-controller'

/** Returns the type errors of a policy. `schema/policy-type-check.ts` checks the types. */
export type TypeCheck = (policy: ApiObject) => readonly ValueMap[]

export function policyStatus(parts: ControllerParts, typeCheck: TypeCheck): Controller {
  return keyedController(parts, { name: NAME, canWait: true, workers: 1 }, (queue) => {
    const policies = new Map<string, ApiObject>()
    const onPresent = (stored: StoredObject): void => {
      const policy = stored.object()
      policies.set(stored.name, policy)
      if (!isObserved(policy)) queue.add(stored.name)
    }
    const onGone = ({ name }: StoredObject): void => void policies.delete(name)
    const type = servedResource(parts.resources(), 'validatingadmissionpolicies', 'admissionregistration.k8s.io')
    return {
      followed: [{ type, onPresent, onGone }],
      work: (name, signal) => updateStatus(parts, { name, policy: policies.get(name), typeCheck }, signal),
    }
  })
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
