import { beforeEach, describe, expect, it } from 'vitest'
import { ADMIT_ALL, type Admission, type AdmissionPhase } from '../../../src/admission/admission.ts'
import type { ApiObject } from '../../../src/api/object.ts'
import { ApiError } from '../../../src/api/status.ts'
import type {
  RegistryParts,
  Reservation,
  Reserve,
  Resource,
  WriteAnswer,
  WriteContext,
} from '../../../src/registry/registry.ts'
import { keyOf } from '../../../src/registry/steps.ts'
import { updateObject } from '../../../src/registry/update.ts'
import type { UpdateRequest } from '../../../src/registry/update-steps.ts'
import { changedStore } from '../../fakes/changed-store.ts'
import { type ApiWorld, NOW, openWorld, plain } from '../../rigs/api-world.ts'

type Members = ApiObject['metadata']

const LATER = '2030-01-02T03:05:00Z'

let world: ApiWorld
/** Those of the world, with an admission that tells what it is asked. */
let ownParts: RegistryParts
/** What was asked of the caller's authorizer and of admission. */
let asked: string[]

beforeEach(async () => {
  asked = []
  world = await openWorld({ controllersOff: ['namespace'] })
  ownParts = {
    ...world.parts,
    admission: {
      ...ADMIT_ALL,
      mutate: (request, signal) => {
        asked.push(`mutate ${request.operation}`)
        return ADMIT_ALL.mutate(request, signal)
      },
      validate: ({ operation }) => void asked.push(`validate ${operation}`),
    },
  }
})

interface Sent extends Partial<UpdateRequest>, Partial<Pick<WriteContext, 'dryRun' | 'now' | 'fieldManager'>> {
  readonly parts?: RegistryParts
}

async function update(resource: Resource, change: UpdateRequest['wanted'], sent: Sent = {}): Promise<WriteAnswer> {
  const { parts = ownParts, dryRun = false, now = NOW, fieldManager = 'test', ...request } = sent
  const authorize = (verb: string): Promise<void> => Promise.resolve(void asked.push(verb))
  return updateObject(
    parts,
    resource,
    { name: 'a', subresource: '', tracksFields: false, absent: 'refuse', uid: '', ...request, wanted: change },
    world.context({ dryRun, now, fieldManager, authorize }),
  )
}

const metaOf = ({ object }: WriteAnswer): Members => plain(object).metadata

/** The object with these members of its metadata; undefined takes one away. */
function withMeta(object: ApiObject, changes: Readonly<Record<string, unknown>>): ApiObject {
  const members = Object.entries({ ...object.metadata, ...changes }).filter(([, value]) => value !== undefined)
  return { ...object, metadata: Object.fromEntries(members) as Members }
}

/** As it is stored, past every check. */
async function storeAsIs(resource: Resource, object: ApiObject): Promise<void> {
  const key = keyOf(resource, 'ns', 'a')
  await world.parts.store.write(key, () => ({ kind: 'put', object }), new AbortController().signal)
}

async function isStored(resource: Resource): Promise<boolean> {
  const { item } = await world.parts.store.get(
    keyOf(resource, 'ns', 'a'),
    { kind: 'latest' },
    AbortSignal.timeout(60_000),
  )
  return item !== undefined
}

/** The reason of a refusal, or what `answer` makes of what was written. */
async function outcomeOf<T>(write: Promise<WriteAnswer>, answer: (written: WriteAnswer) => T): Promise<T | string> {
  try {
    return answer(await write)
  } catch (error) {
    if (error instanceof ApiError) return error.reason
    throw error
  }
}

const LEASES = ['leases', 'coordination.k8s.io'] as const
const MAPS = ['configmaps', ''] as const
const DEPLOYMENTS = ['deployments', 'apps'] as const
const POD_SPEC = { containers: [{ name: 'c', image: 'i' }], terminationGracePeriodSeconds: 30 }
const DEPLOYMENT = {
  metadata: { name: 'a' },
  spec: {
    selector: { matchLabels: { a: 'b' } },
    template: { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } },
  },
}

const created = async (resource: Resource, object: object = {}): Promise<ApiObject> =>
  world.create(resource, { metadata: { name: 'a' }, ...object })

