// What is told of objects that are taken all the same.
import { generateKeyPairSync } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import type { ApiObject } from '../../../../src/api/object.ts'
import { ApiWorld } from '../../../fakes/api-world.ts'

interface Row {
  readonly name: string
  readonly at: readonly [string, string?]
  readonly object: object
  readonly warnings: readonly string[]
}

const container = { name: 'c', image: 'i' }
const deployment = (spec: object, name = 'd'): object => ({
  metadata: { name },
  spec: { template: { metadata: { labels: { app: 'x' } }, spec: { containers: [container], ...spec } } },
})
const pod = (spec: object): object => ({ metadata: { name: 'p' }, spec: { containers: [container], ...spec } })
const volume = (spec: object, annotations: object = {}): object => ({ metadata: { name: 'v', annotations }, spec })
const TLS = 'kubernetes.io/tls'
const base64 = (text: string): string => Buffer.from(text).toString('base64')
const CERTIFICATE = base64('-----BEGIN CERTIFICATE-----\nAA==\n-----END CERTIFICATE-----\n')
const LABELS = 'a DNS label is recommended'

const rows: readonly Row[] = [
  { name: 'nothing to tell', at: ['deployments', 'apps'], object: deployment({}), warnings: [] },
  {
    name: 'tokens for a driver',
    at: ['csidrivers', 'storage.k8s.io'],
    object: { metadata: { name: 'd' }, spec: { tokenRequests: [{ audience: 'a' }] } },
    warnings: [
      'spec.serviceAccountTokenInSecrets is unset; if supported by this CSI driver, set to true to prevent possible logging of tokens in volume attributes',
    ],
  },
  {
    name: 'a name with dots',
    at: ['deployments', 'apps'],
    object: deployment({}, 'a.b'),
    warnings: [
      `metadata.name: this is used in Pod names and hostnames, which can result in surprising behavior; ${LABELS}: [must not contain dots]`,
    ],
  },
  {
    name: 'a name of a pod that is long and has dots',
    at: ['pods'],
    object: { metadata: { name: `${'a'.repeat(63)}.b` }, spec: { containers: [container] } },
    warnings: [
      `metadata.name: this is used in the Pod's hostname, which can result in surprising behavior; ${LABELS}: [must be no more than 63 characters must not contain dots]`,
    ],
  },
  {
    name: 'a variable that hides one, but not one that builds on it',
    at: ['deployments', 'apps'],
    object: deployment({
      containers: [
        {
          ...container,
          env: [
            { name: 'A', value: '1' },
            { name: 'A', value: '$(A)2' },
            { name: 'A', value: '3' },
          ],
        },
      ],
    }),
    warnings: [
      'spec.template.spec.containers[0].env[2]: hides previous definition of "A", which may be dropped when using apply',
    ],
  },
  {
    name: 'ports in one another’s way',
    at: ['pods'],
    object: {
      metadata: { name: 'p' },
      spec: {
        containers: [
          { ...container, ports: [{ containerPort: 1 }, { containerPort: 1, hostPort: 5 }] },
          { ...container, ports: [{ containerPort: 1, hostPort: 5, hostIP: '192.0.2.1' }] },
        ],
      },
    },
    warnings: [
      'spec.containers[0].ports[1]: overlapping port definition with spec.containers[0].ports[0]',
      'spec.containers[1].ports[0]: overlapping port definition with spec.containers[0].ports[0]',
      'spec.containers[1].ports[0]: dangerously ambiguous port definition with spec.containers[0].ports[1]',
    ],
  },
  {
    name: 'old labels of nodes, a selector that matches nothing, a source that is gone',
    at: ['pods'],
    object: {
      metadata: { name: 'p' },
      spec: {
        containers: [container],
        nodeSelector: { 'beta.kubernetes.io/os': 'linux' },
        topologySpreadConstraints: [{ topologyKey: 'zone' }],
        volumes: [{ name: 'v', gitRepo: { repository: 'r' } }],
      },
    },
    warnings: [
      'spec.nodeSelector[beta.kubernetes.io/os]: deprecated since v1.14; use "kubernetes.io/os" instead',
      'spec.topologySpreadConstraints[0].labelSelector: a null labelSelector results in matching no pod',
      'spec.volumes[0].gitRepo: deprecated in v1.11, and disabled by default in v1.33+',
    ],
  },
  {
    name: 'a template that ends in less than no time',
    at: ['statefulsets', 'apps'],
    object: deployment({ terminationGracePeriodSeconds: -1 }),
    warnings: [
      'spec.template.spec.terminationGracePeriodSeconds: must be >= 0; negative values are invalid and will be treated as 1',
    ],
  },
  {
    name: 'half a byte, which volumes may have, a way to reclaim and an annotation that are gone',
    at: ['persistentvolumes'],
    object: volume(
      { capacity: { storage: '500m' }, persistentVolumeReclaimPolicy: 'Recycle' },
      { 'volume.beta.kubernetes.io/storage-class': 'x' },
    ),
    warnings: [
      'metadata.annotations[volume.beta.kubernetes.io/storage-class]: deprecated since v1.8; use "storageClassName" attribute instead',
      'spec.persistentVolumeReclaimPolicy: The Recycle reclaim policy is deprecated. Instead, the recommended approach is to use dynamic provisioning.',
    ],
  },
  {
    name: 'more requested than the limit',
    at: ['resourcequotas'],
    object: { metadata: { name: 'q' }, spec: { hard: { 'requests.cpu': '2', 'limits.cpu': '1500m' } } },
    warnings: ['ResourceQuota requests.cpu (2) should be less than limits.cpu (1500m)'],
  },
  {
    name: 'more asked for by the plain name than the limit',
    at: ['resourcequotas'],
    object: { metadata: { name: 'q' }, spec: { hard: { memory: '3Gi', 'limits.memory': '2Gi', 'limits.cpu': '1' } } },
    warnings: ['ResourceQuota memory (3Gi) should be less than limits.memory (2Gi)'],
  },
  {
    name: 'parts of bytes in a claim',
    at: ['persistentvolumeclaims'],
    object: {
      metadata: { name: 'c' },
      spec: { resources: { requests: { storage: '200m' }, limits: { storage: '100m' } } },
    },
    warnings: [
      'spec.resources.requests[storage]: fractional byte value "200m" is invalid, must be an integer',
      'spec.resources.limits[storage]: fractional byte value "100m" is invalid, must be an integer',
    ],
  },
  {
    name: 'endpoints by name',
    at: ['endpointslices', 'discovery.k8s.io'],
    object: { metadata: { name: 's' }, addressType: 'FQDN', endpoints: [{ addresses: ['a.example'] }] },
    warnings: ['spec.addressType: FQDN endpoints are deprecated'],
  },
  {
    name: 'addresses that a controller of the cluster wrote',
    at: ['endpointslices', 'discovery.k8s.io'],
    object: {
      metadata: {
        name: 's',
        labels: { 'endpointslice.kubernetes.io/managed-by': 'endpointslicemirroring-controller.k8s.io' },
      },
      addressType: 'IPv6',
      endpoints: [{ addresses: ['2001:DB8::1'] }],
    },
    warnings: [],
  },
  {
    name: 'an address that is not in its canonical form',
    at: ['endpointslices', 'discovery.k8s.io'],
    object: {
      metadata: { name: 's' },
      addressType: 'IPv6',
      endpoints: [{ addresses: ['2001:DB8::1', '2001:db8::2'] }],
    },
    warnings: [
      'endpoints[0].addresses[0]: IPv6 address "2001:DB8::1" should be in RFC 5952 canonical format ("2001:db8::1")',
    ],
  },
  {
    name: 'no certificate where one belongs',
    at: ['secrets'],
    object: { metadata: { name: 's' }, type: TLS, data: { 'tls.crt': base64('x'), 'tls.key': base64('y') } },
    warnings: ['tls: failed to find any PEM data in certificate input'],
  },
  {
    name: 'no key where one belongs',
    at: ['secrets'],
    object: { metadata: { name: 's' }, type: TLS, data: { 'tls.crt': CERTIFICATE, 'tls.key': CERTIFICATE } },
    warnings: ['tls: found a certificate rather than a key in the PEM for the private key'],
  },
  {
    name: 'a certificate that cannot be read',
    at: ['secrets'],
    object: {
      metadata: { name: 's' },
      type: TLS,
      data: {
        'tls.crt': CERTIFICATE,
        'tls.key': base64(generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }) as string),
      },
    },
    warnings: ['x509: malformed certificate'],
  },
  {
    name: 'a host address without a host port, and a name of a port twice',
    at: ['pods'],
    object: pod({
      containers: [
        {
          ...container,
          ports: [
            { name: 'n', containerPort: 1, protocol: 'TCP', hostIP: '192.0.2.1' },
            { name: 'n', containerPort: 2, protocol: 'TCP' },
          ],
        },
      ],
    }),
    warnings: [
      'spec.containers[0].ports[0]: hostIP set without hostPort: {Name:n HostPort:0 ContainerPort:1 Protocol:TCP HostIP:192.0.2.1}',
      'spec.containers[0].ports[1]: duplicate port name "n" with spec.containers[0].ports[0], services and probes that select ports by name will use spec.containers[0].ports[0]',
    ],
  },
  {
    name: 'keys that want to be at one path',
    at: ['pods'],
    object: pod({
      volumes: [
        { name: 'c', configMap: { name: 'm', items: [{ path: 'a/' }, { path: 'a/b' }, { path: 'ab' }] } },
        { name: 's', secret: { secretName: 'm', items: [{ path: 'a' }, { path: 'a' }] } },
        {
          name: 'p',
          projected: {
            sources: [
              { serviceAccountToken: { path: 't' } },
              {},
              { secret: { name: 's', items: [{ key: 'k', path: 't' }] } },
              { downwardAPI: { items: [{ path: 't/x' }] } },
            ],
          },
        },
      ],
    }),
    warnings: [
      'volume "c" (ConfigMap "m"): overlapping paths: "a/b" with "a"',
      'volume "s" (Secret "m"): overlapping paths: "a" with "a"',
      'volume "p" (Projected) has no sources provided',
      'volume "p" (Projected): overlapping paths: "t" (Secret "s") with "t" (ServiceAccountToken)',
      'volume "p" (Projected): overlapping paths: "t/x" (DownwardAPI) with "t" (ServiceAccountToken)',
      'volume "p" (Projected): overlapping paths: "t/x" (DownwardAPI) with "t" (Secret "s")',
    ],
  },
  {
    name: 'a value that no label has, where nodes are preferred by it',
    at: ['pods'],
    object: pod({
      affinity: {
        nodeAffinity: {
          preferredDuringSchedulingIgnoredDuringExecution: [
            {
              weight: 1,
              preference: { matchExpressions: [{ key: 'a', operator: 'In', values: ['b', 'x'.repeat(64)] }] },
            },
          ],
        },
      },
    }),
    warnings: [
      `spec.affinity.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].preference.matchExpressions[0].values[1]: ${'x'.repeat(64)} is invalid, must be no more than 63 bytes`,
    ],
  },
  {
    name: 'addresses of a pod that are not in their canonical form',
    at: ['pods'],
    object: pod({ dnsConfig: { nameservers: ['2001:DB8::1'] }, hostAliases: [{ ip: '2001:DB8::2' }] }),
    warnings: [
      'spec.dnsConfig.nameservers[0]: IPv6 address "2001:DB8::1" should be in RFC 5952 canonical format ("2001:db8::1")',
      'spec.hostAliases[0].ip: IPv6 address "2001:DB8::2" should be in RFC 5952 canonical format ("2001:db8::2")',
    ],
  },
  {
    name: 'a job of very many indexes',
    at: ['jobs', 'batch'],
    object: { metadata: { name: 'j' }, spec: { completionMode: 'Indexed', completions: 100_001, parallelism: 10_001 } },
    warnings: [
      'spec: In Indexed Jobs with a number of completions higher than 10^5 and a parallelism higher than 10^4, Kubernetes might not be able to track completedIndexes when a big number of indexes fail',
    ],
  },
  {
    name: 'an account that limits its secrets',
    at: ['serviceaccounts'],
    object: { metadata: { name: 's', annotations: { 'kubernetes.io/enforce-mountable-secrets': 'true' } } },
    warnings: [
      'metadata.annotations[kubernetes.io/enforce-mountable-secrets]: deprecated in v1.32+; prefer separate namespaces to isolate access to mounted secrets',
    ],
  },
  {
    name: 'a class of an ingress said the old way',
    at: ['ingresses', 'networking.k8s.io'],
    object: { metadata: { name: 'i', annotations: { 'kubernetes.io/ingress.class': '' } }, spec: {} },
    warnings: ['annotation "kubernetes.io/ingress.class" is deprecated, please use \'spec.ingressClassName\' instead'],
  },
  {
    name: 'a class of an ingress said both ways',
    at: ['ingresses', 'networking.k8s.io'],
    object: {
      metadata: { name: 'i', annotations: { 'kubernetes.io/ingress.class': 'x' } },
      spec: { ingressClassName: 'x' },
    },
    warnings: [],
  },
  {
    name: 'networks that are not in their canonical form',
    at: ['networkpolicies', 'networking.k8s.io'],
    object: {
      metadata: { name: 'n' },
      spec: {
        ingress: [{ from: [{ ipBlock: { cidr: '2001:DB8::/32', except: ['2001:DB8:1::/48'] } }] }],
        egress: [{ to: [{ ipBlock: { cidr: '192.0.2.0/24' } }] }],
      },
    },
    warnings: [
      'spec.ingress[0].from[0].ipBlock.cidr: IPv6 CIDR value "2001:DB8::/32" should be in RFC 5952 canonical format ("2001:db8::/32")',
      'spec.ingress[0].from[0].ipBlock.except[0]: IPv6 CIDR value "2001:DB8:1::/48" should be in RFC 5952 canonical format ("2001:db8:1::/48")',
    ],
  },
  {
    name: 'endpoints that are not in their canonical form',
    at: ['endpoints'],
    object: { metadata: { name: 'e' }, subsets: [{ notReadyAddresses: [{ ip: '2001:DB8::1' }] }] },
    warnings: [
      'subsets[0].notReadyAddresses[0].ip: IPv6 address "2001:DB8::1" should be in RFC 5952 canonical format ("2001:db8::1")',
    ],
  },
  {
    name: 'old labels of nodes in a class of storage',
    at: ['storageclasses', 'storage.k8s.io'],
    object: { allowedTopologies: [{ matchLabelExpressions: [{ key: 'failure-domain.beta.kubernetes.io/zone' }] }] },
    warnings: [
      'allowedTopologies[0].matchLabelExpressions[0].key: deprecated since v1.17; use "topology.kubernetes.io/zone" instead',
    ],
  },
  {
    name: 'old labels of nodes in a capacity of storage',
    at: ['csistoragecapacities', 'storage.k8s.io'],
    object: {
      nodeTopology: {
        matchLabels: { 'beta.kubernetes.io/os': 'linux' },
        matchExpressions: [{ key: 'beta.kubernetes.io/arch', operator: 'Exists' }],
      },
    },
    warnings: [
      'nodeTopology.matchExpressions[0].key: beta.kubernetes.io/arch is deprecated since v1.14; use "kubernetes.io/arch" instead',
      'nodeTopology.matchLabels.beta.kubernetes.io/os: deprecated since v1.14; use "kubernetes.io/os" instead',
    ],
  },
  {
    name: 'old labels of nodes in a way to run pods',
    at: ['runtimeclasses', 'node.k8s.io'],
    object: { scheduling: { nodeSelector: { 'beta.kubernetes.io/os': 'linux' } } },
    warnings: ['scheduling.nodeSelector: deprecated since v1.14; use "kubernetes.io/os" instead'],
  },
]

