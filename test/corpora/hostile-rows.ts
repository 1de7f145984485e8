// Requests of any size that cost a server more than they should where it looks at things in pairs: by what they are about.
import type { HostileRequest, HostileRow } from '../rigs/hostile-cost.ts'

export const MAPS = '/api/v1/namespaces/default/configmaps'
export const PODS = '/api/v1/namespaces/default/pods'
export const QUOTAS = '/api/v1/namespaces/default/resourcequotas'
export const DRY = 'dryRun=All'
const RBAC = '/apis/rbac.authorization.k8s.io/v1'
const ADMISSION = '/apis/admissionregistration.k8s.io/v1'
const REVIEWS = '/apis/authorization.k8s.io/v1'
export const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'

/** As many things as fit, the first of them as long as all are about. */
export function filled(bytes: number, make: (i: number) => unknown): unknown[] {
  const made: unknown[] = []
  for (let size = 0; size < bytes; ) {
    const one = make(made.length)
    made.push(one)
    size += JSON.stringify(one).length + 1
  }
  return made
}

const entries = (bytes: number, make: (i: number) => readonly [string, unknown]): Record<string, unknown> =>
  Object.fromEntries(filled(bytes, make) as [string, unknown][])

const post = (path: string, body: object): HostileRequest => ({
  path: `${path}?${DRY}`,
  method: 'POST',
  body: JSON.stringify(body),
})

const patch = (type: string, path: string, body: unknown): HostileRequest => ({
  path: `${path}${path.includes('?') ? '&' : '?'}${DRY}`,
  method: 'PATCH',
  headers: { 'content-type': `application/${type}` },
  body: JSON.stringify(body),
})

const map = (metadata: object, more: object = {}): object => ({
  kind: 'ConfigMap',
  apiVersion: 'v1',
  metadata: { name: 'm', ...metadata },
  ...more,
})
const pod = (spec: object, metadata: object = {}): object => ({
  kind: 'Pod',
  apiVersion: 'v1',
  metadata: { name: 'p', ...metadata },
  spec: { containers: [{ name: 'c', image: 'i' }], ...spec },
})
const volume = (source: object): object => pod({ volumes: [{ name: 'v', ...source }] })

const claim = (i: number, operation: string): object => ({
  manager: `m${i}`,
  operation,
  apiVersion: 'v1',
  time: '2024-01-02T03:04:05Z',
  fieldsType: 'FieldsV1',
  fieldsV1: { 'f:data': { [`f:k${i}`]: {} } },
})

const TAKEN = { name: 'target' }

/** Valid in every way, under names that others have: for a small answer all is looked at that a new object is. */
export const TAKEN_NAMES: Readonly<Record<string, HostileRow>> = {
  entries: (n) => post(MAPS, map(TAKEN, { data: entries(n, (i) => [`k${i}`, '']) })),
  labels: (n) => post(MAPS, map({ ...TAKEN, labels: entries(n, (i) => [`k${i}`, '']) })),
  variables: (n) =>
    post(PODS, pod({ containers: [{ name: 'c', image: 'i', env: filled(n, (i) => ({ name: `E${i}` })) }] }, TAKEN)),
  quantities: (n) =>
    post(QUOTAS, {
      kind: 'ResourceQuota',
      apiVersion: 'v1',
      metadata: TAKEN,
      spec: { hard: entries(n, (i) => [`count/r${i}.x`, '1']) },
    }),
}