describe('the version that an update speaks of', () => {
  it.each([
    ['is missing, and the kind does without (W-107)', MAPS, () => undefined, 'written'],
    ['is 0, and the kind does without (W-107)', MAPS, () => '0', 'written'],
    ['is missing, and the kind wants one (W-108)', LEASES, () => undefined, 'Invalid'],
    ['is 0, and the kind wants one (W-108)', LEASES, () => '0', 'Invalid'],
    ['is the one that is stored', MAPS, (version: string) => version, 'written'],
    ['is the one that is stored, and the kind wants one', LEASES, (version: string) => version, 'written'],
    ['is an older one (W-110)', MAPS, (version: string) => String(Number(version) - 1), 'Conflict'],
    ['is one that was never given out (W-111)', MAPS, () => '999999', 'Conflict'],
    ['is a word (W-112)', MAPS, () => 'abc', 'BadRequest'],
    ['is longer than any number (W-112)', MAPS, () => '9'.repeat(20), 'BadRequest'],
  ])('%s', async (_name, [name, group], versionFrom, expected) => {
    const resource = world.resource(name, group)
    const stored = await created(resource)
    await created(world.resource('secrets'))
    const resourceVersion = versionFrom(stored.metadata['resourceVersion'] as string)
    const write = update(resource, () => withMeta(stored, { resourceVersion, labels: { changed: 'yes' } }))
    expect(await outcomeOf(write, () => 'written')).toBe(expected)
  })
})

describe('the uid that an update speaks of', () => {
  it.each([
    ['none: the stored one stays (W-106)', () => '', 'same'],
    ['the one that is stored', (uid: string) => uid, 'same'],
    ['another, before anything else is looked at (W-104)', () => 'other', 'Conflict'],
  ])('%s', async (_name, uidFrom, expected) => {
    const maps = world.resource('configmaps')
    const stored = await created(maps)
    const uid = stored.metadata['uid'] as string
    const sent = withMeta(stored, { uid: undefined, labels: { changed: 'yes' } })
    asked = []
    const write = update(maps, () => sent, { uid: uidFrom(uid) })
    expect(await outcomeOf(write, (written) => (metaOf(written)['uid'] === uid ? 'same' : 'changed'))).toBe(expected)
    expect(asked).toEqual(expected === 'same' ? ['mutate UPDATE', 'validate UPDATE'] : [])
  })
})

describe('an update of what is not there', () => {
  it.each([
    ['is refused', MAPS, { absent: 'refuse' }, {}, 'NotFound'],
    ['is refused at a subresource (W-103)', DEPLOYMENTS, { absent: 'put', subresource: 'status' }, {}, 'NotFound'],
    ['creates by PUT (W-095)', LEASES, { absent: 'put' }, {}, 'created'],
    [
      'creates by PUT whatever version is named (W-113)',
      LEASES,
      { absent: 'put' },
      { resourceVersion: '7' },
      'created',
    ],
    ['is refused where it names a uid (W-105)', LEASES, { absent: 'put', uid: 'u' }, {}, 'Conflict'],
    ['creates by PUT what is not made so, where it names no version (D26)', MAPS, { absent: 'put' }, {}, 'created'],
    ['is refused where it names a version', MAPS, { absent: 'put' }, { resourceVersion: '7' }, 'NotFound'],
    ['is refused where it names a uid and the kind is not made so', MAPS, { absent: 'put', uid: 'u' }, {}, 'NotFound'],
    ['creates by apply', MAPS, { absent: 'apply', tracksFields: true }, {}, 'created'],
  ] as const)('%s', async (_name, [name, group], request, metadata, expected) => {
    const resource = world.resource(name, group)
    const { kind, version } = resource
    const apiVersion = group === '' ? version : `${group}/${version}`
    const wanted = (): ApiObject => ({ kind, apiVersion, metadata: { name: 'a', ...metadata } })
    expect(await outcomeOf(update(resource, wanted, request), (answer) => (answer.created ? 'created' : 'found'))).toBe(
      expected,
    )
    expect(asked).toEqual(expected === 'created' ? ['create', 'mutate CREATE', 'validate CREATE'] : [])
    expect(await isStored(resource)).toBe(expected === 'created')
  })
})

