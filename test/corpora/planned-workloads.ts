// Made-up workloads and changes of them, by seed: what users create, scale, update, pause, roll back and delete.
import { dice } from './dice.ts'

type Json = Readonly<Record<string, unknown>>

export type WorkloadStep =
  | { readonly kind: 'create'; readonly place: string; readonly object: Json }
  /** A merge patch. */
  | { readonly kind: 'change'; readonly place: string; readonly name: string; readonly patch: Json }
  /** `name`: absent for the first of those that are there. */
  | { readonly kind: 'delete'; readonly place: string; readonly name?: string; readonly options?: Json }

export interface PlannedWorkload {
  readonly id: string
  readonly title: string
  /** Each begins when nothing happens any more. */
  readonly stages: readonly (readonly WorkloadStep[])[]
}

const PLACES = {
  pods: 'api/v1',
  services: 'api/v1',
  deployments: 'apis/apps/v1',
  replicasets: 'apis/apps/v1',
  statefulsets: 'apis/apps/v1',
  daemonsets: 'apis/apps/v1',
  jobs: 'apis/batch/v1',
  cronjobs: 'apis/batch/v1',
  poddisruptionbudgets: 'apis/policy/v1',
} as const

type Plural = keyof typeof PLACES

/** `apis/apps/v1/namespaces/NAMESPACE/deployments` */
export function placeOf(plural: string, namespace: string): string {
  return `/${PLACES[plural as Plural]}/namespaces/${namespace}/${plural}`
}

const LABELS = { app: 'web' }

const image = (name: string): Json => ({ spec: { template: { spec: { containers: [{ name: 'web', image: name }] } } } })

class Plan {
  readonly roll: (sides: number) => number
  readonly hostPort: number

  constructor(seed: number) {
    this.roll = dice(seed * 7_919 + 13)
    // Nodes are shared by all workloads.
    this.hostPort = 8_000 + (seed % 10_000)
    // The first numbers of neighbouring seeds are alike.
    for (let i = 0; i < 5; i++) this.roll(2)
  }

  one<T>(...values: readonly T[]): T {
    return values[this.roll(values.length)]!
  }

  maybe(members: Json, chances = 2): Json {
    return this.roll(chances) === 0 ? members : {}
  }

  container(): Json {
    return {
      name: 'web',
      image: this.one('nginx', 'nginx:2'),
      ...this.maybe({ ports: [{ name: 'http', containerPort: 80 }] }),
      ...this.maybe({ resources: { requests: { cpu: '10m', memory: '10Mi' } } }),
    }
  }

  template(annotations: Json = {}, spec: Json = {}): Json {
    return { metadata: { labels: LABELS, annotations }, spec: { containers: [this.container()], ...spec } }
  }

  pace(): Json {
    return this.one<Json>({}, {}, { 'quarterdeck.dev/ready-delay': '1s' }, { 'quarterdeck.dev/start-delay': '1s' })
  }

  create(place: Plural, object: Json): WorkloadStep {
    return { kind: 'create', place, object: { metadata: { name: 'web' }, ...object } }
  }

  change(place: Plural, patch: Json): WorkloadStep {
    return { kind: 'change', place, name: 'web', patch }
  }

