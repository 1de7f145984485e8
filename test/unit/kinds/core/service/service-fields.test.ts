import { describe, it } from 'vitest'
import { type CellRow, expectCells, expectColumns } from '../../columns.ts'
import { expectDefaults, named } from '../../defaulting.ts'
import { changes, judge, type Row, rows, statuses } from '../../judging.ts'

describe('columns', () => {
  it('Service has these columns', () =>
    expectColumns(' Service', [
      'Name : string name',
      'Type',
      'Cluster-IP',
      'External-IP',
      'Port(s)',
      'Age',
      '|Selector',
    ]))

  it.each<CellRow>([
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
  ])('of %s, %s', expectCells)
})

describe('defaults', () => {
  it.each(
    named([
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
    ]),
  )('%s', expectDefaults)
})

describe('validation', () => {
  it.each<Row>([
    ...rows(
      'v1 Service',
      ['no ports', { 'spec/ports': [] }, 'spec.ports: Required value'],
      [
        'two ports, one without a name',
        { 'spec/ports': [{ port: 1, name: 'a' }, { port: 2 }] },
        'spec.ports[1].name: Required value',
      ],
      [
        'a port twice',
        {
          'spec/ports': [
            { port: 1, name: 'a' },
            { port: 1, name: 'b' },
          ],
        },
        'spec.ports[1]: Duplicate value: {"Name":"","Protocol":"TCP","AppProtocol":null,"Port":1,"TargetPort":0,"NodePort":0}',
      ],
      [
        'a port out of range',
        { 'spec/ports/0/port': 0 },
        'spec.ports[0].port: Invalid value: 0: must be between 1 and 65535, inclusive',
        'spec.ports[0].targetPort: Invalid value: 0: must be between 1 and 65535, inclusive',
      ],
      [
        'an unknown type',
        { 'spec/type': 'Odd' },
        'spec.type: Unsupported value: "Odd": supported values: "ClusterIP", "ExternalName", "LoadBalancer", "NodePort"',
      ],
      [
        'a port of the nodes without need',
        { 'spec/ports/0/nodePort': 30_000 },
        "spec.ports[0].nodePort: Forbidden: may not be used when `type` is 'ClusterIP'",
      ],
      [
        'an unknown affinity',
        { 'spec/sessionAffinity': 'Odd' },
        'spec.sessionAffinity: Unsupported value: "Odd": supported values: "ClientIP", "None"',
      ],
      [
        'an address that leads back',
        { 'spec/externalIPs': ['127.0.0.1'] },
        'spec.externalIPs[0]: Invalid value: "127.0.0.1": may not be in the loopback range (127.0.0.0/8, ::1/128)',
      ],
      [
        'no name outside',
        { 'spec/type': 'ExternalName', 'spec/clusterIP': '', 'spec/clusterIPs': [] },
        'spec.externalName: Required value',
      ],
      [
        'ranges without a balancer',
        { 'spec/loadBalancerSourceRanges': ['10.0.0.0/8'] },
        "spec.LoadBalancerSourceRanges: Forbidden: may only be used when `type` is 'LoadBalancer'",
      ],
    ),
    ...changes('v1 Service', [
      'another address',
      {},
      { 'spec/clusterIP': '10.0.0.2', 'spec/clusterIPs': ['10.0.0.2'] },
      'spec.clusterIPs[0]: Invalid value: ["10.0.0.2"]: may not change once set',
    ]),
    ...statuses('v1 Service', [
      'a balancer that nobody asked for',
      {},
      { 'status/loadBalancer/ingress': [{ ip: '10.0.0.9', ipMode: 'VIP' }] },
      "status.loadBalancer.ingress: Forbidden: may only be used when `spec.type` is 'LoadBalancer'",
    ]),
  ])('$of: $case', judge)
})
