// The defaults of pods that pod templates do not have: requests from limits, host ports, and addresses in the status.
import type {
  Container,
  ContainerPort,
  ContainerStatus,
  HTTPGetAction,
  LifecycleHandler,
  Pod,
  PodSpec,
  PodStatus,
  Probe,
  ResourceRequirements,
} from '../../../api/gen/kinds.ts'
import {
  absent,
  both,
  each,
  gated,
  type OwnRule,
  type Rule,
  ungated,
  unlessStored,
  where,
  within,
} from '../../../schema/defaults/rule.ts'
import { podMetadata, podSpec } from '../../shared/pod-spec/defaults.ts'
import { podLevelResources } from '../../shared/pod-spec/pod-level-resources.ts'
import { withMissing, rounded, roundedResources } from '../../shared/resource-list.ts'

/** Requests default to limits. */
const requestsFromLimits: OwnRule<ResourceRequirements> = (given) => {
  if (given?.limits === undefined) return given
  const requests = withMissing(given.requests, given.limits)
  return requests === given.requests || requests === undefined ? given : { ...given, requests }
}

const hostPort: Rule<number, ContainerPort> = (given, _, { containerPort }) =>
  given ?? (containerPort === 0 ? undefined : containerPort)

const requests = each<readonly Container[], unknown>(within({ resources: requestsFromLimits }))

const hostPorts = where<readonly Container[], PodSpec>(
  ({ hostNetwork }) => hostNetwork === true,
  each(within({ ports: each(within({ hostPort })) })),
)

/** A negative grace period means one second. */
const gracePeriod: OwnRule<number | bigint> = (given) => (given !== undefined && given < 0 ? 1 : given)

const httpGet = within<HTTPGetAction>({ protocol: absent('HTTP1') })
const probe = within<Probe>({ httpGet })
const handler = within<LifecycleHandler>({ httpGet })

const protocols = each<readonly Container[], unknown>(
  within({
    livenessProbe: probe,
    readinessProbe: probe,
    startupProbe: probe,
    lifecycle: within({ postStart: handler, preStop: handler }),
  }),
)

const spec = both<PodSpec, unknown>(
  within({ containers: requests, initContainers: requests }),
  // If the gate is on, `strategy.ts` sets these defaults after admission.
  ungated('PodLevelResourcesFixDefaulting', gated('PodLevelResources', podLevelResources)),
  podSpec,
  within({
    enableServiceLinks: absent(true),
    containers: hostPorts,
    initContainers: hostPorts,
    terminationGracePeriodSeconds: gracePeriod,
  }),
  gated(
    'H2CContainerProbe',
    within({ containers: protocols, initContainers: protocols, ephemeralContainers: protocols }),
  ),
)

const containerStatuses = each<readonly ContainerStatus[]>(
  within({ allocatedResources: rounded, resources: roundedResources }),
)

/** Keeps `podIP` equal to the first of `podIPs`. */
const addresses: OwnRule<PodStatus> = (given) => {
  if (given === undefined) return given
  const { podIP, podIPs = [] } = given
  const first = podIPs[0]?.ip
  if (podIP !== undefined && podIP !== first) return { ...given, podIPs: [{ ip: podIP }] }
  return first === undefined || first === '' || first === podIP ? given : { ...given, podIP: first }
}

export const podStatus = both<PodStatus, unknown>(
  within({
    initContainerStatuses: containerStatuses,
    containerStatuses,
    ephemeralContainerStatuses: containerStatuses,
    allocatedResources: rounded,
    resources: roundedResources,
  }),
  addresses,
)

export const DEFAULTS = within<Pod>({
  metadata: podMetadata,
  spec: unlessStored('spec', spec),
  status: unlessStored('status', podStatus),
})
