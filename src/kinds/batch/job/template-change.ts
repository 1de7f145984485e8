// The template of a job is immutable, except for scheduling directives, and for resources while the job is suspended.
import { shownJson } from '../../../api/field-error.ts'
import { FieldPath } from '../../../api/field-path.ts'
import type { Affinity, Job, PodSpec, PodTemplateSpec } from '../../../api/gen/kinds.ts'
import { withMembers } from '../../../api/object-members.ts'
import { equalValues } from '../../../api/value.ts'
import { conditionHolds } from '../../../codec/tables/reading.ts'
import { type Check, IMMUTABLE } from '../../../schema/validation/check.ts'

const TEMPLATE = FieldPath.root('spec').child('template')

export function checkTemplateChange({ spec: { template } }: Job, stored: Job, check: Check): void {
  const { template: before, suspend } = stored.spec
  const idle = isIdle(stored)
  const directives = idle && (!isStarted(stored) || check.gate('MutableSchedulingDirectivesForSuspendedJobs'))
  const old = directives ? withDirectives(before, template) : before
  if (suspend === true && idle && check.gate('MutablePodResourcesForSuspendedJobs')) {
    const { spec } = template
    if (!equalValues(spec, withResources(old.spec, spec))) {
      check.invalid(FieldPath.root('spec').child('template.spec'), shownJson(spec), IMMUTABLE)
    }
  } else if (!equalValues(template, old)) check.invalid(TEMPLATE, shownJson(template), IMMUTABLE)
}

function isStarted({ status }: Job): boolean {
  return status.startTime !== undefined
}

/** Whether the job is suspended and without pods: it never started, or has the condition Suspended and no active pod. */
function isIdle(stored: Job): boolean {
  if (stored.spec.suspend !== true) return false
  if (!isStarted(stored)) return true
  const isSuspended = conditionHolds(stored, 'Suspended', 'status', 'conditions')
  return isSuspended && (stored.status.active ?? 0) === 0
}

/** The old template with the scheduling directives, labels and annotations of the new template. */
function withDirectives(old: PodTemplateSpec, { metadata, spec }: PodTemplateSpec): PodTemplateSpec {
  const { nodeSelector, tolerations, schedulingGates } = spec
  const affinity = affinityOf(old.spec, spec)
  const { annotations, labels } = metadata
  return {
    ...old,
    metadata: withMembers(old.metadata, { annotations, labels }),
    spec: withMembers(old.spec, { nodeSelector, tolerations, schedulingGates, affinity }),
  }
}

/** The old pod affinity with the new node affinity. */
function affinityOf({ affinity: before }: PodSpec, { affinity: now }: PodSpec): Affinity | undefined {
  const merged = withMembers<Affinity>(before ?? {}, { nodeAffinity: now?.nodeAffinity })
  return now === undefined && Object.keys(merged).length === 0 ? undefined : merged
}

/** The old spec with the resources of the new containers of the same name. */
function withResources(old: PodSpec, spec: PodSpec): PodSpec {
  let result = old
  for (const field of ['containers', 'initContainers'] as const) {
    const now = spec[field] ?? []
    const before = old[field]
    if (before === undefined || before === null || now.length !== before.length) continue
    const containers = before.map((container, i) => {
      const counterpart = now[i]
      const same = container.name === counterpart?.name
      return same ? withMembers(container, { resources: counterpart.resources }) : container
    })
    result = { ...result, [field]: containers }
  }
  return result
}
