// What is stored and cannot be read: told in its place, a trouble to nothing else, and removable by who has the right to.
import { describe, expect, it } from 'vitest'
import { garbageCollector } from '../../../src/controllers/garbage-collector.ts'
import { namespaceController } from '../../../src/controllers/namespaces.ts'
import { ABSENT, putKey } from '../../../src/kv/kv.ts'
import { type ApiWorld, openWorld } from '../../rigs/api-world.ts'
import { controllerParts, runUntilFinished } from '../../rigs/running-controller.ts'

const GATE = 'AllowUnsafeMalformedObjectDeletion'
const OPTION = 'ignoreStoreReadErrorWithClusterBreakingPotential'
const MAPS = '/api/v1/namespaces/ns/configmaps'

async function damaged(gates: readonly string[] = [GATE]): Promise<ApiWorld> {
  const world = await openWorld({ gates, controllersOff: ['garbage-collector', 'namespace'] })
  await world.send({ method: 'POST', path: MAPS, body: { metadata: { name: 'good' } } })
  const put = { key: '/registry/configmaps/ns/bad', value: Buffer.from('garbage'), expected: ABSENT }
  await putKey(world.kv, put, new AbortController().signal)
  return world
}

const unsafely = (path: string, more: object = {}) => ({ method: 'DELETE', path, body: { [OPTION]: true, ...more } })