export const METADATA: Readonly<Record<string, HostileRow>> = {
  'claims of updaters': (n) => post(MAPS, map({ managedFields: filled(n, (i) => claim(i, 'Update')) })),
  'claims of appliers': (n) => post(MAPS, map({ managedFields: filled(n, (i) => claim(i, 'Apply')) })),
  'claims of one updater': (n) => post(MAPS, map({ managedFields: filled(n, () => claim(1, 'Update')) })),
  'claims in other versions': (n) =>
    post(MAPS, map({ managedFields: filled(n, (i) => ({ ...claim(i, 'Update'), apiVersion: `v${i}` })) })),
  'claims that are no claims': (n) => post(MAPS, map({ managedFields: filled(n, (i) => ({ manager: `m${i}` })) })),
  'claims in a question': (n) =>
    post(`${REVIEWS}/selfsubjectaccessreviews`, {
      metadata: { managedFields: filled(n, (i) => claim(i, 'Update')) },
      spec: { resourceAttributes: { verb: 'get', resource: 'pods' } },
    }),
  owners: (n) =>
    post(
      MAPS,
      map({ ownerReferences: filled(n, (i) => ({ apiVersion: 'v1', kind: 'X', name: `n${i}`, uid: `u${i}` })) }),
    ),
  'owners that are one': (n) =>
    post(MAPS, map({ ownerReferences: filled(n, () => ({ apiVersion: 'v1', kind: 'X', name: 'n', uid: 'u' })) })),
  'owners that control': (n) =>
    post(
      MAPS,
      map({
        ownerReferences: filled(n, (i) => ({
          apiVersion: 'v1',
          kind: 'X',
          name: `n${i}`,
          uid: `u${i}`,
          controller: true,
          blockOwnerDeletion: true,
        })),
      }),
    ),
  finalizers: (n) => post(MAPS, map({ finalizers: filled(n, (i) => `example.com/f${i}`) })),
  'finalizers without a domain': (n) => post(MAPS, map({ finalizers: filled(n, (i) => `f${i}`) })),
  labels: (n) => post(MAPS, map({ labels: entries(n, (i) => [`k${i}`, `v${i}`]) })),
  'labels with domains': (n) => post(MAPS, map({ labels: entries(n, (i) => [`d${i}.example.com/k`, 'v']) })),
  annotations: (n) => post(MAPS, map({ annotations: entries(n, (i) => [`k${i}`, `v${i}`]) })),
  'keys beyond sixteen bits': (n) => post(MAPS, map({}, { data: entries(n, (i) => [`\u{1f600}${i}`, 'v']) })),
  'keys that are numbers': (n) => post(MAPS, map({}, { data: entries(n, (i) => [`${i * 65_536}`, 'v']) })),
  'fields that nobody knows': (n) => post(MAPS, { ...map({}), ...entries(n, (i) => [`x${i}`, i]) }),
  'one long key around fields that nobody knows': (n) =>
    post(DEFINITIONS, {
      ...definition(),
      spec: {
        ...definition().spec,
        versions: [
          {
            name: 'v1',
            served: true,
            storage: true,
            schema: {
              openAPIV3Schema: { type: 'object', properties: { ['k'.repeat(n)]: entries(2000, (i) => [`x${i}`, i]) } },
            },
          },
        ],
      },
    }),
}

