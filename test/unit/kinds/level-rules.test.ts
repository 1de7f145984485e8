// Rules that differ between the levels 1.36 and 1.37, and rules of fields that level 1.37 has behind gates.
import { describe, it } from 'vitest'
import type { ApiLevel } from '../../../src/api/level.ts'
import type { Value } from '../../../src/api/value.ts'
import { judge, LABEL, type Row, type Tweak } from './judging.ts'

const LEVELS: readonly ApiLevel[] = ['1.36', '1.37']

interface Both extends Omit<Row, 'level' | 'told'> {
  readonly told: Readonly<Record<ApiLevel, readonly string[]>>
}

function atBoth(row: Both): readonly Row[] {
  return LEVELS.map((level) => ({ ...row, level, case: `${row.case} at ${level}`, told: row.told[level] }))
}

const POD = 'v1 Pod'
const DEPLOYMENT = 'apps/v1 Deployment'
const SLICE = 'resource.k8s.io/v1 ResourceSlice'
const TEMPLATE = 'spec/template/spec'
const ADMIN = { capabilities: { add: ['CAP_SYS_ADMIN'] } }

describe('rules that differ', () => {
  const sharing = 'shareProcessNamespace: Invalid value: true: ShareProcessNamespace and HostPID cannot both be enabled'
  const vague = { name: 'v', image: { pullPolicy: 'Always' } }
  it.each<Row>([
    ...atBoth({
      of: POD,
      case: 'a shared process namespace on the host',
      set: { 'spec/shareProcessNamespace': true, 'spec/hostPID': true },
      told: { '1.36': [`spec.securityContext.${sharing}`], '1.37': [`spec.${sharing}`] },
    }),
    ...atBoth({
      of: DEPLOYMENT,
      case: 'an image volume without a reference in a template',
      set: { [`${TEMPLATE}/volumes`]: [vague] },
      told: { '1.36': [], '1.37': ['spec.template.spec.volumes[0].image.reference: Required value'] },
    }),
    ...atBoth({
      of: DEPLOYMENT,
      case: 'an image volume that was stored without a reference',
      set: { [`${TEMPLATE}/volumes`]: [vague] },
      change: { 'spec/replicas': 2 },
      told: { '1.36': [], '1.37': [] },
    }),
    ...atBoth({
      of: DEPLOYMENT,
      case: 'a capability that a stored container has',
      set: { [`${TEMPLATE}/containers/0/securityContext`]: ADMIN },
      change: {
        [`${TEMPLATE}/containers/0/securityContext`]: { ...ADMIN, allowPrivilegeEscalation: false },
      },
      told: {
        '1.36': ['spec.template.spec.containers[0].securityContext: Invalid value: {…'],
        '1.37': [],
      },
    }),
    ...atBoth({
      of: 'storage.k8s.io/v1 VolumeAttachment',
      case: 'a long error',
      set: { 'status/attachError': { message: 'x'.repeat(1025) } },
      told: {
        '1.36': ['status.attachError.message: Too long: may not be more than 262144 bytes'],
        '1.37': ['status.attachError.message: Too long: may not be more than 1024 bytes'],
      },
    }),
  ])('$of with $case', judge)
})

