// Faults that a changed pod or template may have because its stored form has them.
import type { Container, PodSpec } from '../../../api/gen/kinds.ts'
import { CONTAINER_LISTS } from '../../../api/pod-containers.ts'
import { isMap, own, type Value } from '../../../api/value.ts'
import type { Check } from '../../../schema/validation/check.ts'

/** The paths to a pod spec: in pod templates, workloads, cron jobs and pods. */
const PLACES: readonly string[] = ['template/spec', 'spec/template/spec', 'spec/jobTemplate/spec/template/spec', 'spec']

/** The pod spec of the stored object. An empty spec if the object is new. */
function storedPodSpec({ context: { stored } }: Check): Partial<PodSpec> {
  if (stored === undefined) return {}
  for (const place of PLACES) {
    const spec = place.split('/').reduce<Value | undefined>(memberAt, stored)
    if (isMap(spec)) return spec
  }
  return {}
}

function memberAt(value: Value | undefined, name: string): Value | undefined {
  return isMap(value) ? own(value, name) : undefined
}

/** Whether a stored image volume has no reference. */
export function hasVagueImage(check: Check): boolean {
  return (storedPodSpec(check).volumes ?? []).some(({ image }) => image !== undefined && (image.reference ?? '') === '')
}

/** Whether a stored container adds `CAP_SYS_ADMIN` without allowing privilege escalation. */
export function hasAdminCapability(check: Check): boolean {
  const spec = storedPodSpec(check)
  return CONTAINER_LISTS.some((list) => (spec[list] ?? []).some(isAdmin))
}

function isAdmin({ securityContext: context = {} }: Pick<Container, 'securityContext'>): boolean {
  return context.allowPrivilegeEscalation !== true && context.capabilities?.add?.includes('CAP_SYS_ADMIN') === true
}
