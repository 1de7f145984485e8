import { describe, it } from 'vitest'
import { changes, judge, type Row, rows, statuses, type Tweak } from './judging.ts'

const NOT_NEGATIVE = 'must be greater than or equal to 0'
const IMMUTABLE = 'field is immutable'
const MISMATCH = 'Invalid value: {"app":"b"}: `selector` does not match template `labels`'

/** What all sets of pods have in common. */
const sets = (kind: string): readonly Row[] => [
  ...rows(
    `apps/v1 ${kind}`,
    [
      'an empty selector',
      { 'spec/selector': {} },
      // Sets of replicas are told that they are deployments.
      `spec.selector: Invalid value: {}: empty selector is invalid for ${kind.toLowerCase().replace('replicaset', 'deployment')}`,
    ],
    [
      'labels of others',
      { 'spec/template/metadata/labels': { app: 'b' } },
      `spec.template.metadata.labels: ${MISMATCH}`,
    ],
    [
      'pods that end',
      { 'spec/template/spec/restartPolicy': 'Never' },
      'spec.template.spec.restartPolicy: Unsupported value: "Never": supported values: "Always"',
    ],
    [
      'pods with a deadline',
      { 'spec/template/spec/activeDeadlineSeconds': 5 },
      // And deployments that they are sets of replicas.
      `spec.template.spec.activeDeadlineSeconds: Forbidden: activeDeadlineSeconds in ${kind.replace('Deployment', 'ReplicaSet')} is not Supported`,
    ],
    ['no containers', { 'spec/template/spec/containers': [] }, 'spec.template.spec.containers: Required value'],
    [
      'ready before they start',
      { 'spec/minReadySeconds': -1 },
      `spec.minReadySeconds: Invalid value: -1: ${NOT_NEGATIVE}`,
    ],
  ),
]

const APPS = [
  ...['Deployment', 'ReplicaSet', 'StatefulSet', 'DaemonSet'].flatMap(sets),
  ...rows(
    'apps/v1 Deployment',
    ['fewer than none', { 'spec/replicas': -1 }, `spec.replicas: Invalid value: -1: ${NOT_NEGATIVE}`],
    [
      'rolling where all are made anew',
      { 'spec/strategy': { type: 'Recreate', rollingUpdate: { maxSurge: 1 } } },
      "spec.strategy.rollingUpdate: Forbidden: may not be specified when strategy `type` is 'Recreate'",
    ],
    [
      'no room to roll',
      { 'spec/strategy': { rollingUpdate: { maxSurge: 0, maxUnavailable: 0 } } },
      'spec.strategy.rollingUpdate.maxUnavailable: Invalid value: 0: may not be 0 when `maxSurge` is 0',
    ],
    [
      'more than all away',
      { 'spec/strategy': { rollingUpdate: { maxUnavailable: '101%' } } },
      'spec.strategy.rollingUpdate.maxUnavailable: Invalid value: "101%": must not be greater than 100%',
    ],
    [
      'no time to get ready',
      { 'spec/minReadySeconds': 10, 'spec/progressDeadlineSeconds': 10 },
      'spec.progressDeadlineSeconds: Invalid value: 10: must be greater than minReadySeconds',
    ],
  ),
  ...changes('apps/v1 Deployment', [
    'another selector',
    {},
    { 'spec/selector': { matchLabels: { app: 'b' } }, 'spec/template/metadata/labels': { app: 'b' } },
    `spec.selector: Invalid value: {"matchLabels":{"app":"b"}}: ${IMMUTABLE}`,
  ]),
  ...statuses(
    'apps/v1 Deployment',
    [
      'more ready than there are',
      {},
      { 'status/replicas': 1, 'status/readyReplicas': 2 },
      'status.readyReplicas: Invalid value: 2: cannot be greater than status.replicas',
    ],
    [
      'fewer collisions than before',
      { 'status/collisionCount': 2 },
      { 'status/collisionCount': 1 },
      'status.collisionCount: Invalid value: 1: cannot be decremented',
    ],
  ),
  ...statuses('apps/v1 ReplicaSet', [
    'more available than ready',
    {},
    { 'status/replicas': 2, 'status/readyReplicas': 1, 'status/availableReplicas': 2 },
    'status.availableReplicas: Invalid value: 2: cannot be greater than readyReplicas',
  ]),
  ...rows(
    'apps/v1 StatefulSet',
    [
      'an unknown order',
      { 'spec/podManagementPolicy': 'Odd' },
      "spec.podManagementPolicy: Invalid value: \"Odd\": must be 'OrderedReady' or 'Parallel'",
    ],
    [
      'a first number below none',
      { 'spec/ordinals': { start: -1 } },
      `spec.ordinals.start: Invalid value: -1: ${NOT_NEGATIVE}`,
    ],
  ),
  ...changes('apps/v1 StatefulSet', [
    'another service',
    {},
    { 'spec/serviceName': 't' },
    "spec: Forbidden: updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden",
  ]),
  ...rows('apps/v1 DaemonSet', [
    'no room to roll',
    { 'spec/updateStrategy': { rollingUpdate: { maxSurge: 0, maxUnavailable: 0 } } },
    'spec.updateStrategy.rollingUpdate.maxUnavailable: Required value: cannot be 0 when maxSurge is 0',
  ]),
  ...statuses('apps/v1 DaemonSet', [
    'fewer than none',
    {},
    { 'status/numberReady': -1 },
    `status.numberReady: Invalid value: -1: ${NOT_NEGATIVE}`,
  ]),
  ...rows(
    'apps/v1 ControllerRevision',
    ['no data', { data: undefined }, 'data: Required value: data is mandatory'],
    ['a revision below none', { revision: -1 }, `revision: Invalid value: -1: ${NOT_NEGATIVE}`],
  ),
]

