import { describe, expect, it } from 'vitest'
import type { Value, ValueMap } from '../../../../../src/api/value.ts'
import { defaulted } from '../../defaulting.ts'

/** What every spec of a pod gets. */
const COMMON: ValueMap = {
  dnsPolicy: 'ClusterFirst',
  restartPolicy: 'Always',
  securityContext: {},
  terminationGracePeriodSeconds: 30,
  schedulerName: 'default-scheduler',
}
/** What every container gets. */
const CONTAINER: ValueMap = {
  imagePullPolicy: 'IfNotPresent',
  terminationMessagePath: '/dev/termination-log',
  terminationMessagePolicy: 'File',
}
const TIMES: ValueMap = { timeoutSeconds: 1, periodSeconds: 10, successThreshold: 1, failureThreshold: 3 }

const template = (spec: ValueMap): Value | undefined => {
  const made = defaulted('v1 PodTemplate', { template: { spec } })['template'] as ValueMap
  return made['spec']
}
const container = (more: ValueMap): Value | undefined =>
  ((template({ containers: [{ name: 'c', image: 'i:1', ...more }] }) as ValueMap)['containers'] as readonly Value[])[0]
const volume = (source: ValueMap): Value | undefined =>
  ((template({ volumes: [{ name: 'v', ...source }] }) as ValueMap)['volumes'] as readonly Value[])[0]