describe('an object that cannot be read', () => {
  it('is told by a get, and no other is a trouble (R-012, W-353)', async () => {
    const world = await damaged()
    const bad = await world.send({ method: 'GET', path: `${MAPS}/bad` })
    expect(bad).toMatchObject({ status: 500, body: { reason: 'InternalError' } })
    expect((await world.send({ method: 'GET', path: `${MAPS}/good` })).status).toBe(200)
  })

  it('is told by a list that would have to show it (R-028, W-354, P-447)', async () => {
    const world = await damaged()
    expect(await world.send({ method: 'GET', path: MAPS })).toMatchObject({
      status: 500,
      body: {
        reason: 'StorageReadError',
        message: 'failed to read one or more configmaps from the storage',
        details: { kind: 'configmaps', causes: [{ reason: 'UnexpectedServerResponse', field: 'ns/bad' }] },
      },
    })
    expect((await world.send({ method: 'GET', path: '/api/v1/namespaces/other/configmaps' })).status).toBe(200)
  })

  it.each([
    ['an ordinary delete', { method: 'DELETE', path: `${MAPS}/bad` }],
    ['an update', { method: 'PUT', path: `${MAPS}/bad`, body: { metadata: { name: 'bad' } } }],
    ['a patch', { method: 'PATCH', path: `${MAPS}/bad`, body: {}, contentType: 'application/merge-patch+json' }],
  ])('is left alone by %s', async (_name, request) => {
    const world = await damaged()
    expect((await world.send(request)).status).toBe(500)
    expect((await world.send({ method: 'GET', path: `${MAPS}/bad` })).status).toBe(500)
  })

  it('is removed where that is asked for by name (W-352)', async () => {
    const world = await damaged()
    expect(await world.send(unsafely(`${MAPS}/bad`))).toMatchObject({
      status: 200,
      body: { status: 'Success', details: { name: 'bad', kind: 'ConfigMap' }, code: 200 },
    })
    expect((await world.send({ method: 'GET', path: `${MAPS}/bad` })).status).toBe(404)
    expect((await world.send({ method: 'GET', path: MAPS })).status).toBe(200)
  })

  it('stays where the gate is off: the option is nobody’s business then (W-347)', async () => {
    const world = await damaged([])
    expect((await world.send(unsafely(`${MAPS}/bad`))).status).toBe(500)
    expect((await world.send(unsafely(`${MAPS}/good`))).status).toBe(200)
  })

  it.each(['good', 'missing'])('is what the option is for: %s (W-351, W-640)', async (name) => {
    const world = await damaged()
    expect(await world.send(unsafely(`${MAPS}/${name}`))).toMatchObject({
      status: 422,
      body: {
        message: `configmaps "${name}" is invalid: ${OPTION}: Invalid value: true: is exclusively used to delete corrupt object(s), try again by removing this option`,
        details: { kind: 'configmaps' },
      },
    })
  })

  it.each([
    ['dryRun', { dryRun: ['All'] }],
    ['propagationPolicy', { propagationPolicy: 'Background' }],
    ['orphanDependents', { orphanDependents: true }],
    ['gracePeriodSeconds', { gracePeriodSeconds: 0 }],
    ['preconditions', { preconditions: { uid: 'x' } }],
  ])('is not removed together with %s (W-348)', async (name, more) => {
    const world = await damaged()
    expect(await world.send(unsafely(`${MAPS}/bad`, more))).toMatchObject({
      status: 422,
      body: { message: expect.stringContaining(`cannot be set together with .${name}`) as string },
    })
  })

  it('is not removed with a collection (W-345)', async () => {
    const world = await damaged()
    expect(await world.send(unsafely(MAPS))).toMatchObject({
      status: 422,
      body: { message: expect.stringContaining('is not allowed with DELETECOLLECTION') as string },
    })
  })

  it('does not keep the garbage collector from its work', async () => {
    const world = await damaged()
    runUntilFinished(garbageCollector(controllerParts(world)))
    const reference = { apiVersion: 'v1', kind: 'ConfigMap', name: 'none', uid: 'made-up' }
    const child = { metadata: { name: 'child', ownerReferences: [reference] } }
    await world.send({ method: 'POST', path: MAPS, body: child })
    const status = async (): Promise<number> => (await world.send({ method: 'GET', path: `${MAPS}/child` })).status
    await expect.poll(status, { interval: 2 }).toBe(404)
  })

  it('as an owner keeps its dependents: nobody knows whether it is the one', async () => {
    const world = await damaged()
    const owned = (name: string, owner: string): object => ({
      metadata: { name, ownerReferences: [{ apiVersion: 'v1', kind: 'ConfigMap', name: owner, uid: `of-${owner}` }] },
    })
    await world.send({ method: 'POST', path: MAPS, body: owned('stays', 'bad') })
    await world.send({ method: 'POST', path: MAPS, body: owned('goes', 'none') })
    runUntilFinished(garbageCollector(controllerParts(world)))
    const status = async (name: string): Promise<number> =>
      (await world.send({ method: 'GET', path: `${MAPS}/${name}` })).status
    await expect.poll(() => status('goes'), { interval: 2 }).toBe(404)
    expect(await status('stays')).toBe(200)
  })

  it('holds up its namespace, which says so and loses everything else', async () => {
    const world = await damaged()
    await world.send({ method: 'POST', path: '/api/v1/namespaces', body: { metadata: { name: 'ns' } } })
    await world.send({ method: 'POST', path: '/api/v1/namespaces/ns/secrets', body: { metadata: { name: 's' } } })
    runUntilFinished(namespaceController(controllerParts(world)))
    await world.send({ method: 'DELETE', path: '/api/v1/namespaces/ns' })
    const namespace = async (): Promise<object> =>
      (await world.send({ method: 'GET', path: '/api/v1/namespaces/ns' })).body
    const failing = { type: 'NamespaceDeletionContentFailure', status: 'True', reason: 'ContentDeletionFailed' }
    const told = { status: { conditions: expect.arrayContaining([expect.objectContaining(failing)]) as unknown } }
    await expect.poll(namespace, { interval: 5 }).toMatchObject(told)
    expect((await world.send({ method: 'GET', path: '/api/v1/namespaces/ns/secrets/s' })).status).toBe(404)
    await world.send(unsafely(`${MAPS}/bad`))
    await expect
      .poll(async () => (await world.send({ method: 'GET', path: '/api/v1/namespaces/ns' })).status, { interval: 5 })
      .toBe(404)
  })
})