const BATCH = [
  ...rows(
    'batch/v1 Job',
    ['fewer than none', { 'spec/parallelism': -1 }, `spec.parallelism: Invalid value: -1: ${NOT_NEGATIVE}`],
    [
      'pods that go on for ever',
      { 'spec/template/spec/restartPolicy': 'Always' },
      'spec.template.spec.restartPolicy: Required value: valid values: "OnFailure", "Never"',
    ],
    [
      'an unknown mode',
      { 'spec/completionMode': 'Odd' },
      'spec.completionMode: Unsupported value: "Odd": supported values: "NonIndexed", "Indexed"',
    ],
    [
      'indexes without an end',
      { 'spec/completionMode': 'Indexed', 'spec/parallelism': 1 },
      'spec.completions: Required value: when completion mode is Indexed',
    ],
    [
      'limits of indexes without indexes',
      { 'spec/backoffLimitPerIndex': 1 },
      'spec.backoffLimitPerIndex: Invalid value: 1: requires indexed completion mode',
    ],
    [
      'a policy for what is started again',
      {
        'spec/template/spec/restartPolicy': 'OnFailure',
        'spec/podFailurePolicy': { rules: [{ action: 'Ignore', onPodConditions: [{ type: 'T', status: 'True' }] }] },
      },
      'spec.template.spec.restartPolicy: Invalid value: "OnFailure": only "Never" is supported when podFailurePolicy is specified',
    ],
  ),
  ...changes(
    'batch/v1 Job',
    [
      'another number',
      { 'spec/completions': 1 },
      { 'spec/completions': 2 },
      `spec.completions: Invalid value: 2: ${IMMUTABLE}`,
    ],
    [
      'another mode',
      { 'spec/completions': 1 },
      { 'spec/completionMode': 'Indexed' },
      `spec.completionMode: Invalid value: "Indexed": ${IMMUTABLE}`,
    ],
  ),
  ...rows(
    'batch/v1 CronJob',
    ['no time', { 'spec/schedule': '' }, 'spec.schedule: Required value'],
    [
      'a zone in the time',
      { 'spec/schedule': 'TZ=UTC 0 0 * * *' },
      'spec.schedule: Invalid value: "TZ=UTC 0 0 * * *": cannot use TZ or CRON_TZ in schedule, use timeZone field instead',
    ],
    ['no zone', { 'spec/timeZone': '' }, 'spec.timeZone: Invalid value: "": timeZone must be nil or non-empty string'],
    [
      'an unknown way to overlap',
      { 'spec/concurrencyPolicy': 'Odd' },
      'spec.concurrencyPolicy: Unsupported value: "Odd": supported values: "Allow", "Forbid", "Replace"',
    ],
    [
      'a selector of its own',
      { 'spec/jobTemplate/spec/manualSelector': true },
      'spec.jobTemplate.spec.manualSelector: Unsupported value: true: supported values: "nil", "false"',
    ],
    [
      'a long name',
      { 'metadata/name': 'a'.repeat(53) },
      `metadata.name: Invalid value: "${'a'.repeat(53)}": must be no more than 52 characters`,
    ],
  ),
]