export const PODS_ROWS: Readonly<Record<string, HostileRow>> = {
  'keys of a config map': (n) =>
    post(PODS, volume({ configMap: { name: 'm', items: filled(n, (i) => ({ key: `k${i}`, path: `p${i}` })) } })),
  'keys of a config map at one path': (n) =>
    post(PODS, volume({ configMap: { name: 'm', items: filled(n, () => ({ key: 'k', path: 'p' })) } })),
  'sources of a projected volume': (n) =>
    post(
      PODS,
      volume({
        projected: { sources: filled(n, (i) => ({ secret: { name: `s${i}`, items: [{ key: 'k', path: `p${i}` }] } })) },
      }),
    ),
  'sources of a projected volume at one path': (n) =>
    post(
      PODS,
      volume({
        projected: { sources: filled(n, (i) => ({ secret: { name: `s${i}`, items: [{ key: 'k', path: 'p' }] } })) },
      }),
    ),
  'topology constraints': (n) =>
    post(
      PODS,
      pod({
        topologySpreadConstraints: filled(n, (i) => ({
          maxSkew: 1,
          topologyKey: `k${i}`,
          whenUnsatisfiable: 'DoNotSchedule',
        })),
      }),
    ),
  'topology constraints on one key': (n) =>
    post(
      PODS,
      pod({
        topologySpreadConstraints: filled(n, () => ({
          maxSkew: 1,
          topologyKey: 'k',
          whenUnsatisfiable: 'DoNotSchedule',
        })),
      }),
    ),
  'host aliases': (n) =>
    post(PODS, pod({ hostAliases: filled(n, (i) => ({ ip: `10.0.${(i >> 8) & 255}.${i & 255}`, hostnames: ['a'] })) })),
  'host aliases of one address': (n) =>
    post(PODS, pod({ hostAliases: filled(n, () => ({ ip: '10.0.0.1', hostnames: ['a'] })) })),
  ports: (n) =>
    post(
      PODS,
      pod({
        containers: [
          { name: 'c', image: 'i', ports: filled(n, (i) => ({ containerPort: 1 + (i % 65_535), name: `p${i}` })) },
        ],
      }),
    ),
  'ports that are one': (n) =>
    post(PODS, pod({ containers: [{ name: 'c', image: 'i', ports: filled(n, () => ({ containerPort: 1 })) }] })),
  variables: (n) =>
    post(
      PODS,
      pod({
        containers: [{ name: 'c', image: 'i', env: filled(n, (i) => ({ name: `V${i}`, value: `$(V${i - 1})` })) }],
      }),
    ),
  'variables that are one': (n) =>
    post(PODS, pod({ containers: [{ name: 'c', image: 'i', env: filled(n, () => ({ name: 'V', value: 'x' })) }] })),
  'volumes and mounts': (n) => {
    const volumes = filled(n / 2, (i) => ({ name: `v${i}`, emptyDir: {} }))
    const volumeMounts = volumes.map((_, i) => ({ name: `v${i}`, mountPath: `/m${i}` }))
    return post(PODS, pod({ volumes, containers: [{ name: 'c', image: 'i', volumeMounts }] }))
  },
  containers: (n) => post(PODS, pod({ containers: filled(n, (i) => ({ name: `c${i}`, image: 'i' })) })),
  'containers and their profiles': (n) => {
    const containers = filled(n / 2, (i) => ({ name: `c${i}`, image: 'i' }))
    const annotations = entries(n / 4, (i) => [
      `container.apparmor.security.beta.kubernetes.io/c${i}`,
      'runtime/default',
    ])
    return post(PODS, pod({ containers }, { annotations }))
  },
  'pull secrets': (n) => post(PODS, pod({ imagePullSecrets: filled(n, (i) => ({ name: `s${i % 1000}` })) })),
  'scheduling gates': (n) => post(PODS, pod({ schedulingGates: filled(n, (i) => ({ name: `g${i}` })) })),
  'claims of devices': (n) =>
    post(PODS, pod({ resourceClaims: filled(n, (i) => ({ name: `c${i}`, resourceClaimName: 'r' })) })),
  tolerations: (n) => post(PODS, pod({ tolerations: filled(n, (i) => ({ key: `k${i}`, operator: 'Exists' })) })),
  'node terms': (n) =>
    post(
      PODS,
      pod({
        affinity: {
          nodeAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: {
              nodeSelectorTerms: filled(n, (i) => ({
                matchExpressions: [{ key: `k${i}`, operator: 'In', values: ['v'] }],
              })),
            },
          },
        },
      }),
    ),
  'node names': (n) =>
    post(
      PODS,
      pod({
        affinity: {
          nodeAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: {
              nodeSelectorTerms: [
                { matchExpressions: [{ key: 'k', operator: 'In', values: filled(n, (i) => `v${i}`) }] },
              ],
            },
          },
        },
      }),
    ),
  sysctls: (n) =>
    post(PODS, pod({ securityContext: { sysctls: filled(n, (i) => ({ name: `net.s${i}`, value: '1' })) } })),
}

const TARGET = `${MAPS}/target`
const DEPLOYMENT = '/apis/apps/v1/namespaces/default/deployments/target'
const containers = (list: unknown): object => ({ spec: { template: { spec: { containers: list } } } })
const operations = (n: number, make: (i: number) => object): object[] => (filled(n, make) as object[]).slice(0, 10_000)

