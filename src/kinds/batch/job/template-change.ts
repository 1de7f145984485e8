// The template of a job stays as it is; while the job is suspended, where its pods run and what they use may change.
import { shownJson } from '../../../api/field-error.ts'
import { FieldPath } from '../../../api/field-path.ts'
import { equalValues, type Value, type ValueMap } from '../../../api/value.ts'
import { type Check, IMMUTABLE } from '../../../schema/validation/check.ts'
import { flagOf, has, numberOf, partIn, partOf, partsOf, textOf } from '../../../schema/validation/members.ts'

const TEMPLATE = FieldPath.root('spec').child('template')

export function checkTemplateChange(object: ValueMap, stored: ValueMap, check: Check): void {
  const template = partOf(partOf(object, 'spec'), 'template')
  const oldSpec = partOf(stored, 'spec')
  const idle = isIdle(stored)
  const directives = idle && (isStarted(stored) ? check.gate('MutableSchedulingDirectivesForSuspendedJobs') : true)
  const old = directives ? withDirectives(partOf(oldSpec, 'template'), template) : partOf(oldSpec, 'template')
  if (flagOf(oldSpec, 'suspend') && idle && check.gate('MutablePodResourcesForSuspendedJobs')) {
    const spec = partOf(template, 'spec')
    if (!equalValues(spec, withResources(partOf(old, 'spec'), spec))) {
      check.invalid(FieldPath.root('spec').child('template.spec'), shownJson(spec), IMMUTABLE)
    }
  } else if (!equalValues(template, old)) check.invalid(TEMPLATE, shownJson(template), IMMUTABLE)
}

function isStarted(stored: ValueMap): boolean {
  return has(partOf(stored, 'status'), 'startTime')
}

/** Suspended, with no pod left: never started, or told to be suspended and without active pods. */
function isIdle(stored: ValueMap): boolean {
  if (!flagOf(partOf(stored, 'spec'), 'suspend')) return false
  const status = partOf(stored, 'status')
  if (!isStarted(stored)) return true
  const told = partsOf(status, 'conditions').some(
    (condition) => textOf(condition, 'type') === 'Suspended' && textOf(condition, 'status') === 'True',
  )
  return told && Number(numberOf(status, 'active')) === 0
}

function withMember(map: ValueMap, name: string, value: Value | undefined): ValueMap {
  const { [name]: _, ...rest } = map
  return value === undefined ? rest : { ...rest, [name]: value }
}

/** The old template with the new one's choice of nodes, labels and annotations. */
function withDirectives(old: ValueMap, template: ValueMap): ValueMap {
  const spec = partOf(template, 'spec')
  const meta = partOf(template, 'metadata')
  let oldSpec = partOf(old, 'spec')
  for (const field of ['nodeSelector', 'tolerations', 'schedulingGates']) {
    oldSpec = withMember(oldSpec, field, spec[field])
  }
  oldSpec = withMember(oldSpec, 'affinity', affinityOf(oldSpec, spec))
  let oldMeta = partOf(old, 'metadata')
  for (const field of ['annotations', 'labels']) oldMeta = withMember(oldMeta, field, meta[field])
  const withMeta = has(old, 'metadata') || has(template, 'metadata') ? { ...old, metadata: oldMeta } : old
  return { ...withMeta, spec: oldSpec }
}

/** The old affinity to pods, with the new affinity to nodes. */
function affinityOf(old: ValueMap, spec: ValueMap): ValueMap | undefined {
  const now = partIn(spec, 'affinity')
  const before = partIn(old, 'affinity')
  if (now === undefined && before === undefined) return undefined
  const merged = withMember(before ?? {}, 'nodeAffinity', now?.['nodeAffinity'])
  return now === undefined && Object.keys(merged).length === 0 ? undefined : merged
}

/** The old spec with the new one's resources of containers of the same name. */
function withResources(old: ValueMap, spec: ValueMap): ValueMap {
  let result = old
  for (const field of ['containers', 'initContainers']) {
    const now = partsOf(spec, field)
    const before = partsOf(old, field)
    if (now.length !== before.length || !has(old, field)) continue
    const containers = before.map((container, i) => {
      const counterpart = now[i] ?? {}
      const same = textOf(container, 'name') === textOf(counterpart, 'name')
      return same ? withMember(container, 'resources', counterpart['resources']) : container
    })
    result = { ...result, [field]: containers }
  }
  return result
}
