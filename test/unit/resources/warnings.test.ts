// What is told of objects that are taken all the same.
import { generateKeyPairSync } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import type { ApiObject } from '../../../src/api/object.ts'
import { ApiWorld } from '../../fakes/api-world.ts'

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
const volume = (spec: object, annotations: object = {}): object => ({ metadata: { name: 'v', annotations }, spec })
const TLS = 'kubernetes.io/tls'
const base64 = (text: string): string => Buffer.from(text).toString('base64')
const CERTIFICATE = base64('-----BEGIN CERTIFICATE-----\nAA==\n-----END CERTIFICATE-----\n')
const LABELS = 'a DNS label is recommended'

const rows: readonly Row[] = [
  { name: 'nothing to tell', at: ['deployments', 'apps'], object: deployment({}), warnings: [] },
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
      'spec.volumes[0].gitRepo: deprecated in v1.11',
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
    name: 'half a byte, a way to reclaim and an annotation that are gone',
    at: ['persistentvolumes'],
    object: volume(
      { capacity: { storage: '500m' }, persistentVolumeReclaimPolicy: 'Recycle' },
      { 'volume.beta.kubernetes.io/storage-class': 'x' },
    ),
    warnings: [
      'metadata.annotations[volume.beta.kubernetes.io/storage-class]: deprecated since v1.8; use "storageClassName" attribute instead',
      'spec.persistentVolumeReclaimPolicy: The Recycle reclaim policy is deprecated. Instead, the recommended approach is to use dynamic provisioning.',
      'spec.capacity[storage]: fractional byte value "500m" is invalid, must be an integer',
    ],
  },
  {
    name: 'more requested than the limit',
    at: ['resourcequotas'],
    object: { metadata: { name: 'q' }, spec: { hard: { 'requests.cpu': '2', 'limits.cpu': '1500m' } } },
    warnings: ['ResourceQuota requests.cpu (2) should be less than limits.cpu (1500m)'],
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
    warnings: [
      'tls: failed to find PEM block with type ending in "PRIVATE KEY" in key input after skipping PEM blocks of the following types: [CERTIFICATE]',
    ],
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
]

describe('warnings', () => {
  const world = new ApiWorld()
  for (const { name, at, object, warnings } of rows) {
    test(name, () => {
      const { character } = world.resource(...at)
      expect(character.warnings(object as ApiObject, undefined, world.context())).toEqual(warnings)
    })
  }

  test('about templates come again only with a new generation', () => {
    const { character } = world.resource('deployments', 'apps')
    const of = (generation: number): ApiObject => {
      const object = deployment({ terminationGracePeriodSeconds: -1 }) as ApiObject
      return { ...object, metadata: { ...object.metadata, generation } }
    }
    expect(character.warnings(of(2), of(2), world.context())).toEqual([])
    expect(character.warnings(of(3), of(2), world.context())).toHaveLength(1)
  })

  test('about pods are not repeated on updates', () => {
    const { character } = world.resource('pods')
    const pod = { metadata: { name: 'a.b' }, spec: {} } as unknown as ApiObject
    expect(character.warnings(pod, pod, world.context())).toEqual([])
  })
})