describe('metadata that no update changes', () => {
  const MARKED = { deletionTimestamp: NOW, deletionGracePeriodSeconds: 0, finalizers: ['a/b'] }

  it.each([
    ['creationTimestamp (W-116)', {}, { creationTimestamp: LATER }, { creationTimestamp: NOW }],
    ['generation (W-117)', { generation: 3 }, { generation: 9 }, { generation: 3 }],
    ['selfLink (W-121)', {}, { selfLink: '/x' }, {}],
    ['the mark of a deletion, changed (W-118)', MARKED, { deletionTimestamp: LATER }, MARKED],
    ['the mark of a deletion, taken away (W-118)', MARKED, { deletionTimestamp: undefined }, MARKED],
    ['the grace of a deletion, taken away (W-120)', MARKED, { deletionGracePeriodSeconds: undefined }, MARKED],
    ['the grace of a deletion, changed (W-120)', MARKED, { deletionGracePeriodSeconds: 5 }, 'Invalid'],
    ['the mark of a deletion on what is live (W-119)', {}, { deletionTimestamp: LATER }, 'Invalid'],
    ['the name (W-122)', {}, { name: 'b' }, 'Invalid'],
    ['the uid (W-122)', {}, { uid: 'other' }, 'Invalid'],
  ])('%s', async (_name, before, change, expected) => {
    const maps = world.resource('configmaps')
    await storeAsIs(maps, withMeta(await created(maps), before))
    const write = update(maps, (live) => withMeta(live!, { ...change, labels: { changed: 'yes' } }))
    const outcome = await outcomeOf(write, metaOf)
    if (typeof expected === 'string') expect(outcome).toBe(expected)
    else {
      expect(outcome).toMatchObject(expected)
      expect(outcome).not.toHaveProperty('selfLink')
    }
  })
})

describe('the generation after an update', () => {
  const spec = (live: ApiObject): ApiObject => ({ ...live, spec: { ...(live['spec'] as object), paused: true } })

  it.each([
    ['of its specification (W-131)', '', spec, 2],
    [
      'of its annotations, of a deployment (W-132)',
      '',
      (live: ApiObject) => withMeta(live, { annotations: { a: 'b' } }),
      2,
    ],
    ['of its labels (W-137)', '', (live: ApiObject) => withMeta(live, { labels: { a: 'b' } }), 1],
    ['of its status (W-138)', 'status', (live: ApiObject) => ({ ...live, status: { replicas: 3 } }), 1],
    ['of its scale', 'scale', (live: ApiObject) => ({ ...live, spec: { replicas: 5 } }), 2],
    ['of nothing (W-140)', '', (live: ApiObject) => live, 1],
  ])('%s', async (_name, subresource, change, expected) => {
    const deployments = world.resource(...DEPLOYMENTS)
    await created(deployments, DEPLOYMENT)
    await update(deployments, (live) => change(live!), { subresource })
    expect((await world.get(deployments, 'a')).metadata['generation']).toBe(expected)
  })

  it('is none where nobody keeps it', async () => {
    const maps = world.resource('configmaps')
    await created(maps)
    const written = await update(maps, (live) => ({ ...live!, data: { a: '2' } }))
    expect(metaOf(written)).not.toHaveProperty('generation')
  })
})

it('an update of the scale of another object of the name is refused', async () => {
  const deployments = world.resource(...DEPLOYMENTS)
  await created(deployments, DEPLOYMENT)
  const other = update(deployments, (live) => withMeta(live!, { uid: 'other' }), { subresource: 'scale' })
  await expect(other).rejects.toMatchObject({ reason: 'Conflict' })
})