describe('defaults of a pod spec', () => {
  it('fills an absent spec', () => {
    expect(defaulted('v1 PodTemplate', {})).toMatchObject({ template: { spec: COMMON } })
  })

  it.each<[string, ValueMap, ValueMap]>([
    ['nothing given', {}, {}],
    ['empty words count as absent', { dnsPolicy: '', restartPolicy: '', schedulerName: '' }, {}],
    [
      'what is given stays',
      { restartPolicy: 'Never', terminationGracePeriodSeconds: 0 },
      { restartPolicy: 'Never', terminationGracePeriodSeconds: 0 },
    ],
    ['the account under its old name', { serviceAccount: 'a' }, { serviceAccount: 'a', serviceAccountName: 'a' }],
    [
      'the account under both names',
      { serviceAccount: 'a', serviceAccountName: 'b' },
      { serviceAccount: 'b', serviceAccountName: 'b' },
    ],
    [
      'amounts finer than a thousandth',
      {
        overhead: { cpu: '100u', memory: '1500m' },
        resources: { limits: { cpu: '1n' }, requests: { cpu: '1000001n' } },
      },
      { overhead: { cpu: '1m', memory: '1500m' }, resources: { limits: { cpu: '1m' }, requests: { cpu: '2m' } } },
    ],
  ])('%s', (_, spec, expected) => {
    expect(template(spec)).toEqual({ ...COMMON, ...expected })
  })

  it.each<[string, string]>([
    ['i', 'Always'],
    ['i:latest', 'Always'],
    ['i:1', 'IfNotPresent'],
    ['example.com:5000/a/b', 'Always'],
    ['example.com:5000/a/b:v1', 'IfNotPresent'],
    ['i:latest@sha256:0123456789abcdef0123456789abcdef', 'Always'],
    ['i@sha256:0123456789abcdef0123456789abcdef', 'IfNotPresent'],
    ['Upper/Case', 'IfNotPresent'],
    ['UPPER.example/lower', 'Always'],
    ['no spaces', 'IfNotPresent'],
    ['a'.repeat(64), 'IfNotPresent'],
    ['', 'IfNotPresent'],
  ])('the pull policy of the image %j is %s', (image, imagePullPolicy) => {
    expect(container({ image })).toMatchObject({ imagePullPolicy })
  })

  it.each<[string, ValueMap, ValueMap]>([
    ['nothing given', {}, {}],
    ['ports', { ports: [{ containerPort: 1 }] }, { ports: [{ containerPort: 1, protocol: 'TCP' }] }],
    [
      'environment from fields and files',
      {
        env: [
          { name: 'A', valueFrom: { fieldRef: { fieldPath: 'x' } } },
          { name: 'B', valueFrom: { fileKeyRef: { key: 'k' } } },
        ],
      },
      {
        env: [
          { name: 'A', valueFrom: { fieldRef: { fieldPath: 'x', apiVersion: 'v1' } } },
          { name: 'B', valueFrom: { fileKeyRef: { key: 'k', optional: false } } },
        ],
      },
    ],
    [
      'probes',
      {
        livenessProbe: { httpGet: { port: 1 } },
        readinessProbe: { grpc: { port: 1 }, timeoutSeconds: 0 },
        startupProbe: { exec: {}, periodSeconds: 5 },
      },
      {
        livenessProbe: { httpGet: { port: 1, path: '/', scheme: 'HTTP' }, ...TIMES },
        readinessProbe: { grpc: { port: 1, service: '' }, ...TIMES },
        startupProbe: { exec: {}, ...TIMES, periodSeconds: 5 },
      },
    ],
    [
      'life-cycle handlers',
      { lifecycle: { postStart: { httpGet: {} }, preStop: { httpGet: { path: '/x', scheme: 'HTTPS' } } } },
      {
        lifecycle: {
          postStart: { httpGet: { path: '/', scheme: 'HTTP' } },
          preStop: { httpGet: { path: '/x', scheme: 'HTTPS' } },
        },
      },
    ],
    [
      'resources, and no requests in a template',
      { resources: { limits: { cpu: '1.5m' } } },
      { resources: { limits: { cpu: '2m' } } },
    ],
  ])('of a container: %s', (_, given, expected) => {
    expect(container(given)).toEqual({ name: 'c', image: 'i:1', ...CONTAINER, ...expected })
  })

  it('treats all three lists of containers alike', () => {
    const list = [{ name: 'c', image: 'i:1', livenessProbe: {} }]
    const expected = [{ name: 'c', image: 'i:1', livenessProbe: TIMES, ...CONTAINER }]
    expect(template({ initContainers: list, containers: list, ephemeralContainers: list })).toMatchObject({
      initContainers: expected,
      containers: expected,
      ephemeralContainers: expected,
    })
  })

  it.each<[string, ValueMap, ValueMap]>([
    ['no source', {}, { emptyDir: {} }],
    ['hostPath', { hostPath: { path: '/' } }, { hostPath: { path: '/', type: '' } }],
    ['secret', { secret: {} }, { secret: { defaultMode: 420 } }],
    ['configMap', { configMap: {} }, { configMap: { defaultMode: 420 } }],
    ['image with a tag', { image: { reference: 'i:1' } }, { image: { reference: 'i:1', pullPolicy: 'IfNotPresent' } }],
    ['image', { image: { reference: 'i' } }, { image: { reference: 'i', pullPolicy: 'Always' } }],
    ['iscsi', { iscsi: {} }, { iscsi: { iscsiInterface: 'default' } }],
    ['rbd', { rbd: {} }, { rbd: { pool: 'rbd', user: 'admin', keyring: '/etc/ceph/keyring' } }],
    [
      'azureDisk',
      { azureDisk: { readOnly: true } },
      { azureDisk: { cachingMode: 'ReadWrite', fsType: 'ext4', readOnly: true, kind: 'Shared' } },
    ],
    ['scaleIO', { scaleIO: {} }, { scaleIO: { storageMode: 'ThinProvisioned', fsType: 'xfs' } }],
    [
      'downwardAPI',
      { downwardAPI: { items: [{ fieldRef: {} }] } },
      { downwardAPI: { defaultMode: 420, items: [{ fieldRef: { apiVersion: 'v1' } }] } },
    ],
    [
      'projected',
      { projected: { sources: [{ downwardAPI: { items: [{ fieldRef: {} }] } }, { serviceAccountToken: {} }] } },
      {
        projected: {
          defaultMode: 420,
          sources: [
            { downwardAPI: { items: [{ fieldRef: { apiVersion: 'v1' } }] } },
            { serviceAccountToken: { expirationSeconds: 3600 } },
          ],
        },
      },
    ],
    [
      'ephemeral',
      {
        ephemeral: {
          volumeClaimTemplate: { spec: { resources: { requests: { storage: '1u' }, limits: { storage: '1' } } } },
        },
      },
      {
        ephemeral: {
          volumeClaimTemplate: {
            spec: { volumeMode: 'Filesystem', resources: { requests: { storage: '1m' }, limits: { storage: '1' } } },
          },
        },
      },
    ],
  ])('of a volume: %s', (_, source, expected) => {
    expect(volume(source)).toEqual({ name: 'v', ...expected })
  })
})

