// The strategy of pods: the first status, what each subresource may change, and the grace period of deletion.
import { listOrEmpty, mapsInPlace, numberOrZero, textOfEach, textOrEmpty } from '../../../api/members.ts'
import { membersOf, metaOf, specOf, statusOf, withMembers, withMeta, withSpec } from '../../../api/object-members.ts'
import type { ApiObject } from '../../../api/object.ts'
import { qosOf } from '../../../api/pod-qos.ts'
import { equalValues, isList, own, type Value, type ValueMap } from '../../../api/value.ts'
import { wholeSeconds } from '../../../registry/delete-options.ts'
import { withMemberOf } from '../../../registry/object-meta.ts'
import { withGatedFields } from '../../shared/gated-field.ts'
import { conditionsOf } from '../../shared/pod-conditions.ts'
import { gatedPodFields } from '../../shared/pod-spec/gated-fields.ts'
import { withAppArmorFields } from '../../shared/pod-spec/pod-annotations.ts'
import { podWarnings } from '../../shared/pod-spec/template-warnings.ts'
import { GENERATION_OF_SPEC } from '../../shared/strategies.ts'
import { addressWarnings } from '../../shared/warnings.ts'
import type { KindStrategy } from '../../strategy.ts'
import { withLabelKeys } from './label-keys.ts'

const GATED = {
  type: 'PodScheduled',
  status: 'False',
  reason: 'SchedulingGated',
  message: 'Scheduling is blocked due to non-empty scheduling gates',
} as const

export const STRATEGY: KindStrategy = withGatedFields(gatedPodFields('spec'), {
  generation: GENERATION_OF_SPEC,
  status: {
    keepsMetadata: ['ownerReferences'],
    resetFields: ['spec', 'metadata.deletionTimestamp', 'metadata.ownerReferences'],
  },
  answersDeleteWithObject: true,
  prepareForCreate: (pod, context) => withAppArmorFields(withLabelKeys(withGrace(pod)), context),
  firstStatus: (pod, { now }) => firstStatus(pod, now),
  prepareForUpdate: withGrace,
  prepareStatus: (pod, stored) => ({
    ...withMeta(pod, { deletionTimestamp: own(metaOf(stored), 'deletionTimestamp') }),
    status: keptStatus(statusOf(pod), statusOf(stored)),
  }),
  bumpsGenerationOn: new Set(['ephemeralcontainers', 'resize']),
  gracePeriodSeconds,
  warnings: podWarnings,
  statusWarnings: (pod) =>
    ['podIPs', 'hostIPs'].flatMap((list) =>
      mapsInPlace(statusOf(pod), list).flatMap((each, i) =>
        addressWarnings(`status.${list}[${i}].ip`, own(each, 'ip'), 'address'),
      ),
    ),
  subresources: {
    ephemeralcontainers: { prepare: withEphemeralContainers, resetFields: [] },
    resize: { prepare: resized, resetFields: [] },
  },
})

/** A pod with scheduling gates has a condition that says so from the start. */
function firstStatus(pod: ApiObject, now: string): ValueMap {
  const spec = specOf(pod)
  // A class that came with the pod is kept.
  const qosClass = textOrEmpty(statusOf(pod), 'qosClass') || qosOf(spec)
  const status: ValueMap = { phase: 'Pending', qosClass }
  const isGated = listOrEmpty(spec, 'schedulingGates').length > 0
  return isGated ? { ...status, conditions: [{ ...GATED, lastTransitionTime: now }] } : status
}

/** A negative grace period means one second. */
function withGrace(pod: ApiObject): ApiObject {
  const grace = numberOrZero(specOf(pod), 'terminationGracePeriodSeconds')
  return grace < 0 ? withSpec(pod, { terminationGracePeriodSeconds: 1 }) : pod
}

/** These fields stay where a client that does not know them leaves them out. */
function keptStatus(status: ValueMap, stored: ValueMap): ValueMap {
  const missing = ['qosClass', 'observedGeneration'].filter((name) => !isSet(status, name) && isSet(stored, name))
  const kept = withMembers(status, membersOf(stored, ...missing))
  if (!isList(own(status, 'conditions'))) return kept
  const before = Map.groupBy(conditionsOf(stored), (condition) => own(condition, 'type'))
  const conditions = conditionsOf(status).map((condition) => {
    const seen = own(before.get(own(condition, 'type'))?.shift() ?? {}, 'observedGeneration')
    return seen === undefined || isSet(condition, 'observedGeneration')
      ? condition
      : { ...condition, observedGeneration: seen }
  })
  return { ...kept, conditions }
}

function isSet(map: ValueMap, field: string): boolean {
  const value = own(map, field)
  return value !== undefined && value !== null && value !== '' && value !== 0
}

/** Only the managed fields and the resource version are those that were sent. */
function withStoredMeta(object: ApiObject, sent: ApiObject): ApiObject {
  return withMeta(object, membersOf(metaOf(sent), 'managedFields', 'resourceVersion'))
}

function withEphemeralContainers(pod: ApiObject, stored: ApiObject): ApiObject {
  return withStoredMeta(withSpec(stored, membersOf(specOf(pod), 'ephemeralContainers')), pod)
}

const RESIZED: readonly string[] = ['containers', 'initContainers']

/** Only resources are taken. Where containers do not match, everything is, for validation to say what is wrong. */
function resized(pod: ApiObject, stored: ApiObject): ApiObject {
  const [sent, old] = [specOf(pod), specOf(stored)]
  if (!RESIZED.every((list) => equalValues(textOfEach(sent, list, 'name'), textOfEach(old, list, 'name')))) {
    return withMemberOf(pod, stored, 'status')
  }
  const merged = RESIZED.map((list): [string, Value | undefined] => {
    const containers = mapsInPlace(sent, list)
    const changed = mapsInPlace(old, list).map((container, i) =>
      withMembers(container, membersOf(containers[i] ?? {}, 'resources', 'resizePolicy')),
    )
    return [list, changed.length === 0 ? own(old, list) : changed]
  })
  return withStoredMeta(withSpec(stored, { ...membersOf(sent, 'resources'), ...Object.fromEntries(merged) }), pod)
}

/** A pod that is not scheduled or has ended needs no grace period (W-328). */
function gracePeriodSeconds(pod: ApiObject, asked: number | undefined): number {
  const spec = specOf(pod)
  const phase = own(statusOf(pod), 'phase')
  if (!isSet(spec, 'nodeName') || phase === 'Succeeded' || phase === 'Failed') return 0
  const period = asked ?? wholeSeconds(own(spec, 'terminationGracePeriodSeconds')) ?? 0
  return period < 0 ? 1 : period
}
