// Tells in the status of a validating policy what the types of the kinds that it names say against its expressions.
import { mapOrAbsent, mapOrEmpty } from '../api/members.ts'
import type { ApiObject } from '../api/object.ts'
import { own, type ValueMap } from '../api/value.ts'
import { updateObject } from '../registry/update.ts'
import type { Controller, ControllerParts } from './controllers.ts'
import { controllerContext, isReason } from './controllers.ts'
import { WorkQueue } from './work-queue.ts'
import { runInformer } from '../informers/informer.ts'
import { servedResource } from '../registry/served-resource.ts'

const NAME = 'validatingadmissionpolicy-status-controller'

/** Looking at types is another room's work. */
export type TypeCheck = (policy: ApiObject) => readonly ValueMap[]

export function policyStatus(parts: ControllerParts, typeCheck: TypeCheck): Controller {
  return {
    name: NAME,
    async run(signal) {
      const policies = new Map<string, ApiObject>()
      const queue = new WorkQueue({
        name: NAME,
        log: parts.log,
        measures: parts.queues,
        workers: 1,
        work: (name, inner) => tell(parts, { name, policy: policies.get(name), typeCheck }, inner),
      })
      const onPresent = (stored: { readonly name: string; object(): ApiObject }): void => {
        const policy = stored.object()
        policies.set(stored.name, policy)
        if (!isTold(policy)) queue.add(stored.name)
      }
      const onGone = ({ name }: { readonly name: string }): void => void policies.delete(name)
      const resource = servedResource(parts.resources(), 'validatingadmissionpolicies', 'admissionregistration.k8s.io')
      const { store } = parts.registry
      await Promise.all([queue.run(signal), runInformer(store, resource, { onPresent, onGone }, signal)])
    },
  }
}

function isTold(policy: ApiObject): boolean {
  const status = mapOrAbsent(policy, 'status')
  return status !== undefined && own(status, 'observedGeneration') === own(policy.metadata, 'generation')
}

interface Told {
  readonly name: string
  readonly policy: ApiObject | undefined
  readonly typeCheck: TypeCheck
}

async function tell(parts: ControllerParts, { name, policy, typeCheck }: Told, signal: AbortSignal): Promise<boolean> {
  if (policy === undefined || isTold(policy)) return false
  const generation = own(policy.metadata, 'generation') ?? 0
  const expressionWarnings = typeCheck(policy)
  const typeChecking: ValueMap = expressionWarnings.length === 0 ? {} : { expressionWarnings }
  const wanted = (live: ApiObject | undefined): ApiObject => {
    return { ...live!, status: { ...mapOrEmpty(live!, 'status'), observedGeneration: generation, typeChecking } }
  }
  const resource = servedResource(parts.resources(), 'validatingadmissionpolicies', 'admissionregistration.k8s.io')
  const request = { name, subresource: 'status', wanted, tracksFields: false, absent: 'refuse', uid: '' } as const
  try {
    await updateObject(parts.registry, resource, request, controllerContext(parts, '', signal))
  } catch (error) {
    if (!isReason(error, 'NotFound')) throw error
  }
  return false
}
