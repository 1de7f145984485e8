import { describe, expect, test } from 'vitest'
import type { ApiObject } from '../../../../../src/api/object.ts'
import type { ValueMap } from '../../../../../src/api/value.ts'
import { deleteObject } from '../../../../../src/registry/delete.ts'
import { readDeleteOptions } from '../../../../../src/registry/delete-options.ts'
import { type ApiWorld, NOW, openWorld } from '../../../../rigs/api-world.ts'
import { openReplicas } from '../../../../rigs/world-replicas.ts'

const PORTS = [{ port: 80 }]

function create(world: ApiWorld, name: string, spec: object = {}, more: object = {}): Promise<ApiObject> {
  return world.create(world.resource('services'), { metadata: { name }, spec: { ports: PORTS, ...spec } }, more)
}

function change(world: ApiWorld, name: string, spec: object, more: object = {}): Promise<ApiObject> {
  const wanted = (live: ApiObject): object => ({ ...live, spec: { ...specOf(live), ...spec } })
  return world.update(world.resource('services'), name, wanted, more)
}

function remove(world: ApiWorld, name: string): Promise<unknown> {
  const options = readDeleteOptions({}, { mayIgnoreReadErrors: false, isCollection: false })
  return deleteObject(world.parts, world.resource('services'), { name, options }, world.context())
}

const specOf = (object: ApiObject): ValueMap => object['spec'] as ValueMap
const addressOf = (service: ApiObject): string => specOf(service)['clusterIP'] as string
const nodePorts = (service: ApiObject): unknown[] =>
  (specOf(service)['ports'] as readonly ValueMap[]).map((port) => port['nodePort'])
const addressObject = (world: ApiWorld, address: string): Promise<ApiObject> =>
  world.get(world.resource('ipaddresses', 'networking.k8s.io'), address)

describe('what is counted', () => {
  test('are addresses and ports that are given, and those that are not', async () => {
    const world = await openWorld()
    const before = await countsIn(world)
    await create(world, 'any', { type: 'NodePort' })
    await create(world, 'this', { clusterIP: '10.96.0.10', type: 'NodePort', ports: [{ port: 80, nodePort: 30001 }] })
    await expect(create(world, 'taken', { clusterIP: '10.96.0.10' })).rejects.toThrow('already allocated')
    await expect(create(world, 'outside', { clusterIP: '10.9.0.10' })).rejects.toThrow('current range')
    const port = (nodePort: number): object => ({ type: 'NodePort', ports: [{ port: 80, nodePort }] })
    await expect(create(world, 'taken', port(30001))).rejects.toThrow('already allocated')
    await expect(create(world, 'outside', port(1))).rejects.toThrow('valid range')
    await create(world, 'dry', { type: 'NodePort' }, { dryRun: true })
    const counts = await countsIn(world)
    const more = Object.fromEntries(Object.entries(counts).map(([name, count]) => [name, count - (before[name] ?? 0)]))
    const addresses = (name: string, scope: string): string =>
      `kube_apiserver_clusterip_allocator_${name}{cidr="10.96.0.0/16",scope="${scope}"}`
    const ports = (name: string, scope: string): string => `kube_apiserver_nodeport_allocator_${name}{scope="${scope}"}`
    expect(more).toMatchObject({
      [addresses('allocation_total', 'dynamic')]: 3,
      [addresses('allocation_total', 'static')]: 1,
      [addresses('allocation_errors_total', 'static')]: 2,
      [ports('allocation_total', 'dynamic')]: 1,
      [ports('allocation_total', 'static')]: 1,
      [ports('allocation_errors_total', 'static')]: 2,
    })
  })
})

/** The counters of the allocators, by their lines in /metrics. */
async function countsIn(world: ApiWorld): Promise<Record<string, number>> {
  const text = await world.sendForText({ method: 'GET', path: '/metrics' })
  const lines = text.matchAll(/^(kube_apiserver_(?:clusterip|nodeport)_allocator_\S+) (\S+)$/gm)
  return Object.fromEntries(Array.from(lines, ([, name = '', count]) => [name, Number(count)]))
}

