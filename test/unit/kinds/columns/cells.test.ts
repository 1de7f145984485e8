import { describe, expect, it } from 'vitest'
import type { Value, ValueMap } from '../../../../src/api/value.ts'
import { DEFAULT_TABLE } from '../../../../src/codec/table.ts'
import { columnsOf } from '../../../fakes/kind-of.ts'
import { COLUMNS } from './columns.ts'

const NOW = Date.parse('2026-03-01T12:00:00Z')
/** 125 s before. */
const CREATED = '2026-03-01T11:57:55Z'
const AGE = '2m5s'
const HOUR_AGO = '2026-03-01T11:00:00Z'

function split(key: string): { group: string; kind: string } {
  const [group = '', kind = ''] = key.split(' ')
  return { group, kind }
}

/** The cells of an object, without name and age, which are the same for all. */
function cellsOf(key: string, object: ValueMap): readonly Value[] {
  const metadata = { name: 'a', creationTimestamp: CREATED, ...(object['metadata'] as ValueMap | undefined) }
  const cells = columnsOf(split(key)).cells({ ...object, metadata }, NOW)
  return cells.filter((cell) => cell !== 'a' && cell !== AGE)
}

describe('columns (R-358, R-359)', () => {
  it.each(Object.entries(COLUMNS))('of %s', (key, expected) => {
    const columns = columnsOf(split(key)).columns.map(({ name, type, format, priority }) => {
      const detail = type === 'string' && format === '' ? '' : ` : ${type}${format === '' ? '' : ` ${format}`}`
      return `${priority === 0 ? '' : '|'}${name}${detail}`
    })
    expect(columns).toEqual(expected)
  })

  it.each(Object.keys(COLUMNS))('%s has a cell a column, even for an empty object', (key) => {
    const { columns, cells } = columnsOf(split(key))
    // The reference gives addresses their age without a column for it.
    const more = key === 'networking.k8s.io IPAddress' ? 1 : 0
    expect(cells({}, NOW)).toHaveLength(columns.length + more)
    expect(columns.every(({ description }) => description !== '')).toBe(true)
  })

  it.each([
    ' LimitRange',
    'rbac.authorization.k8s.io ClusterRole',
    'storage.k8s.io CSIStorageCapacity',
    'x.io constructor',
  ])('%s has the default table', (key) => {
    const shape = columnsOf(split(key))
    expect(shape).toBe(DEFAULT_TABLE)
    expect(shape.columns.map(({ name, type, format }) => [name, type, format])).toEqual([
      ['Name', 'string', 'name'],
      ['Created At', 'date', ''],
    ])
    expect(shape.cells({ metadata: { name: 'a', creationTimestamp: CREATED } }, NOW)).toEqual(['a', CREATED])
  })
})

