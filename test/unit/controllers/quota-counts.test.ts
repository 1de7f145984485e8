// A count of a quota while objects that were charged to it are on their way to the store: the quota is never exceeded, and no charge is given
// back twice.
import { beforeEach, describe, expect, it } from 'vitest'
import { metaText } from '../../../src/api/object-members.ts'
import type { ApiObject } from '../../../src/api/object.ts'
import type { ValueMap } from '../../../src/api/value.ts'
import type { Store } from '../../../src/store/store.ts'
import { createObject } from '../../../src/registry/create.ts'
import { updateObject } from '../../../src/registry/update.ts'
import { type Answer, type ApiWorld, openWorld } from '../../rigs/api-world.ts'

const SECRETS = '/api/v1/namespaces/ns/secrets'
const QUOTA = '/api/v1/namespaces/ns/resourcequotas/q'
/** After this time each quota that was raised has been counted. */
const COUNTED_MS = 20_000

let world: ApiWorld

beforeEach(async () => {
  world = await openWorld()
})

async function limit(secrets: number): Promise<void> {
  await world.create(world.resource('resourcequotas'), {
    metadata: { name: 'q' },
    spec: { hard: { 'count/secrets': String(secrets) } },
  })
  await world.clock.advance(COUNTED_MS)
  expect(await used()).toBe('0')
}

async function used(resource = 'count/secrets'): Promise<string | undefined> {
  const { status } = (await world.must('GET', QUOTA)) as { status?: { used?: Readonly<Record<string, string>> } }
  return status?.used?.[resource]
}

async function stored(): Promise<readonly string[]> {
  const { items } = (await world.must('GET', SECRETS)) as unknown as { items: readonly ApiObject[] }
  return items.map((item) => metaText(item, 'name'))
}

function make(name: string): Promise<Answer> {
  return world.send({ method: 'POST', path: SECRETS, body: secret(name) })
}

function secret(name: string): ApiObject {
  return { kind: 'Secret', apiVersion: 'v1', metadata: { name, namespace: 'ns' } }
}

interface Held {
  /** Resolves when a write is charged and about to be stored. */
  readonly arrived: Promise<void>
  readonly release: () => void
  readonly parts: ApiWorld['parts']
}

/** A store in front of the world's own. Its writes of objects with the name `late` wait after their admission. */
function held(): Held {
  const [arrived, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const { store } = world.parts
  const slow: Store = {
    get: (key, at, signal) => store.get(key, at, signal),
    list: (request, signal) => store.list(request, signal),
    watch: (request, signal) => store.watch(request, signal),
    write: (key, decide, signal) =>
      store.write(
        key,
        async (current) => {
          const outcome = await decide(current)
          if (key.name !== 'late') return outcome
          arrived.resolve()
          await released.promise
          return outcome
        },
        signal,
      ),
  }
  return { arrived: arrived.promise, release: released.resolve, parts: { ...world.parts, store: slow } }
}

/** What is thrown; undefined if nothing is. */
function refusalOf(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => undefined,
    (error: unknown) => error,
  )
}

const COUNTED_AWAY = {
  code: 409,
  reason: 'Conflict',
  message:
    'Operation cannot be fulfilled on secrets "late": its quota "q" was counted before it was stored, please try again',
}

it('an object whose charge was counted away is not stored (D38)', async () => {
  await limit(1)
  const { arrived, release, parts } = held()
  const late = refusalOf(createObject(parts, world.resource('secrets'), secret('late'), world.context()))
  await arrived
  expect(await used()).toBe('1')
  await world.clock.advance(COUNTED_MS)
  expect(await used()).toBe('0')
  expect(await make('first')).toMatchObject({ status: 201 })
  release()
  expect(await late).toMatchObject(COUNTED_AWAY)
  expect(await stored()).toEqual(['first'])
  await world.clock.advance(COUNTED_MS)
  expect(await used()).toBe('1')
})

