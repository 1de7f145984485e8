// The strategy of pods: the first status, the changes that each subresource may make, and the grace period of deletion.
import type { Container, Pod, PodSpec, PodStatus } from '../../../api/gen/kinds.ts'
import { membersOf, withMembers, withMeta, withSpec } from '../../../api/object-members.ts'
import { qosOf } from '../../../api/pod-qos.ts'
import { hasPodLevel } from '../../../api/pod-resources.ts'
import { equalValues } from '../../../api/value.ts'
import { wholeSeconds } from '../../../registry/delete-options.ts'
import { withMemberOf } from '../../../registry/object-meta.ts'
import type { WriteContext } from '../../../registry/registry.ts'
import { type GatedField, gatedFields, withGatedFields } from '../../shared/gated-field.ts'
import { gatedPodFields } from '../../shared/pod-spec/gated-fields.ts'
import { withAppArmorFields } from '../../shared/pod-spec/pod-annotations.ts'
import { withPodLevelResources } from '../../shared/pod-spec/pod-level-resources.ts'
import { podWarnings } from '../../shared/pod-spec/template-warnings.ts'
import { GENERATION_OF_SPEC } from '../../shared/strategies.ts'
import { addressWarnings } from '../../shared/warnings.ts'
import type { KindStrategy } from '../../strategy.ts'
import { withLabelKeys } from './label-keys.ts'
import { RESIZES_VOLUMES } from './resize.ts'

const GATED = {
  type: 'PodScheduled',
  status: 'False',
  reason: 'SchedulingGated',
  message: 'Scheduling is blocked due to non-empty scheduling gates',
} as const

/** The members of a status that are kept if a client leaves them out. The reference clears a list that is sent empty. */
const KEPT = ['resourceClaimStatuses', 'extendedResourceClaimStatus', 'nodeAllocatableResourceClaimStatuses'] as const

interface Differences {
  /** A QoS class that the client sends with a new pod is kept. */
  readonly takesQosClass: boolean
  /** The members of the status, besides the QoS class and the observed generation, that are kept if a client leaves them out. */
  readonly kept: readonly (typeof KEPT)[number][]
}

const strategyWith = (differences: Differences): KindStrategy<Pod> => ({
  generation: GENERATION_OF_SPEC,
  status: {
    keepsMetadata: ['ownerReferences'],
    resetFields: ['spec', 'metadata.deletionTimestamp', 'metadata.ownerReferences'],
  },
  answersDeleteWithObject: true,
  prepareForCreate: (pod, context) =>
    withDefaultResources(withAppArmorFields(withLabelKeys(withGrace(pod)), context), context),
  firstStatus: (pod, context) => firstStatus(pod, context, differences),
  prepareForUpdate: (pod, stored, context) => withKeptResources(withGrace(pod), stored, context),
  prepareStatus: (pod, stored) => ({
    ...withMeta(pod, { deletionTimestamp: stored.metadata.deletionTimestamp }),
    status: keptStatus(pod.status, stored.status, differences),
  }),
  bumpsGenerationOn: new Set(['ephemeralcontainers', 'resize']),
  gracePeriodSeconds,
  warnings: podWarnings,
  statusWarnings: ({ status }) =>
    (['podIPs', 'hostIPs'] as const).flatMap((list) =>
      (status[list] ?? []).flatMap(({ ip }, i) => addressWarnings(`status.${list}[${i}].ip`, ip, 'address')),
    ),
  subresources: {
    ephemeralcontainers: { prepare: withEphemeralContainers, resetFields: [] },
    resize: {
      prepare: (pod, stored, context) =>
        withDefaultResources(withKeptResources(resized(pod, stored, context), stored, context), context),
      resetFields: [],
    },
  },
})

const GATED_FIELDS: readonly GatedField[] = [
  ...gatedPodFields('spec'),
  ...gatedFields('core_v1.Pod', 'status/volumeHealth', 'status/nodeAllocatableResourceClaimStatuses'),
]

const gated = (strategy: KindStrategy<Pod>): KindStrategy<Pod> => withGatedFields(GATED_FIELDS, strategy)

export const STRATEGY = gated(strategyWith({ takesQosClass: true, kept: [] }))

/** The strategy from level 1.37 on. */
export const STRATEGY_WITH_CLAIMS = gated(strategyWith({ takesQosClass: false, kept: KEPT }))