export const PATCHES: Readonly<Record<string, HostileRow>> = {
  'additions to a map': (n) =>
    patch(
      'json-patch+json',
      TARGET,
      operations(n, (i) => ({ op: 'add', path: `/data/n${i}`, value: 'v' })),
    ),
  'changes of a map': (n) =>
    patch(
      'json-patch+json',
      TARGET,
      operations(n, (i) => ({ op: 'replace', path: `/data/k${i % 5000}`, value: 'v' })),
    ),
  'additions before the first item': (n) =>
    patch(
      'json-patch+json',
      DEPLOYMENT,
      operations(n, (i) => ({
        op: 'add',
        path: '/spec/template/spec/containers/0',
        value: { name: `n${i}`, image: 'i' },
      })),
    ),
  'additions behind the last item': (n) =>
    patch(
      'json-patch+json',
      DEPLOYMENT,
      operations(n, (i) => ({
        op: 'add',
        path: '/spec/template/spec/containers/-',
        value: { name: `n${i}`, image: 'i' },
      })),
    ),
  'tests of a large map': (n) =>
    patch(
      'json-patch+json',
      TARGET,
      operations(n, () => ({ op: 'test', path: '/data/none', value: null })),
    ),
  moves: (n) =>
    patch(
      'json-patch+json',
      TARGET,
      operations(n, (i) => ({ op: 'move', from: `/data/k${i % 4000}`, path: `/data/m${i}` })).slice(0, 4000),
    ),
  'merges of a map': (n) => patch('merge-patch+json', TARGET, { data: entries(n, (i) => [`n${i}`, 'v']) }),
  'merges that take away': (n) => patch('merge-patch+json', TARGET, { data: entries(n, (i) => [`k${i}`, null]) }),
  'merges of fields that nobody knows': (n) =>
    patch(
      'merge-patch+json',
      TARGET,
      entries(n, (i) => [`x${i}`, { a: 1 }]),
    ),
  'strategic merges of containers': (n) =>
    patch('strategic-merge-patch+json', DEPLOYMENT, containers(filled(n, (i) => ({ name: `n${i}`, image: 'i' })))),
  'strategic merges of one container': (n) =>
    patch('strategic-merge-patch+json', DEPLOYMENT, containers(filled(n, (i) => ({ name: 'c', [`x${i}`]: 1 })))),
  'strategic merges of ports of one container': (n) =>
    patch(
      'strategic-merge-patch+json',
      DEPLOYMENT,
      containers(filled(n, (i) => ({ name: 'c', ports: [{ containerPort: 1 + i }] }))),
    ),
  'strategic merges that delete': (n) =>
    patch(
      'strategic-merge-patch+json',
      DEPLOYMENT,
      containers(filled(n, (i) => ({ name: `n${i}`, $patch: 'delete' }))),
    ),
  'strategic merges in an order': (n) => {
    const list = filled(n / 2, (i) => ({ name: `n${i}`, image: 'i' })) as { name: string }[]
    const order = list.map(({ name }) => ({ name }))
    return patch('strategic-merge-patch+json', DEPLOYMENT, {
      spec: { template: { spec: { containers: list, '$setElementOrder/containers': order } } },
    })
  },
  'strategic merges that delete texts': (n) =>
    patch('strategic-merge-patch+json', TARGET, {
      metadata: { '$deleteFromPrimitiveList/finalizers': filled(n, (i) => `example.com/f${i}`) },
    }),
  'strategic merges that keep keys': (n) =>
    patch('strategic-merge-patch+json', DEPLOYMENT, {
      spec: { strategy: { $retainKeys: filled(n, (i) => `k${i}`), type: 'Recreate' } },
    }),
  'strategic merges of texts': (n) =>
    patch('strategic-merge-patch+json', TARGET, { metadata: { finalizers: filled(n, (i) => `example.com/f${i}`) } }),
  'applies of a map': (n) =>
    patch(
      'apply-patch+yaml',
      `${TARGET}?fieldManager=other&force=true`,
      map({ name: 'target' }, { data: entries(n, (i) => [`n${i}`, 'v']) }),
    ),
  'applies that conflict': (n) =>
    patch(
      'apply-patch+yaml',
      `${TARGET}?fieldManager=other`,
      map({ name: 'target' }, { data: entries(n, (i) => [`k${i}`, 'other']) }),
    ),
  'applies of containers': (n) =>
    patch('apply-patch+yaml', `${DEPLOYMENT}?fieldManager=other&force=true`, {
      kind: 'Deployment',
      apiVersion: 'apps/v1',
      metadata: { name: 'target' },
      ...containers(filled(n, (i) => ({ name: `n${i}`, image: 'i' }))),
    }),
  'applies of one container': (n) =>
    patch('apply-patch+yaml', `${DEPLOYMENT}?fieldManager=other&force=true`, {
      kind: 'Deployment',
      apiVersion: 'apps/v1',
      metadata: { name: 'target' },
      ...containers(filled(n, () => ({ name: 'c', image: 'i' }))),
    }),
}

