// A pod as a deployment makes them, after it was scheduled and started: about 4.7 KB of JSON.
import type { ValueMap } from '../../src/api/value.ts'

export function realisticPod(): ValueMap {
  return {
    kind: 'Pod',
    apiVersion: 'v1',
    metadata: {
      name: 'web-7d4b9c6f5d-x2x7k',
      generateName: 'web-7d4b9c6f5d-',
      namespace: 'production',
      uid: '0a9f6c1e-51a7-4f0e-9d2c-3f1f6c9d8e7a',
      resourceVersion: '48210344',
      creationTimestamp: '2024-05-01T10:00:00Z',
      labels: {
        app: 'web',
        'app.kubernetes.io/name': 'web',
        'app.kubernetes.io/part-of': 'shop',
        'pod-template-hash': '7d4b9c6f5d',
      },
      annotations: {
        'prometheus.io/scrape': 'true',
        'prometheus.io/port': '9090',
        'kubectl.kubernetes.io/restartedAt': '2024-04-30T08:12:44Z',
      },
      ownerReferences: [
        {
          apiVersion: 'apps/v1',
          kind: 'ReplicaSet',
          name: 'web-7d4b9c6f5d',
          uid: '5b7b1f4e-2d49-4c7b-8f6e-7c1c7e3e8a11',
          controller: true,
          blockOwnerDeletion: true,
        },
      ],
      managedFields: [
        {
          manager: 'kube-controller-manager',
          operation: 'Update',
          apiVersion: 'v1',
          time: '2024-05-01T10:00:00Z',
          fieldsType: 'FieldsV1',
          fieldsV1: {
            'f:metadata': {
              'f:annotations': { '.': {}, 'f:prometheus.io/port': {}, 'f:prometheus.io/scrape': {} },
              'f:generateName': {},
              'f:labels': { '.': {}, 'f:app': {}, 'f:pod-template-hash': {} },
              'f:ownerReferences': { '.': {}, 'k:{"uid":"5b7b1f4e-2d49-4c7b-8f6e-7c1c7e3e8a11"}': {} },
            },
            'f:spec': {
              'f:containers': {
                'k:{"name":"web"}': {
                  '.': {},
                  'f:env': { '.': {}, 'k:{"name":"DB_HOST"}': { '.': {}, 'f:name': {}, 'f:value': {} } },
                  'f:image': {},
                  'f:imagePullPolicy': {},
                  'f:livenessProbe': {},
                  'f:name': {},
                  'f:ports': {},
                  'f:resources': {},
                },
              },
              'f:dnsPolicy': {},
              'f:restartPolicy': {},
            },
          },
        },
      ],
    },
    spec: {
      volumes: [
        { name: 'config', configMap: { name: 'web-config', defaultMode: 420 } },
        { name: 'tmp', emptyDir: {} },
        {
          name: 'kube-api-access-abcde',
          projected: {
            sources: [
              { serviceAccountToken: { expirationSeconds: 3607, path: 'token' } },
              { configMap: { name: 'kube-root-ca.crt', items: [{ key: 'ca.crt', path: 'ca.crt' }] } },
            ],
            defaultMode: 420,
          },
        },
      ],
      containers: [
        {
          name: 'web',
          image: 'registry.example.com/shop/web:1.42.0',
          args: ['--listen=:8080', '--config=/etc/web/config.yaml'],
          ports: [
            { name: 'http', containerPort: 8080, protocol: 'TCP' },
            { name: 'metrics', containerPort: 9090, protocol: 'TCP' },
          ],
          env: [
            { name: 'DB_HOST', value: 'db.production.svc' },
            { name: 'POD_IP', valueFrom: { fieldRef: { apiVersion: 'v1', fieldPath: 'status.podIP' } } },
            { name: 'DB_PASSWORD', valueFrom: { secretKeyRef: { name: 'db', key: 'password' } } },
          ],
          resources: { limits: { cpu: '500m', memory: '512Mi' }, requests: { cpu: '100m', memory: '128Mi' } },
          volumeMounts: [
            { name: 'config', mountPath: '/etc/web' },
            { name: 'tmp', mountPath: '/tmp' },
            {
              name: 'kube-api-access-abcde',
              readOnly: true,
              mountPath: '/var/run/secrets/kubernetes.io/serviceaccount',
            },
          ],
          livenessProbe: probe('/healthz'),
          readinessProbe: probe('/ready'),
          terminationMessagePath: '/dev/termination-log',
          terminationMessagePolicy: 'File',
          imagePullPolicy: 'IfNotPresent',
        },
      ],
      restartPolicy: 'Always',
      terminationGracePeriodSeconds: 30,
      dnsPolicy: 'ClusterFirst',
      serviceAccountName: 'web',
      serviceAccount: 'web',
      nodeName: 'node-17.example.com',
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
      conditions: ['PodReadyToStartContainers', 'Initialized', 'Ready', 'ContainersReady', 'PodScheduled'].map(
        (type) => ({ type, status: 'True', lastProbeTime: null, lastTransitionTime: '2024-05-01T10:00:07Z' }),
      ),
      hostIP: '10.0.3.17',
      hostIPs: [{ ip: '10.0.3.17' }],
      podIP: '10.42.7.19',
      podIPs: [{ ip: '10.42.7.19' }],
      startTime: '2024-05-01T10:00:01Z',
      containerStatuses: [
        {
          name: 'web',
          state: { running: { startedAt: '2024-05-01T10:00:05Z' } },
          lastState: {},
          ready: true,
          restartCount: 0,
          image: 'registry.example.com/shop/web:1.42.0',
          imageID:
            'registry.example.com/shop/web@sha256:2bb7e2fb0d6f8fa7f0f1b9b1f4a2a9b0a7d7b3e1c7d1f4e0c2b7a9c5d8e3f1a2',
          containerID: 'containerd://6a2f0a8d2b7c4e6f8a1b3c5d7e9f0a2b4c6d8e0f1a3b5c7d9e1f2a4b6c8d0e2f',
          started: true,
        },
      ],
      qosClass: 'Burstable',
    },
  }
}

function probe(path: string): ValueMap {
  return {
    httpGet: { path, port: 'http', scheme: 'HTTP' },
    initialDelaySeconds: 5,
    timeoutSeconds: 1,
    periodSeconds: 10,
    successThreshold: 1,
    failureThreshold: 3,
  }
}
