import { describe, expect, it } from 'vitest'
import type { ValueMap } from '../../../../src/api/value.ts'
import { defaulted, NOW } from './defaulting.ts'

const POD_SPEC: ValueMap = {
  dnsPolicy: 'ClusterFirst',
  restartPolicy: 'Always',
  securityContext: {},
  terminationGracePeriodSeconds: 30,
  schedulerName: 'default-scheduler',
}
const TEMPLATE: ValueMap = { spec: POD_SPEC }
const LABELS = { metadata: { labels: { a: 'b' } } }

/** A daemon set that does not count its templates yet. */
const UNCOUNTED = { annotations: { 'deprecated.daemonset.template.generation': '0' } }
const SELECTION: ValueMap = { matchPolicy: 'Equivalent', namespaceSelector: {}, objectSelector: {} }
const CPU_METRIC: ValueMap = {
  type: 'Resource',
  resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 80 } },
}
const ALL: ValueMap = { type: 'Percent', value: 100, periodSeconds: 15 }
const DEVICES = (request: ValueMap): ValueMap => ({
  devices: { requests: [{ name: 'r', exactly: request, firstAvailable: [request] }] },
})
const SOURCES: ValueMap = { hostPath: {}, rbd: {}, iscsi: {}, azureDisk: {}, scaleIO: {} }
const FILLED_SOURCES: ValueMap = {
  hostPath: { type: '' },
  rbd: { pool: 'rbd', user: 'admin', keyring: '/etc/ceph/keyring' },
  iscsi: { iscsiInterface: 'default' },
  azureDisk: { cachingMode: 'ReadWrite', fsType: 'ext4', readOnly: false, kind: 'Shared' },
  scaleIO: { storageMode: 'ThinProvisioned', fsType: 'xfs' },
}

interface Row {
  readonly of: string
  readonly given: ValueMap
  readonly meant: ValueMap
  readonly gates?: readonly string[]
  readonly as?: string
}