describe('the owners of the fields', () => {
  const changed = (live: ApiObject): ApiObject => ({ ...live, data: { a: '2', b: 'x' } })
  /** What an update shows to mutating admission. */
  let shown: readonly string[]

  function admissionWith(extensions: readonly AdmissionPhase[]): Admission {
    return {
      ...ADMIT_ALL,
      mutate: ({ object, operation }) => {
        const entries = (object!.metadata['managedFields'] ?? []) as readonly { readonly manager: string }[]
        if (operation === 'UPDATE') shown = entries.map(({ manager }) => manager)
        return object
      },
      hasExtensions: (phase) => extensions.includes(phase),
    }
  }

  /** The outcome for an object of its own, without what is that object's alone. */
  async function outcome(
    extensions: readonly AdmissionPhase[],
    wanted: (live: ApiObject) => ApiObject,
  ): Promise<unknown> {
    world = await openWorld()
    ownParts = { ...world.parts, admission: admissionWith(extensions) }
    const maps = world.resource('configmaps')
    const before = await created(maps, { data: { a: '1' } })
    const updating = update(maps, (live) => wanted(live!), { now: LATER, fieldManager: 'other' })
    const answer = await updating.catch((error: Error) => error.message)
    if (typeof answer === 'string') return answer
    const { uid: _, resourceVersion, ...metadata } = metaOf(answer)
    return { ...plain(answer.object), metadata, isWritten: resourceVersion !== before.metadata['resourceVersion'] }
  }

  const foreign = [{ manager: 'x', operation: 'Update', apiVersion: 'v1', fieldsType: 'FieldsV1', fieldsV1: {} }]

  it.each<[string, readonly string[], (live: ApiObject) => ApiObject]>([
    ['changes the object', ['test'], changed],
    ['changes nothing', ['test'], (live) => live],
    ['says nothing of managed fields', ['test'], (live) => withMeta(changed(live), { managedFields: undefined })],
    ['resets managed fields', [], (live) => withMeta(changed(live), { managedFields: [] })],
    ['brings managed fields', ['other'], (live) => withMeta(changed(live), { managedFields: foreign })],
    [
      'has managed fields that nobody can read',
      ['test', 'other'],
      (live) => withMeta(changed(live), { managedFields: [{ operation: 'x' }] }),
    ],
    [
      'takes fields from who had them',
      ['test'],
      (live) => withMeta({ ...live, data: { b: 'x' } }, { labels: { a: 'b' } }),
    ],
    ['is invalid', ['test'], (live) => ({ ...live, data: { 'not a key': 'x' } })],
  ])('are the same before admission and after validation, where an update %s', async (_name, before, wanted) => {
    const early = await outcome(['mutate'], wanted)
    expect(await outcome([], wanted)).toEqual(early)
    expect(shown).toEqual(before)
  })

  it('are found before admission where extensions are shown them', async () => {
    await outcome(['mutate'], changed)
    expect(shown).toEqual(['test', 'other'])
  })
})

describe('an update that changes nothing', () => {
  it.each([
    ['by who wrote last (W-140)', {}],
    ['later, by the same (W-141)', { now: LATER }],
    ['by another (W-142)', { now: LATER, fieldManager: 'other' }],
  ])('is not written: %s', async (_name, sent) => {
    const maps = world.resource('configmaps')
    const stored = await created(maps, { data: { a: '1' } })
    asked = []
    expect(metaOf(await update(maps, (live) => live!, sent))).toEqual(stored.metadata)
    expect(metaOf(await update(maps, (live) => withMeta(live!, { managedFields: undefined }), sent))).toEqual(
      stored.metadata,
    )
    // It is asked about all the same (W-143).
    expect(asked).toEqual(['mutate UPDATE', 'validate UPDATE', 'mutate UPDATE', 'validate UPDATE'])
  })
})

