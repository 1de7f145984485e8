import { describe, it } from 'vitest'
import { expectColumns } from '../../columns.ts'
import { changes, judge, type Row, rows, statuses } from '../../judging.ts'
import { container, DNS_LABEL, expectWarnings, type WarningRow } from '../../warning.ts'

describe('columns', () => {
  it('Pod has these columns', () =>
    expectColumns(' Pod', [
      'Name : string name',
      'Ready',
      'Status',
      'Restarts',
      'Age',
      '|IP',
      '|Node',
      '|Nominated Node',
      '|Readiness Gates',
    ]))
})

describe('validation (W-515, W-517)', () => {
  it.each<Row>([
    ...changes(
      'v1 Pod',
      [
        'another command',
        {},
        { 'spec/containers/0/command': ['x'] },
        'spec: Forbidden: pod updates may not change fields other than `spec.containers[*].image`…',
      ],
      [
        'one container more',
        {},
        { 'spec/containers/1': { name: 'd', image: 'i' } },
        'spec.containers: Forbidden: pod updates may not add or remove containers',
      ],
      ['another image', {}, { 'spec/containers/0/image': 'j' }],
      ['one toleration more', {}, { 'spec/tolerations': [{ key: 'k', operator: 'Exists' }] }],
      [
        'a later end',
        { 'spec/activeDeadlineSeconds': 5 },
        { 'spec/activeDeadlineSeconds': 6 },
        'spec.activeDeadlineSeconds: Invalid value: 6: must be less than or equal to previous value',
      ],
      [
        'a new gate',
        {},
        { 'spec/schedulingGates': [{ name: 'g' }] },
        "spec.schedulingGates[0].name: Forbidden: only deletion is allowed, but found new scheduling gate 'g'",
      ],
    ),
    ...statuses('v1 Pod', [
      'two addresses of one family',
      {},
      { 'status/podIPs': [{ ip: '10.0.0.1' }, { ip: '10.0.0.2' }] },
      'status.podIPs: Invalid value: [{"IP":"10.0.0.1"},{"IP":"10.0.0.2"}]: may specify no more than one IP for each IP family',
    ]),
    ...rows(
      'v1 Pod',
      [
        'a claim of nothing',
        { 'spec/resourceClaims': [{ name: 'x' }] },
        'spec.resourceClaims[0]: Invalid value: {"Name":"x","ResourceClaimName":null,"ResourceClaimTemplateName":null}: must specify one of: `resourceClaimName`, `resourceClaimTemplateName`',
      ],
      [
        'labels of volumes changed while mounting, which is not there yet',
        { 'spec/securityContext': { seLinuxChangePolicy: 'MountOption' } },
        'spec.securityContext.seLinuxChangePolicy: Unsupported value: "MountOption": supported values: "Recursive"',
      ],
    ),
    ...rows('v1 Pod', [
      'privileges that may not be won',
      { 'spec/containers/0/securityContext': { privileged: true, allowPrivilegeEscalation: false } },
      'spec.containers[0].securityContext.privileged: Forbidden: disallowed by cluster policy',
      'spec.containers[0].securityContext: Invalid value: {"Capabilities":null,"Privileged":true,"SELinuxOptions":null,"WindowsOptions":null,"RunAsUser":null,"RunAsGroup":null,"RunAsNonRoot":null,"ReadOnlyRootFilesystem":null,"AllowPrivilegeEscalation":false,"ProcMount":null,"SeccompProfile":null,"AppArmorProfile":null}: cannot set `allowPrivilegeEscalation` to false and `privileged` to true',
    ]),
  ])('$of: $case', judge)
})

describe('warnings', () => {
  const pod = (spec: object): object => ({ metadata: { name: 'p' }, spec: { containers: [container], ...spec } })
  it.each<WarningRow>([
    {
      name: 'a name of a pod that is long and has dots',
      at: ['pods'],
      object: { metadata: { name: `${'a'.repeat(63)}.b` }, spec: { containers: [container] } },
      warnings: [
        `metadata.name: this is used in the Pod's hostname, which can result in surprising behavior; ${DNS_LABEL}: [must be no more than 63 characters must not contain dots]`,
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
  ])('$name', expectWarnings)
})