/** The status of a new pod. A pod with scheduling gates has a condition for them. */
function firstStatus(
  { spec, status: sent }: Pod,
  { now, gates }: WriteContext,
  { takesQosClass }: Differences,
): PodStatus {
  const isByPod = !gates.has('PodLevelResourcesFixKubeletQOSClass') || hasPodLevel(spec)
  const given = takesQosClass ? sent.qosClass : undefined
  const qosClass = given ?? qosOf(isByPod ? spec : withMembers(spec, { resources: undefined }))
  const status = { phase: 'Pending', qosClass }
  const isGated = (spec.schedulingGates ?? []).length > 0
  return isGated ? { ...status, conditions: [{ ...GATED, lastProbeTime: null, lastTransitionTime: now }] } : status
}

const RESOURCES_GATE = 'PodLevelResourcesFixDefaulting'

/** Sets pod-level resources after admission, because admission may have added containers. */
function withDefaultResources(pod: Pod, { gates }: WriteContext): Pod {
  if (!gates.has(RESOURCES_GATE) || !gates.has('PodLevelResources')) return pod
  const spec = withPodLevelResources(pod.spec)
  return spec === pod.spec ? pod : { ...pod, spec }
}

/** Keeps the stored pod-level resources: a client that does not know them leaves them out. */
function withKeptResources(pod: Pod, { spec: { resources } }: Pod, { gates }: WriteContext): Pod {
  if (!gates.has(RESOURCES_GATE) || resources === undefined || pod.spec.resources !== undefined) return pod
  return withSpec(pod, { resources })
}

/** A negative grace period means one second. */
function withGrace(pod: Pod): Pod {
  const { terminationGracePeriodSeconds: grace = 0 } = pod.spec
  return grace < 0 ? withSpec(pod, { terminationGracePeriodSeconds: 1 }) : pod
}

/** Keeps the QoS class, the observed generations and more: a client that does not know these fields leaves them out. */
function keptStatus(status: PodStatus, stored: PodStatus, { kept: names }: Differences): PodStatus {
  const { qosClass, observedGeneration: generation } = stored
  const kept = {
    ...withMembers({}, membersOf(stored, ...names)),
    ...(qosClass && { qosClass }),
    ...(generation && { observedGeneration: generation }),
    ...status,
  }
  if (status.conditions === undefined) return kept
  const before = Map.groupBy(stored.conditions ?? [], ({ type }) => type)
  const conditions = status.conditions.map((condition) => {
    const { observedGeneration } = before.get(condition.type)?.shift() ?? {}
    return observedGeneration === undefined ? condition : { observedGeneration, ...condition }
  })
  return { ...kept, conditions }
}

/** Only the managed fields and the resource version come from the client. */
function withStoredMeta(object: Pod, sent: Pod): Pod {
  return withMeta(object, membersOf(sent.metadata, 'managedFields', 'resourceVersion'))
}

function withEphemeralContainers(pod: Pod, stored: Pod): Pod {
  return withStoredMeta(withSpec(stored, membersOf(pod.spec, 'ephemeralContainers')), pod)
}

const RESIZED = ['containers', 'initContainers'] as const

/** Takes only resources from the client. If the containers do not match, the whole pod is taken, and validation reports the fault. */
function resized(pod: Pod, stored: Pod, { gates }: WriteContext): Pod {
  const [sent, old] = [pod.spec, stored.spec]
  const namesIn = (spec: PodSpec): readonly (readonly string[])[] =>
    RESIZED.map((list) => (spec[list] ?? []).map(({ name }) => name))
  if (!equalValues(namesIn(sent), namesIn(old))) return withMemberOf(pod, stored, 'status')
  const merged = RESIZED.flatMap((list) => {
    const changed = (old[list] ?? []).map((container, i) => withResourcesOf(container, sent[list]?.[i]))
    return changed.length === 0 ? [] : [[list, changed]]
  })
  const volumes = gates.has(RESIZES_VOLUMES) ? membersOf(sent, 'volumes') : {}
  const spec = { ...membersOf(sent, 'resources'), ...volumes, ...Object.fromEntries(merged) }
  return withStoredMeta(withSpec(stored, spec), pod)
}

function withResourcesOf(container: Container, sent: Container | undefined): Container {
  return sent === undefined ? container : withMembers(container, membersOf(sent, 'resources', 'resizePolicy'))
}

/** A pod that is not scheduled or has ended needs no grace period (W-328). */
function gracePeriodSeconds({ spec, status: { phase } }: Pod, asked: number | undefined): number {
  if (spec.nodeName === undefined || phase === 'Succeeded' || phase === 'Failed') return 0
  const period = asked ?? wholeSeconds(spec.terminationGracePeriodSeconds) ?? 0
  return period < 0 ? 1 : period
}
