// Lists and watches of what the caller may see, held against plain requests of the same user.
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { SEED } from '../../rigs/seed.ts'
import type { User } from '../../../src/api/user.ts'
import { type ApiWorld, NAMESPACE, openWorld, type Watched } from '../../rigs/api-world.ts'

const RBAC = 'rbac.authorization.k8s.io'
const ROLES = `/apis/${RBAC}/v1`
const NAMESPACES = [NAMESPACE, 'other', 'elsewhere']
const NAMES = ['a', 'b', 'c']
const SECRETS = '/api/v1/secrets'
const ACCESSIBLE = `${SECRETS}?accessible=true`

const jane: User = { name: 'jane', uid: undefined, groups: ['system:authenticated', 'team'], extra: {} }

interface Rule {
  readonly verbs: readonly string[]
  readonly apiGroups?: readonly string[]
  readonly resources: readonly string[]
  readonly resourceNames?: readonly string[]
}

const READ: Rule = { verbs: ['list', 'watch'], resources: ['secrets'] }

/** `namespace` is empty for the whole cluster. */
async function grant(world: ApiWorld, namespace: string, name: string, rules: readonly Rule[], subject = 'jane') {
  const scope = namespace === '' ? 'Cluster' : ''
  const at = namespace === '' ? ROLES : `${ROLES}/namespaces/${namespace}`
  const kind = { apiVersion: `${RBAC}/v1`, metadata: { name } }
  const plural = namespace === '' ? 'cluster' : ''
  await world.must('POST', `${at}/${plural}roles`, {
    ...kind,
    kind: `${scope}Role`,
    rules: rules.map((rule) => ({ apiGroups: [''], ...rule })),
  })
  await world.must('POST', `${at}/${plural}rolebindings`, {
    ...kind,
    kind: `${scope}RoleBinding`,
    roleRef: { apiGroup: RBAC, kind: `${scope}Role`, name },
    subjects: [{ apiGroup: RBAC, kind: subject === 'team' ? 'Group' : 'User', name: subject }],
  })
  await known(world)
}

async function revoke(world: ApiWorld, namespace: string, name: string): Promise<void> {
  const at = namespace === '' ? `${ROLES}/clusterrolebindings` : `${ROLES}/namespaces/${namespace}/rolebindings`
  await world.must('DELETE', `${at}/${name}`)
  await known(world)
}

let marks = 0
/** The server knows all roles and bindings that were written: this binding is the last. */
async function known(world: ApiWorld): Promise<void> {
  const name = `mark-${marks++}`
  const user: User = { name, uid: undefined, groups: ['system:authenticated'], extra: {} }
  await world.must('POST', `${ROLES}/clusterrolebindings`, {
    kind: 'ClusterRoleBinding',
    apiVersion: `${RBAC}/v1`,
    metadata: { name },
    roleRef: { apiGroup: RBAC, kind: 'ClusterRole', name: 'view' },
    subjects: [{ apiGroup: RBAC, kind: 'User', name }],
  })
  const isAllowed = async (): Promise<boolean> =>
    (await world.send({ method: 'GET', path: '/api/v1/pods', user })).status === 200
  await expect.poll(isAllowed).toBe(true)
}

async function makeSecrets(world: ApiWorld): Promise<void> {
  for (const namespace of NAMESPACES) {
    for (const name of NAMES) await world.create(world.resource('secrets'), { metadata: { name } }, { namespace })
  }
}

const namesIn = (body: Readonly<Record<string, unknown>>): readonly string[] =>
  (body['items'] as { metadata: { name: string; namespace?: string } }[]).map(({ metadata }) =>
    metadata.namespace === undefined ? metadata.name : `${metadata.namespace}/${metadata.name}`,
  )

async function seen(world: ApiWorld, path = ACCESSIBLE, user = jane): Promise<readonly string[]> {
  const { status, body } = await world.send({ method: 'GET', path, user })
  expect({ status, body }).toMatchObject({ status: 200 })
  return [...namesIn(body)].sort()
}

/** The naive model: what plain requests of the user show. */
async function allowed(world: ApiWorld, user = jane): Promise<readonly string[]> {
  const found = new Set<string>()
  const look = async (path: string): Promise<boolean> => {
    const { status, body } = await world.send({ method: 'GET', path, user })
    if (status === 200) for (const name of namesIn(body)) found.add(name)
    return status === 200
  }
  if (await look(SECRETS)) return [...found].sort()
  for (const name of NAMES) await look(`${SECRETS}?fieldSelector=metadata.name%3D${name}`)
  for (const namespace of NAMESPACES) {
    const at = `/api/v1/namespaces/${namespace}/secrets`
    if (await look(at)) continue
    for (const name of NAMES) await look(`${at}?fieldSelector=metadata.name%3D${name}`)
  }
  return [...found].sort()
}

