import { describe, expect, it } from 'vitest'
import { storageVersionMigrator } from '../../../src/controllers/storage-version-migrator.ts'
import { ABSENT, putKey } from '../../../src/kv/kv.ts'
import { type ApiWorld, openWorld } from '../../rigs/api-world.ts'
import { controllerParts, runUntilFinished } from '../../rigs/running-controller.ts'

const MIGRATIONS = '/apis/storagemigration.k8s.io/v1/storageversionmigrations'
const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
const DEFINITION = 'foos.example.com'
const FOOS = '/apis/example.com/v1/namespaces/ns/foos'
const SIGNAL = new AbortController().signal
/** After that, a migration that a definition needs has begun. */
const SETTLED_MS = 11_000

interface Condition {
  readonly type: string
  readonly status: string
  readonly reason: string
  readonly message: string
  readonly observedGeneration?: number
}

interface Shown {
  readonly metadata: { readonly name: string; readonly generation?: number; readonly resourceVersion: string }
  readonly status: {
    readonly conditions?: readonly Condition[]
    readonly resourceVersion?: string
    readonly storedVersions?: readonly string[]
  }
}

function open(...controllersOff: string[]): Promise<ApiWorld> {
  return openWorld({ flags: ['--emulated-version=1.37'], controllersOff })
}

async function get(world: ApiWorld, path: string): Promise<Shown> {
  return (await world.must('GET', path)) as unknown as Shown
}

/** `True MigrationRunning`, or nothing. */
async function condition(world: ApiWorld, path: string, type: string): Promise<string> {
  const found = (await get(world, path)).status.conditions?.find((one) => one.type === type)
  return found === undefined ? '' : `${found.status} ${found.reason}: ${found.message}`
}

async function migrate(world: ApiWorld, resource: object, name = 'm'): Promise<void> {
  await world.must('POST', MIGRATIONS, { metadata: { name }, spec: { resource } })
}

const VERSIONS = ['v1', 'v2'].map((name) => ({
  name,
  served: true,
  schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
}))

function storing(stored: string): object[] {
  return VERSIONS.map((version) => ({ ...version, storage: version.name === stored }))
}

/** A definition that has stored objects in v1, and stores v2 now. */
async function defined(world: ApiWorld, count: number): Promise<void> {
  const names = { plural: 'foos', kind: 'Foo' }
  const spec = { group: 'example.com', scope: 'Namespaced', names, versions: storing('v1') }
  await world.must('POST', DEFINITIONS, { metadata: { name: DEFINITION }, spec })
  await expect.poll(() => condition(world, `${DEFINITIONS}/${DEFINITION}`, 'Established')).toMatch(/^True/)
  for (let i = 0; i < count; i++) await world.must('POST', FOOS, { ...FOO, metadata: { name: `f${i}` }, at: i })
  await world.update(
    world.resource('customresourcedefinitions', 'apiextensions.k8s.io'),
    DEFINITION,
    (live) => ({ ...live, spec: { ...spec, versions: storing('v2') } }),
    { namespace: '' },
  )
}

const FOO = { apiVersion: 'example.com/v1', kind: 'Foo' }

/** In which versions the objects of the definition are stored. */
async function storedVersions(world: ApiWorld): Promise<ReadonlySet<string>> {
  const { items } = await world.kv.list(
    { start: '/registry/example.com/foos/', end: '/registry/example.com/foos0' },
    SIGNAL,
  )
  return new Set(items.map(({ value }) => (JSON.parse(value.toString()) as { apiVersion: string }).apiVersion))
}

/** Moves the clock in steps of a turn until the migration is over. */
async function untilOver(world: ApiWorld, name = 'm'): Promise<number> {
  let passed = 0
  await expect
    .poll(async () => {
      await world.clock.advance(100)
      passed += 100
      return (await get(world, `${MIGRATIONS}/${name}`)).status.conditions?.map(({ type, status }) => type + status)
    })
    .toEqual(expect.arrayContaining(['RunningFalse']))
  return passed
}

