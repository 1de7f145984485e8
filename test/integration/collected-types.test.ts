// The garbage collector and custom kinds: defined before it begins and while it runs, changed, removed and made again, and
// converted by a webhook that does not answer.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { define, definedKind, type DefinedKind, redefine, undefine } from '../corpora/defined-kinds.ts'
import { CONFIG_MAP, endFamily, type Generations, makeFamily, ownedBy, OwnedObjects } from '../corpora/owned-objects.ts'
import { type OpenServer, openServer } from '../rigs/running-server.ts'
import { tempFolder } from '../rigs/temp-folder.ts'
import { type Behaviour, openWebhookServer, type WebhookServer } from '../fakes/webhook-server.ts'

const POLICIES = ['Background', 'Foreground', 'Orphan'] as const

let server: OpenServer
let objects: OwnedObjects

beforeAll(async () => {
  server = await openServer()
  objects = new OwnedObjects(server)
})
afterAll(() => server?.[Symbol.asyncDispose]())

describe.each(POLICIES)('kinds that are defined while it runs: %s (W-357, W-363, W-367)', (policy) => {
  const group = `${policy.toLowerCase()}.example.com`
  const things = (name: string, namespaced = true): DefinedKind => definedKind(`${name}.${group}`, namespaced)
  const rows: readonly [string, readonly DefinedKind[], (defined: readonly DefinedKind[]) => Generations][] = [
    ['a custom object owns custom ones', [things('a')], ([a]) => [a!, a!]],
    ['a custom object owns built-in ones', [things('b')], ([b]) => [b!, CONFIG_MAP]],
    ['a built-in object owns custom ones', [things('c')], ([c]) => [CONFIG_MAP, c!]],
    ['one kind owns another', [things('d'), things('e')], ([d, e]) => [d!, e!]],
    ['what belongs to the whole cluster owns its like', [things('f', false)], ([f]) => [f!, f!]],
    ['… and what is in a namespace', [things('g', false), things('h')], ([g, h]) => [g!, h!]],
    ['… and built-in ones', [things('i', false)], ([i]) => [i!, CONFIG_MAP]],
  ]
  it.each(rows)('%s', async (_name, kinds, generations) => {
    for (const kind of kinds) await define(server, kind)
    await makeFamily(objects, generations(kinds))
    await endFamily(objects, generations(kinds), policy)
  })
})

describe('kinds that are there before it begins', () => {
  it.each(POLICIES)('%s', async (policy) => {
    const args = ['--in-memory=false', '--data-dir', await tempFolder()]
    const kind = definedKind('before.example.com')
    {
      await using without = await openServer([...args, '--controllers', '*,-garbage-collector'])
      await define(without, kind)
      await makeFamily(new OwnedObjects(without), [kind, kind])
    }
    await using later = await openServer(args)
    await endFamily(new OwnedObjects(later), [kind, kind], policy)
  })
})

