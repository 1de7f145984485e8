// Pods: what the server says of a new one, what each endpoint may change of an old one, and how long one has to
// end.
import { mapsInPlace } from '../../../api/members.ts'
import { metaOf, specOf, statusOf, withMeta } from '../../../api/object-members.ts'
import type { ApiObject } from '../../../api/object.ts'
import { qosOf } from '../../../api/pod-qos.ts'
import { isList, own, type Value, type ValueMap } from '../../../api/value.ts'
import { wholeSeconds } from '../../../registry/delete-options.ts'
import { withMemberOf } from '../../../registry/object-meta.ts'
import { withGatedFields } from '../../shared/gated-field.ts'
import { conditionsOf } from '../../shared/pod-conditions.ts'
import { withAppArmorFields } from '../../shared/pod-spec/app-armor.ts'
import { gatedPodFields } from '../../shared/pod-spec/gated-fields.ts'
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
  prepareForUpdate: (pod) => withGrace(pod),
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

/** A pod that may not be scheduled yet says so from the first moment. */
function firstStatus(pod: ApiObject, now: string): ValueMap {
  const spec = specOf(pod)
  // A class that came with the pod is taken at its word.
  const given = own(statusOf(pod), 'qosClass')
  const qosClass = typeof given === 'string' && given !== '' ? given : qosOf(spec)
  const status: ValueMap = { phase: 'Pending', qosClass }
  return isFilled(own(spec, 'schedulingGates'))
    ? { ...status, conditions: [{ ...GATED, lastTransitionTime: now }] }
    : status
}

function isFilled(value: Value | undefined): boolean {
  return isList(value) && value.length > 0
}

/** A negative time to end means a second. */
function withGrace(pod: ApiObject): ApiObject {
  const spec = specOf(pod)
  const grace = own(spec, 'terminationGracePeriodSeconds')
  if ((typeof grace !== 'number' && typeof grace !== 'bigint') || grace >= 0) return pod
  return { ...pod, spec: { ...spec, terminationGracePeriodSeconds: 1 } }
}

/** What a client that does not know of these fields leaves out stays as it was. */
function keptStatus(status: ValueMap, stored: ValueMap): ValueMap {
  const kept: Record<string, Value> = { ...status }
  if (!isSet(status, 'qosClass')) setFrom(kept, stored, 'qosClass')
  if (!isSet(status, 'observedGeneration')) setFrom(kept, stored, 'observedGeneration')
  if (!isList(own(status, 'conditions'))) return kept
  const before = Map.groupBy(conditionsOf(stored), (condition) => own(condition, 'type'))
  kept['conditions'] = conditionsOf(status).map((condition) => {
    const seen = own(before.get(own(condition, 'type'))?.shift() ?? {}, 'observedGeneration')
    return seen === undefined || isSet(condition, 'observedGeneration')
      ? condition
      : { ...condition, observedGeneration: seen }
  })
  return kept
}

function isSet(map: ValueMap, field: string): boolean {
  const value = own(map, field)
  return value !== undefined && value !== null && value !== '' && value !== 0
}

function setFrom(target: Record<string, Value>, source: ValueMap, field: string): void {
  const value = own(source, field)
  if (value !== undefined) target[field] = value
}

function withMember(map: ValueMap, name: string, value: Value | undefined): ValueMap {
  if (value !== undefined) return { ...map, [name]: value }
  const { [name]: _, ...rest } = map
  return rest
}

/** The metadata of the stored object; only who owns what is new, and what the caller saw. */
function withStoredMeta(object: ApiObject, sent: ApiObject): ApiObject {
  const meta = metaOf(sent)
  return withMeta(object, {
    managedFields: own(meta, 'managedFields'),
    resourceVersion: own(meta, 'resourceVersion'),
  })
}

function withEphemeralContainers(pod: ApiObject, stored: ApiObject): ApiObject {
  const spec = withMember(specOf(stored), 'ephemeralContainers', own(specOf(pod), 'ephemeralContainers'))
  return withStoredMeta({ ...stored, spec }, pod)
}

const RESIZED: readonly string[] = ['containers', 'initContainers']

/** Only resources are taken. Where containers do not pair up, all is taken, for validation to say what is wrong. */
function resized(pod: ApiObject, stored: ApiObject): ApiObject {
  const [sent, old] = [specOf(pod), specOf(stored)]
  if (!RESIZED.every((list) => hasSameNames(mapsInPlace(sent, list), mapsInPlace(old, list)))) {
    return withMemberOf(pod, stored, 'status')
  }
  let spec = withMember(old, 'resources', own(sent, 'resources'))
  for (const list of RESIZED) {
    const containers = mapsInPlace(sent, list)
    const merged = mapsInPlace(old, list).map((container, i) => {
      const wanted = containers[i] ?? {}
      const withResources = withMember(container, 'resources', own(wanted, 'resources'))
      return withMember(withResources, 'resizePolicy', own(wanted, 'resizePolicy'))
    })
    if (merged.length > 0) spec = { ...spec, [list]: merged }
  }
  return withStoredMeta({ ...stored, spec }, pod)
}

function hasSameNames(a: readonly ValueMap[], b: readonly ValueMap[]): boolean {
  return a.length === b.length && a.every((container, i) => own(container, 'name') === own(b[i] ?? {}, 'name'))
}

/** A pod that runs nowhere, or no more, needs no time to end (W-328). */
function gracePeriodSeconds(pod: ApiObject, asked: number | undefined): number {
  const spec = specOf(pod)
  const phase = own(statusOf(pod), 'phase')
  if (!isSet(spec, 'nodeName') || phase === 'Succeeded' || phase === 'Failed') return 0
  const period = asked ?? wholeSeconds(own(spec, 'terminationGracePeriodSeconds')) ?? 0
  return period < 0 ? 1 : period
}
