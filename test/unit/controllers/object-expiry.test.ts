// Objects that are deleted at the time that their annotation tells.
import { beforeEach, describe, expect, it } from 'vitest'
import { type ApiWorld, NOW, openWorld } from '../../rigs/api-world.ts'

const MAPS = '/api/v1/namespaces/ns/configmaps'
const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
const SECOND = 1_000

let api: ApiWorld

beforeEach(async () => {
  api = await openWorld()
})

function inSeconds(seconds: number): string {
  return new Date(Date.parse(NOW) + seconds * SECOND).toISOString()
}

function expiring(seconds: number, more: object = {}): object {
  return { annotations: { 'quarterdeck.io/expires-at': inSeconds(seconds) }, ...more }
}

async function make(name: string, metadata: object): Promise<void> {
  await api.must('POST', MAPS, { metadata: { name, ...metadata } })
}

async function names(path = MAPS): Promise<readonly string[]> {
  const { items } = (await api.must('GET', path)) as unknown as { items: { metadata: { name: string } }[] }
  return items.map(({ metadata }) => metadata.name).filter((name) => name !== 'kube-root-ca.crt')
}

describe('an object that expires', () => {
  it('is deleted at its time and not before, each at its own', async () => {
    await make('late', expiring(30))
    await make('soon', expiring(10))
    await make('never', {})
    await api.clock.advance(9 * SECOND)
    expect(await names()).toEqual(['late', 'never', 'soon'])
    await api.clock.advance(2 * SECOND)
    expect(await names()).toEqual(['late', 'never'])
    await api.clock.advance(20 * SECOND)
    expect(await names()).toEqual(['never'])
  })

  it('is deleted soon where its time has passed, in any zone', async () => {
    await make('passed', expiring(-3600))
    await make('zone', { annotations: { 'quarterdeck.io/expires-at': '2030-01-02T05:04:05.5+02:00' } })
    await api.clock.advance(2 * SECOND)
    expect(await names()).toEqual([])
  })

  it.each(['2030-01-02T03:05:00,5Z', '2030-01-02T3:05:00.5Z', '2030-01-03T03:05:00.5+24:00'])(
    'is deleted at its time, written as %s',
    async (time) => {
      await make('unusual', { annotations: { 'quarterdeck.io/expires-at': time } })
      await make('next', expiring(60))
      await api.clock.advance(50 * SECOND)
      expect(await names()).toEqual(['next', 'unusual'])
      await api.clock.advance(5_400)
      expect(await names()).toEqual(['next', 'unusual'])
      await api.clock.advance(2 * SECOND)
      expect(await names()).toEqual(['next'])
      await api.clock.advance(5 * SECOND)
      expect(await names()).toEqual([])
    },
  )

  it('goes by its annotation as it is now', async () => {
    for (const name of ['later', 'sooner', 'kept', 'again']) await make(name, expiring(20))
    const annotate = (name: string, value: string | null): Promise<unknown> =>
      api.send({
        method: 'PATCH',
        path: `${MAPS}/${name}`,
        contentType: 'application/merge-patch+json',
        body: { metadata: { annotations: { 'quarterdeck.io/expires-at': value } } },
      })
    await annotate('later', inSeconds(60))
    await annotate('sooner', inSeconds(5))
    await annotate('kept', null)
    await api.must('DELETE', `${MAPS}/again`)
    await make('again', {})
    await api.clock.advance(7 * SECOND)
    expect(await names()).toEqual(['again', 'kept', 'later'])
    await api.clock.advance(40 * SECOND)
    expect(await names()).toEqual(['again', 'kept', 'later'])
    await api.clock.advance(20 * SECOND)
    expect(await names()).toEqual(['again', 'kept'])
  })

  it('waits for its finalizers', async () => {
    await make('held', expiring(5, { finalizers: ['x/y'] }))
    await api.clock.advance(7 * SECOND)
    const held = await api.must('GET', `${MAPS}/held`)
    expect(held.metadata).toMatchObject({ deletionTimestamp: expect.any(String), finalizers: ['x/y'] })
    await api.must('PUT', `${MAPS}/held`, { ...held, metadata: { ...held.metadata, finalizers: [] } })
    expect(await names()).toEqual([])
  })

  it('can be of any kind, custom ones too', async () => {
    await api.must('POST', DEFINITIONS, {
      metadata: { name: 'things.example.com' },
      spec: {
        group: 'example.com',
        scope: 'Cluster',
        names: { plural: 'things', singular: 'thing', kind: 'Thing' },
        versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
      },
    })
    const things = '/apis/example.com/v1/things'
    await expect
      .poll(async () => (await api.send({ method: 'POST', path: things, body: thing(expiring(5)) })).status)
      .toBe(201)
    await api.must('POST', '/api/v1/namespaces', { metadata: { name: 'brief', ...expiring(5) } })
    await api.clock.advance(10 * SECOND)
    expect(await names(things)).toEqual([])
    expect(await names('/api/v1/namespaces')).not.toContain('brief')
    const bad = { annotations: { 'quarterdeck.io/expires-at': 'tomorrow' } }
    expect(await api.send({ method: 'POST', path: things, body: thing(bad) })).toMatchObject({ status: 422 })
  })

  it('is left alone where it may not be deleted, and the others are not', async () => {
    const path = '/api/v1/namespaces/default'
    const body = { metadata: { annotations: { 'quarterdeck.io/expires-at': inSeconds(5) } } }
    await api.send({ method: 'PATCH', path, contentType: 'application/merge-patch+json', body })
    await make('a', expiring(6))
    await api.clock.advance(10 * SECOND)
    expect((await api.must('GET', path))['status']).toMatchObject({ phase: 'Active' })
    expect(await names()).toEqual([])
  })
})