  deployment(): readonly WorkloadStep[][] {
    const bound = (): number | string => this.one<number | string>(1, 2, '25%', '50%')
    const strategy = this.one<Json>(
      {},
      { strategy: { type: 'Recreate' } },
      {
        strategy: {
          type: 'RollingUpdate',
          rollingUpdate: { maxSurge: bound(), maxUnavailable: this.one<number | string>(0, 1, '30%') },
        },
      },
      { strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 0, maxUnavailable: bound() } } },
    )
    const spec = {
      replicas: this.one(0, 1, 2, 3, 5),
      selector: { matchLabels: LABELS },
      template: this.template(this.pace()),
      ...strategy,
      ...this.maybe({ revisionHistoryLimit: this.one(0, 1, 2) }, 3),
      ...this.maybe({ minReadySeconds: 1 }, 4),
    }
    const changes: readonly (() => readonly WorkloadStep[])[] = [
      () => [this.change('deployments', { spec: { replicas: this.one(0, 1, 4, 6) } })],
      () => [this.change('deployments', image(this.one('nginx:3', 'nginx:4')))],
      () => [this.change('deployments', image('nginx'))],
      () => [this.change('deployments', { spec: { ...(image('nginx:5')['spec'] as Json), replicas: this.one(2, 4) } })],
      () => [this.change('deployments', { spec: { paused: true } }), this.change('deployments', image('nginx:6'))],
      () => [this.change('deployments', { spec: { paused: true, replicas: this.one(1, 3) } })],
      () => [this.change('deployments', { spec: { paused: false } })],
      () => [{ kind: 'delete', place: 'pods' }],
      () => [this.change('deployments', { metadata: { annotations: { 'example.com/team': 'a' } } })],
      () => [this.change('deployments', { spec: { progressDeadlineSeconds: 3, template: stuck() } })],
    ]
    const stuck = (): Json => ({ metadata: { annotations: { 'quarterdeck.dev/image-pull-error': 'true' } } })
    return [[this.create('deployments', { spec })], ...this.some(changes)]
  }

  some(changes: readonly (() => readonly WorkloadStep[])[]): WorkloadStep[][] {
    return Array.from({ length: 1 + this.roll(3) }, () => [...this.one(...changes)()])
  }

  statefulSet(): readonly WorkloadStep[][] {
    const spec = {
      replicas: this.one(0, 1, 2, 3),
      serviceName: 'web',
      selector: { matchLabels: LABELS },
      template: this.template(this.pace()),
      ...this.maybe({ podManagementPolicy: 'Parallel' }),
      ...this.one<Json>(
        {},
        { updateStrategy: { type: 'OnDelete' } },
        { updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: this.one(0, 1, 2) } } },
      ),
      ...this.maybe({ revisionHistoryLimit: 1 }, 3),
      ...this.maybe({ minReadySeconds: 1 }, 4),
      ...this.maybe({ ordinals: { start: 2 } }, 5),
    }
    return [
      [this.create('statefulsets', { spec })],
      ...this.some([
        () => [this.change('statefulsets', { spec: { replicas: this.one(0, 1, 3, 4) } })],
        () => [this.change('statefulsets', image(this.one('nginx:3', 'nginx:4')))],
        () => [this.change('statefulsets', image('nginx'))],
        () => [{ kind: 'delete', place: 'pods' }],
        () => [
          this.change('statefulsets', {
            spec: { updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 1 } } },
          }),
        ],
      ]),
    ]
  }

  daemonSet(): readonly WorkloadStep[][] {
    const placed = this.one<Json>(
      {},
      { nodeSelector: { 'kubernetes.io/hostname': 'node-1' } },
      { nodeSelector: { 'kubernetes.io/os': 'windows' } },
      { tolerations: [{ operator: 'Exists' }] },
    )
    const spec = {
      selector: { matchLabels: LABELS },
      template: this.template(this.pace(), placed),
      ...this.one<Json>(
        {},
        { updateStrategy: { type: 'OnDelete' } },
        { updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 2 } } },
        { updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } } },
      ),
      ...this.maybe({ minReadySeconds: 1 }, 4),
    }
    return [
      [this.create('daemonsets', { spec })],
      ...this.some([
        () => [
          this.change('daemonsets', {
            spec: { template: { spec: { containers: [{ name: 'web', image: this.one('nginx:3', 'nginx') }] } } },
          }),
        ],
        () => [
          this.change('daemonsets', {
            spec: { template: { spec: { nodeSelector: { 'kubernetes.io/hostname': 'node-2' } } } },
          }),
        ],
        () => [{ kind: 'delete', place: 'pods' }],
      ]),
    ]
  }

  job(): readonly WorkloadStep[][] {
    const completions = this.one(1, 1, 2, 4)
    const mode = this.one<Json>(
      {},
      {},
      { completionMode: 'Indexed', ...this.maybe({ successPolicy: { rules: [{ succeededCount: 1 }] } }, 3) },
    )
    const ends = this.one<Json>(
      { 'quarterdeck.dev/run-time': '1s' },
      { 'quarterdeck.dev/run-time': '1s' },
      { 'quarterdeck.dev/run-time': '0s', 'quarterdeck.dev/exit-code': '3' },
      { 'quarterdeck.dev/run-time': '1h' },
    )
    const policy = {
      rules: [{ action: this.one('FailJob', 'Ignore', 'Count'), onExitCodes: { operator: 'In', values: [5] } }],
    }
    const spec = {
      completions,
      parallelism: this.one(1, 2, 3),
      ...mode,
      // The reference waits ten seconds before it tries again.
      backoffLimit: 'quarterdeck.dev/exit-code' in ends ? 0 : 6,
      template: { ...this.template(ends, { restartPolicy: 'Never' }) },
      ...this.maybe({ suspend: true }, 4),
      ...('quarterdeck.dev/exit-code' in ends ? { parallelism: 1 } : {}),
      ...(ends['quarterdeck.dev/run-time'] === '1h' ? this.maybe({ activeDeadlineSeconds: 4 }) : {}),
      ...this.maybe({ podFailurePolicy: policy }, 4),
      ...this.maybe({ ttlSecondsAfterFinished: 2 }, 6),
      ...this.maybe({ podReplacementPolicy: 'Failed' }, 5),
    }
    return [
      [this.create('jobs', { spec })],
      ...this.some([
        () => [this.change('jobs', { spec: { suspend: true } })],
        () => [this.change('jobs', { spec: { suspend: false } })],
        () => [this.change('jobs', { spec: { parallelism: this.one(0, 1, 3) } })],
        () => [{ kind: 'delete', place: 'pods' }],
        () => [
          {
            kind: 'delete',
            place: 'jobs',
            name: 'web',
            options: { propagationPolicy: this.one('Background', 'Orphan') },
          },
        ],
      ]),
    ]
  }

  replicaSet(): readonly WorkloadStep[][] {
    const spec = {
      replicas: this.one(0, 1, 3),
      selector: { matchLabels: LABELS },
      template: this.template(this.pace()),
      ...this.maybe({ minReadySeconds: 1 }),
    }
    const orphan = { metadata: { name: 'stray', labels: LABELS }, spec: { containers: [this.container()] } }
    return [
      ...this.one<WorkloadStep[][]>([], [[{ kind: 'create', place: 'pods', object: orphan }]]),
      [this.create('replicasets', { spec })],
      ...this.some([
        () => [this.change('replicasets', { spec: { replicas: this.one(0, 2, 4) } })],
        () => [{ kind: 'delete', place: 'pods' }],
        () => [
          {
            kind: 'delete',
            place: 'replicasets',
            name: 'web',
            options: { propagationPolicy: this.one('Orphan', 'Background', 'Foreground') },
          },
        ],
      ]),
    ]
  }

  pod(): readonly WorkloadStep[][] {
    const term = (values: readonly string[]): Json => ({
      matchExpressions: [{ key: 'kubernetes.io/hostname', operator: this.one('In', 'NotIn'), values }],
    })
    const required = 'requiredDuringSchedulingIgnoredDuringExecution'
    const near = {
      topologyKey: this.one('kubernetes.io/hostname', 'topology.kubernetes.io/zone'),
      labelSelector: { matchLabels: LABELS },
    }
    const spread = {
      maxSkew: 1,
      topologyKey: 'topology.kubernetes.io/zone',
      whenUnsatisfiable: 'DoNotSchedule',
      labelSelector: { matchLabels: LABELS },
    }
    const kinds: readonly (() => Json)[] = [
      () => ({ nodeSelector: { disk: 'ssd' } }),
      () => ({
        containers: [
          { name: 'web', image: 'nginx', resources: { requests: this.one<Json>({ cpu: '100' }, { memory: '1Ti' }) } },
        ],
      }),
      () => ({ containers: [{ name: 'web', image: 'nginx', resources: { limits: { 'example.com/gpu': '1' } } }] }),
      () => ({
        affinity: {
          nodeAffinity: {
            [required]: { nodeSelectorTerms: [term(this.one(['node-0'], ['node-0', 'node-1', 'node-2']))] },
          },
        },
      }),
      () => ({ affinity: { podAntiAffinity: { [required]: [near] } } }),
      () => ({ affinity: { podAffinity: { [required]: [near] } } }),
      () => ({ topologySpreadConstraints: [spread] }),
      () => ({ nodeName: 'node-1' }),
      () => ({ schedulerName: 'nobody' }),
      () => ({ volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'missing' } }] }),
      () => ({ schedulingGates: [{ name: 'example.com/wait' }] }),
      () => ({
        initContainers: [
          { name: 'before', image: 'init' },
          { name: 'side', image: 'side', restartPolicy: 'Always' },
        ],
      }),
      () => ({
        containers: [{ name: 'web', image: 'nginx', ports: [{ containerPort: 80, hostPort: this.hostPort }] }],
      }),
    ]
    const spec = this.one(...kinds)()
    const count = this.one(1, 2, 4)
    const pods = Array.from({ length: count }, (_, i): WorkloadStep[] => [
      {
        kind: 'create',
        place: 'pods',
        object: { metadata: { name: `web-${i}`, labels: LABELS }, spec: { containers: [this.container()], ...spec } },
      },
    ])
    return [...pods, ...this.one<WorkloadStep[][]>([], [[{ kind: 'delete', place: 'pods' }]])]
  }

  service(): readonly WorkloadStep[][] {
    const ports = this.one<readonly Json[]>(
      [{ port: 80 }],
      [
        { name: 'http', port: 80, targetPort: 'http' },
        { name: 'other', port: 81, targetPort: 8081 },
      ],
    )
    const service = this.create('services', {
      spec: {
        selector: LABELS,
        ports,
        ...this.maybe({ clusterIP: 'None' }, 3),
        ...this.maybe({ publishNotReadyAddresses: true }, 3),
      },
    })
    const [[first], ...rest] = this.deployment() as [WorkloadStep[], ...WorkloadStep[][]]
    return [
      [service, first!],
      ...rest,
      ...this.one<WorkloadStep[][]>([], [[{ kind: 'delete', place: 'services', name: 'web' }]]),
    ]
  }

  budget(): readonly WorkloadStep[][] {
    const spec = {
      selector: { matchLabels: LABELS },
      ...this.one<Json>({ minAvailable: 1 }, { minAvailable: '50%' }, { maxUnavailable: 1 }, { maxUnavailable: '30%' }),
    }
    const budget = this.create('poddisruptionbudgets', { spec })
    const [[first], ...rest] = this.one(
      () => this.deployment(),
      () => this.statefulSet(),
    )() as [WorkloadStep[], ...WorkloadStep[][]]
    return [[budget, first!], ...rest]
  }

  cronJob(): readonly WorkloadStep[][] {
    const template = this.template({ 'quarterdeck.dev/run-time': '1s' }, { restartPolicy: 'OnFailure' })
    const spec = {
      schedule: this.one('0 0 1 1 *', '@yearly'),
      suspend: this.one(true, false),
      jobTemplate: { spec: { template } },
    }
    return [[this.create('cronjobs', { spec })], [this.change('cronjobs', { spec: { suspend: true } })]]
  }
}

const KINDS = [
  'deployment',
  'deployment',
  'deployment',
  'statefulSet',
  'statefulSet',
  'daemonSet',
  'job',
  'job',
  'replicaSet',
  'pod',
  'pod',
  'service',
  'budget',
  'cronJob',
] as const

export function plannedWorkload(seed: number): PlannedWorkload {
  const plan = new Plan(seed)
  const kind = KINDS[seed % KINDS.length]!
  return { id: `w${seed}`, title: kind, stages: plan[kind]() }
}
