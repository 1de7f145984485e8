// Lists, watches and deletions of one shard of a collection, through the whole server.
import { beforeEach, describe, expect, it } from 'vitest'
import { matchesShard, parseShardSelector } from '../../../src/api/shard-selector.ts'
import { type ApiWorld, NAMESPACE, openWorld, type Watched } from '../../rigs/api-world.ts'

const GATE = 'ShardedListAndWatch'
const MAPS = `/api/v1/namespaces/${NAMESPACE}/configmaps`
const HALVES = ["'0x0000000000000000', '0x8000000000000000'", "'0x8000000000000000', '0x10000000000000000'"]
const halfOf = (field: string, index: number): string => `shardRange(object.metadata.${field}, ${HALVES[index]})`
const FIRST = halfOf('uid', 0)
const SECOND = halfOf('uid', 1)
const NAMES = Array.from({ length: 12 }, (_, i) => `m${String(i).padStart(2, '0')}`)

const query = (parameters: Readonly<Record<string, string>>): string => String(new URLSearchParams(parameters))

interface ListAnswer {
  readonly metadata: Readonly<Record<string, unknown>>
  readonly items: readonly { readonly metadata: { readonly name: string; readonly uid: string } }[]
}

let world: ApiWorld
let uids: ReadonlyMap<string, string>

async function openWith(gates: readonly string[]): Promise<void> {
  world = await openWorld({ gates })
  const made = NAMES.map(async (name) => {
    const { metadata } = await world.create(world.resource('configmaps'), {
      metadata: { name, labels: { all: 'yes' } },
    })
    return [name, metadata.uid as string] as const
  })
  uids = new Map(await Promise.all(made))
}

const list = async (parameters: Readonly<Record<string, string>>, path = MAPS): Promise<ListAnswer> =>
  (await world.must('GET', `${path}?${query(parameters)}`)) as unknown as ListAnswer

const namesIn = ({ items }: ListAnswer): readonly string[] => items.map(({ metadata }) => metadata.name)
const ours = (names: readonly string[]): readonly string[] => names.filter((name) => uids.has(name))
const inShard = (shard: string): readonly string[] =>
  NAMES.filter((name) => matchesShard(parseShardSelector(shard)!, uids.get(name)!))

