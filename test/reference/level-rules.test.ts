// What differs between the levels, and the rules of fields behind gates, asked of the reference and of this server: the answers agree.
import { setTimeout } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { API_LEVELS, type ApiLevel } from '../../src/api/level.ts'
import { type Both, openBoth } from '../rigs/beside-reference.ts'
import type { OpenServer, ServerAnswer } from '../rigs/running-server.ts'

type Call = NonNullable<Parameters<OpenServer['request']>[1]>

interface Body {
  readonly message?: string
  readonly spec?: object
  readonly status?: object | string
  readonly metadata?: { readonly generation?: number; readonly annotations?: object }
  readonly rows?: readonly { readonly cells: readonly unknown[] }[]
  readonly details?: { readonly causes?: readonly { readonly reason: string; readonly field: string }[] }
}

const bodyOf = (answer: ServerAnswer): Body => answer.json()
const causesOf = (answer: ServerAnswer): unknown => [
  answer.status,
  [...new Set(bodyOf(answer).details?.causes?.map(({ reason, field }) => `${field} ${reason}`))].sort(),
]

/** Asks both, one after the other, and expects the same. Returns what both answered. */
async function agreed(
  both: Both,
  path: string,
  call: Call,
  shown: (answer: ServerAnswer) => unknown,
): Promise<unknown> {
  const theirs = shown(await both[0].request(path, call))
  const ours = shown(await both[1].request(path, call))
  expect({ path, call, shown: ours }).toEqual({ path, call, shown: theirs })
  return theirs
}

const CORE = '/api/v1/namespaces/default'
const PODS = `${CORE}/pods`
const SETS = '/apis/apps/v1/namespaces/default/deployments'
const SLICES = '/apis/resource.k8s.io/v1/resourceslices'
const JOBS = '/apis/batch/v1/namespaces/default/jobs'
const CLAIMS = '/apis/resource.k8s.io/v1/namespaces/default/resourceclaims'
const MERGE = { 'content-type': 'application/merge-patch+json' }

const container = (more: object = {}): object => ({ name: 'c', image: 'i', ...more })
const pod = (spec: object, name = 'p'): object => ({ metadata: { name }, spec: { containers: [container()], ...spec } })
const deployment = (spec: object): object => ({
  metadata: { name: 'd' },
  spec: {
    selector: { matchLabels: { a: 'b' } },
    template: { metadata: { labels: { a: 'b' } }, spec: { containers: [container()], ...spec } },
  },
})
const slice = (spec: object, name = 's'): object => ({
  metadata: { name },
  spec: { driver: 'd.e', pool: { name: 'p', resourceSliceCount: 1 }, nodeName: 'n', ...spec },
})
const device = (usual: string, validRange: object): object => ({
  name: 'd',
  allowMultipleAllocations: true,
  capacity: { c: { value: '100', requestPolicy: { default: usual, validRange } } },
})
const derived = (...derivedAttributes: readonly object[]): object => ({
  metadata: { name: 'c' },
  spec: {
    devices: {
      requests: [{ name: 'r', exactly: { deviceClassName: 'c', derivedAttributes } }],
      constraints: [{ matchAttribute: 'a.b/c' }],
    },
  },
})

const HUGE = '18446744073709551616'
const RANGES: readonly (readonly [string, object])[] = [
  ['1', { min: '2' }],
  ['9', { min: '2', max: '8' }],
  ['2', { min: '2', step: '2', max: '7' }],
  ['200', { min: '200' }],
]
const STRICT_RANGES: typeof RANGES = [
  ['2', { min: '2', step: '0' }],
  ['2', { min: '2', step: '-1' }],
  ['2', { min: '2', step: HUGE }],
  ['-2', { min: '-2', step: '1' }],
  ['1500m', { min: '1', step: '1' }],
  ['1500m', { min: '1', step: '500m' }],
  ['1500u', { min: '1500u', step: '1' }],
]