describe('an update of nothing but the times of managed fields (W-141)', () => {
  const entry = { manager: 'm', operation: 'Apply', apiVersion: 'v1', fieldsType: 'FieldsV1', time: NOW }
  const fieldsV1 = { 'f:data': { 'f:a': {} } }

  it.each([
    ['keeps the old ones', [{ ...entry, fieldsV1, time: LATER }], {}, NOW],
    ['says the new one where it changes an owner', [{ ...entry, fieldsV1, time: LATER, manager: 'n' }], {}, LATER],
    ['says the new one where it changes the object', [{ ...entry, fieldsV1, time: LATER }], { a: '2' }, LATER],
  ])('%s', async (_name, managedFields, data, expected) => {
    const maps = world.resource('configmaps')
    await storeAsIs(
      maps,
      withMeta(await created(maps, { data: { a: '1' } }), { managedFields: [{ ...entry, fieldsV1 }] }),
    )
    const { metadata: before } = await world.get(maps, 'a')
    const wanted = (live: ApiObject | undefined): ApiObject =>
      withMeta({ ...live!, data: { a: '1', ...data } }, { managedFields })
    const after = metaOf(await update(maps, wanted, { tracksFields: true }))
    expect((after['managedFields'] as (typeof entry)[])[0]!.time).toBe(expected)
    expect(after['resourceVersion'] === before['resourceVersion']).toBe(expected === NOW)
  })
})

describe('warnings of an update', () => {
  it.each([
    ['of the object are the kind’s', '', ['object changed']],
    ['of its scale are the same', 'scale', ['object changed']],
    ['of its status are none', 'status', []],
  ])('%s', async (_name, subresource, expected) => {
    const deployments = world.resource(...DEPLOYMENTS)
    await created(deployments, DEPLOYMENT)
    const warnings = (_object: ApiObject, stored: ApiObject | undefined): string[] => [
      stored === undefined ? 'object made' : 'object changed',
    ]
    world.warnings.length = 0
    await update({ ...deployments, strategy: { ...deployments.strategy, warnings } }, (live) => live!, { subresource })
    expect(world.warnings).toEqual(expected)
  })
})

describe('an update of what is terminating', () => {
  const MARK = { deletionTimestamp: NOW, deletionGracePeriodSeconds: 0 }
  const finalizers =
    (...left: string[]) =>
    (live: ApiObject | undefined): ApiObject =>
      withMeta(live!, { finalizers: left.length === 0 ? undefined : left })
  const labelled = (live: ApiObject | undefined): ApiObject => withMeta(live!, { labels: { a: 'b' } })
  const namespaceLike = { spec: { finalizers: ['kubernetes'] } }

  it.each([
    [
      'removes it with its last finalizer (W-147)',
      'configmaps',
      {},
      { ...MARK, finalizers: ['a/b'] },
      finalizers(),
      'removed',
    ],
    [
      'keeps it while one is left (W-146)',
      'configmaps',
      {},
      { ...MARK, finalizers: ['a/b', 'c/d'] },
      finalizers('c/d'),
      'kept',
    ],
    [
      'may put them in another order (W-146)',
      'configmaps',
      {},
      { ...MARK, finalizers: ['a/b', 'c/d'] },
      finalizers('c/d', 'a/b'),
      'kept',
    ],
    ['cannot add one (W-145)', 'configmaps', {}, { ...MARK, finalizers: ['a/b'] }, finalizers('a/b', 'c/d'), 'Invalid'],
    ['removes what nothing holds, whatever it is of (W-148)', 'configmaps', {}, MARK, labelled, 'removed'],
    [
      'is as any other while something holds it (W-153)',
      'configmaps',
      {},
      { ...MARK, finalizers: ['a/b'] },
      labelled,
      'kept',
    ],
    [
      'keeps a pod that has grace (W-149)',
      'pods',
      { spec: POD_SPEC },
      { ...MARK, deletionGracePeriodSeconds: 30, finalizers: ['a/b'] },
      finalizers(),
      'kept',
    ],
    [
      'keeps a namespace that its own finalizers hold (W-150)',
      'namespaces',
      namespaceLike,
      { ...MARK, finalizers: ['a/b'] },
      finalizers(),
      'kept',
    ],
    ['does not remove what is live', 'configmaps', {}, { finalizers: ['a/b'] }, finalizers(), 'kept'],
  ])('%s', async (_name, kind, object, metadata, change, expected) => {
    const resource = world.resource(kind)
    const stored = await created(resource, object)
    await storeAsIs(resource, withMeta(stored, metadata))
    asked = []
    const before = (await world.get(resource, 'a')).metadata['resourceVersion']
    const outcome = await outcomeOf(update(resource, change), (written) => {
      // The answer to a removal is the object as the request left it, in the version that was stored.
      return metaOf(written)['resourceVersion'] === before ? 'removed' : 'kept'
    })
    expect(outcome).toBe(expected)
    expect(await isStored(resource)).toBe(expected !== 'removed')
    if (expected !== 'Invalid') expect(asked).toEqual(['mutate UPDATE', 'validate UPDATE'])
  })

  it.each([
    ['gives back what it had reserved', false, ['of "a"', 'true']],
    ['gives nothing back as a dry run', true, []],
  ])('that removes it %s', async (_name, dryRun, expected) => {
    const told: string[] = []
    const maps = world.resource('configmaps')
    const reserve: Reserve = ({ object, stored }) => {
      if (object !== undefined) return Promise.resolve({ object, settle: () => Promise.resolve() })
      told.push(`of ${JSON.stringify(stored?.metadata['name'])}`)
      return Promise.resolve({ object, settle: (done) => Promise.resolve(void told.push(String(done))) })
    }
    await storeAsIs(maps, withMeta(await created(maps), MARK))
    await update({ ...maps, strategy: { ...maps.strategy, reserve } }, labelled, { dryRun })
    expect(told).toEqual(expected)
  })

  it('removes nothing as a dry run (W-152)', async () => {
    const maps = world.resource('configmaps')
    await storeAsIs(maps, withMeta(await created(maps), MARK))
    await update(maps, labelled, { dryRun: true })
    expect(await isStored(maps)).toBe(true)
  })
})