describe('a list of what the caller may see', () => {
  it('is empty without any right', async () => {
    const world = await openWorld()
    await makeSecrets(world)
    expect((await world.send({ method: 'GET', path: SECRETS, user: jane })).status).toBe(403)
    expect(await seen(world)).toEqual([])
    expect(await seen(world, '/api/v1/nodes?accessible=true')).toEqual([])
  })

  it('has whole namespaces, and objects by their names', async () => {
    const world = await openWorld()
    await makeSecrets(world)
    await grant(world, 'other', 'whole', [READ])
    await grant(world, 'elsewhere', 'named', [{ ...READ, resourceNames: ['b', 'none'] }], 'team')
    await grant(world, '', 'everywhere', [{ ...READ, resourceNames: ['c'] }])
    const whole = ['elsewhere/b', 'elsewhere/c', `${NAMESPACE}/c`, 'other/a', 'other/b', 'other/c']
    expect(await seen(world)).toEqual(whole)
    expect(await seen(world, `${ACCESSIBLE}&where=${encodeURIComponent("object.metadata.name == 'b'")}`)).toEqual([
      'elsewhere/b',
      'other/b',
    ])
    const { body } = await world.send({ method: 'GET', path: `${ACCESSIBLE}&count=true`, user: jane })
    expect(body).toMatchObject({ rows: [{ count: 6 }] })
    // The right to get is no right to list.
    await grant(world, NAMESPACE, 'get', [{ verbs: ['get'], resources: ['secrets'] }])
    expect(await seen(world)).toEqual(whole)
  })

  it('has pages, which do not tell that there are other objects behind them', async () => {
    const world = await openWorld()
    await makeSecrets(world)
    await grant(world, 'elsewhere', 'whole', [READ])
    const page = async (more: string) => {
      const { body } = await world.send({ method: 'GET', path: `${ACCESSIBLE}&limit=2${more}`, user: jane })
      return { names: namesIn(body), metadata: body['metadata'] as Record<string, unknown> }
    }
    const first = await page('')
    expect(first).toMatchObject({ names: ['elsewhere/a', 'elsewhere/b'], metadata: { remainingItemCount: 1 } })
    const second = await page(`&continue=${encodeURIComponent(first.metadata['continue'] as string)}`)
    expect(second.names).toEqual(['elsewhere/c'])
    expect(second.metadata['continue'] ?? '').toBe('')
    expect(second.metadata).not.toHaveProperty('remainingItemCount')
  })

  it('has the namespaces that the caller may get', async () => {
    const world = await openWorld()
    await grant(world, 'other', 'get', [{ verbs: ['get'], resources: ['namespaces'] }])
    await grant(world, '', 'named', [{ verbs: ['get'], resources: ['namespaces'], resourceNames: [NAMESPACE] }])
    const path = '/api/v1/namespaces?accessible=true'
    expect(await seen(world, path)).toEqual([NAMESPACE, 'other'])
    const watch = await world.watch(`${path}&watch=true`, jane)
    await expect.poll(() => told(watch)).toEqual([`ADDED ${NAMESPACE}`, 'ADDED other'])
  })

  it('never has more or less than plain requests of the user', async () => {
    const world = await openWorld()
    await makeSecrets(world)
    const rule = fc.record(
      {
        verbs: fc.subarray(['get', 'list', '*'], { minLength: 1 }),
        apiGroups: fc.constantFrom([''], ['*'], ['apps']),
        resources: fc.constantFrom(['secrets'], ['*'], ['pods', 'secrets'], ['secrets/status'], ['*/status']),
        resourceNames: fc.subarray(['a', 'b', 'none']),
      },
      { requiredKeys: ['verbs', 'resources'] },
    )
    const granted = fc.record({
      namespace: fc.constantFrom('', ...NAMESPACES, ...NAMESPACES),
      rules: fc.array(rule, { minLength: 1, maxLength: 2 }),
      subject: fc.constantFrom('jane', 'team', 'someone'),
    })
    let run = 0
    await fc.assert(
      fc.asyncProperty(fc.array(granted, { minLength: 1, maxLength: 4 }), async (grants) => {
        const name = `r${run++}`
        for (const [i, { namespace, rules, subject }] of grants.entries()) {
          await grant(world, namespace, `${name}-${i}`, rules, subject)
        }
        expect(await seen(world)).toEqual(await allowed(world))
        for (const [i, { namespace }] of grants.entries()) await revoke(world, namespace, `${name}-${i}`)
      }),
      { numRuns: 25 },
    )
  })

  it.each([
    ['of one namespace', `/api/v1/namespaces/${NAMESPACE}/secrets?accessible=true`, 403],
    ['of what is made for the request', '/api/v1/componentstatuses?accessible=true', 403],
    ['that is a deletion', `${ACCESSIBLE}&x=`, 403],
  ])('is refused for a request %s', async (what, path, status) => {
    const world = await openWorld()
    const method = what === 'that is a deletion' ? 'DELETE' : 'GET'
    expect((await world.send({ method, path, user: jane })).status).toBe(status)
  })

  it('of one namespace is a bad request of a user who may list it', async () => {
    const world = await openWorld()
    await grant(world, 'other', 'whole', [READ])
    const path = '/api/v1/namespaces/other/secrets?accessible=true'
    expect(await world.send({ method: 'GET', path, user: jane })).toMatchObject({ status: 400 })
  })

  it('is forbidden where the server does not have them', async () => {
    const world = await openWorld({ flags: ['--accessible-lists=false'] })
    expect((await world.send({ method: 'GET', path: ACCESSIBLE, user: jane })).status).toBe(403)
    expect((await world.send({ method: 'GET', path: ACCESSIBLE })).status).toBe(200)
  })

  it('is forbidden to anonymous requests', async () => {
    const world = await openWorld()
    const user: User = { name: 'system:anonymous', uid: undefined, groups: ['system:unauthenticated'], extra: {} }
    expect((await world.send({ method: 'GET', path: ACCESSIBLE, user })).status).toBe(403)
  })

  it('is forbidden where an authorizer cannot tell, with that reason', async () => {
    const world = await openWorld()
    await makeSecrets(world)
    await grant(world, 'other', 'whole', [READ])
    const remove = world.extensible.authorize(() => undefined)
    const { status, body } = await world.send({ method: 'GET', path: ACCESSIBLE, user: jane })
    expect({ status, body }).toMatchObject({ status: 403 })
    expect(body['message']).toMatch(/cannot tell in advance what a user may see/)
    remove[Symbol.dispose]()
    expect(await seen(world)).toEqual(['other/a', 'other/b', 'other/c'])
  })
})