const PATHS: readonly Row[] = [
  ...['MutatingAdmissionPolicy', 'ValidatingAdmissionPolicy'].map((kind) => ({
    of: `admissionregistration.k8s.io/v1 ${kind}`,
    given: { spec: { matchConstraints: { resourceRules: [{}], excludeResourceRules: [{ scope: 'Cluster' }] } } },
    meant: {
      spec: {
        failurePolicy: 'Fail',
        matchConstraints: {
          ...SELECTION,
          resourceRules: [{ scope: '*' }],
          excludeResourceRules: [{ scope: 'Cluster' }],
        },
      },
    },
  })),
  ...['MutatingAdmissionPolicyBinding', 'ValidatingAdmissionPolicyBinding'].map((kind) => ({
    of: `admissionregistration.k8s.io/v1 ${kind}`,
    given: { spec: { matchResources: { resourceRules: [{}], excludeResourceRules: [{}] } } },
    meant: {
      spec: {
        matchResources: { ...SELECTION, resourceRules: [{ scope: '*' }], excludeResourceRules: [{ scope: '*' }] },
      },
    },
  })),
  {
    of: 'admissionregistration.k8s.io/v1 MutatingWebhookConfiguration',
    given: { webhooks: [{ clientConfig: { service: {} }, rules: [{}] }] },
    meant: {
      webhooks: [
        {
          ...SELECTION,
          failurePolicy: 'Fail',
          timeoutSeconds: 10,
          reinvocationPolicy: 'Never',
          clientConfig: { service: { port: 443 } },
          rules: [{ scope: '*' }],
        },
      ],
    },
  },
  {
    of: 'admissionregistration.k8s.io/v1 ValidatingWebhookConfiguration',
    given: { webhooks: [{ clientConfig: { url: 'u' } }] },
    meant: { webhooks: [{ ...SELECTION, failurePolicy: 'Fail', timeoutSeconds: 10, clientConfig: { url: 'u' } }] },
  },
  {
    of: 'apps/v1 DaemonSet',
    given: {},
    meant: {
      metadata: UNCOUNTED,
      spec: {
        template: TEMPLATE,
        updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 1, maxSurge: 0 } },
        revisionHistoryLimit: 10,
      },
    },
  },
  {
    of: 'apps/v1 DaemonSet',
    as: 'updated by deletion',
    given: { spec: { updateStrategy: { type: 'OnDelete' } } },
    meant: {
      metadata: UNCOUNTED,
      spec: { template: TEMPLATE, updateStrategy: { type: 'OnDelete' }, revisionHistoryLimit: 10 },
    },
  },
  {
    of: 'apps/v1 Deployment',
    given: {},
    meant: {
      spec: {
        template: TEMPLATE,
        replicas: 1,
        strategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: '25%', maxSurge: '25%' } },
        revisionHistoryLimit: 10,
        progressDeadlineSeconds: 600,
      },
    },
  },
  {
    of: 'apps/v1 Deployment',
    as: 'with settings of its own',
    given: {
      spec: {
        replicas: 0,
        strategy: { rollingUpdate: { maxSurge: 0 } },
        revisionHistoryLimit: 0,
        progressDeadlineSeconds: 1,
      },
    },
    meant: {
      spec: {
        template: TEMPLATE,
        replicas: 0,
        strategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: '25%', maxSurge: 0 } },
        revisionHistoryLimit: 0,
        progressDeadlineSeconds: 1,
      },
    },
  },
  {
    of: 'apps/v1 Deployment',
    as: 'made anew',
    given: { spec: { strategy: { type: 'Recreate' } } },
    meant: {
      spec: {
        template: TEMPLATE,
        replicas: 1,
        strategy: { type: 'Recreate' },
        revisionHistoryLimit: 10,
        progressDeadlineSeconds: 600,
      },
    },
  },
  { of: 'apps/v1 ReplicaSet', given: {}, meant: { spec: { template: TEMPLATE, replicas: 1 } } },
  {
    of: 'apps/v1 StatefulSet',
    given: {
      spec: {
        volumeClaimTemplates: [
          {
            spec: { resources: { limits: { storage: '1u' }, requests: { storage: '2' } } },
            status: { capacity: { storage: '1u' }, allocatedResources: { storage: '1u' } },
          },
        ],
      },
    },
    meant: {
      spec: {
        template: TEMPLATE,
        podManagementPolicy: 'OrderedReady',
        updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 0 } },
        persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Retain', whenScaled: 'Retain' },
        replicas: 1,
        revisionHistoryLimit: 10,
        volumeClaimTemplates: [
          {
            apiVersion: 'v1',
            kind: 'PersistentVolumeClaim',
            spec: { volumeMode: 'Filesystem', resources: { limits: { storage: '1m' }, requests: { storage: '2' } } },
            status: { phase: 'Pending', capacity: { storage: '1m' }, allocatedResources: { storage: '1m' } },
          },
        ],
      },
    },
  },
  {
    of: 'apps/v1 StatefulSet',
    as: 'with a chosen strategy',
    given: { spec: { updateStrategy: { type: 'RollingUpdate' } } },
    meant: {
      spec: {
        template: TEMPLATE,
        podManagementPolicy: 'OrderedReady',
        updateStrategy: { type: 'RollingUpdate' },
        persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Retain', whenScaled: 'Retain' },
        replicas: 1,
        revisionHistoryLimit: 10,
      },
    },
  },
  {
    of: 'apps/v1 StatefulSet',
    as: 'under its gate',
    gates: ['MaxUnavailableStatefulSet'],
    given: { spec: { updateStrategy: { rollingUpdate: { partition: 2 } } } },
    meant: {
      spec: {
        template: TEMPLATE,
        podManagementPolicy: 'OrderedReady',
        updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 2, maxUnavailable: 1 } },
        persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Retain', whenScaled: 'Retain' },
        replicas: 1,
        revisionHistoryLimit: 10,
      },
    },
  },
  { of: 'authentication.k8s.io/v1 TokenRequest', given: {}, meant: { spec: { expirationSeconds: 3600 } } },
  {
    of: 'autoscaling/v1 HorizontalPodAutoscaler',
    given: {},
    meant: { spec: { minReplicas: 1, targetCPUUtilizationPercentage: 80 } },
  },
  {
    of: 'autoscaling/v1 HorizontalPodAutoscaler',
    as: 'with other metrics',
    given: { metadata: { annotations: { 'autoscaling.alpha.kubernetes.io/metrics': '[]' } }, spec: { minReplicas: 2 } },
    meant: { metadata: { annotations: { 'autoscaling.alpha.kubernetes.io/metrics': '[]' } }, spec: { minReplicas: 2 } },
  },
  {
    of: 'autoscaling/v2 HorizontalPodAutoscaler',
    given: {},
    meant: { spec: { minReplicas: 1, metrics: [CPU_METRIC] } },
  },
  {
    of: 'autoscaling/v2 HorizontalPodAutoscaler',
    as: 'with a behaviour',
    given: { spec: { behavior: { scaleDown: { selectPolicy: 'Min' } }, metrics: [{ type: 'Pods' }] } },
    meant: {
      spec: {
        minReplicas: 1,
        metrics: [{ type: 'Pods' }],
        behavior: {
          scaleUp: {
            stabilizationWindowSeconds: 0,
            selectPolicy: 'Max',
            policies: [{ type: 'Pods', value: 4, periodSeconds: 15 }, ALL],
          },
          scaleDown: { selectPolicy: 'Min', policies: [ALL] },
        },
      },
    },
  },
  {
    of: 'batch/v1 CronJob',
    given: { spec: { jobTemplate: { spec: { podFailurePolicy: { rules: [{ onPodConditions: [{ type: 'x' }] }] } } } } },
    meant: {
      spec: {
        concurrencyPolicy: 'Allow',
        suspend: false,
        successfulJobsHistoryLimit: 3,
        failedJobsHistoryLimit: 1,
        jobTemplate: {
          spec: {
            podFailurePolicy: { rules: [{ onPodConditions: [{ type: 'x', status: 'True' }] }] },
            template: TEMPLATE,
          },
        },
      },
    },
  },
  {
    of: 'batch/v1 Job',
    given: { spec: { template: LABELS } },
    meant: {
      metadata: { labels: { a: 'b' } },
      spec: {
        completions: 1,
        parallelism: 1,
        backoffLimit: 6,
        completionMode: 'NonIndexed',
        suspend: false,
        podReplacementPolicy: 'TerminatingOrFailed',
        manualSelector: false,
        template: { ...LABELS, ...TEMPLATE },
      },
    },
  },
  {
    of: 'batch/v1 Job',
    as: 'with limits of its own',
    given: {
      metadata: { labels: { own: 'x' } },
      spec: { parallelism: 2, backoffLimitPerIndex: 1, podFailurePolicy: { rules: [] }, template: LABELS },
    },
    meant: {
      metadata: { labels: { own: 'x' } },
      spec: {
        parallelism: 2,
        backoffLimit: 2147483647,
        backoffLimitPerIndex: 1,
        completionMode: 'NonIndexed',
        suspend: false,
        podReplacementPolicy: 'Failed',
        podFailurePolicy: { rules: [] },
        manualSelector: false,
        template: { ...LABELS, ...TEMPLATE },
      },
    },
  },
  { of: 'v1 ConfigMap', given: {}, meant: {} },
  {
    of: 'v1 Endpoints',
    given: { subsets: [{ ports: [{ port: 1 }] }] },
    meant: { subsets: [{ ports: [{ port: 1, protocol: 'TCP' }] }] },
  },
  {
    of: 'v1 LimitRange',
    given: {
      spec: {
        limits: [
          {
            type: 'Container',
            max: { cpu: '2', memory: '1u' },
            min: { pods: '1', cpu: '1' },
            default: { pods: '3' },
            maxLimitRequestRatio: { cpu: '1u' },
          },
          { type: 'Pod', max: { cpu: '1' } },
        ],
      },
    },
    meant: {
      spec: {
        limits: [
          {
            type: 'Container',
            max: { cpu: '2', memory: '1m' },
            min: { pods: '1', cpu: '1' },
            default: { pods: '3', cpu: '2', memory: '1m' },
            defaultRequest: { pods: '3', cpu: '2', memory: '1m' },
            maxLimitRequestRatio: { cpu: '1m' },
          },
          { type: 'Pod', max: { cpu: '1' } },
        ],
      },
    },
  },
  {
    of: 'v1 Namespace',
    given: { metadata: { name: 'n', labels: { a: 'b', 'kubernetes.io/metadata.name': 'x' } } },
    meant: {
      metadata: { name: 'n', labels: { a: 'b', 'kubernetes.io/metadata.name': 'n' } },
      status: { phase: 'Active' },
    },
  },
  {
    of: 'v1 Namespace',
    as: 'without a name yet',
    given: { metadata: { generateName: 'n-' } },
    meant: { metadata: { generateName: 'n-' }, status: { phase: 'Active' } },
  },
  {
    of: 'v1 Node',
    given: { spec: { podCIDR: '10.0.0.0/24' }, status: { capacity: { cpu: '1u' } } },
    meant: {
      spec: { podCIDR: '10.0.0.0/24', podCIDRs: ['10.0.0.0/24'] },
      status: { capacity: { cpu: '1m' }, allocatable: { cpu: '1m' } },
    },
  },
  {
    of: 'v1 Node',
    as: 'with ranges',
    given: {
      spec: { podCIDRs: ['10.0.0.0/24', 'fd00::/64'] },
      status: { capacity: { cpu: '1' }, allocatable: { cpu: '2u' } },
    },
    meant: {
      spec: { podCIDR: '10.0.0.0/24', podCIDRs: ['10.0.0.0/24', 'fd00::/64'] },
      status: { capacity: { cpu: '1' }, allocatable: { cpu: '1m' } },
    },
  },
  {
    of: 'v1 PersistentVolume',
    given: { spec: { ...SOURCES, capacity: { storage: '1u' } } },
    meant: {
      spec: {
        ...FILLED_SOURCES,
        capacity: { storage: '1m' },
        persistentVolumeReclaimPolicy: 'Retain',
        volumeMode: 'Filesystem',
      },
      status: { phase: 'Pending' },
    },
  },
  {
    of: 'v1 PersistentVolumeClaim',
    given: { spec: { resources: { limits: { storage: '1u' } } }, status: { capacity: { storage: '1u' } } },
    meant: {
      spec: { volumeMode: 'Filesystem', resources: { limits: { storage: '1m' } } },
      status: { phase: 'Pending', capacity: { storage: '1m' } },
    },
  },
  { of: 'v1 PodLogOptions', given: {}, meant: {} },
  {
    of: 'v1 PodLogOptions',
    as: 'under its gate',
    gates: ['PodLogsQuerySplitStreams'],
    given: {},
    meant: { stream: 'All' },
  },
  {
    of: 'v1 ReplicationController',
    given: { spec: { template: LABELS } },
    meant: {
      metadata: { labels: { a: 'b' } },
      spec: { replicas: 1, selector: { a: 'b' }, template: { ...LABELS, ...TEMPLATE } },
    },
  },
  { of: 'v1 ReplicationController', as: 'without a template', given: {}, meant: { spec: { replicas: 1 } } },
  {
    of: 'v1 ResourceQuota',
    given: { spec: { hard: { cpu: '1u' } }, status: { hard: { cpu: '1u' }, used: { cpu: '1u' } } },
    meant: { spec: { hard: { cpu: '1m' } }, status: { hard: { cpu: '1m' }, used: { cpu: '1m' } } },
  },
  {
    of: 'v1 Secret',
    given: { data: { a: 'eA==', b: 'eA==' }, stringData: { b: 'é' } },
    meant: { type: 'Opaque', data: { a: 'eA==', b: 'w6k=' } },
  },
  {
    of: 'v1 Service',
    given: {
      spec: {
        ports: [{ port: 80 }, { port: 1, targetPort: 'web', protocol: 'UDP' }],
        sessionAffinityConfig: { clientIP: { timeoutSeconds: 5 } },
      },
    },
    meant: {
      spec: {
        type: 'ClusterIP',
        sessionAffinity: 'None',
        ports: [
          { port: 80, protocol: 'TCP', targetPort: 80 },
          { port: 1, targetPort: 'web', protocol: 'UDP' },
        ],
        internalTrafficPolicy: 'Cluster',
      },
    },
  },
  {
    of: 'v1 Service',
    as: 'with affinity and outer addresses',
    given: { spec: { sessionAffinity: 'ClientIP', externalIPs: ['1.1.1.1'] } },
    meant: {
      spec: {
        type: 'ClusterIP',
        sessionAffinity: 'ClientIP',
        sessionAffinityConfig: { clientIP: { timeoutSeconds: 10800 } },
        externalIPs: ['1.1.1.1'],
        externalTrafficPolicy: 'Cluster',
        internalTrafficPolicy: 'Cluster',
      },
    },
  },
  {
    of: 'v1 Service',
    as: 'balanced',
    given: {
      spec: { type: 'LoadBalancer' },
      status: { loadBalancer: { ingress: [{ ip: '1.1.1.1' }, { hostname: 'h' }] } },
    },
    meant: {
      spec: {
        type: 'LoadBalancer',
        sessionAffinity: 'None',
        externalTrafficPolicy: 'Cluster',
        internalTrafficPolicy: 'Cluster',
        allocateLoadBalancerNodePorts: true,
      },
      status: { loadBalancer: { ingress: [{ ip: '1.1.1.1', ipMode: 'VIP' }, { hostname: 'h' }] } },
    },
  },
  {
    of: 'v1 Service',
    as: 'elsewhere',
    given: { spec: { type: 'ExternalName' } },
    meant: { spec: { type: 'ExternalName', sessionAffinity: 'None' } },
  },
  {
    of: 'discovery.k8s.io/v1 EndpointSlice',
    given: { ports: [{}, { name: 'n', protocol: 'UDP' }] },
    meant: {
      ports: [
        { name: '', protocol: 'TCP' },
        { name: 'n', protocol: 'UDP' },
      ],
    },
  },
  {
    of: 'flowcontrol.apiserver.k8s.io/v1 FlowSchema',
    given: { spec: { matchingPrecedence: 0 } },
    meant: { spec: { matchingPrecedence: 1000 } },
  },
  {
    of: 'flowcontrol.apiserver.k8s.io/v1 PriorityLevelConfiguration',
    given: { spec: { limited: { limitResponse: { queuing: { queues: 0 } } }, exempt: {} } },
    meant: {
      spec: {
        limited: {
          nominalConcurrencyShares: 30,
          lendablePercent: 0,
          limitResponse: { queuing: { handSize: 8, queues: 64, queueLengthLimit: 50 } },
        },
        exempt: { nominalConcurrencyShares: 0, lendablePercent: 0 },
      },
    },
  },
  ...['ClusterRoleBinding', 'RoleBinding'].map((kind) => ({
    of: `rbac.authorization.k8s.io/v1 ${kind}`,
    given: { roleRef: { kind: 'Role' }, subjects: [{ kind: 'User' }, { kind: 'Group' }, { kind: 'ServiceAccount' }] },
    meant: {
      roleRef: { kind: 'Role', apiGroup: 'rbac.authorization.k8s.io' },
      subjects: [
        { kind: 'User', apiGroup: 'rbac.authorization.k8s.io' },
        { kind: 'Group', apiGroup: 'rbac.authorization.k8s.io' },
        { kind: 'ServiceAccount' },
      ],
    },
  })),
  {
    of: 'resource.k8s.io/v1 ResourceClaim',
    given: {
      spec: DEVICES({ tolerations: [{}] }),
      status: { allocation: { devices: { results: [{ tolerations: [{}] }] } } },
    },
    meant: {
      spec: DEVICES({ allocationMode: 'ExactCount', count: 1, tolerations: [{ operator: 'Equal' }] }),
      status: { allocation: { devices: { results: [{ tolerations: [{ operator: 'Equal' }] }] } } },
    },
  },
  {
    of: 'resource.k8s.io/v1 ResourceClaim',
    as: 'for all devices',
    given: { spec: DEVICES({ allocationMode: 'All' }) },
    meant: { spec: DEVICES({ allocationMode: 'All' }) },
  },
  {
    of: 'resource.k8s.io/v1 ResourceClaimTemplate',
    given: { spec: { spec: DEVICES({}) } },
    meant: { spec: { spec: DEVICES({ allocationMode: 'ExactCount', count: 1 }) } },
  },
  {
    of: 'resource.k8s.io/v1 ResourceSlice',
    given: { spec: { devices: [{ taints: [{ key: 'k' }], nodeAllocatableResourceMappings: { cpu: {} } }] } },
    meant: {
      spec: {
        devices: [
          {
            taints: [{ key: 'k', timeAdded: NOW }],
            nodeAllocatableResourceMappings: { cpu: { allocationMultiplier: '1' } },
          },
        ],
      },
    },
  },
  { of: 'scheduling.k8s.io/v1 PriorityClass', given: {}, meant: { preemptionPolicy: 'PreemptLowerPriority' } },
  {
    of: 'storage.k8s.io/v1 CSIDriver',
    given: {},
    meant: {
      spec: {
        attachRequired: true,
        podInfoOnMount: false,
        storageCapacity: false,
        fsGroupPolicy: 'ReadWriteOnceWithFSType',
        volumeLifecycleModes: ['Persistent'],
        requiresRepublish: false,
        seLinuxMount: false,
      },
    },
  },
  {
    of: 'storage.k8s.io/v1 CSIDriver',
    as: 'under its gate',
    gates: ['VolumeLimitScaling'],
    given: { spec: { attachRequired: false } },
    meant: {
      spec: {
        attachRequired: false,
        podInfoOnMount: false,
        storageCapacity: false,
        fsGroupPolicy: 'ReadWriteOnceWithFSType',
        volumeLifecycleModes: ['Persistent'],
        requiresRepublish: false,
        seLinuxMount: false,
        preventPodSchedulingIfMissing: false,
      },
    },
  },
  {
    of: 'storage.k8s.io/v1 StorageClass',
    given: {},
    meant: { reclaimPolicy: 'Delete', volumeBindingMode: 'Immediate' },
  },
  {
    of: 'storage.k8s.io/v1 VolumeAttachment',
    given: { spec: { source: { inlineVolumeSpec: { ...SOURCES, capacity: { storage: '1u' } } } } },
    meant: { spec: { source: { inlineVolumeSpec: { ...FILLED_SOURCES, capacity: { storage: '1m' } } } } },
  },
  {
    of: 'apiextensions.k8s.io/v1 CustomResourceDefinition',
    given: { spec: { names: { kind: 'Foo' }, versions: [{ name: 'v1' }, { name: 'v2', storage: true }] } },
    meant: {
      spec: {
        names: { kind: 'Foo', singular: 'foo', listKind: 'FooList' },
        conversion: { strategy: 'None' },
        versions: [{ name: 'v1' }, { name: 'v2', storage: true }],
      },
      status: { storedVersions: ['v2'] },
    },
  },
  {
    of: 'apiextensions.k8s.io/v1 CustomResourceDefinition',
    as: 'with names and a webhook',
    given: {
      spec: {
        names: { kind: 'Foo', singular: 's', listKind: 'L' },
        conversion: { strategy: 'Webhook', webhook: { clientConfig: { service: {} } } },
        versions: [{ name: 'v1', storage: true }],
      },
      status: { storedVersions: ['v0'] },
    },
    meant: {
      spec: {
        names: { kind: 'Foo', singular: 's', listKind: 'L' },
        conversion: { strategy: 'Webhook', webhook: { clientConfig: { service: { port: 443 } } } },
        versions: [{ name: 'v1', storage: true }],
      },
      status: { storedVersions: ['v0'] },
    },
  },
  {
    of: 'apiregistration.k8s.io/v1 APIService',
    given: { spec: { service: {} } },
    meant: { spec: { service: { port: 443 } } },
  },
  { of: 'example.com/v1 Widget', given: { spec: {} }, meant: { spec: {} } },
]

describe('defaults by kind', () => {
  it.each(PATHS.map((row) => [row.as === undefined ? row.of : `${row.of} ${row.as}`, row] as const))('%s', (_, row) => {
    const { apiVersion: _version, kind: _kind, ...members } = defaulted(row.of, row.given, row.gates)
    expect(members).toEqual({ metadata: {}, ...row.meant })
    const again = defaulted(row.of, members, row.gates)
    for (const name of Object.keys(members)) expect(again[name], name).toBe(members[name])
  })

  it('keeps keys that are names of built-in members of objects', () => {
    const stringData = JSON.parse('{"__proto__":"x","constructor":"y"}') as ValueMap
    const { data } = defaulted('v1 Secret', { stringData })
    expect(JSON.stringify(data)).toBe('{"__proto__":"eA==","constructor":"eQ=="}')
  })
})