describe('ranges of capacities', () => {
  const AT = 'spec.devices[0].capacity[c].requestPolicy.validRange'
  const device = (usual: string, validRange: Readonly<Record<string, string>>): Value => ({
    name: 'd',
    allowMultipleAllocations: true,
    capacity: { c: { value: '100', requestPolicy: { default: usual, validRange } } },
  })
  const range = (
    name: string,
    usual: string,
    validRange: Readonly<Record<string, string>>,
    told: Both['told'],
  ): Both => ({
    of: SLICE,
    case: name,
    set: { 'spec/devices': [device(usual, validRange)] },
    told,
  })
  const MULTIPLE = 'value is not a multiple of a given step'
  const HUGE = '18446744073709551616'
  it.each<Row>(
    [
      range(
        'a small default',
        '1',
        { min: '2' },
        {
          '1.36': [`${AT}.min: Invalid value: "1": default is less than min: 2`],
          '1.37': [`${AT}.default: Invalid value: "1": default is less than min: 2`],
        },
      ),
      range(
        'a large default',
        '9',
        { min: '2', max: '8' },
        {
          '1.36': [`${AT}.max: Invalid value: "9": default is more than max: 8`],
          '1.37': [`${AT}.default: Invalid value: "9": default is more than max: 8`],
        },
      ),
      range(
        'a negative step',
        '2',
        { min: '2', step: '-1' },
        { '1.36': [], '1.37': [`${AT}.step: Invalid value: "-1": must be greater than zero`] },
      ),
      range(
        'a step beyond 64 bits',
        '2',
        { min: '2', step: HUGE },
        {
          '1.36': [`${AT}.step: Invalid value: "${HUGE}": one step…`],
          '1.37': [
            `${AT}.step: Invalid value: "${HUGE}": one step…`,
            `${AT}.step: Invalid value: "${HUGE}": must not be larger than 9223372036854775807`,
          ],
        },
      ),
      range(
        'a negative bound',
        '-2',
        { min: '-2', step: '1' },
        {
          '1.36': [],
          '1.37': ['default', 'min'].map(
            (field) => `${AT}.${field}: Invalid value: "-2": must be greater than or equal to 0`,
          ),
        },
      ),
    ].flatMap(atBoth),
  )('$case', judge)

  const GATE = ['DRAFractionalCapacityRange']
  it.each<Row>(
    [
      { case: 'a fraction counts as the next integer', usual: '1500m', told: [] },
      {
        case: 'a fraction counts in thousandths',
        usual: '1500m',
        gates: GATE,
        told: [`${AT}.step: Invalid value: "1500m": ${MULTIPLE} (1) from (1)`],
      },
      { case: 'a half is a step', usual: '1500m', step: '500m', gates: GATE, told: [] },
      {
        case: 'a fraction is too fine',
        usual: '1500u',
        min: '1500u',
        gates: GATE,
        told: ['default', 'min'].map(
          (field) => `${AT}.${field}: Invalid value: "1500u": value cannot be represented as a milli value`,
        ),
      },
    ].map(({ usual, min = '1', step = '1', ...row }) => ({
      of: SLICE,
      set: { 'spec/devices': [device(usual, { min, step })] },
      ...row,
    })),
  )('$case', judge)

  it('are not checked again if they are stored', () => {
    const set = { 'spec/devices': [device('1', { min: '2' })] }
    const row = { of: SLICE, case: '', set, change: { 'spec/pool/generation': 2 } }
    judge({ ...row, level: '1.37', told: [] })
    judge({ ...row, level: '1.36', told: [`${AT}.min: Invalid value: "1": default is less than min: 2`] })
  })
})