describe('a new service', () => {
  test('is given an address of the range, which is shown as an object of its own (W-541, W-544, P-463)', async () => {
    const world = await openWorld()
    const service = await create(world, 's')
    const address = addressOf(service)
    expect(address).toMatch(/^10\.96\./)
    expect(specOf(service)).toMatchObject({
      clusterIPs: [address],
      ipFamilies: ['IPv4'],
      ipFamilyPolicy: 'SingleStack',
    })
    expect(service['status']).toEqual({ loadBalancer: {} })
    expect(await addressObject(world, address)).toMatchObject({
      kind: 'IPAddress',
      metadata: {
        name: address,
        creationTimestamp: NOW,
        labels: {
          'ipaddress.kubernetes.io/ip-family': 'IPv4',
          'ipaddress.kubernetes.io/managed-by': 'ipallocator.k8s.io',
        },
      },
      spec: { parentRef: { resource: 'services', namespace: 'ns', name: 's' } },
    })
  })

  test('gets the address that it asks for, and nobody else does (W-542)', async () => {
    const world = await openWorld()
    expect(addressOf(await create(world, 's', { clusterIP: '10.96.0.10' }))).toBe('10.96.0.10')
    await expect(create(world, 't', { clusterIP: '10.96.0.10' })).rejects.toMatchObject({
      reason: 'Invalid',
      message:
        'Service "t" is invalid: spec.clusterIPs: Invalid value: ["10.96.0.10"]: failed to allocate IP 10.96.0.10: provided IP is already allocated',
    })
  })

  test.each(['192.0.2.1', '10.96.0.0', '10.96.255.255'])(
    'does not get %s, which is not to be had (W-542)',
    async (address) => {
      await expect(create(await openWorld(), 's', { clusterIP: address })).rejects.toMatchObject({
        message: expect.stringContaining(
          `failed to allocate IP ${address}: the provided network does not match the current range`,
        ),
      })
    },
  )

  test('has no address where it wants none (W-545, W-546)', async () => {
    const world = await openWorld()
    const headless = await create(world, 's', { clusterIP: 'None', selector: { a: 'b' } })
    expect(specOf(headless)).toMatchObject({
      clusterIPs: ['None'],
      ipFamilies: ['IPv4'],
      ipFamilyPolicy: 'SingleStack',
    })
    const bare = await create(world, 't', { clusterIP: 'None' })
    expect(specOf(bare)).toMatchObject({ ipFamilies: ['IPv4', 'IPv6'], ipFamilyPolicy: 'RequireDualStack' })
    const elsewhere = await create(world, 'u', { type: 'ExternalName', externalName: 'example.com' })
    for (const field of ['clusterIP', 'clusterIPs', 'ipFamilies', 'ipFamilyPolicy']) {
      expect(specOf(elsewhere)).not.toHaveProperty(field)
    }
  })

  const families = [
    { spec: { ipFamilyPolicy: '' }, says: 'spec.ipFamilyPolicy: Unsupported value: "": supported values' },
    {
      spec: { ipFamilyPolicy: 'RequireDualStack' },
      says: 'spec.ipFamilyPolicy: Invalid value: "RequireDualStack": this cluster is not configured for dual-stack services',
    },
    {
      spec: { ipFamilies: ['IPv6'] },
      says: 'spec.ipFamilies[0]: Invalid value: "IPv6": not configured on this cluster',
    },
    { spec: { clusterIP: 'fd00::1' }, says: 'spec.clusterIPs[0]: Invalid value: ["fd00::1"]: IPv6 is not configured' },
  ]
  test.each(families)('is refused: $says (W-555)', async ({ spec, says }) => {
    await expect(create(await openWorld(), 's', spec)).rejects.toMatchObject({ message: expect.stringContaining(says) })
  })

  test('may prefer two families where there is one (W-555)', async () => {
    const service = await create(await openWorld(), 's', { ipFamilyPolicy: 'PreferDualStack' })
    expect(specOf(service)).toMatchObject({ ipFamilies: ['IPv4'], ipFamilyPolicy: 'PreferDualStack' })
  })

  test('gets addresses until there are none, those kept for the asking last (W-541, W-543)', async () => {
    const world = await openWorld({ flags: ['--service-cluster-ip-range=10.0.0.0/27'] })
    const services = []
    for (let i = 0; i < 30; i++) services.push(addressOf(await create(world, `s${i}`)))
    expect(new Set(services).size).toBe(30)
    const last = (address: string): number => Number(address.split('.')[3])
    expect(services.slice(0, 14).every((address) => last(address) >= 17)).toBe(true)
    expect(services.slice(14).every((address) => last(address) <= 16)).toBe(true)
    await expect(create(world, 'one-too-many')).rejects.toMatchObject({
      reason: 'InternalError',
      message: 'Internal error occurred: failed to allocate a serviceIP for Service "one-too-many": range is full',
    })
  })

  test('gives back what it was given where it is refused after all (W-557)', async () => {
    const world = await openWorld()
    const spec = { clusterIP: '10.96.0.10', type: 'NodePort', ports: [{ port: 80, nodePort: 30080 }] }
    await expect(create(world, 's', { ...spec, sessionAffinity: 'Nonsense' })).rejects.toMatchObject({
      reason: 'Invalid',
    })
    expect(nodePorts(await create(world, 't', spec))).toEqual([30080])
  })

  test('gives back what it was given where its name is taken (W-557)', async () => {
    const world = await openWorld()
    await create(world, 's')
    await expect(create(world, 's', { clusterIP: '10.96.0.10' })).rejects.toMatchObject({ reason: 'AlreadyExists' })
    expect(addressOf(await create(world, 't', { clusterIP: '10.96.0.10' }))).toBe('10.96.0.10')
  })
})

