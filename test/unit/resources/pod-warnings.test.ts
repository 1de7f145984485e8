import { describe, expect, test } from 'vitest'
import { FieldPath } from '../../../src/api/field-path.ts'
import { podTemplateWarnings, podWarnings } from '../../../src/resources/pod-warnings.ts'

const pod = (spec: object, metadata: object = { name: 'p' }) =>
  ({
    kind: 'Pod',
    apiVersion: 'v1',
    metadata,
    spec: { containers: [{ name: 'c', image: 'i' }], ...spec },
  }) as never

const container = (more: object): object => ({ containers: [{ name: 'c', image: 'i', ...more }] })

const cases: readonly { readonly name: string; readonly pod: never; readonly says: readonly string[] }[] = [
  { name: 'is plain', pod: pod({}), says: [] },
  {
    name: 'has dots in its name',
    pod: pod({}, { name: 'with.dots' }),
    says: [
      "metadata.name: this is used in the Pod's hostname, which can result in surprising behavior; a DNS label is recommended: [must not contain dots]",
    ],
  },
  {
    name: 'has a port twice',
    pod: pod(container({ ports: [{ containerPort: 80 }, { containerPort: 80 }] })),
    says: ['spec.containers[0].ports[1]: duplicate port definition with spec.containers[0].ports[0]'],
  },
  {
    name: 'has a port with and without a port of its host',
    pod: pod(container({ ports: [{ containerPort: 80 }, { containerPort: 80, hostPort: 81 }] })),
    says: ['spec.containers[0].ports[1]: overlapping port definition with spec.containers[0].ports[0]'],
  },
  {
    name: 'hides a variable',
    pod: pod(
      container({
        env: [
          { name: 'A', value: '1' },
          { name: 'A', value: '2' },
        ],
      }),
    ),
    says: ['spec.containers[0].env[1]: hides previous definition of "A", which may be dropped when using apply'],
  },
  {
    name: 'builds a variable on another',
    pod: pod(
      container({
        env: [
          { name: 'A', value: '1' },
          { name: 'A', value: '$(A)2' },
        ],
      }),
    ),
    says: [],
  },
  {
    name: 'chooses nodes by an old label',
    pod: pod({ nodeSelector: { 'beta.kubernetes.io/os': 'linux' } }),
    says: ['spec.nodeSelector[beta.kubernetes.io/os]: deprecated since v1.14; use "kubernetes.io/os" instead'],
  },
  {
    name: 'asks for parts of bytes',
    pod: pod(container({ resources: { requests: { memory: '100m', cpu: '100m', 'ephemeral-storage': '50m' } } })),
    says: [
      'spec.containers[0].resources.requests[memory]: fractional byte value "100m" is invalid, must be an integer',
      'spec.containers[0].resources.requests[ephemeral-storage]: fractional byte value "50m" is invalid, must be an integer',
    ],
  },
  {
    name: 'names a host and a secret twice',
    pod: pod({
      hostAliases: [{ ip: '192.0.2.1' }, { ip: '192.0.2.1' }],
      imagePullSecrets: [{ name: '' }, { name: 'a' }, { name: 'a' }],
    }),
    says: [
      'spec.hostAliases[1].ip: duplicate ip "192.0.2.1"',
      'spec.imagePullSecrets[2].name: duplicate name "a"',
      'spec.imagePullSecrets[0].name: invalid empty name ""',
    ],
  },
  {
    name: 'has a volume of a bygone kind',
    pod: pod({ volumes: [{ name: 'v', gitRepo: { repository: 'r' } }] }),
    says: ['spec.volumes[0].gitRepo: deprecated in v1.11'],
  },
  {
    name: 'projects something over its token',
    pod: pod({
      volumes: [
        {
          name: 'v',
          projected: {
            sources: [
              { serviceAccountToken: { path: 't' } },
              { secret: { name: 's', items: [{ key: 'k', path: 't' }] } },
            ],
          },
        },
      ],
    }),
    says: ['spec.volumes[0].projected.sources.secrets[0]: has duplicated path with ServiceAccountToken "t"'],
  },
  {
    name: 'spreads over nothing',
    pod: pod({ topologySpreadConstraints: [{ topologyKey: 'failure-domain.beta.kubernetes.io/zone' }] }),
    says: [
      'spec.topologySpreadConstraints[0].topologyKey: failure-domain.beta.kubernetes.io/zone is deprecated since v1.17; use "topology.kubernetes.io/zone" instead',
      'spec.topologySpreadConstraints[0].labelSelector: a null labelSelector results in matching no pod',
    ],
  },
  {
    name: 'is annotated the old way',
    pod: pod({}, { name: 'p', annotations: { 'seccomp.security.alpha.kubernetes.io/pod': 'x' } }),
    says: [
      'metadata.annotations[seccomp.security.alpha.kubernetes.io/pod]: non-functional in v1.27+; use the "seccompProfile" field instead',
    ],
  },
]

describe('a new pod that', () => {
  test.each(cases)('$name is warned of that', ({ pod: given, says }) => {
    expect(podWarnings(given, undefined)).toEqual(says)
  })

  test('is there already is not warned of', () => {
    const odd = pod({ nodeSelector: { 'beta.kubernetes.io/os': 'linux' } })
    expect(podWarnings(odd, odd)).toEqual([])
  })
})

test('the template of a pod is warned of at its place, also about a negative time to end', () => {
  const at = FieldPath.root('spec').child('template')
  expect(podTemplateWarnings(pod({ terminationGracePeriodSeconds: -1 }), at)).toEqual([
    'spec.template.spec.terminationGracePeriodSeconds: must be >= 0; negative values are invalid and will be treated as 1',
  ])
})