const rule = (i: number): object => ({ apiGroups: [`g${i}`], resources: [`r${i}`], verbs: ['get'] })
const policy = (spec: object): object => ({
  kind: 'ValidatingAdmissionPolicy',
  metadata: { name: 'p' },
  spec: {
    matchConstraints: {
      resourceRules: [{ apiGroups: ['*'], apiVersions: ['*'], operations: ['CREATE'], resources: ['*'] }],
    },
    validations: [{ expression: 'true' }],
    ...spec,
  },
})

export const ACCESS: Readonly<Record<string, HostileRow>> = {
  'groups of a subject': (n) =>
    post(`${REVIEWS}/subjectaccessreviews`, {
      spec: { user: 'u', groups: filled(n, (i) => `g${i}`), resourceAttributes: { verb: 'get', resource: 'pods' } },
    }),
  'extra of a subject': (n) =>
    post(`${REVIEWS}/subjectaccessreviews`, {
      spec: {
        user: 'u',
        extra: entries(n, (i) => [`example.com/e${i}`, ['v']]),
        resourceAttributes: { verb: 'get', resource: 'pods' },
      },
    }),
  'extra of one key': (n) =>
    post(`${REVIEWS}/subjectaccessreviews`, {
      spec: {
        user: 'u',
        extra: { 'example.com/e': filled(n, (i) => `v${i}`) },
        resourceAttributes: { verb: 'get', resource: 'pods' },
      },
    }),
  'selectors in a question': (n) =>
    post(`${REVIEWS}/subjectaccessreviews`, {
      spec: {
        user: 'u',
        resourceAttributes: {
          verb: 'list',
          resource: 'pods',
          labelSelector: { requirements: filled(n, (i) => ({ key: `k${i}`, operator: 'Exists' })) },
        },
      },
    }),
  'a raw selector in a question': (n) =>
    post(`${REVIEWS}/subjectaccessreviews`, {
      spec: {
        user: 'u',
        resourceAttributes: {
          verb: 'list',
          resource: 'pods',
          labelSelector: { rawSelector: filled(n, (i) => `k${i}`).join(',') },
        },
      },
    }),
  'audiences of a token': (n) =>
    post('/apis/authentication.k8s.io/v1/tokenreviews', { spec: { token: 't', audiences: filled(n, (i) => `a${i}`) } }),
  'rules of a role': (n) => post(`${RBAC}/clusterroles`, { metadata: { name: 'r' }, rules: filled(n, rule) }),
  'paths of a role': (n) =>
    post(`${RBAC}/clusterroles`, {
      metadata: { name: 'r' },
      rules: [{ verbs: ['get'], nonResourceURLs: filled(n, (i) => `/p${i}/*`) }],
    }),
  'words of a rule': (n) =>
    post(`${RBAC}/clusterroles`, {
      metadata: { name: 'r' },
      rules: [
        {
          verbs: filled(n / 4, (i) => `v${i}`),
          apiGroups: filled(n / 4, (i) => `g${i}`),
          resources: filled(n / 4, (i) => `r${i}`),
          resourceNames: filled(n / 4, (i) => `n${i}`),
        },
      ],
    }),
  'subjects of a binding': (n) =>
    post(`${RBAC}/clusterrolebindings`, {
      metadata: { name: 'b' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'view' },
      subjects: filled(n, (i) => ({ kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name: `u${i}` })),
    }),
  'variables of a policy': (n) =>
    post(
      `${ADMISSION}/validatingadmissionpolicies`,
      policy({
        variables: filled(n, (i) => ({ name: `v${i}`, expression: i === 0 ? '1' : `variables.v${i - 1} + 1` })),
      }),
    ),
  'rules of a policy': (n) =>
    post(
      `${ADMISSION}/validatingadmissionpolicies`,
      policy({ validations: filled(n, (i) => ({ expression: `object.metadata.name != 'n${i}'` })) }),
    ),
  'one long expression of a policy': (n) =>
    post(
      `${ADMISSION}/validatingadmissionpolicies`,
      policy({ validations: [{ expression: filled(n, (i) => `object.a != '${i}'`).join(' && ') }] }),
    ),
  'words in the rules of a policy': (n) =>
    post(
      `${ADMISSION}/validatingadmissionpolicies`,
      policy({
        matchConstraints: {
          resourceRules: [
            {
              apiGroups: filled(n / 3, (i) => `g${i}`),
              apiVersions: filled(n / 3, (i) => `v${i}`),
              operations: ['CREATE'],
              resources: filled(n / 3, (i) => `r${i}`),
            },
          ],
        },
      }),
    ),
  webhooks: (n) =>
    post(`${ADMISSION}/validatingwebhookconfigurations`, {
      metadata: { name: 'w' },
      webhooks: filled(n, (i) => ({
        name: `w${i}.example.com`,
        clientConfig: { url: 'https://a.example.com/' },
        sideEffects: 'None',
        admissionReviewVersions: ['v1'],
      })),
    }),
  'conditions of a webhook': (n) =>
    post(`${ADMISSION}/validatingwebhookconfigurations`, {
      metadata: { name: 'w' },
      webhooks: [
        {
          name: 'w.example.com',
          clientConfig: { url: 'https://a.example.com/' },
          sideEffects: 'None',
          admissionReviewVersions: ['v1'],
          matchConditions: filled(n, (i) => ({ name: `c${i}`, expression: `object.a != '${i}'` })),
        },
      ],
    }),
  'rules of a flow': (n) =>
    post('/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas', {
      metadata: { name: 'f' },
      spec: {
        priorityLevelConfiguration: { name: 'global-default' },
        rules: filled(n, (i) => ({
          subjects: [{ kind: 'User', user: { name: `u${i}` } }],
          resourceRules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'], clusterScope: true }],
        })),
      },
    }),
  'peers of a network policy': (n) =>
    post('/apis/networking.k8s.io/v1/namespaces/default/networkpolicies', {
      metadata: { name: 'n' },
      spec: { podSelector: {}, ingress: [{ from: filled(n, (i) => ({ ipBlock: { cidr: `10.${i & 255}.0.0/16` } })) }] },
    }),
  'exceptions of a network policy': (n) =>
    post('/apis/networking.k8s.io/v1/namespaces/default/networkpolicies', {
      metadata: { name: 'n' },
      spec: {
        podSelector: {},
        ingress: [
          {
            from: [
              { ipBlock: { cidr: '10.0.0.0/8', except: filled(n, (i) => `10.${(i >> 8) & 255}.${i & 255}.0/24`) } },
            ],
          },
        ],
      },
    }),
  'devices of a slice': (n) =>
    post('/apis/resource.k8s.io/v1/resourceslices', {
      metadata: { name: 's' },
      spec: {
        driver: 'd.example.com',
        pool: { name: 'p', generation: 1, resourceSliceCount: 1 },
        nodeName: 'n',
        devices: filled(n, (i) => ({ name: `d${i}` })),
      },
    }),
  'amounts of a quota': (n) =>
    post('/api/v1/namespaces/default/resourcequotas', {
      metadata: { name: 'q' },
      spec: { hard: entries(n, (i) => [`count/r${i}.example.com`, '1']) },
    }),
}