describe('fields behind gates', () => {
  const RANGE = 'must be between 0 and 2147483647, inclusive'
  const secret = { name: 'v', secret: { secretName: 's', defaultUser: -1, items: [{ key: 'k', path: 'p', user: -1 }] } }
  const token = { path: 't', expirationSeconds: 3600, user: -1 }
  const responders = (...list: readonly Value[]): Tweak => ({ 'spec/evictionResponders': list })
  const at = (place: string): string => `spec.evictionResponders${place}`
  it.each<readonly [string, Tweak, readonly string[]]>([
    [
      'the mode of a directory',
      { 'spec/volumes': [{ name: 'v', emptyDir: { mode: 1024 } }] },
      [
        'spec.volumes[0].emptyDir.mode: Invalid value: 1024: must be a number between 0 and 01777 (octal), both inclusive',
      ],
    ],
    [
      'the owners of files',
      {
        'spec/serviceAccountName': 'a',
        'spec/volumes': [secret, { name: 'w', projected: { sources: [{ serviceAccountToken: token }] } }],
      },
      [
        `spec.volumes[0].secret.defaultUser: Invalid value: -1: ${RANGE}`,
        `spec.volumes[0].secret.items[0].user: Invalid value: -1: ${RANGE}`,
        `spec.volumes[1].projected.sources[0].serviceAccountToken.user: Invalid value: -1: ${RANGE}`,
      ],
    ],
    [
      'the options of a mount',
      {
        'spec/volumes': [{ name: 'v', image: { reference: 'i' } }],
        'spec/containers/0/volumeMounts': [
          { name: 'v', mountPath: '/v', bindMountOptions: ['noexec', 'ro', 'noexec'] },
        ],
      },
      [
        'spec.containers[0].volumeMounts[0].bindMountOptions[1]: Unsupported value: "ro": supported values: "nodev", "noexec", "nosuid"',
        'spec.containers[0].volumeMounts[0].bindMountOptions[2]: Duplicate value: "noexec"',
        'spec.containers[0].volumeMounts[0].bindMountOptions: Invalid value: ["noexec","ro","noexec"]: bindMountOptions may not be used with image volumes',
      ],
    ],
    [
      'the protocol of a probe',
      { 'spec/containers/0/livenessProbe': { httpGet: { port: 1, protocol: 'HTTP3' } } },
      [
        'spec.containers[0].livenessProbe.httpGet.protocol: Unsupported value: "HTTP3": supported values: "HTTP1", "HTTP2"',
      ],
    ],
    [
      'HTTP2 over TLS',
      { 'spec/containers/0/livenessProbe': { httpGet: { port: 1, protocol: 'HTTP2', scheme: 'HTTPS' } } },
      ['spec.containers[0].livenessProbe.httpGet.protocol: Invalid value: "HTTP2": is only supported with HTTP (H2C)'],
    ],
    [
      'HTTP2 to another host',
      { 'spec/containers/0/livenessProbe': { httpGet: { port: 1, protocol: 'HTTP2', host: 'h' } } },
      ['spec.containers[0].livenessProbe.httpGet.host: Invalid value: "h": must be empty when `protocol` is "HTTP2"'],
    ],
    [
      'the mode of gRPC',
      { 'spec/containers/0/livenessProbe': { grpc: { port: 1, mode: 'x' } } },
      ['spec.containers[0].livenessProbe.grpc.mode: Unsupported value: "x": supported values: "Plaintext", "TLS"'],
    ],
    [
      'responders',
      {
        ...responders(
          { name: 'a.k8s.io/b', priority: 5 },
          { name: 'b', priority: 100_001 },
          { name: 'c.d/e', priority: -1 },
          { name: 'c.d/e', priority: 1000 },
          { name: '', priority: null },
        ),
        'spec/schedulingGroup': { podGroupName: '-' },
      },
      [
        'spec.schedulingGroup.podGroupName: Invalid value: "-": a lowercase RFC 1123 subdomain must consist of…',
        'spec.schedulingGroup: Forbidden: may not be set when evictionResponders is set',
        `${at('[3]')}: Duplicate value: {"name":"c.d/e","priority":1000}`,
        `${at('[0].name')}: Invalid value: "a.k8s.io/b": domain names *.k8s.io, *.kubernetes.io are reserved`,
        `${at('[0].priority')}: Invalid value: 5: priorities 0-999 are reserved for responders with *.k8s.io suffix`,
        `${at('[1].name')}: Invalid value: "b": must include a prefix (e.g. 'example.com/key')`,
        `${at('[1].priority')}: Invalid value: 100001: must be less than or equal to 100000`,
        `${at('[2].priority')}: Invalid value: -1: must be greater than or equal to 0`,
        `${at('[4].name')}: Required value`,
        `${at('[4].priority')}: Required value`,
      ],
    ],
    [
      'a group without a name',
      { 'spec/schedulingGroup': {} },
      ['spec.schedulingGroup.podGroupName: Invalid value: null: must specify one of: `podGroupName`'],
    ],
  ])('%s', (name, set, told) => judge({ of: POD, case: name, set, told }))

  const health = (...healthConditions: readonly Value[]): Value => ({ name: 'v', healthConditions })
  it.each<readonly [string, Tweak, readonly string[]]>([
    ['the health of no volume', { 'status/volumeHealth': [health()] }, ['status.volumeHealth[0].name: Not found: "v"']],
    [
      'strange health',
      {
        'spec/volumes': [{ name: 'v', emptyDir: {} }],
        'status/volumeHealth': [health({ status: 'x', reason: '-' }, { status: 'Degraded', reason: '' })],
      },
      [
        'status.volumeHealth[0].healthConditions[0].reason: Invalid value: "-": a condition reason must start with…',
        'status.volumeHealth[0].healthConditions[0].status: Unsupported value: "x": supported values: "DataLoss", "Degraded", "Inaccessible"',
        'status.volumeHealth[0].healthConditions[1].reason: Required value',
      ],
    ],
  ])('%s', (name, set, told) => judge({ of: POD, case: name, set, change: {}, via: 'status', told }))

  it.each<readonly [string, Tweak, readonly string[]]>([
    [
      'operations that are skipped',
      { 'spec/skipNodeOperations': ['NodePrepareResources', 'x', 'x'] },
      [
        'spec.skipNodeOperations: Invalid value: ["NodePrepareResources","x","x"]: NodePrepareResources cannot be skipped…',
        'spec.skipNodeOperations[1]: Unsupported value: "x": supported values: "*", "NodePrepareResources", "NodeUnprepareResources"',
        'spec.skipNodeOperations[2]: Unsupported value: "x": supported values: "*", "NodePrepareResources", "NodeUnprepareResources"',
        'spec.skipNodeOperations[2]: Duplicate value: "x"',
      ],
    ],
    [
      'the type of partitions without devices',
      { 'spec/partitionTypeAttribute': 'x.y/z' },
      ['spec.partitionTypeAttribute: Invalid value: "x.y/z": may only be set on a slice which declares devices that…'],
    ],
    [
      'the resources of a node',
      {
        'spec/devices': [
          {
            name: 'd',
            nodeAllocatableResources: {
              pods: {},
              cpu: { mapping: { capacityKey: 'c' }, overhead: {} },
              memory: { mapping: { deviceMultiplier: '0' }, overhead: { perPod: '-1' } },
            },
          },
        ],
      },
      [
        'spec.devices[0].nodeAllocatableResources[pods]: Invalid value: "pods": must be a node allocatable resource name',
        'spec.devices[0].nodeAllocatableResources[pods]: Required value: at least one of mapping or overhead must be set',
        'spec.devices[0].nodeAllocatableResources[cpu].mapping.capacityKey: Not found: "c"',
        'spec.devices[0].nodeAllocatableResources[cpu].mapping.capacityMultiplier: Required value: capacityMultiplier is required when capacityKey is set',
        'spec.devices[0].nodeAllocatableResources[cpu].overhead: Invalid value: "": at least one of perPod or perContainer must be set',
        'spec.devices[0].nodeAllocatableResources[memory].mapping.deviceMultiplier: Invalid value: "0": must be positive',
        'spec.devices[0].nodeAllocatableResources[memory].overhead.perPod: Invalid value: "-1": must be non-negative',
      ],
    ],
  ])('%s', (name, set, told) => judge({ of: SLICE, case: name, set, told }))

  it('attributes that expressions derive', () => {
    const derived = (...derivedAttributes: readonly Value[]): Tweak => ({
      'spec/devices': {
        requests: [
          { name: 'r', exactly: { deviceClassName: 'c', allocationMode: 'ExactCount', count: 1, derivedAttributes } },
        ],
        constraints: [{ matchAttribute: 'a.b/c' }],
      },
    })
    const AT = 'spec.devices.requests[0].exactly.derivedAttributes'
    const row = { of: 'resource.k8s.io/v1 ResourceClaim', case: '' }
    judge({ ...row, set: derived({ name: 'a.b/c', expression: 'device.driver' }), told: [] })
    judge({
      ...row,
      set: derived({ name: '', expression: '' }, { name: 'd', expression: '[1]' }, { name: 'a.b/c', expression: 'x' }),
      told: [
        `${AT}[0].name: Required value`,
        `${AT}[0].expression: Required value`,
        `${AT}[1].name: Invalid value: "d": a fully qualified name must be a domain and a name separated by a slash`,
        `${AT}[1].name: Invalid value: "d": must be referenced by at least one matchAttribute or distinctAttribute…`,
        `${AT}[1].expression: Invalid value: "[1]": must evaluate to a primitive scalar (string, integer, boolean, semver), not list(int)`,
        `${AT}[2].expression: Invalid value: "x": compilation failed: …`,
      ],
    })
  })

  it('the scheduling of a job', () => {
    const row = { of: 'batch/v1 Job', case: '', gates: ['WorkloadWithJob'] }
    const scheduling = (value: Value | undefined): Tweak => ({ 'spec/scheduling': value })
    const AT = 'spec.scheduling'
    const policy = (gang: Value): Value => ({ schedulingPolicy: { gang } })
    const basic = { schedulingPolicy: { basic: {} } }
    judge({ ...row, set: scheduling({ ...basic, disruptionMode: { single: {} } }), told: [] })
    judge({
      ...row,
      set: scheduling({ schedulingPolicy: {}, disruptionMode: { all: {} }, resourceClaims: [{ name: '-' }] }),
      told: [
        `${AT}.disruptionMode: Invalid value: "": the disruptionMode \`all\` is not supported with the Basic scheduling policy`,
        `${AT}.schedulingPolicy: Invalid value: "": must specify one of: \`basic\`, \`gang\``,
        `${AT}.resourceClaims[0]: Invalid value: "": must specify one of: \`resourceClaimName\`, \`resourceClaimTemplateName\``,
        `${AT}.resourceClaims[0].name: Invalid value: "-": ${LABEL}`,
      ],
    })
    const MIN = `${AT}.schedulingPolicy.gang.minCount: Invalid value:`
    judge({
      ...row,
      set: scheduling(policy({ minCount: 9 })),
      told: [`${MIN} 9: must not be greater than parallelism (1)`],
    })
    judge({ ...row, set: scheduling(policy({ minCount: 0 })), told: [`${MIN} 0: must be greater than or equal to 1`] })
    const changed = (before: Value | undefined, after: Value | undefined, ...told: readonly string[]): void =>
      judge({ ...row, set: scheduling(before), change: scheduling(after), told })
    changed(undefined, basic, `${AT}: Invalid value: null: field cannot be set once created`)
    changed(basic, undefined, `${AT}: Invalid value: null: field cannot be cleared once set`)
    changed(basic, {}, `${AT}.schedulingPolicy: Invalid value: null: field cannot be cleared once set`)
    changed(
      basic,
      policy({}),
      `${AT}.schedulingPolicy: Invalid value: null: the basic/gang policy variant is immutable…`,
    )
    changed(policy({}), policy({ minCount: 1 }))
    changed(
      basic,
      { ...basic, disruptionMode: { single: {} } },
      `${AT}.disruptionMode: Invalid value: {"single":{}}: field is…`,
    )
  })

  it('the volumes of a resized pod', () => {
    const row = { of: POD, via: 'resize', gates: ['InPlacePodVerticalScalingMemoryBackedVolumes'] }
    const volume = (medium: string, sizeLimit?: string): Value => ({
      name: 'v',
      emptyDir: { medium, ...(sizeLimit && { sizeLimit }) },
    })
    const told = (before: Value, after: Value, ...faults: readonly string[]): void =>
      judge({ ...row, case: '', set: { 'spec/volumes': [before] }, change: { 'spec/volumes': [after] }, told: faults })
    told(volume('Memory', '1Mi'), volume('Memory', '2Mi'))
    const LIMIT = 'spec.volumes[0].emptyDir.sizeLimit: Forbidden: '
    told(volume('', '1Mi'), volume('', '2Mi'), `${LIMIT}sizeLimit is only mutable for memory-backed emptyDir volumes`)
    told(volume('Memory'), volume('Memory', '2Mi'), `${LIMIT}adding or removing sizeLimit on an existing volume is…`)
    const moved = 'spec.volumes[0]: Forbidden: only sizeLimit of memory-backed emptyDir volumes is mutable on resize'
    told(volume('Memory', '1Mi'), volume('', '1Mi'), moved)
  })

  it('the generation of the condition of an autoscaler', () => {
    const condition = { type: 'AbleToScale', status: 'True', observedGeneration: -1 }
    judge({
      of: 'autoscaling/v2 HorizontalPodAutoscaler',
      case: '',
      change: { 'status/conditions': [condition] },
      via: 'status',
      told: ['status.conditions[0].observedGeneration: Invalid value: -1: must be greater than or equal to 0'],
    })
  })
})