describe('with the gate', () => {
  beforeEach(() => openWith([GATE]))

  it('a list has one shard, and says which', async () => {
    const [first, second] = [await list({ shardSelector: FIRST }), await list({ shardSelector: SECOND })]
    expect(ours(namesIn(first))).toEqual(inShard(FIRST))
    expect(ours(namesIn(second))).toEqual(inShard(SECOND))
    expect(inShard(FIRST).length).toBeGreaterThan(0)
    expect(inShard(SECOND).length).toBeGreaterThan(0)
    expect(first.metadata['shardInfo']).toEqual({ selector: FIRST })
    expect((await list({})).metadata).not.toHaveProperty('shardInfo')
    expect((await list({ shardSelector: '' })).metadata).not.toHaveProperty('shardInfo')
  })

  it('a query with an index has one shard', async () => {
    world = await openWorld({ gates: [GATE], flags: [`--index=configmaps=metadata.labels['all']`] })
    for (const name of NAMES)
      await world.create(world.resource('configmaps'), { metadata: { name, labels: { all: 'yes' } } })
    const where = "object.metadata.labels['all'] == 'yes'"
    const [first, second] = [await list({ where, shardSelector: FIRST }), await list({ where, shardSelector: SECOND })]
    expect([...namesIn(first), ...namesIn(second)].sort()).toEqual(NAMES)
  })

  it.each([
    ['application/yaml', 'application/yaml'],
    ['metadata only', 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1'],
    ['a table', 'application/json;as=Table;g=meta.k8s.io;v=v1'],
  ])('the answer says which in %s', async (_, accept) => {
    const { body } = await world.send({ method: 'GET', path: `${MAPS}?${query({ shardSelector: FIRST })}`, accept })
    expect(body['metadata']).toMatchObject({ shardInfo: { selector: FIRST } })
    expect((body['items'] ?? body['rows']) as readonly unknown[]).toHaveLength(
      namesIn(await list({ shardSelector: FIRST })).length,
    )
  })

  it('the answer says which in protobuf', async () => {
    const path = `${MAPS}?${query({ shardSelector: FIRST })}`
    const bytes = await world.sendForBytes({ method: 'GET', path, accept: 'application/vnd.kubernetes.protobuf' })
    // Field 5 of the metadata, with the text in field 1.
    const field = Buffer.from([0x2a, FIRST.length + 2, 0x0a, FIRST.length])
    expect(bytes.includes(Buffer.concat([field, Buffer.from(FIRST)]))).toBe(true)
  })

  it('pages of a shard make the whole shard, and count nothing', async () => {
    const found: string[] = []
    const labelSelector = 'all=yes'
    for (let token: unknown = ''; found.length === 0 || token !== ''; ) {
      const parameters = { shardSelector: FIRST, labelSelector, limit: '2', continue: token as string }
      const page = await list(parameters)
      expect(page.metadata).toMatchObject({ shardInfo: { selector: FIRST } })
      expect(page.metadata).not.toHaveProperty('remainingItemCount')
      expect(page.items.length).toBeLessThanOrEqual(2)
      found.push(...namesIn(page))
      token = page.metadata['continue']
    }
    expect(found).toEqual(inShard(FIRST))
    expect((await list({ shardSelector: FIRST, limit: '1' })).metadata).not.toHaveProperty('remainingItemCount')
  })

  it('a list at an exact version, which is read from the past, has the shard too', async () => {
    const { resourceVersion } = (await list({})).metadata as { resourceVersion: string }
    await world.delete(world.resource('configmaps'), inShard(FIRST)[0]!)
    const past = await list({ shardSelector: FIRST, resourceVersion, resourceVersionMatch: 'Exact' })
    expect(ours(namesIn(past))).toEqual(inShard(FIRST))
  })

  it('shards by namespace keep namespaces together', async () => {
    const all = namespacesIn(await list({}, '/api/v1/configmaps'))
    const first = namespacesIn(await list({ shardSelector: halfOf('namespace', 0) }, '/api/v1/configmaps'))
    const second = namespacesIn(await list({ shardSelector: halfOf('namespace', 1) }, '/api/v1/configmaps'))
    expect([...first, ...second].sort()).toEqual(all)
    expect(first.length).toBeGreaterThan(0)
    expect(second.length).toBeGreaterThan(0)
  })

  it('a watch has the events of its shard alone, from the state to deletions', async () => {
    const parameters = { shardSelector: SECOND, labelSelector: 'all=yes', watch: '1' }
    const watch = await world.watch(`${MAPS}?${query(parameters)}`)
    await expect.poll(() => told(watch)).toEqual(inShard(SECOND).map((name) => `ADDED ${name}`))
    const begun = watch.events.length
    for (const name of NAMES) {
      await world.update(world.resource('configmaps'), name, (live) => ({ ...live, data: { a: 'b' } }))
    }
    for (const name of NAMES) await world.delete(world.resource('configmaps'), name)
    const events = (type: string): readonly string[] => inShard(SECOND).map((name) => `${type} ${name}`)
    await expect.poll(() => told(watch).slice(begun)).toEqual([...events('MODIFIED'), ...events('DELETED')])
  })

  it('a watch tells that an object has left a selection, in its shard alone', async () => {
    const watch = await world.watch(`${MAPS}?${query({ shardSelector: FIRST, labelSelector: 'all=yes', watch: '1' })}`)
    await expect.poll(() => watch.events.length).toBe(inShard(FIRST).length)
    const begun = watch.events.length
    for (const name of NAMES) {
      await world.update(world.resource('configmaps'), name, (live) => ({
        ...live,
        metadata: { ...live.metadata, labels: {} },
      }))
    }
    await expect.poll(() => told(watch).slice(begun)).toEqual(inShard(FIRST).map((name) => `DELETED ${name}`))
  })

  it('a DELETE of a collection deletes the shard alone', async () => {
    const path = `${MAPS}?${query({ shardSelector: FIRST, labelSelector: 'all=yes' })}`
    const answer = (await world.must('DELETE', path)) as unknown as ListAnswer
    expect(namesIn(answer)).toEqual(inShard(FIRST))
    expect(ours(namesIn(await list({})))).toEqual(inShard(SECOND))
  })

  it('a QUERY has a shard', async () => {
    const body = { shardSelector: FIRST, where: "object.metadata.name.startsWith('m')" }
    const { body: found } = await world.send({ method: 'QUERY', path: MAPS, body, contentType: 'application/json' })
    expect(namesIn(found as unknown as ListAnswer)).toEqual(inShard(FIRST))
    expect(found['metadata']).toMatchObject({ shardInfo: { selector: FIRST } })
  })

  it.each(['GET', 'DELETE', 'GET watch'])('a selector that cannot be read is refused: %s', async (line) => {
    const [method = '', watch] = line.split(' ')
    const path = `${MAPS}?shardSelector=x${watch === undefined ? '' : '&watch=1'}`
    expect(await world.send({ method, path })).toMatchObject({
      status: 400,
      body: { reason: 'BadRequest', message: 'invalid shard selector: expected (, found the end' },
    })
  })

  it('a DELETE with a misspelt selector is refused', async () => {
    const { status } = await world.send({
      method: 'DELETE',
      path: `${MAPS}?shardselector=${encodeURIComponent(FIRST)}`,
    })
    expect(status).toBe(400)
  })
})

describe('without the gate', () => {
  beforeEach(() => openWith([]))

  it('a list and a watch ignore the selector', async () => {
    for (const shardSelector of [FIRST, 'x']) {
      const answer = await list({ shardSelector })
      expect(ours(namesIn(answer))).toEqual(NAMES)
      expect(answer.metadata).not.toHaveProperty('shardInfo')
    }
    const watch = await world.watch(`${MAPS}?${query({ shardSelector: FIRST, labelSelector: 'all=yes', watch: '1' })}`)
    await expect.poll(() => watch.events.length).toBe(NAMES.length)
  })

  it('a DELETE of a collection refuses it, and deletes nothing', async () => {
    expect(await world.send({ method: 'DELETE', path: `${MAPS}?${query({ shardSelector: FIRST })}` })).toMatchObject({
      status: 400,
      body: { message: 'shardSelector needs the feature gate ShardedListAndWatch' },
    })
    expect(ours(namesIn(await list({})))).toEqual(NAMES)
  })
})

function told({ events }: Watched): readonly string[] {
  return events.map(({ type, object: { metadata } }) => `${type} ${metadata.name as string}`)
}

function namespacesIn({ items }: ListAnswer): readonly string[] {
  return items.map(({ metadata }) => (metadata as { namespace?: string }).namespace ?? '').sort()
}
