// The strategy of pods: the first status, what each subresource may change, and the grace period of deletion.
import type { Container, Pod, PodSpec, PodStatus } from '../../../api/gen/kinds.ts'
import { membersOf, withMembers, withMeta, withSpec } from '../../../api/object-members.ts'
import { qosOf } from '../../../api/pod-qos.ts'
import { equalValues } from '../../../api/value.ts'
import { wholeSeconds } from '../../../registry/delete-options.ts'
import { withMemberOf } from '../../../registry/object-meta.ts'
import type { WriteContext } from '../../../registry/registry.ts'
import { withGatedFields } from '../../shared/gated-field.ts'
import { gatedPodFields } from '../../shared/pod-spec/gated-fields.ts'
import { withAppArmorFields } from '../../shared/pod-spec/pod-annotations.ts'
import { hasPodLevelResources, withPodLevelResources } from '../../shared/pod-spec/pod-level-resources.ts'
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

export const STRATEGY: KindStrategy<Pod> = withGatedFields(gatedPodFields('spec'), {
  generation: GENERATION_OF_SPEC,
  status: {
    keepsMetadata: ['ownerReferences'],
    resetFields: ['spec', 'metadata.deletionTimestamp', 'metadata.ownerReferences'],
  },
  answersDeleteWithObject: true,
  prepareForCreate: (pod, context) =>
    withDefaultResources(withAppArmorFields(withLabelKeys(withGrace(pod)), context), context),
  firstStatus,
  prepareForUpdate: (pod, stored, context) => withKeptResources(withGrace(pod), stored, context),
  prepareStatus: (pod, stored) => ({
    ...withMeta(pod, { deletionTimestamp: stored.metadata.deletionTimestamp }),
    status: keptStatus(pod.status, stored.status),
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
        withDefaultResources(withKeptResources(resized(pod, stored), stored, context), context),
      resetFields: [],
    },
  },
})

/** A new pod with scheduling gates has a condition for them. */
function firstStatus({ spec, status: sent }: Pod, { now, gates }: WriteContext): PodStatus {
  const isByPod = !gates.has('PodLevelResourcesFixKubeletQOSClass') || hasPodLevelResources(spec)
  // A class that came with the pod is kept.
  const qosClass = sent.qosClass ?? qosOf(isByPod ? spec : withMembers(spec, { resources: undefined }))
  const status = { phase: 'Pending', qosClass }
  const isGated = (spec.schedulingGates ?? []).length > 0
  return isGated ? { ...status, conditions: [{ ...GATED, lastProbeTime: null, lastTransitionTime: now }] } : status
}

const RESOURCES_GATE = 'PodLevelResourcesFixDefaulting'

/** After admission, which may have added containers. */
function withDefaultResources(pod: Pod, { gates }: WriteContext): Pod {
  if (!gates.has(RESOURCES_GATE) || !gates.has('PodLevelResources')) return pod
  const spec = withPodLevelResources(pod.spec)
  return spec === pod.spec ? pod : { ...pod, spec }
}

/** A client that does not know the resources of a pod leaves them out. */
function withKeptResources(pod: Pod, { spec: { resources } }: Pod, { gates }: WriteContext): Pod {
  if (!gates.has(RESOURCES_GATE) || resources === undefined || pod.spec.resources !== undefined) return pod
  return withSpec(pod, { resources })
}

/** A negative grace period means one second. */
function withGrace(pod: Pod): Pod {
  const { terminationGracePeriodSeconds: grace = 0 } = pod.spec
  return grace < 0 ? withSpec(pod, { terminationGracePeriodSeconds: 1 }) : pod
}

/** A client that does not know these fields leaves them out, and they keep their values. */
function keptStatus(status: PodStatus, stored: PodStatus): PodStatus {
  const { qosClass, observedGeneration: generation } = stored
  const kept = { ...(qosClass && { qosClass }), ...(generation && { observedGeneration: generation }), ...status }
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

/** Takes only resources from the client. If the containers do not match it takes everything, and validation reports the fault. */
function resized(pod: Pod, stored: Pod): Pod {
  const [sent, old] = [pod.spec, stored.spec]
  const namesIn = (spec: PodSpec): readonly (readonly string[])[] =>
    RESIZED.map((list) => (spec[list] ?? []).map(({ name }) => name))
  if (!equalValues(namesIn(sent), namesIn(old))) return withMemberOf(pod, stored, 'status')
  const merged = RESIZED.flatMap((list) => {
    const changed = (old[list] ?? []).map((container, i) => withResourcesOf(container, sent[list]?.[i]))
    return changed.length === 0 ? [] : [[list, changed]]
  })
  return withStoredMeta(withSpec(stored, { ...membersOf(sent, 'resources'), ...Object.fromEntries(merged) }), pod)
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