const told = ({ events }: Watched): readonly string[] =>
  events.map(({ type, object: { metadata } }) =>
    typeof metadata.namespace === 'string'
      ? `${type} ${metadata.namespace}/${metadata.name as string}`
      : `${type} ${metadata.name as string}`,
  )

describe('a watch of what the caller may see', () => {
  it('tells of grants and revocations, and of changes in between', async () => {
    const world = await openWorld()
    await makeSecrets(world)
    await grant(world, 'other', 'whole', [{ ...READ, resourceNames: ['a', 'b'] }])
    const watch = await world.watch(`${ACCESSIBLE}&watch=true`, jane)
    await expect.poll(() => told(watch)).toEqual(['ADDED other/a', 'ADDED other/b'])
    const label = (namespace: string, name: string, text: string) =>
      world.must('PUT', `/api/v1/namespaces/${namespace}/secrets/${name}`, {
        kind: 'Secret',
        apiVersion: 'v1',
        metadata: { name, labels: { text } },
      })
    await label('other', 'a', 'x')
    await label('other', 'c', 'x')
    await label('elsewhere', 'a', 'x')
    await grant(world, 'elsewhere', 'named', [{ ...READ, resourceNames: ['a'] }])
    await expect.poll(() => told(watch).slice(2)).toEqual(['MODIFIED other/a', 'ADDED elsewhere/a'])
    await revoke(world, 'other', 'whole')
    await expect.poll(() => told(watch).slice(4)).toEqual(['DELETED other/a', 'DELETED other/b'])
    // As the client saw it last.
    expect(watch.events[4]!.object.metadata).toMatchObject({ labels: { text: 'x' } })
    await label('other', 'a', 'secret')
    await world.delete(world.resource('secrets'), 'b', {}, 'other')
    await world.delete(world.resource('secrets'), 'a', {}, 'elsewhere')
    await expect.poll(() => told(watch).slice(6)).toEqual(['DELETED elsewhere/a'])
    expect(JSON.stringify(watch.events)).not.toContain('"secret"')
  })

  it('with where tells of objects that begin and cease to match, and never looks at others', async () => {
    const world = await openWorld({ flags: ['--query-scan-limit=20'] })
    await grant(world, 'other', 'whole', [READ])
    const type = (namespace: string, name: string, text: string) =>
      world.must('PUT', `/api/v1/namespaces/${namespace}/secrets/${name}`, {
        kind: 'Secret',
        apiVersion: 'v1',
        metadata: { name, labels: { text } },
        type: 'example.com/x',
      })
    const make = (namespace: string, name: string) =>
      world.create(
        world.resource('secrets'),
        { metadata: { name, labels: { text: 'no' } }, type: 'example.com/x' },
        { namespace },
      )
    await make('other', 'a')
    await make('elsewhere', 'a')
    const where = encodeURIComponent("has(object.metadata.labels) && object.metadata.labels['text'] == 'yes'")
    const watch = await world.watch(`${ACCESSIBLE}&watch=true&where=${where}`, jane)
    // More changes than the watch may look at.
    for (let i = 0; i < 30; i++) await type('elsewhere', 'a', i % 2 === 0 ? 'yes' : 'no')
    await type('other', 'a', 'yes')
    await make('other', 'b')
    await world.delete(world.resource('secrets'), 'b', {}, 'other')
    await type('other', 'a', 'no')
    await type('other', 'a', 'yes')
    await world.delete(world.resource('secrets'), 'a', {}, 'other')
    await expect
      .poll(() => told(watch))
      .toEqual(['ADDED other/a', 'DELETED other/a', 'ADDED other/a', 'DELETED other/a'])
    expect(watch.events[1]!.object.metadata).toMatchObject({ labels: { text: 'yes' } })
    const versions = watch.events.map(({ object }) => Number(object.metadata.resourceVersion))
    expect(versions).toEqual([...new Set(versions)].sort((x, y) => x - y))
  })

  it('resumes where it was, and begins anew after rights have changed', async () => {
    const world = await openWorld()
    await makeSecrets(world)
    await grant(world, 'other', 'whole', [READ])
    const { body } = await world.send({ method: 'GET', path: ACCESSIBLE, user: jane })
    const { resourceVersion } = body['metadata'] as { resourceVersion: string }
    await world.delete(world.resource('secrets'), 'b', {}, 'other')
    await world.delete(world.resource('secrets'), 'b', {}, 'elsewhere')
    const path = `${ACCESSIBLE}&watch=true&resourceVersion=${resourceVersion}`
    const watch = await world.watch(path, jane)
    await expect.poll(() => told(watch)).toEqual(['DELETED other/b'])
    await grant(world, 'elsewhere', 'whole', [READ])
    await expect.poll(() => told(watch).slice(1)).toEqual(['ADDED elsewhere/a', 'ADDED elsewhere/c'])
    const late = await world.send({ method: 'GET', path, user: jane })
    expect(late).toMatchObject({ status: 410, body: { reason: 'Expired' } })
  })

  it('ends up with the list, whatever happens', async () => {
    const world = await openWorld()
    const step = fc.oneof(
      fc.record({
        kind: fc.constant('grant' as const),
        namespace: fc.constantFrom('', ...NAMESPACES),
        names: fc.subarray(NAMES),
      }),
      fc.record({ kind: fc.constant('revoke' as const), place: fc.nat(5) }),
      fc.record({
        kind: fc.constantFrom('put' as const, 'remove' as const),
        namespace: fc.constantFrom(...NAMESPACES),
        name: fc.constantFrom(...NAMES),
      }),
    )
    let run = 0
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 14 }), async (steps) => {
        const granted: { namespace: string; name: string }[] = []
        const watch = await world.watch(`${ACCESSIBLE}&watch=true`, jane)
        for (const one of steps) {
          if (one.kind === 'grant') {
            const name = `w${run++}`
            await grant(world, one.namespace, name, [
              { ...READ, ...(one.names.length === 0 ? {} : { resourceNames: one.names }) },
            ])
            granted.push({ namespace: one.namespace, name })
          } else if (one.kind === 'revoke') {
            const [gone] = granted.splice(one.place, 1)
            if (gone !== undefined) await revoke(world, gone.namespace, gone.name)
          } else {
            const path = `/api/v1/namespaces/${one.namespace}/secrets`
            if (one.kind === 'remove') await world.send({ method: 'DELETE', path: `${path}/${one.name}` })
            else {
              const metadata = { name: one.name, labels: { run: String(run++) } }
              const body = { kind: 'Secret', apiVersion: 'v1', metadata }
              const { status } = await world.send({ method: 'POST', path, body })
              if (status === 409) await world.must('PUT', `${path}/${one.name}`, body)
            }
          }
        }
        const list = await seen(world)
        await expect.poll(() => stateOf(watch)).toEqual(list)
        expect(list).toEqual(await allowed(world))
        for (const { namespace, name } of granted) await revoke(world, namespace, name)
        await expect.poll(() => stateOf(watch)).toEqual([])
      }),
      { numRuns: 12, seed: SEED },
    )
  })
})

/** What a client makes of the events. An event that does not fit what it has is a fault. */
function stateOf({ events }: Watched): readonly string[] {
  const state = new Set<string>()
  for (const { type, object } of events) {
    const name = `${object.metadata.namespace as string}/${object.metadata.name as string}`
    expect(state.has(name), `${type} ${name}`).toBe(type !== 'ADDED')
    if (type === 'DELETED') state.delete(name)
    else state.add(name)
  }
  return [...state].sort()
}
