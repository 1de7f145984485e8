// Watches with a condition and with selected fields, through the whole server.
import { describe, expect, it } from 'vitest'
import { type ApiWorld, NAMESPACE, openWorld, type Watched } from '../../rigs/api-world.ts'

const MAPS = `/api/v1/namespaces/${NAMESPACE}/configmaps`
const watchOf = (parameters: Readonly<Record<string, string>>): string =>
  `${MAPS}?watch=1&${Object.entries(parameters)
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
    .join('&')}`

const told = ({ events }: Watched): readonly string[] =>
  events.map(({ type, object: { metadata } }) =>
    typeof metadata.name === 'string' ? `${type} ${metadata.name}` : type,
  )

const set = (world: ApiWorld, name: string, data: Readonly<Record<string, string>>) =>
  world.update(world.resource('configmaps'), name, (live) => ({ ...live, data }))

const make = (world: ApiWorld, name: string, data: Readonly<Record<string, string>>) =>
  world.create(world.resource('configmaps'), { metadata: { name }, data })

/** Every namespace has another one. */
const ONLY_A = { fieldSelector: 'metadata.name=a' }
const ON = "has(object.data) && object.data['on'] == 'yes'"

describe('a watch with where', () => {
  it('tells of objects that begin to match, and of those that cease to', async () => {
    const world = await openWorld()
    await make(world, 'a', { on: 'yes' })
    await make(world, 'b', { on: 'no' })
    const watch = await world.watch(watchOf({ where: ON }))
    await expect.poll(() => told(watch)).toEqual(['ADDED a'])
    await set(world, 'b', { on: 'yes' })
    await set(world, 'b', { on: 'yes', more: '1' })
    await set(world, 'a', { on: 'no' })
    await set(world, 'a', { on: 'no', more: '1' })
    await world.delete(world.resource('configmaps'), 'a')
    await world.delete(world.resource('configmaps'), 'b')
    await expect.poll(() => told(watch)).toEqual(['ADDED a', 'ADDED b', 'MODIFIED b', 'DELETED a', 'DELETED b'])
    expect(watch.events[3]?.object['data']).toEqual({ on: 'yes' })
    const versions = watch.events.map(({ object }) => Number(object.metadata.resourceVersion))
    expect(versions).toEqual([...versions].sort((x, y) => x - y))
  })

  it('resumes after a version like every watch', async () => {
    const world = await openWorld()
    await make(world, 'a', { on: 'yes' })
    const { metadata } = await make(world, 'b', { on: 'yes' })
    await set(world, 'a', { on: 'no' })
    await set(world, 'b', { on: 'yes', more: '1' })
    const watch = await world.watch(watchOf({ where: ON, resourceVersion: metadata.resourceVersion as string }))
    await expect.poll(() => told(watch)).toEqual(['DELETED a', 'MODIFIED b'])
  })

  it('tells with bookmarks how far it has come, also where nothing matches', async () => {
    const world = await openWorld()
    await make(world, 'a', {})
    const initial = { sendInitialEvents: 'true', resourceVersionMatch: 'NotOlderThan', allowWatchBookmarks: 'true' }
    const watch = await world.watch(watchOf({ where: ON, ...initial }))
    await expect.poll(() => told(watch)).toEqual(['BOOKMARK'])
  })

  it('has every object of a transaction, however long the condition takes', async () => {
    const world = await openWorld()
    const { metadata } = await make(world, 'first', {})
    const names = Array.from({ length: 80 }, (_, i) => `m${String(i).padStart(2, '0')}`)
    const object = { apiVersion: 'v1', kind: 'ConfigMap', data: { on: 'yes' } }
    const operations = names.map((name) => ({ create: { ...object, metadata: { name, namespace: NAMESPACE } } }))
    const ten = '[0,1,2,3,4,5,6,7,8,9]'
    const where = `${ON} && ${ten}.all(x, ${ten}.all(y, ${ten}.all(z, x + y + z >= 0)))`
    const live = await world.watch(watchOf({ where }))
    const body = { kind: 'Transaction', operations }
    await world.must('POST', '/apis/transactions.quarterdeck.io/v1/transactions', body)
    const late = await world.watch(watchOf({ where, resourceVersion: metadata.resourceVersion as string }))
    const expected = names.map((name) => `ADDED ${name}`)
    await expect
      .poll(() => [told(live).toSorted(), told(late).toSorted()], { timeout: 10_000 })
      .toEqual([expected, expected])
  })

  it('refuses an expression with a fault before it begins', async () => {
    const world = await openWorld()
    expect((await world.send({ method: 'GET', path: watchOf({ where: 'object.dat' }) })).body).toMatchObject({
      code: 400,
      message: "where: 1:7: undefined field 'dat'",
    })
  })

  it.each(['orderBy=metadata.name', 'count=true', 'groupBy=metadata.name', 'explainQuery=true'])(
    'refuses %s',
    async (parameter) => {
      const world = await openWorld()
      expect((await world.send({ method: 'GET', path: `${MAPS}?watch=1&${parameter}` })).status).toBe(400)
    },
  )
})