describe('an update that another write overtakes', () => {
  const label = (name: string) => (live: ApiObject | undefined) =>
    withMeta(live!, { labels: { ...(live!.metadata['labels'] as object), [name]: 'x' } })

  /** Another write comes between the reading and the writing of the first one. */
  function overtaken(resource: Resource, other: (live: ApiObject) => ApiObject): RegistryParts {
    let isFirst = true
    const store = changedStore(world.parts.store, {
      write: (key, decide, signal) =>
        world.parts.store.write(
          key,
          async (current) => {
            const outcome = await decide(current)
            if (isFirst) await update(resource, (live) => other(live!))
            isFirst = false
            return outcome
          },
          signal,
        ),
    })
    return { ...ownParts, store }
  }

  it('is decided again on what won, admission included (W-114)', async () => {
    const maps = world.resource('configmaps')
    await created(maps)
    asked = []
    const answer = await update(maps, (live) => withMeta(label('mine')(live), { resourceVersion: undefined }), {
      parts: overtaken(maps, label('other')),
    })
    expect(metaOf(answer)['labels']).toEqual({ mine: 'x', other: 'x' })
    expect(asked.filter((what) => what === 'mutate UPDATE')).toHaveLength(3)
  })

  it('is a conflict where it named the version that lost (W-114)', async () => {
    const maps = world.resource('configmaps')
    const stored = await created(maps)
    const write = update(maps, () => label('mine')(stored), { parts: overtaken(maps, label('other')) })
    await expect(write).rejects.toMatchObject({ reason: 'Conflict' })
    expect((await world.get(maps, 'a')).metadata['labels']).toEqual({ other: 'x' })
  })

  it('gives back what it had reserved for what lost', async () => {
    const settled: string[] = []
    const maps = world.resource('configmaps')
    let count = 0
    const reserve = (): Promise<Reservation> => {
      const number = ++count
      const settle = (stored: boolean): Promise<void> => Promise.resolve(void settled.push(`${number} ${stored}`))
      return Promise.resolve({ object: undefined, settle })
    }
    const reserving: Resource = { ...maps, strategy: { ...maps.strategy, reserve } }
    await created(maps)
    await update(reserving, label('mine'), { parts: overtaken(maps, label('other')) })
    expect(settled).toEqual(['1 false', '2 true'])
    const refused = update(reserving, (live) => withMeta(live!, { name: 'b' }))
    await expect(refused).rejects.toMatchObject({ reason: 'Invalid' })
    expect(settled.slice(2)).toEqual(['3 false'])
    await update(reserving, label('dry'), { dryRun: true })
    expect(settled.slice(3)).toEqual(['4 false'])
  })
})
