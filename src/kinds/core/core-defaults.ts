// The defaults of the core group's kinds, pods and volumes aside.
import { isList, isMap, type Value, type ValueMap } from '../../api/value.ts'
import { labelsFromTemplate, templateLabels } from '../shared/pod-spec/template-labels.ts'
import { pod, podStatus } from './pod/defaults.ts'
import { podTemplate } from '../shared/pod-spec/defaults.ts'
import { completedFrom, rounded } from '../shared/resource-list.ts'
import {
  absent,
  always,
  blank,
  both,
  each,
  gated,
  isEmpty,
  type Rule,
  withMember,
  withoutMember,
  within,
} from '../../schema/defaults/rule.ts'
import { service } from './service/defaults.ts'
import { persistentVolume, persistentVolumeClaim } from '../storage/storage-defaults.ts'

const NAME_LABEL = 'kubernetes.io/metadata.name'

/** A namespace bears its name as a label, so that selectors can name it. */
const named: Rule = (given) => {
  if (!isMap(given) || typeof given['name'] !== 'string' || given['name'] === '') return given
  const labels = isMap(given['labels']) ? given['labels'] : {}
  return withMember(given, 'labels', withMember(labels, NAME_LABEL, given['name']))
}

/** Limits of containers: the greatest is the usual one, and the usual one what is asked for. */
const containerLimits: Rule = (given) => {
  if (!isMap(given) || given['type'] !== 'Container') return given
  const limits = completedFrom(mapIn(given, 'default'), mapIn(given, 'max') ?? {})
  const requests = completedFrom(mapIn(given, 'defaultRequest'), limits ?? {})
  const all = completedFrom(requests, mapIn(given, 'min') ?? {})
  return withAmounts(withAmounts(given, 'default', limits), 'defaultRequest', all)
}

function mapIn(map: ValueMap, name: string): ValueMap | undefined {
  const value = map[name]
  return isMap(value) ? value : undefined
}

function withAmounts(item: ValueMap, name: string, amounts: ValueMap | undefined): ValueMap {
  return amounts === undefined ? item : withMember(item, name, amounts)
}

const limitRangeItem = both(
  containerLimits,
  within({
    max: rounded,
    min: rounded,
    default: rounded,
    defaultRequest: rounded,
    maxLimitRequestRatio: rounded,
  }),
)

/** The first of several ranges is the range. */
const podRanges: Rule = (given) => {
  if (!isMap(given)) return given
  const { podCIDR, podCIDRs } = given
  const first: Value | undefined = isList(podCIDRs) ? podCIDRs[0] : undefined
  if (typeof podCIDR === 'string' && podCIDR !== '' && podCIDR !== first)
    return withMember(given, 'podCIDRs', [podCIDR])
  return first === undefined || first === '' || first === podCIDR ? given : withMember(given, 'podCIDR', first)
}

/** Text given for convenience is stored as the bytes that it stands for. */
const stringData: Rule = (given) => {
  if (!isMap(given) || given['stringData'] === undefined) return given
  const rest = withoutMember(given, 'stringData')
  const texts = given['stringData']
  if (!isMap(texts) || Object.keys(texts).length === 0) return rest
  const bytes = Object.entries(texts).map(([key, text]) => [
    key,
    Buffer.from(typeof text === 'string' ? text : '').toString('base64'),
  ])
  const data: ValueMap = { ...mapIn(given, 'data'), ...Object.fromEntries(bytes) }
  return { ...rest, data }
}

const replicationController = both(
  within({ spec: always({ replicas: absent(1), template: within(podTemplate) }) }),
  labelsFromTemplate,
  (given) => {
    if (!isMap(given)) return given
    const labels = templateLabels(given)
    const spec = mapIn(given, 'spec') ?? {}
    if (labels === undefined || !isEmpty(spec['selector'])) return given
    return withMember(given, 'spec', withMember(spec, 'selector', labels))
  },
)

export const CORE: Readonly<Record<string, Rule>> = {
  Endpoints: within({ subsets: each(within({ ports: each(within({ protocol: blank('TCP') })) })) }),
  LimitRange: within({ spec: within({ limits: each(limitRangeItem) }) }),
  Namespace: within({ metadata: named, status: always({ phase: blank('Active') }) }),
  Node: within({
    spec: podRanges,
    status: within({
      allocatable: both((given, _, { capacity }) => given ?? capacity, rounded),
      capacity: rounded,
    }),
  }),
  PersistentVolume: persistentVolume,
  PersistentVolumeClaim: persistentVolumeClaim,
  Pod: pod,
  PodLogOptions: within({ stream: gated('PodLogsQuerySplitStreams', absent('All')) }),
  PodStatusResult: within({ status: podStatus }),
  PodTemplate: within({ template: always(podTemplate) }),
  ReplicationController: replicationController,
  ResourceQuota: within({
    spec: within({ hard: rounded }),
    status: within({ hard: rounded, used: rounded }),
  }),
  Secret: both(within({ type: blank('Opaque') }), stringData),
  Service: service,
}