describe('ports on the nodes', () => {
  test('are given from their range, one for each port (W-547)', async () => {
    const ports = [
      { name: 'a', port: 80 },
      { name: 'b', port: 81 },
    ]
    const given = nodePorts(await create(await openWorld(), 's', { type: 'NodePort', ports })) as number[]
    expect(new Set(given).size).toBe(2)
    for (const port of given) expect(port >= 30000 && port <= 32767).toBe(true)
  })

  test('are shared by one port in two protocols', async () => {
    const ports = [
      { name: 'tcp', port: 53 },
      { name: 'udp', port: 53, protocol: 'UDP' },
    ]
    const [tcp, udp] = nodePorts(await create(await openWorld(), 's', { type: 'NodePort', ports }))
    expect(udp).toBe(tcp)
  })

  test('are not chosen for a load balancer that does without', async () => {
    const spec = { type: 'LoadBalancer', allocateLoadBalancerNodePorts: false }
    expect(nodePorts(await create(await openWorld(), 's', spec))).toEqual([undefined])
  })

  test('are one more where health is asked for on a port of its own (W-554)', async () => {
    const service = await create(await openWorld(), 's', { type: 'LoadBalancer', externalTrafficPolicy: 'Local' })
    expect(specOf(service)['healthCheckNodePort']).toBeGreaterThanOrEqual(30000)
    expect(specOf(service)['healthCheckNodePort']).not.toBe(nodePorts(service)[0])
  })

  const refused = [
    {
      name: 'outside of the range',
      ports: [{ port: 80, nodePort: 80 }],
      says: 'spec.ports[0].nodePort: Invalid value: 80: provided port is not in the valid range. The range of valid ports is 30000-32767',
    },
    {
      name: 'of another service',
      ports: [{ port: 80, nodePort: 30001 }],
      says: 'spec.ports[0].nodePort: Invalid value: 30001: provided port is already allocated',
    },
    {
      name: 'asked for twice',
      ports: [
        { name: 'a', port: 80, nodePort: 30002 },
        { name: 'b', port: 81, nodePort: 30002 },
      ],
      says: 'spec.ports[1].nodePort: Invalid value: 30002: provided port is already allocated',
    },
  ]
  test.each(refused)('are refused $name (W-548)', async ({ ports, says }) => {
    const world = await openWorld()
    await create(world, 'first', { type: 'NodePort', ports: [{ port: 80, nodePort: 30001 }] })
    const second = create(world, 's', { type: 'NodePort', ports })
    await expect(second).rejects.toMatchObject({ message: expect.stringContaining(says) })
    const again = await create(world, 's', { type: 'NodePort', ports: [{ port: 80, nodePort: 30002 }] })
    expect(nodePorts(again)).toEqual([30002])
  })
})

describe('a dry run', () => {
  test('shows placeholders and claims nothing', async () => {
    const world = await openWorld()
    const ports = [
      { name: 'a', port: 80 },
      { name: 'b', port: 81 },
    ]
    const service = await create(world, 's', { type: 'NodePort', ports }, { dryRun: true })
    expect(addressOf(service)).toBe('10.96.0.0')
    expect(nodePorts(service)).toEqual([32769, 32770])
    await expect(addressObject(world, '10.96.0.0')).rejects.toMatchObject({ reason: 'NotFound' })
  })

  test('takes an address that is taken, but not a port', async () => {
    const world = await openWorld()
    const ports = [{ port: 80, nodePort: 30001 }]
    await create(world, 'first', { type: 'NodePort', clusterIP: '10.96.0.10', ports })
    expect(addressOf(await create(world, 's', { clusterIP: '10.96.0.10' }, { dryRun: true }))).toBe('10.96.0.10')
    await expect(create(world, 's', { type: 'NodePort', ports }, { dryRun: true })).rejects.toMatchObject({
      message: expect.stringContaining('provided port is already allocated'),
    })
    const elsewhere = create(world, 's', { clusterIP: '192.0.2.1' }, { dryRun: true })
    await expect(elsewhere).rejects.toMatchObject({
      message: expect.stringContaining(
        'the provided IP (192.0.2.1) is not in the valid range. The range of valid IPs is 10.96.0.0/16',
      ),
    })
  })
})