describe('warnings', () => {
  const world = new ApiWorld()
  for (const { name, at, object, warnings } of rows) {
    test(name, () => {
      const { strategy } = world.resource(...at)
      expect(strategy.warnings(object as ApiObject, undefined, world.context())).toEqual(warnings)
    })
  }

  test('about templates come again only with a new generation', () => {
    const { strategy } = world.resource('deployments', 'apps')
    const of = (generation: number): ApiObject => {
      const object = deployment({ terminationGracePeriodSeconds: -1 }) as ApiObject
      return { ...object, metadata: { ...object.metadata, generation } }
    }
    expect(strategy.warnings(of(2), of(2), world.context())).toEqual([])
    expect(strategy.warnings(of(3), of(2), world.context())).toHaveLength(1)
  })

  test('about pods are not repeated on updates', () => {
    const { strategy } = world.resource('pods')
    const pod = { metadata: { name: 'a.b' }, spec: {} } as unknown as ApiObject
    expect(strategy.warnings(pod, pod, world.context())).toEqual([])
  })

  test.each([
    ['pods', { podIPs: [{ ip: '2001:DB8::1' }], hostIPs: [{ ip: '192.0.2.1' }] }, 'status.podIPs[0].ip'],
    ['services', { loadBalancer: { ingress: [{ ip: '2001:DB8::1' }] } }, 'status.loadBalancer.ingress[0]'],
    [
      'ingresses',
      { loadBalancer: { ingress: [{ ip: '2001:DB8::1' }] } },
      'status.loadBalancer.ingress[0]',
      'networking.k8s.io',
    ],
  ])('about the status of %s', (resource, status, place, group = '') => {
    const { warnings } = world.resource(resource, group).strategy.subresources['status']!
    expect(warnings?.({ metadata: { name: 'x' }, status } as unknown as ApiObject)).toEqual([
      `${place}: IPv6 address "2001:DB8::1" should be in RFC 5952 canonical format ("2001:db8::1")`,
    ])
  })

  test.each([
    ['resourcequotas', '', { spec: { hard: { 'requests.cpu': '2', 'limits.cpu': '1' } } }, []],
    ['endpointslices', 'discovery.k8s.io', { addressType: 'FQDN' }, []],
    [
      'statefulsets',
      'apps',
      { spec: { volumeClaimTemplates: [{ spec: { resources: { requests: { storage: '1m' } } } }] } },
      [
        'spec.volumeClaimTemplates[0].Spec.resources.requests[storage]: fractional byte value "1m" is invalid, must be an integer',
      ],
    ],
    [
      'cronjobs',
      'batch',
      { spec: { schedule: 'TZ=UTC 0 0 * * *' } },
      [
        'cannot use TZ or CRON_TZ in spec.spec.schedule, use timeZone instead, see https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/ for more details',
      ],
    ],
  ])('about updates of %s', (resource, group, body, told) => {
    const object = { metadata: { name: 'x' }, ...body } as unknown as ApiObject
    const { strategy } = world.resource(resource, group)
    expect(strategy.warnings(object, object, world.context())).toEqual(told)
  })

  test('about an account come once', () => {
    const { strategy } = world.resource('serviceaccounts')
    const account = {
      metadata: { name: 's', annotations: { 'kubernetes.io/enforce-mountable-secrets': 'true' } },
    } as unknown as ApiObject
    expect(strategy.warnings(account, account, world.context())).toEqual([])
  })
})