describe('an update of a service', () => {
  const wantedOf =
    (type: string) =>
    (live: ApiObject | undefined): ApiObject => {
      const { externalTrafficPolicy: _, ...spec } = live!['spec'] as ValueMap
      const balanced = { allocateLoadBalancerNodePorts: true, externalTrafficPolicy: 'Cluster' }
      return { ...live!, spec: { ...spec, type, ...(type === 'LoadBalancer' ? balanced : {}) } }
    }
  const typeOf = async (name: string): Promise<unknown> =>
    ((await world.get(world.resource('services'), name))['spec'] as ValueMap)['type']
  const update = (parts: ApiWorld['parts'], type: string): Promise<unknown> => {
    const request = { name: 'late', subresource: '', uid: '', tracksFields: false, absent: 'refuse' } as const
    const wanted = wantedOf(type)
    return refusalOf(updateObject(parts, world.resource('services'), { ...request, wanted }, world.context()))
  }

  beforeEach(async () => {
    const services = world.resource('services')
    for (const name of ['late', 'first'])
      await world.create(services, { metadata: { name }, spec: { ports: [{ port: 1 }] } })
    await world.create(world.resource('resourcequotas'), {
      metadata: { name: 'q' },
      spec: { hard: { 'services.loadbalancers': '1' } },
    })
    await world.clock.advance(COUNTED_MS)
  })

  it('is not stored if its charge was counted away', async () => {
    const { arrived, release, parts } = held()
    const late = update(parts, 'LoadBalancer')
    await arrived
    await world.clock.advance(COUNTED_MS)
    await world.update(world.resource('services'), 'first', wantedOf('LoadBalancer'))
    release()
    expect(await late).toMatchObject({ code: 409, reason: 'Conflict', details: { name: 'late', kind: 'services' } })
    expect([await typeOf('late'), await typeOf('first')]).toEqual(['ClusterIP', 'LoadBalancer'])
  })

  it('lowers the usage when it is stored, and not before', async () => {
    expect(await update(world.parts, 'LoadBalancer')).toBeUndefined()
    const { arrived, release, parts } = held()
    const late = update(parts, 'ClusterIP')
    await arrived
    expect(await used('services.loadbalancers')).toBe('1')
    const services = world.resource('services')
    await expect(world.update(services, 'first', wantedOf('LoadBalancer'))).rejects.toThrow('exceeded quota')
    release()
    expect(await late).toBeUndefined()
    await world.clock.advance(2_000)
    expect(await used('services.loadbalancers')).toBe('0')
    await world.update(services, 'first', wantedOf('LoadBalancer'))
    expect([await typeOf('late'), await typeOf('first')]).toEqual(['ClusterIP', 'LoadBalancer'])
  })
})

it('an object that is stored before the next count is counted', async () => {
  await limit(1)
  const { arrived, release, parts } = held()
  const made = refusalOf(createObject(parts, world.resource('secrets'), secret('late'), world.context()))
  await arrived
  release()
  expect(await made).toBeUndefined()
  await world.clock.advance(COUNTED_MS)
  expect(await used()).toBe('1')
  expect(await make('second')).toMatchObject({ status: 403 })
})

/** The second operation of a transaction waits for this function, after the charge of the first one. */
function holdSecond(verdict: 'allow' | 'deny'): Pick<Held, 'arrived' | 'release'> {
  const [arrived, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const rules = [{ operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['secrets'] }] as const
  world.extensible.admit({ name: 'slow.example.com', rules, timeoutSeconds: 30 }, async ({ object }) => {
    if ((object as ApiObject).metadata.name !== 'second') return undefined
    arrived.resolve()
    await released.promise
    return verdict === 'allow' ? undefined : { allowed: false, message: 'no' }
  })
  return { arrived: arrived.promise, release: released.resolve }
}

function makeBoth(): Promise<Answer> {
  const operations = [{ create: secret('first') }, { create: secret('second') }]
  const body = { kind: 'Transaction', apiVersion: 'transactions.quarterdeck.io/v1', operations }
  return world.send({ method: 'POST', path: '/apis/transactions.quarterdeck.io/v1/transactions', body })
}

it.each([
  ['in place', []],
  ['in a thread', ['--in-place-milliseconds=0']],
])('a transaction whose charge was counted away is not stored: %s', async (_, flags) => {
  world = await openWorld({ flags })
  await limit(2)
  const { arrived, release } = holdSecond('allow')
  const both = makeBoth()
  await arrived
  expect(await used()).toBe('1')
  await world.clock.advance(COUNTED_MS)
  expect(await used()).toBe('0')
  expect(await make('other')).toMatchObject({ status: 201 })
  release()
  expect(await both).toMatchObject({ status: 403 })
  expect(await stored()).toEqual(['other'])
  await world.clock.advance(COUNTED_MS)
  expect(await used()).toBe('1')
})

it('a transaction whose charge was counted away is charged again', async () => {
  await limit(2)
  const { arrived, release } = holdSecond('allow')
  const both = makeBoth()
  await arrived
  await world.clock.advance(COUNTED_MS)
  release()
  expect(await both).toMatchObject({ status: 200 })
  expect(await stored()).toEqual(['first', 'second'])
  await world.clock.advance(COUNTED_MS)
  expect(await used()).toBe('2')
})

it('a charge that was counted away is not given back', async () => {
  await limit(2)
  expect(await make('other')).toMatchObject({ status: 201 })
  const { arrived, release } = holdSecond('deny')
  const both = makeBoth()
  await arrived
  expect(await used()).toBe('2')
  await world.clock.advance(COUNTED_MS)
  expect(await used()).toBe('1')
  release()
  expect(await both).toMatchObject({ status: 400 })
  expect(await used()).toBe('1')
  expect(await make('third')).toMatchObject({ status: 201 })
  expect(await make('fourth')).toMatchObject({ status: 403 })
})

it('a charge that was not counted since is given back', async () => {
  await limit(2)
  const { arrived, release } = holdSecond('deny')
  const both = makeBoth()
  await arrived
  expect(await used()).toBe('1')
  release()
  expect(await both).toMatchObject({ status: 400 })
  expect(await used()).toBe('0')
})