/** Objects that one level or both refuse, with the path to which they are sent. */
const REFUSED: readonly (readonly [string, object])[] = [
  [PODS, pod({ shareProcessNamespace: true, hostPID: true })],
  [PODS, pod({ volumes: [{ name: 'v', image: {} }] })],
  [PODS, pod({ tolerations: [{ key: '-', operator: 'Exists' }] })],
  [PODS, pod({ os: { name: 'windows' }, hostPID: true, shareProcessNamespace: true, hostUsers: true })],
  [SETS, deployment({ volumes: [{ name: 'v', image: {} }] })],
  [
    SETS,
    deployment({
      containers: [
        container({ securityContext: { capabilities: { add: ['CAP_SYS_ADMIN'] }, allowPrivilegeEscalation: false } }),
      ],
    }),
  ],
  ...RANGES.map(([usual, range]) => [SLICES, slice({ devices: [device(usual, range)] })] as const),
  [
    '/apis/storage.k8s.io/v1/volumeattachments',
    {
      metadata: { name: 'v' },
      spec: { attacher: 'a', nodeName: 'n', source: { persistentVolumeName: 'v' } },
      status: { attached: false, attachError: { message: 'x'.repeat(1025) } },
    },
  ],
  [CLAIMS, derived({ name: '', expression: '' })],
  [
    '/apis/node.k8s.io/v1/runtimeclasses',
    { metadata: { name: 'r' }, handler: 'h', scheduling: { tolerations: [{ key: '-', operator: 'Exists' }] } },
  ],
  [
    '/apis/discovery.k8s.io/v1/namespaces/default/endpointslices',
    { metadata: { name: 'e' }, addressType: 'x', endpoints: [{ addresses: [] }] },
  ],
  [
    '/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers',
    { metadata: { name: 'h' }, spec: { maxReplicas: -1, minReplicas: 0, scaleTargetRef: { kind: '', name: '' } } },
  ],
]

it.each(API_LEVELS)('answers of level %s are those of the reference', async (level) => {
  await using opened = new AsyncDisposableStack()
  const both = await openBoth(opened, { level })
  for (const [path, body] of REFUSED) await agreed(both, `${path}?dryRun=All`, { method: 'POST', body }, causesOf)
  if (level === '1.37') {
    // The reference divides by zero at 1.36.
    for (const [usual, range] of STRICT_RANGES) {
      const body = slice({ devices: [device(usual, range)] })
      await agreed(both, `${SLICES}?dryRun=All`, { method: 'POST', body }, causesOf)
    }
  }
  await changed(both)
  await bound(both)
  await selected(both)
})

/** Updates that depend on what is stored. */
async function changed(both: Both): Promise<void> {
  const admin = { capabilities: { add: ['CAP_SYS_ADMIN'] } }
  const withContext = (securityContext: object): object => deployment({ containers: [container({ securityContext })] })
  await agreed(both, SETS, { method: 'POST', body: withContext(admin) }, ({ status }) => status)
  const kept = withContext({ ...admin, allowPrivilegeEscalation: false })
  await agreed(both, `${SETS}/d`, { method: 'PUT', body: kept }, causesOf)

  const scalers = '/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers'
  const scaler = (maxReplicas: number): object => ({
    metadata: { name: 'h' },
    spec: { maxReplicas, scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'd' } },
  })
  const generation = (answer: ServerAnswer): unknown => [answer.status, bodyOf(answer).metadata?.generation]
  await agreed(both, scalers, { method: 'POST', body: scaler(1) }, generation)
  await agreed(both, `${scalers}/h`, { method: 'PUT', body: scaler(2) }, generation)
  const conditions = [{ type: 'AbleToScale', status: 'True', observedGeneration: -1 }]
  const told = {
    method: 'PATCH',
    headers: MERGE,
    body: { status: { conditions, currentReplicas: 1, desiredReplicas: 1 } },
  }
  await agreed(both, `${scalers}/h/status`, told, causesOf)

  const job = {
    metadata: { name: 'j' },
    spec: {
      template: { spec: { restartPolicy: 'Never', containers: [container()] } },
      scheduling: { schedulingPolicy: { basic: {} } },
    },
  }
  const scheduling = (answer: ServerAnswer): unknown => Object.hasOwn(bodyOf(answer).spec ?? {}, 'scheduling')
  expect(await agreed(both, '/apis/batch/v1/namespaces/default/jobs', { method: 'POST', body: job }, scheduling)).toBe(
    false,
  )

  for (const metadata of [
    { name: 'd', labels: { '-': 'x' } },
    { name: 'd', finalizers: ['x'] },
  ]) {
    const scale = { metadata, spec: { replicas: -1 } }
    await agreed(both, `${SETS}/d/scale`, { method: 'PUT', body: scale }, causesOf)
    await agreed(both, `${SETS}/d/scale`, { method: 'PUT', body: { ...scale, spec: { replicas: 1 } } }, causesOf)
  }

  const claims = [{ name: 'c', resourceClaimName: 'x' }]
  const body = { ...pod({ resourceClaims: claims }, 'claiming'), status: { qosClass: 'Guaranteed' } }
  const made = await agreed(
    both,
    PODS,
    { method: 'POST', body },
    (answer) => (bodyOf(answer).status as { qosClass: string }).qosClass,
  )
  const put = async (status: object): Promise<void> => {
    const patch = { method: 'PATCH', headers: MERGE, body: { status } }
    await agreed(both, `${PODS}/claiming/status`, patch, (answer) => [answer.status, bodyOf(answer).status])
  }
  await put({ qosClass: made, resourceClaimStatuses: claims })
  await put({ resourceClaimStatuses: null })
  await put({ volumeHealth: [{ name: 'v' }] })
}