type Json = Record<string, unknown>

export function definition(schema: Json = { type: 'object' }, names = 'thing'): { metadata: Json; spec: Json } & Json {
  const kind = `${names.charAt(0).toUpperCase()}${names.slice(1)}`
  return {
    kind: 'CustomResourceDefinition',
    apiVersion: 'apiextensions.k8s.io/v1',
    metadata: { name: `${names}s.hostile.example.com` },
    spec: {
      group: 'hostile.example.com',
      scope: 'Namespaced',
      names: { plural: `${names}s`, singular: names, kind, listKind: `${kind}List` },
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema } }],
    },
  }
}

const versions = (n: number, make: (i: number) => object): object => ({
  ...definition(),
  spec: { ...definition().spec, versions: filled(n, make) },
})
const nested = (depth: number): Json =>
  depth === 0 ? { type: 'string' } : { type: 'object', properties: { a: nested(depth - 1) } }

export const SCHEMAS: Readonly<Record<string, HostileRow>> = {
  'properties of a schema': (n) =>
    post(DEFINITIONS, definition({ type: 'object', properties: entries(n, (i) => [`p${i}`, { type: 'string' }]) })),
  'properties with defaults': (n) =>
    post(
      DEFINITIONS,
      definition({ type: 'object', properties: entries(n, (i) => [`p${i}`, { type: 'string', default: `d${i}` }]) }),
    ),
  'properties with rules': (n) =>
    post(
      DEFINITIONS,
      definition({
        type: 'object',
        properties: entries(n, (i) => [
          `p${i}`,
          { type: 'integer', 'x-kubernetes-validations': [{ rule: `self != ${i}` }] },
        ]),
      }),
    ),
  'rules of a schema': (n) =>
    post(
      DEFINITIONS,
      definition({
        type: 'object',
        properties: {
          a: { type: 'integer', 'x-kubernetes-validations': filled(n, (i) => ({ rule: `self != ${i}` })) },
        },
      }),
    ),
  'required fields': (n) => post(DEFINITIONS, definition({ type: 'object', required: filled(n, (i) => `p${i}`) })),
  'alternatives of a schema': (n) =>
    post(
      DEFINITIONS,
      definition({
        type: 'object',
        properties: { a: { type: 'string', anyOf: filled(n, (i) => ({ maxLength: i })) } },
      }),
    ),
  'alternatives that require': (n) =>
    post(
      DEFINITIONS,
      definition({
        type: 'object',
        properties: { a: { type: 'object', oneOf: filled(n, (i) => ({ required: [`p${i}`] })) } },
      }),
    ),
  'allowed words': (n) =>
    post(
      DEFINITIONS,
      definition({ type: 'object', properties: { a: { type: 'string', enum: filled(n, (i) => `e${i}`) } } }),
    ),
  'patterns of a schema': (n) =>
    post(
      DEFINITIONS,
      definition({
        type: 'object',
        properties: entries(n, (i) => [`p${i}`, { type: 'string', pattern: `^(a${i}|b)*$` }]),
      }),
    ),
  'long patterns': (n) =>
    post(
      DEFINITIONS,
      definition({
        type: 'object',
        properties: entries(n, (i) => [`p${i}`, { type: 'string', pattern: `${'a.'.repeat(4900)}${i}` }]),
      }),
    ),
  'a default with many items': (n) =>
    post(
      DEFINITIONS,
      definition({
        type: 'object',
        properties: { a: { type: 'array', items: { type: 'string' }, default: filled(n, (i) => `e${i}`) } },
      }),
    ),
  'keys of a list': (n) =>
    post(
      DEFINITIONS,
      definition({
        type: 'object',
        properties: {
          a: {
            type: 'array',
            'x-kubernetes-list-type': 'map',
            'x-kubernetes-list-map-keys': filled(n, (i) => `k${i}`),
            items: { type: 'object' },
          },
        },
      }),
    ),
  'deep schemas': (n) =>
    post(DEFINITIONS, definition({ type: 'object', properties: entries(n, (i) => [`p${i}`, nested(20)]) })),
  'versions of a definition': (n) =>
    post(
      DEFINITIONS,
      versions(n, (i) => ({
        name: `v${i + 1}`,
        served: true,
        storage: i === 0,
        schema: { openAPIV3Schema: { type: 'object' } },
      })),
    ),
  'columns of a version': (n) =>
    post(
      DEFINITIONS,
      versions(10, () => ({
        name: 'v1',
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: 'object' } },
        additionalPrinterColumns: filled(n, (i) => ({ name: `c${i}`, type: 'string', jsonPath: `.a${i}` })),
      })),
    ),
  'fields to select by': (n) =>
    post(
      DEFINITIONS,
      versions(10, () => ({
        name: 'v1',
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: 'object' } },
        selectableFields: filled(n, (i) => ({ jsonPath: `.a${i}` })),
      })),
    ),
  'short names': (n) =>
    post(DEFINITIONS, {
      ...definition(),
      spec: {
        ...definition().spec,
        names: {
          plural: 'things',
          singular: 'thing',
          kind: 'Thing',
          listKind: 'ThingList',
          shortNames: filled(n, (i) => `s${i}`),
        },
      },
    }),
}