describe('definitions that change', () => {
  const inVersion = (kind: DefinedKind, version: string): DefinedKind => ({
    ...kind,
    apiVersion: `${kind.group}/${version}`,
  })

  it.each(POLICIES)(
    'to another storage version, with owners named in the old and in the new one: %s',
    async (policy) => {
      const kind = definedKind(`versions.${policy.toLowerCase()}.example.com`)
      const next = inVersion(kind, 'v2')
      await define(server, kind)
      const owner = await objects.make(kind, 'owner')
      const old = ownedBy(owner, { blockOwnerDeletion: true })
      await objects.make(kind, 'old', { ownerReferences: [old] })
      await redefine(server, kind, { versions: ['v2', 'v1'] })
      await expect.poll(() => objects.find(next, 'owner')).toMatchObject({ apiVersion: next.apiVersion })
      await objects.make(next, 'new', { ownerReferences: [{ ...old, apiVersion: next.apiVersion }] })
      await objects.make(CONFIG_MAP, 'new', { ownerReferences: [{ ...old, apiVersion: next.apiVersion }] })
      await objects.remove(next, 'owner', policy)
      await objects.gone(next, 'owner')
      for (const [of, name] of [
        [kind, 'old'],
        [next, 'new'],
        [CONFIG_MAP, 'new'],
      ] as const) {
        if (policy !== 'Orphan') await objects.gone(of, name)
        else {
          await objects.ownedOnlyBy(of, name, [])
          await objects.remove(of, name)
        }
      }
    },
  )

  it('and no longer serve the version that owners are named in: what names them so stays until it is served again', async () => {
    const kind = definedKind('unserved.example.com')
    const next = inVersion(kind, 'v2')
    await define(server, kind)
    const owner = await objects.make(kind, 'owner')
    await redefine(server, kind, { versions: ['v2', 'v1'], unserved: ['v1'] })
    const other = ownedBy(owner, { apiVersion: next.apiVersion, name: 'other' })
    await objects.make(CONFIG_MAP, 'stays', { ownerReferences: [other, ownedBy(owner)] })
    await objects.make(CONFIG_MAP, 'goes', { ownerReferences: [other] })
    await objects.gone(CONFIG_MAP, 'goes')
    await objects.ownedOnlyBy(CONFIG_MAP, 'stays', ['other', 'owner'])
    await redefine(server, kind, { versions: ['v2', 'v1'] })
    await objects.ownedOnlyBy(CONFIG_MAP, 'stays', [])
  })

  it.each(['the same scope', 'another scope'])('are removed and made again with the same name in %s', async (scope) => {
    const kind = definedKind(scope === 'the same scope' ? 'again.example.com' : 'scope.example.com')
    const next = scope === 'the same scope' ? kind : { ...kind, namespaced: false }
    await define(server, kind)
    const owner = await objects.make(kind, 'owner')
    await objects.make(CONFIG_MAP, 'first', { ownerReferences: [ownedBy(owner)] })
    await undefine(server, kind)
    await objects.gone(CONFIG_MAP, 'first')
    await define(server, next)
    for (const policy of POLICIES) {
      await makeFamily(objects, [next, kind.namespaced ? CONFIG_MAP : next])
      await endFamily(objects, [next, kind.namespaced ? CONFIG_MAP : next], policy)
    }
  })

  it('come after those who name their objects as owners (W-362)', async () => {
    const kind = definedKind('late.example.com')
    const owner = { apiVersion: kind.apiVersion, kind: kind.kind, name: 'never-was', uid: 'made-up' }
    await objects.make(CONFIG_MAP, 'early', { ownerReferences: [owner] })
    await objects.make(CONFIG_MAP, 'other', { ownerReferences: [{ ...owner, apiVersion: 'v1', kind: 'Secret' }] })
    await objects.gone(CONFIG_MAP, 'other')
    expect(await objects.find(CONFIG_MAP, 'early')).toBeDefined()
    await define(server, kind)
    await objects.gone(CONFIG_MAP, 'early')
  })
})