describe('an update', () => {
  test('keeps the address and the ports that it leaves out (W-552)', async () => {
    const world = await openWorld()
    const before = await create(world, 's', { type: 'NodePort' })
    const wanted = (): object => ({ metadata: { name: 's' }, spec: { type: 'NodePort', ports: [{ port: 81 }] } })
    const after = await world.update(world.resource('services'), 's', wanted)
    expect(addressOf(after)).toBe(addressOf(before))
    expect(nodePorts(after)).toEqual(nodePorts(before))
  })

  test('gives no ports on the nodes back to a balanced service that wants none', async () => {
    const world = await openWorld()
    await create(world, 's', { type: 'LoadBalancer' })
    await change(world, 's', { allocateLoadBalancerNodePorts: false })
    expect(nodePorts(await change(world, 's', { ports: [{ port: 80, nodePort: 0 }] }))).toEqual([undefined])
  })

  test('to another type claims what is new, drops what is useless and gives it back (W-553)', async () => {
    const world = await openWorld()
    const address = addressOf(await create(world, 's'))
    const open = await change(world, 's', { type: 'LoadBalancer', externalTrafficPolicy: 'Local' })
    const port = nodePorts(open)[0] as number
    const inner = await change(world, 's', { type: 'ClusterIP' })
    expect(nodePorts(inner)).toEqual([undefined])
    for (const field of ['healthCheckNodePort', 'externalTrafficPolicy', 'allocateLoadBalancerNodePorts']) {
      expect(specOf(inner)).not.toHaveProperty(field)
    }
    await create(world, 'other', { type: 'NodePort', ports: [{ port: 80, nodePort: port }] })
    const elsewhere = await change(world, 's', { type: 'ExternalName', externalName: 'example.com' })
    for (const field of ['clusterIP', 'clusterIPs', 'ipFamilies', 'ipFamilyPolicy', 'internalTrafficPolicy']) {
      expect(specOf(elsewhere)).not.toHaveProperty(field)
    }
    await expect(addressObject(world, address)).rejects.toMatchObject({ reason: 'NotFound' })
    const back = await change(world, 's', { type: 'ClusterIP' })
    expect(specOf(back)).toHaveProperty('externalName', 'example.com')
    expect(await addressObject(world, addressOf(back))).toMatchObject({ spec: { parentRef: { name: 's' } } })
  })

  test('that is refused gives back what was claimed for it', async () => {
    const world = await openWorld()
    await create(world, 's')
    const ports = [{ port: 80, nodePort: 30001 }]
    const refused = change(world, 's', { type: 'NodePort', ports, sessionAffinity: 'Nonsense' })
    await expect(refused).rejects.toMatchObject({ reason: 'Invalid' })
    expect(nodePorts(await create(world, 't', { type: 'NodePort', ports }))).toEqual([30001])
  })

  test('in a dry run gives nothing back', async () => {
    const world = await openWorld()
    const address = addressOf(await create(world, 's'))
    await change(world, 's', { type: 'ExternalName', externalName: 'example.com' }, { dryRun: true })
    expect(await addressObject(world, address)).toMatchObject({ metadata: { name: address } })
  })

  test('to a type without a balancer forgets what the balancer said', async () => {
    const world = await openWorld()
    await create(world, 's', { type: 'LoadBalancer' })
    const status = { loadBalancer: { ingress: [{ ip: '192.0.2.1' }] } }
    const services = world.resource('services')
    const balanced = await world.update(services, 's', (live) => ({ ...live, status }), { subresource: 'status' })
    expect(balanced['status']).toMatchObject(status)
    expect((await change(world, 's', { type: 'ClusterIP' }))['status']).toEqual({ loadBalancer: {} })
  })
})