/** What the objects below are of. */
export const CUSTOM_SCHEMA: Json = {
  type: 'object',
  properties: {
    set: { type: 'array', 'x-kubernetes-list-type': 'set', items: { type: 'string' } },
    keyed: {
      type: 'array',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['a', 'b'],
      items: {
        type: 'object',
        required: ['a', 'b'],
        properties: { a: { type: 'string' }, b: { type: 'integer', default: 1 }, c: { type: 'string' } },
      },
    },
    patterns: { type: 'array', items: { type: 'string', pattern: '^[a-z]+[0-9]*$', maxLength: 100 } },
    words: { type: 'array', items: { type: 'string', enum: Array.from({ length: 100 }, (_, i) => `w${i}`) } },
    formats: { type: 'array', items: { type: 'string', format: 'date-time' } },
    alternatives: {
      type: 'array',
      items: {
        type: 'object',
        properties: { a: { type: 'string' }, b: { type: 'string' } },
        oneOf: [{ required: ['a'] }, { required: ['b'] }],
      },
    },
    either: { type: 'array', items: { 'x-kubernetes-int-or-string': true } },
    ruled: {
      type: 'array',
      maxItems: 5000,
      items: { type: 'string', maxLength: 20, 'x-kubernetes-validations': [{ rule: "self.startsWith('a')" }] },
    },
    pairs: {
      type: 'array',
      maxItems: 1000,
      items: { type: 'integer' },
      'x-kubernetes-validations': [{ rule: 'self.all(x, self.exists_one(y, x == y))' }],
    },
    map: { type: 'object', additionalProperties: { type: 'string', minLength: 1 } },
    open: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
    defaulted: {
      type: 'array',
      items: {
        type: 'object',
        properties: {
          a: { type: 'string', default: 'a' },
          b: { type: 'object', default: {}, properties: { c: { type: 'integer', default: 1 } } },
        },
      },
    },
  },
}