describe('a kind whose webhook does not convert', () => {
  const kind = definedKind('broken.example.com')
  const next = { ...kind, apiVersion: `${kind.group}/v2` }
  const UNAVAILABLE: Behaviour = (_review, out) => void out.writeHead(503).end()
  const stack = new AsyncDisposableStack()
  let hooks: WebhookServer
  afterAll(() => stack.disposeAsync())

  /** What is stored in the version of before can be read by nobody until this resolves to something else. */
  async function breakWebhook(): Promise<void> {
    hooks.on('/convert', UNAVAILABLE)
    await expect.poll(async () => (await server.request(`/apis/${kind.group}/v2/things`)).status).toBe(500)
  }

  async function namespace(name: string): Promise<OwnedObjects> {
    await server.must('/api/v1/namespaces', { method: 'POST', body: { metadata: { name } } })
    return new OwnedObjects(server, name)
  }

  it('keeps nobody else from being collected, nor what is stored in the version of today', async () => {
    hooks = stack.use(await openWebhookServer())
    const other = definedKind('beside-broken.example.com')
    await define(server, kind)
    await define(server, other)
    await (await namespace('old-things')).make(kind, 'old')
    const [top, below] = [await objects.make(kind, 'old'), await objects.make(CONFIG_MAP, 'owner-of-old')]
    await objects.make(CONFIG_MAP, 'of-old', { ownerReferences: [ownedBy(top, { blockOwnerDeletion: true })] })
    await objects.make(kind, 'below', { ownerReferences: [ownedBy(below, { blockOwnerDeletion: true })] })
    await redefine(server, kind, { versions: ['v2', 'v1'], conversion: conversionBy(hooks) })
    await breakWebhook()

    for (const policy of POLICIES) {
      for (const family of [
        [other, CONFIG_MAP],
        [CONFIG_MAP, other],
        [next, next],
      ] as const) {
        await makeFamily(objects, family)
        await endFamily(objects, family, policy)
      }
    }

    await objects.remove(CONFIG_MAP, 'owner-of-old', 'Foreground')
    await objects.remove(CONFIG_MAP, 'of-old')
    await objects.gone(CONFIG_MAP, 'of-old')
    expect(await objects.find(CONFIG_MAP, 'owner-of-old')).toBeDefined()
    hooks.on('/convert', renameVersion)
    await objects.gone(CONFIG_MAP, 'owner-of-old')
    await objects.gone(next, 'below')
    expect(await objects.find(next, 'old')).toBeDefined()
  })

  it('is counted by quotas', async () => {
    await breakWebhook()
    const counted = `count/${kind.name}`
    const quotas = '/api/v1/namespaces/old-things/resourcequotas'
    const spec = { hard: { [counted]: '5', secrets: '5' } }
    await server.must(quotas, { method: 'POST', body: { metadata: { name: 'of-broken' }, spec } })
    const used = async (): Promise<unknown> => server.must(`${quotas}/of-broken`)
    await expect.poll(used).toMatchObject({ status: { used: { [counted]: '1', secrets: '0' } } })
  })

  it('keeps no namespace but those that something of it is in that has to be converted', async () => {
    await breakWebhook()
    const free = await namespace('new-things')
    await free.make(next, 'new')
    const old = new OwnedObjects(server, 'old-things')
    await old.make(CONFIG_MAP, 'beside')
    const status = async (name: string): Promise<number> => (await server.request(`/api/v1/namespaces/${name}`)).status
    for (const name of ['new-things', 'old-things'])
      await server.must(`/api/v1/namespaces/${name}`, { method: 'DELETE' })
    await expect.poll(() => status('new-things')).toBe(404)
    await old.gone(CONFIG_MAP, 'beside')
    const failure = { type: 'NamespaceDeletionContentFailure', status: 'True', reason: 'ContentDeletionFailed' }
    const conditions = expect.arrayContaining([expect.objectContaining(failure)])
    await expect.poll(() => server.must('/api/v1/namespaces/old-things')).toMatchObject({ status: { conditions } })
    hooks.on('/convert', renameVersion)
    await expect.poll(() => status('old-things')).toBe(404)
  })
})

function conversionBy({ url, caBundle }: WebhookServer): object {
  const clientConfig = { url: `${url}/convert`, caBundle }
  return { strategy: 'Webhook', webhook: { conversionReviewVersions: ['v1'], clientConfig } }
}

const renameVersion: Behaviour = (review, out) => {
  const { request, kind, apiVersion } = review as unknown as {
    readonly kind: string
    readonly apiVersion: string
    readonly request: { readonly uid: string; readonly desiredAPIVersion: string; readonly objects: readonly object[] }
  }
  const convertedObjects = request.objects.map((object) => ({ ...object, apiVersion: request.desiredAPIVersion }))
  const response = { uid: request.uid, result: { status: 'Success' }, convertedObjects }
  out.end(JSON.stringify({ kind, apiVersion, response }))
}