function thing(metadata: object): object {
  return { kind: 'Thing', apiVersion: 'example.com/v1', metadata: { name: 'a', ...metadata } }
}

describe('a time that is none', () => {
  it.each(['', 'tomorrow', '2030-01-02', '2030-02-30T00:00:00Z', '10m', '2030-01-02T25:00:00Z'])(
    'is refused: %j',
    async (value) => {
      const body = { metadata: { name: 'a', annotations: { 'quarterdeck.io/expires-at': value } } }
      const answer = await api.send({ method: 'POST', path: MAPS, body })
      expect(answer).toMatchObject({
        status: 422,
        body: {
          reason: 'Invalid',
          details: { causes: [{ field: 'metadata.annotations[quarterdeck.io/expires-at]' }] },
        },
      })
      await make('b', {})
      const path = `${MAPS}/b`
      expect(
        await api.send({
          method: 'PATCH',
          path,
          contentType: 'application/merge-patch+json',
          body: { metadata: { annotations: body.metadata.annotations } },
        }),
      ).toMatchObject({ status: 422 })
    },
  )

  it('may stay in an object that another server has stored', async () => {
    await make('a', {})
    const { item } = await api.kv.get('/registry/configmaps/ns/a', {}, new AbortController().signal)
    const stored = item!.value
      .toString()
      .replace('"name":"a"', '"name":"a","annotations":{"quarterdeck.io/expires-at":"soon"}')
    const { putKey } = await import('../../../src/kv/kv.ts')
    await putKey(
      api.kv,
      { key: item!.key, value: Buffer.from(stored), expected: item!.revision },
      new AbortController().signal,
    )
    const live = await api.must('GET', `${MAPS}/a`)
    expect(await api.send({ method: 'PUT', path: `${MAPS}/a`, body: { ...live, data: { k: 'v' } } })).toMatchObject({
      status: 200,
    })
    await api.clock.advance(10 * SECOND)
    expect(await names()).toEqual(['a'])
  })
})