const CUSTOM = '/apis/hostile.example.com/v1/namespaces/default/samples'
const custom = (members: Json): HostileRequest =>
  post(CUSTOM, { kind: 'Sample', apiVersion: 'hostile.example.com/v1', metadata: { name: 's' }, ...members })

export const CUSTOM_ROWS: Readonly<Record<string, HostileRow>> = {
  'a set': (n) => custom({ set: filled(n, (i) => `v${i}`) }),
  'a set of one text': (n) => custom({ set: filled(n, () => 'v') }),
  'a keyed list': (n) => custom({ keyed: filled(n, (i) => ({ a: `a${i}`, b: i })) }),
  'a keyed list of one item': (n) => custom({ keyed: filled(n, () => ({ a: 'a', b: 1 })) }),
  'a keyed list without keys': (n) => custom({ keyed: filled(n, () => ({})) }),
  'a pattern that fits': (n) => custom({ patterns: filled(n, (i) => `a${i}`) }),
  'a pattern that does not': (n) => custom({ patterns: filled(n, (i) => `-${i}`) }),
  'allowed words': (n) => custom({ words: filled(n, (i) => `w${i % 100}`) }),
  'words that are not allowed': (n) => custom({ words: filled(n, (i) => `x${i}`) }),
  'a format': (n) => custom({ formats: filled(n, () => '2024-01-02T03:04:05Z') }),
  alternatives: (n) => custom({ alternatives: filled(n, (i) => (i % 2 === 0 ? { a: 'a' } : { b: 'b' })) }),
  'alternatives that fail': (n) => custom({ alternatives: filled(n, () => ({ a: 'a', b: 'b' })) }),
  'either of two types': (n) => custom({ either: filled(n, (i) => (i % 2 === 0 ? i : `${i}%`)) }),
  'rules for each': (n) => custom({ ruled: filled(Math.min(n, 40_000), (i) => `a${i}`) }),
  'rules for pairs': (n) => custom({ pairs: filled(Math.min(n, 4_000), (i) => i) }),
  'a map': (n) => custom({ map: entries(n, (i) => [`k${i}`, 'v']) }),
  'what nobody knows': (n) => custom({ open: { list: filled(n, (i) => ({ a: i, b: [i] })) } }),
  'what nobody asked for': (n) => custom(entries(n, (i) => [`x${i}`, { a: 1 }])),
  defaults: (n) => custom({ defaulted: filled(n, () => ({})) }),
}
