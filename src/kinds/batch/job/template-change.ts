// The template of a job stays as it is; while the job is suspended, where its pods run and what they use may change.
import { shownJson } from '../../../api/field-error.ts'
import { FieldPath } from '../../../api/field-path.ts'
import {
  integerOrZero,
  isGiven,
  isTrue,
  mapOrAbsent,
  mapOrEmpty,
  mapsInPlace,
  textOrEmpty,
} from '../../../api/members.ts'
import { equalValues, type Value, type ValueMap } from '../../../api/value.ts'
import { type Check, IMMUTABLE } from '../../../schema/validation/check.ts'

const TEMPLATE = FieldPath.root('spec').child('template')

export function checkTemplateChange(object: ValueMap, stored: ValueMap, check: Check): void {
  const template = mapOrEmpty(mapOrEmpty(object, 'spec'), 'template')
  const oldSpec = mapOrEmpty(stored, 'spec')
  const idle = isIdle(stored)
  const directives = idle && (isStarted(stored) ? check.gate('MutableSchedulingDirectivesForSuspendedJobs') : true)
  const old = directives ? withDirectives(mapOrEmpty(oldSpec, 'template'), template) : mapOrEmpty(oldSpec, 'template')
  if (isTrue(oldSpec, 'suspend') && idle && check.gate('MutablePodResourcesForSuspendedJobs')) {
    const spec = mapOrEmpty(template, 'spec')
    if (!equalValues(spec, withResources(mapOrEmpty(old, 'spec'), spec))) {
      check.invalid(FieldPath.root('spec').child('template.spec'), shownJson(spec), IMMUTABLE)
    }
  } else if (!equalValues(template, old)) check.invalid(TEMPLATE, shownJson(template), IMMUTABLE)
}

function isStarted(stored: ValueMap): boolean {
  return isGiven(mapOrEmpty(stored, 'status'), 'startTime')
}

/** Suspended, with no pod left: never started, or told to be suspended and without active pods. */
function isIdle(stored: ValueMap): boolean {
  if (!isTrue(mapOrEmpty(stored, 'spec'), 'suspend')) return false
  const status = mapOrEmpty(stored, 'status')
  if (!isStarted(stored)) return true
  const told = mapsInPlace(status, 'conditions').some(
    (condition) => textOrEmpty(condition, 'type') === 'Suspended' && textOrEmpty(condition, 'status') === 'True',
  )
  return told && Number(integerOrZero(status, 'active')) === 0
}

function withMember(map: ValueMap, name: string, value: Value | undefined): ValueMap {
  const { [name]: _, ...rest } = map
  return value === undefined ? rest : { ...rest, [name]: value }
}

/** The old template with the new one's choice of nodes, labels and annotations. */
function withDirectives(old: ValueMap, template: ValueMap): ValueMap {
  const spec = mapOrEmpty(template, 'spec')
  const meta = mapOrEmpty(template, 'metadata')
  let oldSpec = mapOrEmpty(old, 'spec')
  for (const field of ['nodeSelector', 'tolerations', 'schedulingGates']) {
    oldSpec = withMember(oldSpec, field, spec[field])
  }
  oldSpec = withMember(oldSpec, 'affinity', affinityOf(oldSpec, spec))
  let oldMeta = mapOrEmpty(old, 'metadata')
  for (const field of ['annotations', 'labels']) oldMeta = withMember(oldMeta, field, meta[field])
  const withMeta = isGiven(old, 'metadata') || isGiven(template, 'metadata') ? { ...old, metadata: oldMeta } : old
  return { ...withMeta, spec: oldSpec }
}

/** The old affinity to pods, with the new affinity to nodes. */
function affinityOf(old: ValueMap, spec: ValueMap): ValueMap | undefined {
  const now = mapOrAbsent(spec, 'affinity')
  const before = mapOrAbsent(old, 'affinity')
  if (now === undefined && before === undefined) return undefined
  const merged = withMember(before ?? {}, 'nodeAffinity', now?.['nodeAffinity'])
  return now === undefined && Object.keys(merged).length === 0 ? undefined : merged
}

/** The old spec with the new one's resources of containers of the same name. */
function withResources(old: ValueMap, spec: ValueMap): ValueMap {
  let result = old
  for (const field of ['containers', 'initContainers']) {
    const now = mapsInPlace(spec, field)
    const before = mapsInPlace(old, field)
    if (now.length !== before.length || !isGiven(old, field)) continue
    const containers = before.map((container, i) => {
      const counterpart = now[i] ?? {}
      const same = textOrEmpty(container, 'name') === textOrEmpty(counterpart, 'name')
      return same ? withMember(container, 'resources', counterpart['resources']) : container
    })
    result = { ...result, [field]: containers }
  }
  return result
}