/** Bindings and evictions. */
async function bound(both: Both): Promise<void> {
  await agreed(both, PODS, { method: 'POST', body: pod({}, 'b') }, ({ status }) => status)
  const annotations = { a: 'b', 'pod.beta.kubernetes.io/init-containers': '[]' }
  const binding = (name: string): Call => ({
    method: 'POST',
    body: { metadata: { name: 'b', annotations }, target: { name } },
  })
  const message = (answer: ServerAnswer): unknown => [answer.status, bodyOf(answer).message]
  // D20: the reference answers 500.
  await agreed(both, `${PODS}/b/binding?dryRun=All`, binding('N!'), (answer) => bodyOf(answer).message)
  await agreed(both, `${PODS}/b/binding`, binding('n'), message)
  await agreed(both, `${PODS}/b`, {}, (answer) => bodyOf(answer).metadata?.annotations)

  const labels = { a: 'b' }
  const evicted = { ...pod({}, 'e'), metadata: { name: 'e', labels } }
  await agreed(both, PODS, { method: 'POST', body: evicted }, ({ status }) => status)
  await agreed(
    both,
    `${PODS}/e/status`,
    { method: 'PATCH', headers: MERGE, body: { status: { phase: 'Running' } } },
    ({ status }) => status,
  )
  const budgets = '/apis/policy/v1/namespaces/default/poddisruptionbudgets'
  const budget = { metadata: { name: 'b' }, spec: { selector: { matchLabels: labels } } }
  await agreed(both, budgets, { method: 'POST', body: budget }, ({ status }) => status)
  const disruptedPods = Object.fromEntries(Array.from({ length: 2001 }, (_, i) => [`p${i}`, '2024-01-01T00:00:00Z']))
  const status = {
    observedGeneration: 1,
    disruptionsAllowed: 1,
    currentHealthy: 1,
    desiredHealthy: 0,
    expectedPods: 1,
    disruptedPods,
  }
  await agreed(
    both,
    `${budgets}/b/status`,
    { method: 'PATCH', headers: MERGE, body: { status } },
    (answer) => answer.status,
  )
  const shown = (answer: ServerAnswer): unknown => [answer.status, bodyOf(answer).message, bodyOf(answer).details]
  await agreed(both, `${PODS}/e/eviction`, { method: 'POST', body: { metadata: { name: 'e' } } }, shown)
}

