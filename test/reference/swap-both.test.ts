// kube-apiserver and ours on one etcd at once, as for the time of a swap: each sees what comes through the other, in one order,
// and neither gives away what the other has given.
import { describe, expect, it } from 'vitest'
import { keysUnder, revisionsUnder } from '../fakes/etcd-gateway.ts'
import type { JsonMap, PlainClient } from '../rigs/plain-client.ts'
import { type ReferenceServer, startReferenceServer } from '../rigs/reference-server.ts'
import { clientOf, newEtcd, swapIn } from '../rigs/swap.ts'
import { revisionOf } from '../rigs/whole-api.ts'

const MAPS = '/api/v1/namespaces/default/configmaps'
const SERVICES = '/api/v1/namespaces/default/services'

interface Both {
  readonly etcd: string
  readonly theirs: PlainClient
  readonly ours: PlainClient
  /** By turns. */
  readonly turn: (i: number) => PlainClient
}

interface Flags {
  readonly theirs?: readonly string[]
  readonly ours?: (reference: ReferenceServer) => readonly string[]
}

async function both(flags: Flags = {}): Promise<Both> {
  const etcd = await newEtcd()
  const reference = await startReferenceServer({ etcd, flags: flags.theirs ?? [] })
  const theirs = clientOf(reference)
  const { client: ours } = await swapIn(etcd, reference, flags.ours?.(reference))
  return { etcd, theirs, ours, turn: (i) => (i % 2 === 0 ? ours : theirs) }
}

interface Meta {
  readonly metadata: { readonly name: string; readonly resourceVersion: string }
}

/** The events of a watch up to the object of this name being deleted: `ADDED a@7`. */
async function eventsUntil(client: PlainClient, path: string, after: string, last: string): Promise<readonly string[]> {
  const response = await client.open(`${path}?watch=1&resourceVersion=${after}&timeoutSeconds=100`)
  const events: string[] = []
  let text = ''
  for await (const chunk of response) {
    text += String(chunk)
    const lines = text.split('\n')
    text = lines.pop() ?? ''
    for (const line of lines) {
      const { type, object } = JSON.parse(line) as { type: string; object: Meta }
      events.push(`${type} ${object.metadata.name}@${object.metadata.resourceVersion}`)
      if (type === 'DELETED' && object.metadata.name === last) {
        response.destroy()
        return events
      }
    }
  }
  throw new Error(`the watch ended after ${events.length} events`)
}

function merge(client: PlainClient, path: string, body: object): Promise<JsonMap> {
  return client.must(path, { method: 'PATCH', contentType: 'application/merge-patch+json', body })
}