describe('a service that goes', () => {
  test.each([
    ['1.36', 'NotFound'],
    ['1.37', undefined],
  ])('takes its endpoints along at level 1.36 alone (W-556): %s', async (level, reason) => {
    const world = await openWorld({ flags: [`--emulated-version=${level}`] })
    await create(world, 's', {})
    const endpoints = world.resource('endpoints')
    await world.create(endpoints, { metadata: { name: 's' } })
    await remove(world, 's')
    const found = world.get(endpoints, 's').then(
      () => undefined,
      (error: { readonly reason: string }) => error.reason,
    )
    expect(await found).toBe(reason)
  })

  test('gives back its address and ports', async () => {
    const world = await openWorld()
    const service = await create(world, 's', { type: 'NodePort' })
    await remove(world, 's')
    await expect(addressObject(world, addressOf(service))).rejects.toMatchObject({ reason: 'NotFound' })
    const ports = [{ port: 80, nodePort: nodePorts(service)[0] }]
    const next = await create(world, 't', { type: 'NodePort', clusterIP: addressOf(service), ports })
    expect(addressOf(next)).toBe(addressOf(service))
  })

  test('gives them back with its last finalizer too', async () => {
    const world = await openWorld()
    const services = world.resource('services')
    const metadata = { name: 's', finalizers: ['example.com/wait'] }
    const service = await world.create(services, { metadata, spec: { ports: PORTS } })
    await remove(world, 's')
    expect(await addressObject(world, addressOf(service))).toBeDefined()
    await world.update(services, 's', (live) => ({ ...live, metadata: { ...live.metadata, finalizers: [] } }))
    await expect(addressObject(world, addressOf(service))).rejects.toMatchObject({ reason: 'NotFound' })
  })

  test('leaves alone what belongs to another by now', async () => {
    const world = await openWorld()
    const address = addressOf(await create(world, 's'))
    const addresses = world.resource('ipaddresses', 'networking.k8s.io')
    const parentRef = { resource: 'services', namespace: 'ns', name: 'other' }
    await world.parts.store.write(
      { resource: addresses.stored, namespace: '', name: address },
      (current) => ({ kind: 'put', object: { ...(current as { object(): ApiObject }).object(), spec: { parentRef } } }),
      new AbortController().signal,
    )
    await remove(world, 's')
    expect(await addressObject(world, address)).toMatchObject({ spec: { parentRef } })
  })
})

describe('many services at once', () => {
  test('through two servers on one store never share an address or a port', async () => {
    const servers = await openReplicas(['--service-cluster-ip-range=10.0.0.0/24'])
    const made = await Promise.all(
      Array.from({ length: 200 }, (_, i) => create(servers[i % 2]!, `s${i}`, { type: 'NodePort' })),
    )
    expect(new Set(made.map(addressOf)).size).toBe(200)
    expect(new Set(made.flatMap(nodePorts)).size).toBe(200)
  })
})

describe('warnings', () => {
  const cases = [
    { spec: {}, says: [] },
    {
      spec: { externalIPs: ['198.51.100.1'] },
      says: ['spec.externalIPs is deprecated and may no longer be implemented in some clusters'],
    },
    {
      spec: { clusterIP: 'None', sessionAffinity: 'ClientIP' },
      says: ['spec.SessionAffinity is ignored for headless services'],
    },
    {
      spec: { clusterIP: 'None', externalIPs: ['198.51.100.1'], loadBalancerIP: '198.51.100.2' },
      says: [
        'spec.loadBalancerIP is ignored for headless services',
        'spec.externalIPs is ignored for headless services',
      ],
    },
    {
      spec: { externalIPs: ['2001:DB8::1'] },
      says: [
        'spec.externalIPs[0]: IPv6 address "2001:DB8::1" should be in RFC 5952 canonical format ("2001:db8::1")',
        'spec.externalIPs is deprecated and may no longer be implemented in some clusters',
      ],
    },
    {
      spec: { type: 'LoadBalancer', loadBalancerIP: '2001:DB8::1', loadBalancerSourceRanges: ['2001:DB8::/32'] },
      says: [
        'spec.loadBalancerIP: IPv6 address "2001:DB8::1" should be in RFC 5952 canonical format ("2001:db8::1")',
        'spec.loadBalancerSourceRanges[0]: IPv6 CIDR value "2001:DB8::/32" should be in RFC 5952 canonical format ("2001:db8::/32")',
      ],
    },
    {
      spec: { type: 'ExternalName', externalName: 'a.example', externalIPs: ['198.51.100.1'] },
      says: ['spec.externalIPs is ignored when spec.type is "ExternalName"'],
    },
    {
      spec: { externalName: 'a.example', trafficDistribution: 'PreferClose' },
      says: [
        'spec.externalName is ignored when spec.type is not "ExternalName"',
        'spec.trafficDistribution: "PreferClose" is deprecated; use "PreferSameZone"',
      ],
    },
  ]
  test.each(cases)('about $spec are $says', async ({ spec, says }) => {
    const world = await openWorld()
    await create(world, 's', spec)
    expect(world.warnings).toEqual(says)
  })
})