const SCALER = 'autoscaling/v2 HorizontalPodAutoscaler'
const metric = (members: Readonly<Record<string, string | number>>): Tweak => ({
  'spec/metrics': [{ type: 'Resource', resource: { name: 'cpu', target: members } }],
})

const SCALING = [
  ...rows(
    SCALER,
    [
      'no most',
      { 'spec/maxReplicas': 0 },
      'spec.maxReplicas: Required value: must be set and greater than 0',
      'spec.maxReplicas: Invalid value: 0: must be greater than or equal to `minReplicas`',
    ],
    [
      'none at least',
      { 'spec/minReplicas': 0 },
      'spec.minReplicas: Invalid value: 0: must be greater than or equal to 1',
      'spec.metrics: Forbidden: must specify at least one Object or External metric to support scaling to zero replicas',
    ],
    [
      'more at least than at most',
      { 'spec/minReplicas': 4 },
      'spec.maxReplicas: Invalid value: 3: must be greater than or equal to `minReplicas`',
    ],
    ['nothing to scale', { 'spec/scaleTargetRef/name': '' }, 'spec.scaleTargetRef.name: Required value'],
    [
      'no kind of target',
      metric({ averageUtilization: 1 }),
      'spec.metrics[0].resource.target.type: Required value: must specify a metric target type',
      'spec.metrics[0].resource.target.type: Invalid value: "": must be either Utilization, Value, or AverageValue',
    ],
    [
      'neither share nor amount',
      metric({ type: 'Utilization' }),
      'spec.metrics[0].resource.target.averageUtilization: Required value: must set either a target raw value or a target utilization',
    ],
    [
      'both share and amount',
      metric({ type: 'Utilization', averageUtilization: 1, averageValue: '1' }),
      'spec.metrics[0].resource.target.averageValue: Forbidden: may not set both a target raw value and a target utilization',
    ],
    [
      'a long look back',
      { 'spec/behavior': { scaleDown: { stabilizationWindowSeconds: 3601 } } },
      'spec.behavior.scaleDown.stabilizationWindowSeconds: Invalid value: 3601: must be less than or equal to 3600',
    ],
  ),
  ...statuses(SCALER, [
    'fewer than none',
    {},
    { 'status/currentReplicas': -1 },
    `status.currentReplicas: Invalid value: -1: ${NOT_NEGATIVE}`,
  ]),
  ...rows('autoscaling/v1 HorizontalPodAutoscaler', [
    'less than a share',
    { 'spec/targetCPUUtilizationPercentage': 0 },
    'spec.metrics[0].resource.target.averageUtilization: Invalid value: 0: must be greater than 0',
  ]),
  ...rows('autoscaling/v1 Scale', [
    'fewer than none',
    { 'spec/replicas': -1 },
    `spec.replicas: Invalid value: -1: ${NOT_NEGATIVE}`,
  ]),
  ...rows(
    'policy/v1 PodDisruptionBudget',
    [
      'both bounds',
      { 'spec/maxUnavailable': 1 },
      'spec: Invalid value: {"MinAvailable":1,"Selector":{"matchLabels":{"app":"a"}},"MaxUnavailable":1,"UnhealthyPodEvictionPolicy":null}: minAvailable and maxUnavailable cannot be both set',
    ],
    ['fewer than none', { 'spec/minAvailable': -1 }, `spec.minAvailable: Invalid value: -1: ${NOT_NEGATIVE}`],
    [
      'more than all',
      { 'spec/minAvailable': '101%' },
      'spec.minAvailable: Invalid value: "101%": must not be greater than 100%',
    ],
    [
      'an unknown policy',
      { 'spec/unhealthyPodEvictionPolicy': 'Odd' },
      'spec.unhealthyPodEvictionPolicy: Unsupported value: "Odd": supported values: "AlwaysAllow", "IfHealthyBudget"',
    ],
  ),
  ...statuses('policy/v1 PodDisruptionBudget', [
    'fewer than none',
    {},
    { 'status/expectedPods': -1 },
    `status.expectedPods: Invalid value: -1: ${NOT_NEGATIVE}`,
  ]),
]

describe.each([
  ['sets of pods', APPS],
  ['jobs', BATCH],
  ['scaling and disruption', SCALING],
])('%s', (_, list) => {
  it.each(list)('$of: $case', judge)
})
