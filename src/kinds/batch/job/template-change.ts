// The template of a job is immutable, but for scheduling directives and resources while the job is suspended.
import { shownJson } from '../../../api/field-error.ts'
import { FieldPath } from '../../../api/field-path.ts'
import {
  isGiven,
  isTrue,
  mapOrAbsent,
  mapOrEmpty,
  mapsInPlace,
  numberOrZero,
  textOrEmpty,
} from '../../../api/members.ts'
import { metaOf, specOf, statusOf, withMembers } from '../../../api/object-members.ts'
import { equalValues, type ValueMap } from '../../../api/value.ts'
import { conditionHolds } from '../../../codec/tables/reading.ts'
import { type Check, IMMUTABLE } from '../../../schema/validation/check.ts'

const TEMPLATE = FieldPath.root('spec').child('template')

export function checkTemplateChange(object: ValueMap, stored: ValueMap, check: Check): void {
  const template = mapOrEmpty(specOf(object), 'template')
  const oldSpec = specOf(stored)
  const idle = isIdle(stored)
  const directives = idle && (!isStarted(stored) || check.gate('MutableSchedulingDirectivesForSuspendedJobs'))
  const old = directives ? withDirectives(mapOrEmpty(oldSpec, 'template'), template) : mapOrEmpty(oldSpec, 'template')
  if (isTrue(oldSpec, 'suspend') && idle && check.gate('MutablePodResourcesForSuspendedJobs')) {
    const spec = specOf(template)
    if (!equalValues(spec, withResources(specOf(old), spec))) {
      check.invalid(FieldPath.root('spec').child('template.spec'), shownJson(spec), IMMUTABLE)
    }
  } else if (!equalValues(template, old)) check.invalid(TEMPLATE, shownJson(template), IMMUTABLE)
}

function isStarted(stored: ValueMap): boolean {
  return isGiven(statusOf(stored), 'startTime')
}

/** Suspended and without pods: never started, or with the Suspended condition and no active pod. */
function isIdle(stored: ValueMap): boolean {
  if (!isTrue(specOf(stored), 'suspend')) return false
  if (!isStarted(stored)) return true
  const isSuspended = conditionHolds(stored, 'Suspended', 'status', 'conditions')
  return isSuspended && numberOrZero(statusOf(stored), 'active') === 0
}

/** The old template with the scheduling directives, labels and annotations of the new one. */
function withDirectives(old: ValueMap, template: ValueMap): ValueMap {
  const [spec, oldSpec] = [specOf(template), specOf(old)]
  const { nodeSelector, tolerations, schedulingGates } = spec
  const affinity = affinityOf(oldSpec, spec)
  const { annotations, labels } = metaOf(template)
  const hasMeta = isGiven(old, 'metadata') || isGiven(template, 'metadata')
  return {
    ...old,
    ...(hasMeta && { metadata: withMembers(metaOf(old), { annotations, labels }) }),
    spec: withMembers(oldSpec, { nodeSelector, tolerations, schedulingGates, affinity }),
  }
}

/** The old pod affinity with the new node affinity. */
function affinityOf(old: ValueMap, spec: ValueMap): ValueMap | undefined {
  const now = mapOrAbsent(spec, 'affinity')
  const before = mapOrAbsent(old, 'affinity')
  if (now === undefined && before === undefined) return undefined
  const merged = withMembers(before ?? {}, { nodeAffinity: now?.['nodeAffinity'] })
  return now === undefined && Object.keys(merged).length === 0 ? undefined : merged
}

/** The old spec with the resources of the new containers of the same name. */
function withResources(old: ValueMap, spec: ValueMap): ValueMap {
  let result = old
  for (const field of ['containers', 'initContainers']) {
    const now = mapsInPlace(spec, field)
    const before = mapsInPlace(old, field)
    if (now.length !== before.length || !isGiven(old, field)) continue
    const containers = before.map((container, i) => {
      const counterpart = now[i] ?? {}
      const same = textOrEmpty(container, 'name') === textOrEmpty(counterpart, 'name')
      return same ? withMembers(container, { resources: counterpart['resources'] }) : container
    })
    result = { ...result, [field]: containers }
  }
  return result
}