describe('a storage version migration', () => {
  it('stores all objects in the new version, and drops the old one from the definition', async () => {
    const world = await open('definition-migration')
    await defined(world, 3)
    const path = `${DEFINITIONS}/${DEFINITION}`
    expect((await get(world, path)).status.storedVersions).toEqual(['v1', 'v2'])
    expect(await storedVersions(world)).toEqual(new Set(['example.com/v1']))
    await migrate(world, { group: 'example.com', resource: 'foos' })
    await untilOver(world)
    expect(await storedVersions(world)).toEqual(new Set(['example.com/v2']))
    expect((await get(world, path)).status.storedVersions).toEqual(['v2'])
    expect(await condition(world, `${MIGRATIONS}/m`, 'Succeeded')).toBe(
      'True StorageVersionMigrationSucceeded: Migration completed',
    )
    expect(await condition(world, `${MIGRATIONS}/m`, 'Running')).toBe('False MigrationCompleted: Migration completed')
    expect((await get(world, `${MIGRATIONS}/m`)).status.resourceVersion).toMatch(/^\d+$/)
    expect(await condition(world, path, 'StorageMigrating')).toBe(
      'False MigrationSucceeded: The migration has succeeded and the stored versions have been updated',
    )
    expect(await world.must('GET', `${FOOS}/f1`)).toMatchObject({ apiVersion: 'example.com/v1', at: 1 })
  })

  it('starts by itself when the storage version of a definition has changed and stays', async () => {
    const world = await open()
    await defined(world, 1)
    const path = `${DEFINITIONS}/${DEFINITION}`
    const started = async (): Promise<unknown> => (await world.must('GET', MIGRATIONS))['items']
    expect(await started()).toEqual([])
    await world.clock.advance(SETTLED_MS)
    await expect.poll(started).toHaveLength(1)
    const name = `${DEFINITION}-v2-2`
    await untilOver(world, name)
    expect((await get(world, path)).status.storedVersions).toEqual(['v2'])
    expect(await world.must('GET', `${MIGRATIONS}/${name}`)).toMatchObject({
      metadata: { ownerReferences: [{ kind: 'CustomResourceDefinition', name: DEFINITION }] },
    })
  })

  it('keeps the stored versions of a definition that changes on the way', async () => {
    const world = await open('definition-migration')
    await defined(world, 40)
    await migrate(world, { group: 'example.com', resource: 'foos' })
    const path = `${DEFINITIONS}/${DEFINITION}`
    await expect.poll(() => condition(world, path, 'StorageMigrating')).toMatch(/^True MigrationRunning: Migration m /)
    await world.must('GET', path)
    await world.update(
      world.resource('customresourcedefinitions', 'apiextensions.k8s.io'),
      DEFINITION,
      (live) => ({
        ...live,
        spec: { ...(live['spec'] as object), names: { plural: 'foos', kind: 'Foo', shortNames: ['f'] } },
      }),
      { namespace: '' },
    )
    await untilOver(world)
    expect((await get(world, path)).status.storedVersions).toEqual(['v1', 'v2'])
    expect(await condition(world, path, 'StorageMigrating')).toMatch(/generation mismatch$/)
  })

  it('writes no more objects in a second than it may', async () => {
    const world = await open('definition-migration')
    await defined(world, 60)
    await migrate(world, { group: 'example.com', resource: 'foos' })
    expect(await untilOver(world)).toBeGreaterThanOrEqual(200)
    expect(await storedVersions(world)).toEqual(new Set(['example.com/v2']))
  })

  it('writes objects that kube-apiserver has stored in their form here, and no others', async () => {
    const world = await open()
    const ours = await world.must('POST', '/api/v1/namespaces/ns/configmaps', { metadata: { name: 'ours' } })
    const key = '/registry/configmaps/ns/theirs'
    const theirs = { kind: 'ConfigMap', apiVersion: 'v1', metadata: { name: 'theirs', namespace: 'ns', uid: 'u' } }
    const request = { key, value: Buffer.from(`${JSON.stringify(theirs)}\n`), expected: ABSENT }
    await putKey(world.kv, request, SIGNAL)
    await migrate(world, { group: '', resource: 'configmaps' })
    await untilOver(world)
    expect((await world.kv.get(key, {}, SIGNAL)).item?.value.toString()).toBe(JSON.stringify(theirs))
    const after = await world.must('GET', '/api/v1/namespaces/ns/configmaps/ours')
    expect(after.metadata.resourceVersion).toBe(ours.metadata.resourceVersion)
  })

  it('fails where an object cannot be read, after it has written the others', async () => {
    const world = await open('definition-migration')
    await defined(world, 2)
    const key = '/registry/example.com/foos/ns/broken'
    await putKey(world.kv, { key, value: Buffer.from('no object'), expected: ABSENT }, SIGNAL)
    await migrate(world, { group: 'example.com', resource: 'foos' })
    await untilOver(world)
    expect(await condition(world, `${MIGRATIONS}/m`, 'Failed')).toMatch(/^True StorageVersionMigrationFailed: .*broken/)
    expect(await condition(world, `${MIGRATIONS}/m`, 'Succeeded')).toBe('')
    expect((await get(world, `${DEFINITIONS}/${DEFINITION}`)).status.storedVersions).toEqual(['v1', 'v2'])
    expect(await world.must('GET', `${FOOS}/f1`)).toMatchObject({ at: 1 })
  })

  it('fails where there is no such resource for a minute', async () => {
    const world = await open()
    await migrate(world, { group: 'example.com', resource: 'foos' })
    await world.clock.advance(50_000)
    expect(await condition(world, `${MIGRATIONS}/m`, 'Failed')).toBe('')
    expect(await condition(world, `${MIGRATIONS}/m`, 'Running')).toBe('True MigrationRunning: The migration is running')
    await world.clock.advance(11_000)
    await untilOver(world)
    expect(await condition(world, `${MIGRATIONS}/m`, 'Failed')).toBe(
      'True StorageVersionMigrationFailed: resource does not exist in discovery',
    )
  })

  it('runs after another of the same resource, the oldest first', async () => {
    const world = await open('definition-migration')
    await defined(world, 30)
    const resource = { group: 'example.com', resource: 'foos' }
    await migrate(world, resource, 'first')
    await world.clock.advance(1_000)
    await migrate(world, resource, 'second')
    await untilOver(world, 'first')
    await untilOver(world, 'second')
    const revision = async (name: string): Promise<number> =>
      Number((await get(world, `${MIGRATIONS}/${name}`)).status.resourceVersion)
    expect(await revision('first')).toBeLessThan(await revision('second'))
  })

  it('leaves objects alone that were written after it had begun', async () => {
    const world = await open('storage-version-migrator')
    const put = async (name: string): Promise<number> => {
      const theirs = { kind: 'ConfigMap', apiVersion: 'v1', metadata: { name, namespace: 'ns', uid: 'u' } }
      const value = Buffer.from(`${JSON.stringify(theirs)}\n`)
      const result = await putKey(world.kv, { key: `/registry/configmaps/ns/${name}`, value, expected: ABSENT }, SIGNAL)
      return result.revision
    }
    const resourceVersion = String(await put('before'))
    await migrate(world, { group: '', resource: 'configmaps' })
    const migrations = world.resource('storageversionmigrations', 'storagemigration.k8s.io')
    const cluster = { namespace: '', subresource: 'status' }
    await world.update(migrations, 'm', (live) => ({ ...live, status: { resourceVersion } }), cluster)
    await put('after')
    runUntilFinished(storageVersionMigrator(controllerParts(world)))
    await expect.poll(() => condition(world, `${MIGRATIONS}/m`, 'Succeeded')).toMatch(/^True/)
    const endOf = async (name: string): Promise<string | undefined> =>
      (await world.kv.get(`/registry/configmaps/ns/${name}`, {}, SIGNAL)).item?.value.toString().at(-1)
    expect([await endOf('before'), await endOf('after')]).toEqual(['}', '\n'])
  })

  it('fails for what cannot be updated', async () => {
    const world = await open()
    await migrate(world, { group: '', resource: 'componentstatuses' })
    await untilOver(world)
    expect(await condition(world, `${MIGRATIONS}/m`, 'Failed')).toBe(
      'True StorageVersionMigrationFailed: resource "v1, Resource=componentstatuses" does not support discovery operations: [update patch list]',
    )
  })

  it('ends where it is deleted, and the definition says so', async () => {
    const world = await open('definition-migration')
    await defined(world, 60)
    await migrate(world, { group: 'example.com', resource: 'foos' })
    const path = `${DEFINITIONS}/${DEFINITION}`
    await expect.poll(() => condition(world, path, 'StorageMigrating')).toMatch(/^True/)
    await world.must('DELETE', `${MIGRATIONS}/m`)
    await expect
      .poll(async () => {
        await world.clock.advance(1_000)
        return condition(world, path, 'StorageMigrating')
      })
      .toBe('False MigrationFailed: The migration has failed')
    expect((await get(world, path)).status.storedVersions).toEqual(['v1', 'v2'])
  })
})