describe('cells', () => {
  it('name and age', () => {
    const { cells } = columnsOf(split(' ServiceAccount'))
    expect(cells({ metadata: { name: 'a', creationTimestamp: CREATED } }, NOW)).toEqual(['a', AGE])
    expect(cells({ metadata: { name: 'a' } }, NOW)).toEqual(['a', '<unknown>'])
  })

  const template = {
    spec: {
      containers: [
        { name: 'c', image: 'i:1' },
        { name: 'd', image: 'j' },
      ],
    },
  }
  const selector = { matchLabels: { app: 'x' }, matchExpressions: [{ key: 'b', operator: 'Exists' }] }
  const condition = (type: string, status = 'True', more: ValueMap = {}) => ({ type, status, ...more })

  it.each<[string, string, ValueMap, readonly Value[]]>([
    [' Namespace', 'active', { status: { phase: 'Active' } }, ['Active']],
    [' ConfigMap', 'both kinds of data', { data: { k: 'v' }, binaryData: { l: 'dg==' } }, [2]],
    [' ConfigMap', 'no data', {}, [0]],
    [' Secret', 'one entry', { type: 'Opaque', data: { k: 'dg==' } }, ['Opaque', 1]],
    [
      ' Node',
      'ready, with roles and addresses',
      {
        metadata: {
          labels: {
            'node-role.kubernetes.io/worker': '',
            'kubernetes.io/role': 'edge',
            'node-role.kubernetes.io/': '',
          },
        },
        spec: { unschedulable: true },
        status: {
          conditions: [condition('Ready')],
          addresses: [
            { type: 'ExternalIP', address: '1.2.3.4' },
            { type: 'InternalIP', address: '10.0.0.1' },
          ],
          nodeInfo: {
            kubeletVersion: 'v1',
            osImage: 'os',
            kernelVersion: '6',
            architecture: 'arm64',
            containerRuntimeVersion: 'c://2',
          },
        },
      },
      ['Ready,SchedulingDisabled', 'edge,worker', 'v1', '10.0.0.1', '1.2.3.4', 'os', '6 (arm64)', 'c://2'],
    ],
    [' Node', 'unknown', {}, ['Unknown', '<none>', '', '<none>', '<none>', '<unknown>', '<unknown>', '<unknown>']],
    [
      ' Node',
      'not ready',
      { status: { conditions: [condition('Ready', 'Unknown')] } },
      ['NotReady', '<none>', '', '<none>', '<none>', '<unknown>', '<unknown>', '<unknown>'],
    ],
    [
      ' PodTemplate',
      'two containers',
      { template: { ...template, metadata: { labels: { b: '2', a: '1' } } } },
      ['c,d', 'i:1,j', 'a=1,b=2'],
    ],
    [
      ' ReplicationController',
      'scaled',
      { spec: { replicas: 3, selector: { app: 'x' }, template }, status: { replicas: 2, readyReplicas: 1 } },
      [3, 2, 1, 'c,d', 'i:1,j', 'app=x'],
    ],
    [
      'apps ReplicaSet',
      'scaled',
      { spec: { replicas: 3, selector, template }, status: { replicas: 2 } },
      [3, 2, 0, 'c,d', 'i:1,j', 'app=x,b'],
    ],
    [
      'apps Deployment',
      'rolling out',
      {
        spec: { replicas: 2, selector, template },
        status: { readyReplicas: 1, updatedReplicas: 2, availableReplicas: 1 },
      },
      ['1/2', 2, 1, 'c,d', 'i:1,j', 'app=x,b'],
    ],
    ['apps StatefulSet', 'none ready', { spec: { replicas: 2, template }, status: {} }, ['0/2', 'c,d', 'i:1,j']],
    [
      'apps DaemonSet',
      'on some nodes',
      {
        spec: { selector: {}, template: { spec: { ...template.spec, nodeSelector: { disk: 'ssd' } } } },
        status: {
          desiredNumberScheduled: 5,
          currentNumberScheduled: 4,
          numberReady: 3,
          updatedNumberScheduled: 2,
          numberAvailable: 1,
        },
      },
      [5, 4, 3, 2, 1, 'disk=ssd', 'c,d', 'i:1,j', '<none>'],
    ],
    [
      'apps ControllerRevision',
      'of a set',
      {
        metadata: { ownerReferences: [{ apiVersion: 'apps/v1', kind: 'StatefulSet', name: 's', controller: true }] },
        revision: 7,
      },
      ['statefulset.apps/s', 7],
    ],
    ['apps ControllerRevision', 'of nobody', { revision: 9007199254740993n }, ['<none>', 9007199254740993n]],
    [
      'batch Job',
      'complete',
      {
        spec: { completions: 3, template, selector },
        status: {
          succeeded: 3,
          startTime: '2026-03-01T10:00:00Z',
          completionTime: '2026-03-01T10:01:30Z',
          conditions: [condition('Complete')],
        },
      },
      ['Complete', '3/3', '90s', 'c,d', 'i:1,j', 'app=x,b'],
    ],
    [
      'batch Job',
      'running for an hour, any of several',
      { spec: { parallelism: 4, template }, status: { startTime: HOUR_AGO } },
      ['Running', '0/1 of 4', '60m', 'c,d', 'i:1,j', '<none>'],
    ],
    [
      'batch Job',
      'not started',
      { spec: { parallelism: 1, template }, status: { conditions: [condition('Suspended')] } },
      ['Suspended', '0/1', '', 'c,d', 'i:1,j', '<none>'],
    ],
    [
      'batch Job',
      'being deleted',
      {
        metadata: { deletionTimestamp: HOUR_AGO },
        spec: { template },
        status: { conditions: [condition('SuccessCriteriaMet')] },
      },
      ['Terminating', '0/1', '', 'c,d', 'i:1,j', '<none>'],
    ],
    [
      'batch CronJob',
      'suspended',
      {
        spec: { schedule: '* * * * *', suspend: true, timeZone: 'Etc/UTC', jobTemplate: { spec: { template } } },
        status: { active: [{}], lastScheduleTime: HOUR_AGO },
      },
      ['* * * * *', 'Etc/UTC', 'True', 1, '60m', 'c,d', 'i:1,j', '<none>'],
    ],
    [
      'batch CronJob',
      'never ran',
      { spec: { schedule: '@daily', suspend: false, jobTemplate: { spec: { template, selector } } } },
      ['@daily', '<none>', 'False', 0, '<none>', 'c,d', 'i:1,j', 'app=x,b'],
    ],
    [
      'autoscaling HorizontalPodAutoscaler',
      'three metrics',
      {
        spec: {
          scaleTargetRef: { kind: 'Deployment', name: 'd' },
          minReplicas: 1,
          maxReplicas: 5,
          metrics: [
            { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 80 } } },
            { type: 'Pods', pods: { target: { averageValue: '10' } } },
            { type: 'External', external: { target: { value: '3' } } },
          ],
        },
        status: {
          currentReplicas: 2,
          currentMetrics: [{ type: 'Resource', resource: { current: { averageUtilization: 50 } } }],
        },
      },
      ['Deployment/d', 'cpu: 50%/80%, <unknown>/10 + 1 more...', '1', 5, 2],
    ],
    [
      'autoscaling HorizontalPodAutoscaler',
      'averages and containers',
      {
        spec: {
          scaleTargetRef: { kind: 'D', name: 'd' },
          maxReplicas: 5,
          metrics: [
            { type: 'Object', object: { target: { averageValue: '4' } } },
            { type: 'ContainerResource', containerResource: { name: 'memory', target: { averageValue: '1Gi' } } },
          ],
        },
        status: { currentMetrics: [{ object: { current: { averageValue: '2' } } }] },
      },
      ['D/d', '2/4 (avg), memory: <unknown>/1Gi', '<unset>', 5, 0],
    ],
    [
      'autoscaling HorizontalPodAutoscaler',
      'of the first version',
      { spec: { scaleTargetRef: { kind: 'D', name: 'd' }, maxReplicas: 5, targetCPUUtilizationPercentage: 70 } },
      ['D/d', 'cpu: <unknown>/70%', '<unset>', 5, 0],
    ],
    [
      'autoscaling HorizontalPodAutoscaler',
      'no metrics',
      { spec: { scaleTargetRef: { kind: 'D', name: 'd' }, maxReplicas: 5 } },
      ['D/d', '<none>', '<unset>', 5, 0],
    ],
    ['autoscaling Scale', 'scaled', { spec: { replicas: 2 }, status: { replicas: 1 } }, [2, 1]],
    [
      ' Service',
      'headless with two ports',
      {
        spec: {
          type: 'ClusterIP',
          clusterIPs: ['None'],
          selector: { app: 'x' },
          ports: [
            { port: 80, protocol: 'TCP' },
            { port: 53, nodePort: 3053, protocol: 'UDP' },
          ],
        },
      },
      ['ClusterIP', 'None', '<none>', '80/TCP,53:3053/UDP', 'app=x'],
    ],
    [
      ' Service',
      'elsewhere',
      { spec: { type: 'ExternalName', externalName: 'example.com' } },
      ['ExternalName', '<none>', 'example.com', '<none>', '<none>'],
    ],
    [
      ' Service',
      'balanced',
      {
        spec: { type: 'LoadBalancer', clusterIPs: ['10.0.0.1'], externalIPs: ['9.9.9.9'] },
        status: { loadBalancer: { ingress: [{ hostname: 'z' }, { ip: '1.1.1.1' }, { ip: '1.1.1.1' }] } },
      },
      ['LoadBalancer', '10.0.0.1', '1.1.1.1,z,9.9.9.9', '<none>', '<none>'],
    ],
    [
      ' Service',
      'waiting for a balancer',
      { spec: { type: 'LoadBalancer', clusterIPs: ['10.0.0.1'] } },
      ['LoadBalancer', '10.0.0.1', '<pending>', '<none>', '<none>'],
    ],
    [
      ' Service',
      'on nodes',
      { spec: { type: 'NodePort', clusterIPs: ['10.0.0.1'], externalIPs: ['9.9.9.9', '8.8.8.8'] } },
      ['NodePort', '10.0.0.1', '9.9.9.9,8.8.8.8', '<none>', '<none>'],
    ],
    [
      ' Endpoints',
      'more than three',
      {
        subsets: [
          { addresses: [{ ip: '1.1.1.1' }, { ip: '::1' }], ports: [{ port: 80 }, { port: 81 }] },
          { addresses: [{ ip: '2.2.2.2' }] },
        ],
      },
      ['1.1.1.1:80,[::1]:80,1.1.1.1:81 + 2 more...'],
    ],
    [' Endpoints', 'none', {}, ['<none>']],
    [
      'discovery.k8s.io EndpointSlice',
      'ports by number, name and any',
      {
        addressType: 'IPv4',
        ports: [{ port: 80 }, { name: 'web' }, {}, { port: 1 }],
        endpoints: [{ addresses: ['1.1.1.1', '2.2.2.2'] }, { addresses: ['3.3.3.3'] }],
      },
      ['IPv4', '80,web,* + 1 more...', '1.1.1.1,2.2.2.2,3.3.3.3'],
    ],
    ['discovery.k8s.io EndpointSlice', 'empty', { addressType: 'IPv6' }, ['IPv6', '<unset>', '<unset>']],
    [
      'networking.k8s.io Ingress',
      'secure, for many hosts',
      {
        spec: {
          ingressClassName: 'n',
          tls: [{}],
          rules: [{ host: 'a' }, {}, { host: 'b' }, { host: 'c' }, { host: 'd' }],
        },
        status: { loadBalancer: { ingress: [{ ip: '1.1.1.1' }] } },
      },
      ['n', 'a,b,c + 2 more...', '1.1.1.1', '80, 443'],
    ],
    ['networking.k8s.io Ingress', 'for all', { spec: {} }, ['<none>', '*', '', '80']],
    [
      'networking.k8s.io IngressClass',
      'the default one',
      {
        metadata: { annotations: { 'ingressclass.kubernetes.io/is-default-class': 'true' } },
        spec: { controller: 'x/y', parameters: { kind: 'P', apiGroup: 'x.io', name: 'p' } },
      },
      ['a (default)', 'x/y', 'P.x.io/p'],
    ],
    ['networking.k8s.io IngressClass', 'another', { spec: { controller: 'x/y' } }, ['x/y', '<none>']],
    ['networking.k8s.io NetworkPolicy', 'of all pods', { spec: { podSelector: {} } }, ['<none>']],
    [
      'networking.k8s.io ServiceCIDR',
      'two ranges',
      { spec: { cidrs: ['10.0.0.0/8', 'fd00::/64'] } },
      ['10.0.0.0/8,fd00::/64'],
    ],
    [
      'networking.k8s.io IPAddress',
      'of a service',
      { spec: { parentRef: { resource: 'services', namespace: 'n', name: 's' } } },
      ['services/n/s'],
    ],
    [
      'networking.k8s.io IPAddress',
      'of a thing of a group',
      { spec: { parentRef: { group: 'X.io', resource: 'Things', name: 's' } } },
      ['things.x.io/s'],
    ],
    [
      ' PersistentVolume',
      'bound',
      {
        spec: {
          capacity: { storage: '5Gi' },
          accessModes: ['ReadWriteMany', 'ReadWriteOnce'],
          persistentVolumeReclaimPolicy: 'Retain',
          claimRef: { namespace: 'n', name: 'c' },
          storageClassName: 'fast',
          volumeMode: 'Filesystem',
        },
        status: { phase: 'Bound', reason: 'why' },
      },
      ['5Gi', 'RWO,RWX', 'Retain', 'Bound', 'n/c', 'fast', '<unset>', 'why', 'Filesystem'],
    ],
    [
      ' PersistentVolume',
      'going',
      { metadata: { deletionTimestamp: HOUR_AGO }, spec: {} },
      ['0', '', '', 'Terminating', '', '', '<unset>', '', '<unset>'],
    ],
    [
      ' PersistentVolumeClaim',
      'bound',
      {
        metadata: { annotations: { 'volume.beta.kubernetes.io/storage-class': 'old' } },
        spec: { volumeName: 'v', storageClassName: 'fast', volumeAttributesClassName: 'gold', volumeMode: 'Block' },
        status: { phase: 'Bound', accessModes: ['ReadOnlyMany', 'ReadWriteOncePod'], capacity: { storage: '1Gi' } },
      },
      ['Bound', 'v', '1Gi', 'ROX,RWOP', 'old', 'gold', 'Block'],
    ],
    [
      ' PersistentVolumeClaim',
      'pending',
      { spec: { storageClassName: 'fast' }, status: { phase: 'Pending' } },
      ['Pending', '', '', '', 'fast', '<unset>', '<unset>'],
    ],
    [
      'storage.k8s.io StorageClass',
      'the default one',
      {
        metadata: { annotations: { 'storageclass.kubernetes.io/is-default-class': 'true' } },
        provisioner: 'p',
        allowVolumeExpansion: true,
      },
      ['a (default)', 'p', 'Delete', 'Immediate', true],
    ],
    [
      'storage.k8s.io StorageClass',
      'another',
      { provisioner: 'p', reclaimPolicy: 'Retain', volumeBindingMode: 'WaitForFirstConsumer' },
      ['p', 'Retain', 'WaitForFirstConsumer', false],
    ],
    [
      'storage.k8s.io VolumeAttachment',
      'attached',
      { spec: { attacher: 'x', nodeName: 'n', source: { persistentVolumeName: 'v' } }, status: { attached: true } },
      ['x', 'v', 'n', true],
    ],
    ['storage.k8s.io VolumeAttributesClass', 'any', { driverName: 'd' }, ['d']],
    ['storage.k8s.io CSINode', 'two drivers', { spec: { drivers: [{}, {}] } }, [2]],
    ['storage.k8s.io CSIDriver', 'by default', { spec: {} }, [true, false, false, '<unset>', false, '<none>']],
    [
      'storage.k8s.io CSIDriver',
      'all said',
      {
        spec: {
          attachRequired: false,
          podInfoOnMount: true,
          storageCapacity: true,
          tokenRequests: [{ audience: 'x' }, { audience: 'y' }],
          requiresRepublish: true,
          volumeLifecycleModes: ['Persistent', 'Ephemeral'],
        },
      },
      [false, true, true, 'x,y', true, 'Persistent,Ephemeral'],
    ],
    [
      ' Event',
      'of a pod, in a series',
      {
        type: 'Normal',
        reason: 'Started',
        involvedObject: { kind: 'Pod', name: 'p', fieldPath: 'spec.containers{c}' },
        source: { component: 'agent', host: 'h' },
        message: ' it still runs \n',
        firstTimestamp: '2026-03-01T09:00:00Z',
        lastTimestamp: '2026-03-01T09:00:00Z',
        series: { count: 4, lastObservedTime: '2026-03-01T11:59:00.000000Z' },
      },
      ['60s', 'Normal', 'Started', 'pod/p', 'spec.containers{c}', 'agent, h', 'it still runs', '3h', 4],
    ],
    [
      ' Event',
      'a single one',
      {
        type: 'Warning',
        reason: 'R',
        involvedObject: { kind: 'Node' },
        reportingComponent: 'c',
        message: 'm',
        firstTimestamp: null,
        eventTime: '2026-03-01T11:00:00.000000Z',
      },
      ['60m', 'Warning', 'R', 'node', '', 'c', 'm', '60m', 1],
    ],
    [
      'events.k8s.io Event',
      'in the words of its group',
      {
        type: 'Normal',
        reason: 'R',
        regarding: { kind: 'Pod', name: 'p' },
        note: 'm',
        reportingController: 'c',
        reportingInstance: 'i',
        deprecatedCount: 3,
        deprecatedFirstTimestamp: HOUR_AGO,
        deprecatedLastTimestamp: '2026-03-01T11:59:00Z',
      },
      ['60s', 'Normal', 'R', 'pod/p', '', 'c, i', 'm', '60m', 3],
    ],
    [
      ' ResourceQuota',
      'limits apart',
      {
        status: {
          hard: { pods: '5', 'limits.cpu': '2', 'requests.cpu': '1', limits: '9' },
          used: { pods: '3', 'limits.cpu': '500m' },
        },
      },
      ['limits: 0/9, pods: 3/5, requests.cpu: 0/1', 'limits.cpu: 500m/2'],
    ],
    [
      ' ComponentStatus',
      'healthy',
      { conditions: [{ type: 'Healthy', status: 'True', message: 'ok' }] },
      ['Healthy', 'ok', ''],
    ],
    [
      ' ComponentStatus',
      'not',
      { conditions: [{ type: 'Healthy', status: 'False', error: 'e' }] },
      ['Unhealthy', '', 'e'],
    ],
    ['coordination.k8s.io Lease', 'held', { spec: { holderIdentity: 'h' } }, ['h']],
    [
      'scheduling.k8s.io PriorityClass',
      'high',
      { value: 1000, globalDefault: true, preemptionPolicy: 'Never' },
      [1000, true, 'Never'],
    ],
    ['scheduling.k8s.io PriorityClass', 'zero', { value: 0 }, [0, false, '']],
    ['node.k8s.io RuntimeClass', 'any', { handler: 'runsc' }, ['runsc']],
    [
      'flowcontrol.apiserver.k8s.io FlowSchema',
      'well bound',
      {
        spec: {
          priorityLevelConfiguration: { name: 'l' },
          matchingPrecedence: 100,
          distinguisherMethod: { type: 'ByUser' },
        },
        status: { conditions: [condition('Dangling', 'False')] },
      },
      ['l', 100, 'ByUser', 'False'],
    ],
    [
      'flowcontrol.apiserver.k8s.io FlowSchema',
      'not seen yet',
      { spec: { priorityLevelConfiguration: { name: 'l' }, matchingPrecedence: 100 } },
      ['l', 100, '<none>', '?'],
    ],
    [
      'flowcontrol.apiserver.k8s.io PriorityLevelConfiguration',
      'queuing',
      {
        spec: {
          type: 'Limited',
          limited: {
            nominalConcurrencyShares: 30,
            limitResponse: { type: 'Queue', queuing: { queues: 64, handSize: 6, queueLengthLimit: 50 } },
          },
        },
      },
      ['Limited', 30, 64, 6, 50],
    ],
    [
      'flowcontrol.apiserver.k8s.io PriorityLevelConfiguration',
      'exempt',
      { spec: { type: 'Exempt' } },
      ['Exempt', '<none>', '<none>', '<none>', '<none>'],
    ],
    [
      'flowcontrol.apiserver.k8s.io PriorityLevelConfiguration',
      'rejecting',
      { spec: { type: 'Limited', limited: { limitResponse: { type: 'Reject' } } } },
      ['Limited', 0, '<none>', '<none>', '<none>'],
    ],
    ['resource.k8s.io ResourceClaim', 'new', {}, ['pending']],
    [
      'resource.k8s.io ResourceClaim',
      'in use',
      { status: { allocation: {}, reservedFor: [{}] } },
      ['allocated,reserved'],
    ],
    [
      'resource.k8s.io ResourceClaim',
      'going',
      { metadata: { deletionTimestamp: HOUR_AGO }, status: { allocation: {} } },
      ['deleted,allocated'],
    ],
    ['resource.k8s.io ResourceClaim', 'gone unused', { metadata: { deletionTimestamp: HOUR_AGO } }, ['deleted']],
    [
      'resource.k8s.io ResourceSlice',
      'of a node',
      { spec: { nodeName: 'n', driver: 'd', pool: { name: 'p' } } },
      ['n', 'd', 'p'],
    ],
    [
      'apiregistration.k8s.io APIService',
      'our own',
      { status: { conditions: [condition('Available', 'True', { reason: 'Local' })] } },
      ['Local', 'True'],
    ],
    [
      'apiregistration.k8s.io APIService',
      'of another',
      {
        spec: { service: { namespace: 'n', name: 's' } },
        status: { conditions: [condition('Available', 'False', { reason: 'Gone' })] },
      },
      ['n/s', 'False (Gone)'],
    ],
    ['apiregistration.k8s.io APIService', 'new', {}, ['Local', 'Unknown']],
    [
      'rbac.authorization.k8s.io RoleBinding',
      'all sorts of subjects',
      {
        roleRef: { kind: 'Role', name: 'r' },
        subjects: [
          { kind: 'User', name: 'u' },
          { kind: 'ServiceAccount', namespace: 'n', name: 's' },
          { kind: 'Group', name: 'g' },
          { kind: 'User', name: 'v' },
        ],
      },
      ['Role/r', 'u, v', 'g', 'n/s'],
    ],
    [
      'rbac.authorization.k8s.io ClusterRoleBinding',
      'of nobody',
      { roleRef: { kind: 'ClusterRole', name: 'r' } },
      ['ClusterRole/r', '', '', ''],
    ],
    [
      'certificates.k8s.io CertificateSigningRequest',
      'issued',
      {
        spec: { signerName: 's', username: 'u', expirationSeconds: 86400 },
        status: { conditions: [condition('Approved')], certificate: 'YQ==' },
      },
      ['s', 'u', '24h', 'Approved,Issued'],
    ],
    [
      'certificates.k8s.io CertificateSigningRequest',
      'denied and failed',
      { spec: {}, status: { conditions: [condition('Failed'), condition('Approved'), condition('Denied')] } },
      ['<none>', '', '<none>', 'Denied,Failed'],
    ],
    ['certificates.k8s.io CertificateSigningRequest', 'new', { spec: {} }, ['<none>', '', '<none>', 'Pending']],
    ['admissionregistration.k8s.io MutatingWebhookConfiguration', 'two', { webhooks: [{}, {}] }, [2]],
    ['admissionregistration.k8s.io ValidatingWebhookConfiguration', 'none', {}, [0]],
    [
      'admissionregistration.k8s.io ValidatingAdmissionPolicy',
      'with parameters',
      { spec: { validations: [{}], paramKind: { apiVersion: 'v1', kind: 'ConfigMap' } } },
      [1, 'v1/ConfigMap'],
    ],
    [
      'admissionregistration.k8s.io MutatingAdmissionPolicy',
      'without',
      { spec: { mutations: [{}, {}] } },
      [2, '<unset>'],
    ],
    [
      'admissionregistration.k8s.io ValidatingAdmissionPolicyBinding',
      'by name',
      { spec: { policyName: 'p', paramRef: { name: 'x' } } },
      ['p', '*/x'],
    ],
    [
      'admissionregistration.k8s.io MutatingAdmissionPolicyBinding',
      'by place',
      { spec: { policyName: 'p', paramRef: { name: 'x', namespace: 'n' } } },
      ['p', 'n/x'],
    ],
    [
      'admissionregistration.k8s.io MutatingAdmissionPolicyBinding',
      'by labels',
      { spec: { policyName: 'p', paramRef: { selector: { matchLabels: { b: 'c' } } } } },
      ['p', '&LabelSelector{MatchLabels:map[string]string{b: c,},MatchExpressions:[]LabelSelectorRequirement{},}'],
    ],
    [
      'admissionregistration.k8s.io MutatingAdmissionPolicyBinding',
      'by nothing',
      { spec: { policyName: 'p' } },
      ['p', '<unset>'],
    ],
    [
      'policy PodDisruptionBudget',
      'by number',
      { spec: { minAvailable: 2 }, status: { disruptionsAllowed: 1 } },
      ['2', 'N/A', 1],
    ],
    ['policy PodDisruptionBudget', 'by share', { spec: { maxUnavailable: '50%' } }, ['N/A', '50%', 0]],
    ['certificates.k8s.io ClusterTrustBundle', 'of a signer', { spec: { signerName: 's' } }, ['s']],
    [
      'coordination.k8s.io LeaseCandidate',
      'any',
      { spec: { leaseName: 'l', binaryVersion: '1', emulationVersion: '2' } },
      ['l', '1', '2'],
    ],
    [
      'meta.k8s.io Status',
      'a failure',
      { status: 'Failure', reason: 'NotFound', message: 'gone' },
      ['Failure', 'NotFound', 'gone'],
    ],
  ])('%s, %s', (key, _name, object, expected) => {
    expect(cellsOf(key, object)).toEqual(expected)
  })
})
