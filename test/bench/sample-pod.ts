// A pod as a busy cluster has them: 4 KB of canonical JSON, two containers, probes, volumes, conditions, owners, managed fields.
import type { ApiObject } from '../../src/api/object.ts'
import type { ValueMap } from '../../src/api/value.ts'

/** Some seconds after its creation something else happens to a pod. */
function at(index: number, seconds: number): string {
  return `${new Date(1_772_366_275_000 + index * 7000 + seconds * 1000).toISOString().slice(0, 19)}Z`
}

/** How many pods in a row belong to one set; lists are sorted by name. */
const REPLICAS = 20

export function podOf(index: number): ApiObject {
  const app = Math.floor(index / REPLICAS)
  const set = `checkout-${app.toString(16).padStart(4, '0')}-7f9d8c5b6`
  const name = `${set}-${((index * 2_654_435_761) % 4_294_967_296).toString(36).padStart(5, '0').slice(0, 5)}`
  return {
    kind: 'Pod',
    apiVersion: 'v1',
    metadata: {
      name,
      generateName: `${set}-`,
      namespace: `team-${Math.floor(app / 10)}`,
      uid: `${index.toString(16).padStart(8, '0')}-5b1c-4b7e-9c56-2f1f0c0a7b11`,
      resourceVersion: String(100_000 + index),
      generation: 1,
      creationTimestamp: at(index, 0),
      labels: {
        app: 'checkout',
        'app.kubernetes.io/instance': `checkout-${app}`,
        'app.kubernetes.io/part-of': 'shop',
        'pod-template-hash': '7f9d8c5b6',
      },
      annotations: { 'prometheus.io/port': '9090', 'prometheus.io/scrape': 'true' },
      ownerReferences: [
        {
          apiVersion: 'apps/v1',
          kind: 'ReplicaSet',
          name: set,
          uid: `f3f3b7d2-2a53-4c89-a0a2-${app.toString(16).padStart(12, '0')}`,
          controller: true,
          blockOwnerDeletion: true,
        },
      ],
      managedFields: [managed('kube-controller-manager', at(index, 0)), managed('kubelet', at(index, 9), 'status')],
    },
    spec: {
      volumes: [
        { name: 'config', configMap: { name: `checkout-${app}`, defaultMode: 420 } },
        {
          name: 'kube-api-access',
          projected: {
            sources: [{ serviceAccountToken: { expirationSeconds: 3607, path: 'token' } }],
            defaultMode: 420,
          },
        },
      ],
      containers: [container('checkout', 8080, app), container('proxy', 15_001, app)],
      restartPolicy: 'Always',
      terminationGracePeriodSeconds: 30,
      dnsPolicy: 'ClusterFirst',
      serviceAccountName: 'checkout',
      serviceAccount: 'checkout',
      nodeName: `node-${index % 200}`,
      securityContext: { runAsNonRoot: true, fsGroup: 2000 },
      schedulerName: 'default-scheduler',
      tolerations: [
        { key: 'node.kubernetes.io/not-ready', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 300 },
        { key: 'node.kubernetes.io/unreachable', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 300 },
      ],
      priority: 0,
      enableServiceLinks: true,
      preemptionPolicy: 'PreemptLowerPriority',
    },
    status: {
      phase: 'Running',
      conditions: ['Initialized', 'Ready', 'ContainersReady', 'PodScheduled'].map((type, i) => ({
        type,
        status: 'True',
        lastProbeTime: null,
        lastTransitionTime: at(index, 2 * i),
      })),
      hostIP: '10.0.3.7',
      podIP: `10.244.${index % 250}.${index % 251}`,
      podIPs: [{ ip: `10.244.${index % 250}.${index % 251}` }],
      startTime: at(index, 1),
      containerStatuses: [status('checkout', at(index, 5)), status('proxy', at(index, 6))],
      qosClass: 'Burstable',
    },
  }
}

function managed(manager: string, time: string, subresource?: string): ValueMap {
  const fields = { 'f:status': { 'f:conditions': { 'k:{"type":"Ready"}': { '.': {}, 'f:status': {}, 'f:type': {} } } } }
  return {
    manager,
    operation: 'Update',
    apiVersion: 'v1',
    time,
    fieldsType: 'FieldsV1',
    fieldsV1: fields,
    ...(subresource === undefined ? {} : { subresource }),
  }
}

function container(name: string, port: number, app: number): ValueMap {
  return {
    name,
    image: `registry.example.com/shop/${name}:v1.${app}.7`,
    ports: [{ name: 'http', containerPort: port, protocol: 'TCP' }],
    env: [{ name: 'POD_NAME', valueFrom: { fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.name' } } }],
    resources: { limits: { cpu: '500m', memory: '256Mi' }, requests: { cpu: '100m', memory: '128Mi' } },
    volumeMounts: [{ name: 'config', readOnly: true, mountPath: '/etc/checkout' }],
    livenessProbe: {
      httpGet: { path: '/healthz', port, scheme: 'HTTP' },
      timeoutSeconds: 1,
      periodSeconds: 10,
      successThreshold: 1,
      failureThreshold: 3,
    },
    terminationMessagePath: '/dev/termination-log',
    terminationMessagePolicy: 'File',
    imagePullPolicy: 'IfNotPresent',
  }
}

function status(name: string, startedAt: string): ValueMap {
  return {
    name,
    state: { running: { startedAt } },
    lastState: {},
    ready: true,
    restartCount: 0,
    image: `registry.example.com/shop/${name}:v1.42.7`,
    imageID: `registry.example.com/shop/${name}@sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08`,
    containerID: 'containerd://2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae',
    started: true,
  }
}
