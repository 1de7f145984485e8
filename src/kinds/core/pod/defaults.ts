// The defaults of pods that pod templates do not have: requests from limits, host ports, and addresses in the status.
import { mapsInPlace } from '../../../api/members.ts'
import { isMap, type Value } from '../../../api/value.ts'
import {
  absent,
  both,
  each,
  gated,
  isAbsent,
  type Rule,
  unlessStored,
  where,
  within,
  withMember,
} from '../../../schema/defaults/rule.ts'
import { podMetadata, podSpec } from '../../shared/pod-spec/defaults.ts'
import { podLevelResources } from '../../shared/pod-spec/pod-level-resources.ts'
import { withMissing, rounded, roundedResources } from '../../shared/resource-list.ts'

/** Requests default to limits. */
const requestsFromLimits: Rule = (given) => {
  if (!isMap(given) || !isMap(given['limits'])) return given
  const { limits, requests } = given
  const before = isMap(requests) ? requests : undefined
  const after = withMissing(before, limits)
  return after === before || after === undefined ? given : withMember(given, 'requests', after)
}

const hostPort: Rule = (given, _, { containerPort }) => (isAbsent(given) && containerPort !== 0 ? containerPort : given)

const requests = each(within({ resources: requestsFromLimits }))

const hostPorts = where(({ hostNetwork }) => hostNetwork === true, each(within({ ports: each(within({ hostPort })) })))

/** A negative grace period means one second. */
const gracePeriod: Rule = (given) => ((typeof given === 'number' || typeof given === 'bigint') && given < 0 ? 1 : given)

const spec = both(
  within({ containers: requests, initContainers: requests }),
  gated('PodLevelResources', podLevelResources),
  podSpec,
  within({
    enableServiceLinks: absent(true),
    containers: hostPorts,
    initContainers: hostPorts,
    terminationGracePeriodSeconds: gracePeriod,
  }),
)

const containerStatuses = each(within({ allocatedResources: rounded, resources: roundedResources }))

/** `podIP` is the first of `podIPs`. */
const addresses: Rule = (given) => {
  if (!isMap(given)) return given
  const { podIP } = given
  const first: Value | undefined = mapsInPlace(given, 'podIPs')[0]?.['ip']
  if (typeof podIP === 'string' && podIP !== '' && podIP !== first) return withMember(given, 'podIPs', [{ ip: podIP }])
  return first === undefined || first === '' || first === podIP ? given : withMember(given, 'podIP', first)
}

export const podStatus: Rule = both(
  within({
    initContainerStatuses: containerStatuses,
    containerStatuses,
    ephemeralContainerStatuses: containerStatuses,
    allocatedResources: rounded,
    resources: roundedResources,
  }),
  addresses,
)

export const DEFAULTS: Rule = within({
  metadata: podMetadata,
  spec: unlessStored('spec', spec),
  status: unlessStored('status', podStatus),
})