describe('a watch with select', () => {
  it('sends the selected fields, and nothing where none of them changed', async () => {
    const world = await openWorld()
    await make(world, 'a', { x: '1', y: '1' })
    const watch = await world.watch(watchOf({ select: 'data.x', ...ONLY_A }))
    await expect.poll(() => told(watch)).toEqual(['ADDED a'])
    await set(world, 'a', { x: '1', y: '2' })
    await set(world, 'a', { x: '2', y: '2' })
    await world.delete(world.resource('configmaps'), 'a')
    await expect.poll(() => told(watch)).toEqual(['ADDED a', 'MODIFIED a', 'DELETED a'])
    const { metadata } = watch.events[1]!.object
    expect(watch.events[1]?.object).toEqual({
      kind: 'ConfigMap',
      apiVersion: 'v1',
      metadata: { name: 'a', namespace: NAMESPACE, resourceVersion: metadata.resourceVersion },
      data: { x: '2' },
    })
  })

  it('sends what changed in its own version of the kind', async () => {
    const world = await openWorld()
    const target = { type: 'Utilization', averageUtilization: 50 }
    const spec = {
      scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'd' },
      maxReplicas: 3,
      metrics: [{ type: 'Resource', resource: { name: 'memory', target } }],
    }
    const scalers = world.resource('horizontalpodautoscalers', 'autoscaling', 'v2')
    await world.create(scalers, { metadata: { name: 'a' }, spec })
    // In v1, the metrics are in an annotation.
    const pathOf = (version: string) =>
      `/apis/autoscaling/${version}/horizontalpodautoscalers?watch=1&select=metadata.annotations`
    const [newer, older] = [await world.watch(pathOf('v2')), await world.watch(pathOf('v1'))]
    await expect.poll(() => [told(newer), told(older)]).toEqual([['ADDED a'], ['ADDED a']])
    target.averageUtilization = 70
    await world.update(scalers, 'a', (live) => ({ ...live, spec }))
    await expect.poll(() => told(older)).toEqual(['ADDED a', 'MODIFIED a'])
    expect(told(newer)).toEqual(['ADDED a'])
  })

  it('sends every change where the version is selected', async () => {
    const world = await openWorld()
    await make(world, 'a', { y: '1' })
    const watch = await world.watch(watchOf({ select: 'metadata.resourceVersion', ...ONLY_A }))
    await set(world, 'a', { y: '2' })
    await expect.poll(() => told(watch)).toEqual(['ADDED a', 'MODIFIED a'])
  })

  it('has tables of the selected fields', async () => {
    const world = await openWorld()
    await make(world, 'a', { x: '1' })
    const text = await world.sendForStart({
      method: 'GET',
      path: watchOf({ select: 'data.x', ...ONLY_A }),
      accept: 'application/json;as=Table;g=meta.k8s.io;v=v1',
    })
    const { object } = JSON.parse(text.slice(4)) as {
      object: { rows: object[]; columnDefinitions: { name: string }[] }
    }
    expect(object.columnDefinitions.map(({ name }) => name)).toEqual(['Name', 'data.x'])
    expect(object.rows).toMatchObject([{ cells: ['a', '1'] }])
  })

  it('tells with where of objects whose selected fields are the same', async () => {
    const world = await openWorld()
    await make(world, 'a', { on: 'no', x: '1' })
    const watch = await world.watch(watchOf({ where: ON, select: 'data.x' }))
    await set(world, 'a', { on: 'yes', x: '1' })
    await set(world, 'a', { on: 'yes', x: '1', more: '1' })
    await set(world, 'a', { on: 'no', x: '1' })
    await expect.poll(() => told(watch)).toEqual(['ADDED a', 'DELETED a'])
  })
})