describe('beside kube-apiserver', () => {
  it('tells of what comes through either in one order, and reads it at once', async () => {
    const { theirs, ours, turn } = await both()
    const start = await revisionOf(theirs)
    const watches = [theirs, ours].map((client) => eventsUntil(client, MAPS, start, 'm-last'))
    const wanted: string[] = []
    const note = (type: string, written: unknown): void => {
      const { metadata } = written as Meta
      wanted.push(`${type} ${metadata.name}@${metadata.resourceVersion}`)
    }
    for (let i = 0; i < 60; i++) {
      const name = i === 59 ? 'm-last' : `m-${i}`
      note('ADDED', await turn(i).must(MAPS, { method: 'POST', body: { metadata: { name }, data: { i: String(i) } } }))
      // What was written through one is what the other reads, and changes, and lists.
      const read = (await turn(i + 1).must(`${MAPS}/${name}`)) as unknown as Meta
      expect(wanted.at(-1)).toBe(`ADDED ${name}@${read.metadata.resourceVersion}`)
      note('MODIFIED', await merge(turn(i + 1), `${MAPS}/${name}`, { data: { more: 'yes' } }))
      const { items } = (await turn(i).must(`${MAPS}?fieldSelector=metadata.name=${name}`)) as {
        items: readonly Meta[]
      }
      expect(items.map(({ metadata }) => `MODIFIED ${metadata.name}@${metadata.resourceVersion}`)).toEqual(
        wanted.slice(-1),
      )
      await turn(i).must(`${MAPS}/${name}`, { method: 'DELETE' })
      wanted.push(`DELETED ${name}`)
      expect((await turn(i + 1).send(`${MAPS}/${name}`)).status).toBe(404)
    }
    const [fromTheirs, fromOurs] = await Promise.all(watches)
    expect(fromOurs).toEqual(fromTheirs)
    const names = new Set(wanted.map((line) => line.split(' ')[1]?.split('@')[0]))
    const told = fromOurs!.filter((line) => names.has(line.split(' ')[1]?.split('@')[0]))
    expect(told.map((line) => (line.startsWith('DELETED') ? line.split('@')[0] : line))).toEqual(wanted)
  })

  it('goes on for whoever watched it before we came', async () => {
    const etcd = await newEtcd()
    const reference = await startReferenceServer({ etcd })
    const theirs = clientOf(reference)
    const start = await revisionOf(theirs)
    const labelled = (name: string, way: string): object => ({ metadata: { name, labels: { way } } })
    for (const name of ['a', 'b']) await theirs.must(MAPS, { method: 'POST', body: labelled(name, 'in') })
    await merge(theirs, `${MAPS}/a`, labelled('a', 'out'))
    await merge(theirs, `${MAPS}/a`, labelled('a', 'in'))
    await theirs.must(`${MAPS}/b`, { method: 'DELETE' })
    await theirs.must(`${MAPS}/a`, { method: 'DELETE' })
    const { client: ours } = await swapIn(etcd, reference)
    for (const query of ['', 'labelSelector=way%3Din', 'fieldSelector=metadata.name%3Da']) {
      const told = await eventsUntil(theirs, MAPS, `${start}&${query}`, 'a')
      expect(told.length).toBeGreaterThan(2)
      expect(await eventsUntil(ours, MAPS, `${start}&${query}`, 'a')).toEqual(told)
    }
  })

  it('loses no write of either', async () => {
    const { theirs, ours } = await both()
    await ours.must(MAPS, { method: 'POST', body: { metadata: { name: 'counter' }, data: { n: '0' } } })
    const count = async (client: PlainClient): Promise<void> => {
      for (let done = 0; done < 25; ) {
        const map = (await client.must(`${MAPS}/counter`)) as JsonMap & { data: { n: string } }
        const data = { n: String(Number(map.data.n) + 1) }
        const { status } = await client.send(`${MAPS}/counter`, { method: 'PUT', body: { ...map, data } })
        if (status === 200) done++
        else expect(status).toBe(409)
      }
    }
    await Promise.all([count(theirs), count(theirs), count(ours), count(ours)])
    for (const client of [theirs, ours])
      expect(await client.must(`${MAPS}/counter`)).toMatchObject({ data: { n: '100' } })
  })

  it('pages through a list with tokens of the other', async () => {
    const { turn } = await both()
    for (let i = 0; i < 7; i++) {
      await turn(i).must(MAPS, { method: 'POST', body: { metadata: { name: `p-${i}`, labels: { paged: 'yes' } } } })
    }
    const names: string[] = []
    let token = ''
    for (let i = 0; i === 0 || token !== ''; i++) {
      const page = (await turn(i).must(
        `${MAPS}?labelSelector=paged&limit=2&continue=${encodeURIComponent(token)}`,
      )) as {
        items: readonly Meta[]
        metadata: { continue?: string }
      }
      names.push(...page.items.map(({ metadata }) => metadata.name))
      token = page.metadata.continue ?? ''
    }
    expect(names).toEqual(Array.from({ length: 7 }, (_, i) => `p-${i}`))
  })

  it('gives away no address and no port twice', async () => {
    const small = '--service-node-port-range=30000-30063'
    const { etcd, theirs, ours, turn } = await both({ theirs: [small], ours: () => [small] })
    const make = async (client: PlainClient, name: string, nodePort?: number): Promise<number> => {
      const ports = [{ port: 80, ...(nodePort === undefined ? {} : { nodePort }) }]
      const body = { metadata: { name }, spec: { type: 'NodePort', ports } }
      return (await client.send(SERVICES, { method: 'POST', body })).status
    }
    const made = await Promise.all(Array.from({ length: 40 }, (_, i) => make(turn(i), `s-${i}`)))
    expect(new Set(made)).toEqual(new Set([201]))
    const spec = (service: JsonMap): { clusterIP: string; ports: [{ nodePort: number }] } => service['spec'] as never
    const { items } = (await ours.must(SERVICES)) as { items: readonly (JsonMap & Meta)[] }
    const services = items.filter(({ metadata }) => metadata.name.startsWith('s-'))
    expect(new Set(services.map((one) => spec(one).clusterIP)).size).toBe(40)
    expect(new Set(services.map((one) => spec(one).ports[0].nodePort)).size).toBe(40)

    // What one has given the other does not give, and what one takes back the other can give.
    for (const [i, one] of services.slice(0, 6).entries()) {
      const port = spec(one).ports[0].nodePort
      expect(await make(turn(i), `again-${i}`, port)).toBe(422)
      await turn(i + 1).must(`${SERVICES}/${one.metadata.name}`, { method: 'DELETE' })
      expect(await make(turn(i), `again-${i}`, port)).toBe(201)
    }
    // All 64 are given in the end, by either.
    const rest = await Promise.all(Array.from({ length: 24 }, (_, i) => make(turn(i), `rest-${i}`)))
    expect(new Set(rest)).toEqual(new Set([201]))
    for (const client of [theirs, ours]) expect(await make(client, 'one-too-many')).toBe(500)
    const claims = [...(await keysUnder(etcd, '/registry/ranges/')).keys()]
    expect(claims).toEqual(['/registry/ranges/servicenodeports'])
  })

  it('knows the tokens of the other', async () => {
    const { theirs, ours } = await both()
    const account = '/api/v1/namespaces/default/serviceaccounts'
    await expect.poll(async () => (await ours.send(`${account}/default`)).status).toBe(200)
    for (const [from, to] of [
      [theirs, ours],
      [ours, theirs],
    ] as const) {
      const made = await from.must(`${account}/default/token`, { method: 'POST', body: { spec: {} } })
      const { token } = made['status'] as { token: string }
      const review = await to.must('/apis/authentication.k8s.io/v1/selfsubjectreviews', {
        method: 'POST',
        body: {},
        token,
      })
      expect(review).toMatchObject({ status: { userInfo: { username: 'system:serviceaccount:default:default' } } })
    }
  })

  it('is an endpoint of the cluster beside it, and both leave the other alone', async () => {
    // Servers of one cluster listen on one port.
    const { etcd, theirs, ours } = await both({
      theirs: ['--advertise-address=192.0.2.10'],
      ours: ({ url }) => [
        '--advertise-address',
        '192.0.2.20',
        '--bind-address',
        '127.0.0.2',
        '--secure-port',
        new URL(url).port,
      ],
    })
    const addresses = async (client: PlainClient): Promise<unknown> => {
      const { status, bytes } = await client.send('/api/v1/namespaces/default/endpoints/kubernetes')
      if (status !== 200) return undefined
      const { subsets } = JSON.parse(bytes.toString()) as { subsets?: { addresses: { ip: string }[] }[] }
      return subsets?.[0]?.addresses.map(({ ip }) => ip)
    }
    for (const client of [theirs, ours])
      await expect.poll(() => addresses(client)).toEqual(['192.0.2.10', '192.0.2.20'])
    const quiet = ['services/', 'endpointslices/', 'servicecidrs/', 'ipaddresses/', 'namespaces/', 'flowschemas/']
    const revisions = async (kinds: readonly string[]): Promise<unknown> =>
      Promise.all(kinds.map((kind) => revisionsUnder(etcd, `/registry/${kind}`)))
    const [before, leases] = [await revisions(quiet), await revisionsUnder(etcd, '/registry/masterleases/')]
    // Each has said once more that it is there, and has looked at the rest.
    for (const [key, revision] of leases) {
      const renewed = async (): Promise<number> => (await revisionsUnder(etcd, '/registry/masterleases/')).get(key) ?? 0
      await expect.poll(renewed).toBeGreaterThan(revision)
    }
    expect(await revisions(quiet)).toEqual(before)
  })

  it('goes on where the other forgets history', async () => {
    const interval = '--etcd-compaction-interval=700ms'
    const { etcd, theirs, ours } = await both({ theirs: [interval], ours: () => [interval] })
    const { metadata } = (await ours.must(MAPS, {
      method: 'POST',
      body: { metadata: { name: 'old' } },
    })) as unknown as Meta
    await merge(theirs, `${MAPS}/old`, { data: { a: 'b' } })
    for (const client of [theirs, ours]) {
      const past = `${MAPS}?resourceVersionMatch=Exact&resourceVersion=${metadata.resourceVersion}`
      await expect.poll(async () => (await client.send(past)).status).toBe(410)
      expect(await client.must(`${MAPS}/old`)).toMatchObject({ data: { a: 'b' } })
    }
    // They take turns by one key.
    expect([...(await keysUnder(etcd, 'compact_rev_key')).keys()]).toEqual(['compact_rev_key'])
    const start = await revisionOf(theirs)
    const watches = [theirs, ours].map((client) => eventsUntil(client, MAPS, start, 'new'))
    for (let i = 0; i < 20; i++) await merge(i % 2 === 0 ? ours : theirs, `${MAPS}/old`, { data: { i: String(i) } })
    await ours.must(MAPS, { method: 'POST', body: { metadata: { name: 'new' } } })
    await theirs.must(`${MAPS}/new`, { method: 'DELETE' })
    const [fromTheirs, fromOurs] = await Promise.all(watches)
    expect(fromOurs).toEqual(fromTheirs)
    expect(fromOurs!.filter((line) => line.includes(' old@'))).toHaveLength(20)
  })
})