async function selected(both: Both): Promise<void> {
  const classes = '/apis/storage.k8s.io/v1/storageclasses'
  const annotations = { 'storageclass.kubernetes.io/is-default-class': 'true' }
  for (const name of ['b', 'a']) {
    const body = { metadata: { name, annotations }, provisioner: 'p' }
    await agreed(both, classes, { method: 'POST', body }, ({ status }) => status)
    // Of two classes the newer one is the default.
    await setTimeout(1100)
  }
  const headers = { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' }
  const names = (answer: ServerAnswer): unknown => bodyOf(answer).rows?.map(({ cells }) => cells[0])
  for (const path of [classes, `${classes}/a`]) await agreed(both, path, { headers }, names)
  await agreed(both, SLICES, { method: 'POST', body: slice({}) }, ({ status }) => status)
  for (const selector of ['spec.pool.name=p', 'spec.pool.name=q', 'spec.driver=d.e']) {
    const count = (answer: ServerAnswer): unknown => [
      answer.status,
      (answer.json() as { items?: unknown[] }).items?.length,
    ]
    await agreed(both, `${SLICES}?fieldSelector=${encodeURIComponent(selector)}`, {}, count)
  }
}

const GATES = [
  'AtomicWriteVolumeUserFields',
  'CSIVolumeHealth',
  'DRADerivedAttributes',
  'DRAFractionalCapacityRange',
  'DRANodeAllocatableResources',
  'DRAOptionalNodeOperations',
  'DRAPartitionableDevicesType',
  'DRAResourcePoolStatus',
  'DRADeviceCompatibilityGroups',
  'EmptyDirVolumeMode',
  'EvictionRequestAPI',
  'GRPCContainerProbeTLS',
  'H2CContainerProbe',
  'HPAGeneration',
  'VolumeBindMountOptions',
  'GenericWorkload',
  'WorkloadWithJob',
] as const
const OFF: readonly string[] = ['HPAGeneration']

const probe = (livenessProbe: object): object => pod({ containers: [container({ livenessProbe })] })
const job = (scheduling: object | undefined, parallelism = 1): object => ({
  metadata: { name: 'j' },
  spec: { parallelism, template: { spec: { restartPolicy: 'Never', containers: [container()] } }, scheduling },
})
const replacing = (scheduling: { schedulingPolicy?: object }): object => ({
  disruptionMode: null,
  ...scheduling,
  schedulingPolicy:
    scheduling.schedulingPolicy === undefined ? null : { basic: null, gang: null, ...scheduling.schedulingPolicy },
})
const directory = { name: 'v', emptyDir: {} }
const responder = (name: string, priority?: number): object => ({ name, ...(priority !== undefined && { priority }) })

/** Objects with fields that level 1.37 has behind gates. */
const GATED: readonly (readonly [string, object])[] = [
  [PODS, pod({ volumes: [{ name: 'v', emptyDir: { mode: 1024 } }] })],
  [
    PODS,
    pod({
      volumes: [
        { name: 'v', secret: { secretName: 's', defaultUser: -1, items: [{ key: 'k', path: 'p', user: -1 }] } },
      ],
    }),
  ],
  [
    PODS,
    pod({
      volumes: [
        {
          name: 'v',
          downwardAPI: { defaultUser: -1, items: [{ path: 'p', user: -1, fieldRef: { fieldPath: 'metadata.name' } }] },
        },
      ],
    }),
  ],
  [
    PODS,
    pod({
      volumes: [
        { name: 'v', projected: { defaultUser: -1, sources: [{ serviceAccountToken: { path: 't', user: -1 } }] } },
      ],
    }),
  ],
  [
    PODS,
    pod({
      volumes: [directory],
      containers: [
        container({ volumeMounts: [{ name: 'v', mountPath: '/v', bindMountOptions: ['noexec', 'ro', 'noexec'] }] }),
      ],
    }),
  ],
  [
    PODS,
    pod({
      volumes: [{ name: 'v', image: { reference: 'i' } }],
      containers: [container({ volumeMounts: [{ name: 'v', mountPath: '/v', bindMountOptions: ['noexec'] }] })],
    }),
  ],
  [PODS, probe({ httpGet: { port: 1, protocol: 'HTTP3' } })],
  [PODS, probe({ httpGet: { port: 1, protocol: 'HTTP2', scheme: 'HTTPS' } })],
  [PODS, probe({ httpGet: { port: 1, protocol: 'HTTP2', host: 'h' } })],
  [PODS, probe({ httpGet: { port: 1 } })],
  [PODS, probe({ grpc: { port: 1, mode: 'x' } })],
  [
    PODS,
    pod({
      evictionResponders: [
        responder('a.k8s.io/b', 5),
        responder('b', 100_001),
        responder('c.d/e', -1),
        responder('c.d/e', 1000),
        responder(''),
      ],
    }),
  ],
  [PODS, pod({ evictionResponders: Array.from({ length: 11 }, (_, i) => responder(`a.b/r${i}`, 1000)) })],
  [SETS, deployment({ evictionResponders: [responder('b', 1000)] })],
  [SLICES, slice({ skipNodeOperations: ['NodePrepareResources'] })],
  [SLICES, slice({ skipNodeOperations: ['x', 'x'] })],
  [SLICES, slice({ partitionTypeAttribute: 'x.y/z' })],
  [SLICES, slice({ partitionTypeAttribute: 'z' })],
  [JOBS, job({ schedulingPolicy: { basic: {} }, disruptionMode: { single: {} } })],
  [JOBS, job({ schedulingPolicy: {}, disruptionMode: { all: {} }, resourceClaims: [{ name: '-' }] })],
  [JOBS, job({ schedulingPolicy: { gang: { minCount: 9 } } })],
  [JOBS, job({ schedulingPolicy: { gang: { minCount: 0 } } })],
  [JOBS, job({ schedulingConstraints: { topology: [{ key: '-' }, { key: 'a' }] } })],
  [CLAIMS, derived({ name: 'a.b/c', expression: 'device.driver' })],
  [CLAIMS, derived({ name: '', expression: '' }, { name: 'd', expression: '[1]' }, { name: 'a.b/c', expression: 'x' })],
  ...[...RANGES, ...STRICT_RANGES].map(
    ([usual, range]) => [SLICES, slice({ devices: [device(usual, range)] })] as const,
  ),
]

it('fields behind gates of 1.37 have the rules of the reference', async () => {
  await using opened = new AsyncDisposableStack()
  const flag = `--feature-gates=${GATES.map((gate) => `${gate}=${String(!OFF.includes(gate))}`).join(',')}`
  const both = await openBoth(opened, { level: '1.37' satisfies ApiLevel, flags: [flag] })
  for (const [path, body] of GATED) {
    await agreed(both, `${path}?dryRun=All`, { method: 'POST', body }, (answer) => {
      const probed = JSON.stringify(bodyOf(answer).spec ?? {}).match(/"protocol":"[^"]*"/g)
      return [causesOf(answer), probed]
    })
  }
  const scaler = {
    metadata: { name: 'h', generation: 7 },
    spec: { maxReplicas: 1, scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'd' } },
  }
  const generation = (answer: ServerAnswer): unknown => [answer.status, bodyOf(answer).metadata?.generation]
  const scalers = '/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers'
  await agreed(both, scalers, { method: 'POST', body: scaler }, generation)
  const changed = { ...scaler, spec: { ...scaler.spec, maxReplicas: 2 } }
  await agreed(both, `${scalers}/h`, { method: 'PUT', body: changed }, generation)

  const groups = [{ schedulingPolicy: { basic: {} } }, { schedulingPolicy: { gang: {} } }, {}, undefined]
  for (const [i, before] of groups.entries()) {
    const made = { ...job(before), metadata: { name: `j${i}` } }
    await agreed(both, JOBS, { method: 'POST', body: made }, ({ status }) => status)
    for (const after of [
      ...groups,
      { schedulingPolicy: { gang: { minCount: 1 } } },
      { disruptionMode: { single: {} } },
    ]) {
      const call = {
        method: 'PATCH',
        headers: MERGE,
        body: { spec: { scheduling: after === undefined ? null : replacing(after) } },
      }
      await agreed(both, `${JOBS}/j${i}?dryRun=All`, call, causesOf)
    }
  }

  await agreed(both, PODS, { method: 'POST', body: pod({ volumes: [directory] }) }, ({ status }) => status)
  const conditions = [
    { status: 'x', reason: '-' },
    { status: 'Degraded', reason: '' },
  ]
  for (const volumeHealth of [[{ name: 'w' }], [{ name: 'v', healthConditions: conditions }]]) {
    const call = { method: 'PATCH', headers: MERGE, body: { status: { volumeHealth } } }
    await agreed(both, `${PODS}/p/status`, call, causesOf)
  }
})
