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