describe('defaults of a pod', () => {
  const spec = (given: ValueMap, gates?: readonly string[]): ValueMap =>
    defaulted('v1 Pod', { spec: given }, gates)['spec'] as ValueMap
  const resources = (given: ValueMap): ValueMap => ({ containers: [{ name: 'c', image: 'i:1', resources: given }] })

  it.each<[string, ValueMap, ValueMap]>([
    ['service links', {}, { enableServiceLinks: true }],
    [
      'requests from limits',
      resources({ limits: { cpu: '1', memory: '1Gi' }, requests: { cpu: '500m' } }),
      resources({ limits: { cpu: '1', memory: '1Gi' }, requests: { cpu: '500m', memory: '1Gi' } }),
    ],
    ['no requests without limits', resources({}), resources({})],
    [
      'host ports',
      {
        hostNetwork: true,
        containers: [{ ports: [{ containerPort: 1 }, { containerPort: 2, hostPort: 3 }] }],
        initContainers: [{ ports: [{ containerPort: 4 }] }],
      },
      {
        containers: [
          {
            ports: [
              { containerPort: 1, hostPort: 1 },
              { containerPort: 2, hostPort: 3 },
            ],
          },
        ],
        initContainers: [{ ports: [{ containerPort: 4, hostPort: 4 }] }],
      },
    ],
    [
      'no host ports without the network of the host',
      { containers: [{ ports: [{ containerPort: 1 }] }] },
      { containers: [{ ports: [{ containerPort: 1, protocol: 'TCP' }] }] },
    ],
    ['a negative grace period', { terminationGracePeriodSeconds: -5 }, { terminationGracePeriodSeconds: 1 }],
  ])('%s', (_, given, expected) => {
    expect(spec(given)).toMatchObject(expected)
  })

  it.each<[string, ValueMap, ValueMap]>([
    [
      'requests of the pod are those of its containers',
      {
        containers: [{ resources: { requests: { cpu: '1' } } }, { resources: { requests: { cpu: '500m' } } }],
        resources: { limits: { cpu: '4' } },
      },
      { limits: { cpu: '4' }, requests: { cpu: '1500m' } },
    ],
    [
      'or else its limits',
      { resources: { limits: { cpu: '4', memory: '1Gi', 'example.com/x': '1' } } },
      { limits: { cpu: '4', memory: '1Gi', 'example.com/x': '1' }, requests: { cpu: '4', memory: '1Gi' } },
    ],
    [
      'a starting container counts with the sidecars before it',
      {
        containers: [{ resources: { requests: { cpu: '1' } } }],
        initContainers: [
          { restartPolicy: 'Always', resources: { requests: { cpu: '1' } } },
          { resources: { requests: { cpu: '3' } } },
        ],
        resources: { limits: { cpu: '9' } },
      },
      { limits: { cpu: '9' }, requests: { cpu: '4' } },
    ],
    [
      'huge pages of containers become limits of the pod',
      { containers: [{ resources: { limits: { 'hugepages-2Mi': '4Mi' } } }], resources: { requests: { cpu: '1' } } },
      { limits: { 'hugepages-2Mi': '4Mi' }, requests: { cpu: '1', 'hugepages-2Mi': '4Mi' } },
    ],
    ['nothing asked for, nothing made', { containers: [{ resources: { requests: { cpu: '1' } } }], resources: {} }, {}],
  ])('with resources of its own: %s', (_, given, expected) => {
    expect(spec(given, ['PodLevelResources'])['resources']).toEqual(expected)
    expect(spec(given)['resources']).toEqual(given['resources'])
  })

  it.each<[string, ValueMap, ValueMap]>([
    ['one address becomes several', { podIP: '1.1.1.1' }, { podIP: '1.1.1.1', podIPs: [{ ip: '1.1.1.1' }] }],
    [
      'the one address wins',
      { podIP: '1.1.1.1', podIPs: [{ ip: '2.2.2.2' }, { ip: '::1' }] },
      { podIP: '1.1.1.1', podIPs: [{ ip: '1.1.1.1' }] },
    ],
    [
      'the first of several is the address',
      { podIPs: [{ ip: '2.2.2.2' }] },
      { podIP: '2.2.2.2', podIPs: [{ ip: '2.2.2.2' }] },
    ],
    [
      'amounts finer than a thousandth',
      {
        initContainerStatuses: [{ allocatedResources: { cpu: '1u' } }],
        containerStatuses: [{ resources: { limits: { cpu: '1u' }, requests: { cpu: '1u' } } }],
        ephemeralContainerStatuses: [{ allocatedResources: { cpu: '1u' } }],
        allocatedResources: { cpu: '1u' },
        resources: { limits: { cpu: '1u' }, requests: { cpu: '1u' } },
      },
      {
        initContainerStatuses: [{ allocatedResources: { cpu: '1m' } }],
        containerStatuses: [{ resources: { limits: { cpu: '1m' }, requests: { cpu: '1m' } } }],
        ephemeralContainerStatuses: [{ allocatedResources: { cpu: '1m' } }],
        allocatedResources: { cpu: '1m' },
        resources: { limits: { cpu: '1m' }, requests: { cpu: '1m' } },
      },
    ],
  ])('of its status: %s', (_, status, expected) => {
    expect(defaulted('v1 Pod', { status })['status']).toEqual(expected)
    expect(defaulted('v1 PodStatusResult', { status })['status']).toEqual(expected)
  })

  it('drops annotations that once stood for fields', () => {
    const annotations = {
      'pod.beta.kubernetes.io/init-containers': '[]',
      'pod.alpha.kubernetes.io/init-container-statuses': '[]',
      kept: 'x',
    }
    expect(defaulted('v1 Pod', { metadata: { annotations } }).metadata).toEqual({ annotations: { kept: 'x' } })
  })

  it('gives back the very same object where everything is there', () => {
    const whole = defaulted('v1 Pod', {
      spec: { containers: [{ name: 'c', image: 'i', livenessProbe: { httpGet: {} } }], volumes: [{ name: 'v' }] },
    })
    expect(defaulted('v1 Pod', whole)).toEqual(whole)
    const again = defaulted('v1 Pod', whole)
    for (const member of ['metadata', 'spec']) expect(again[member]).toBe(whole[member])
  })
})
