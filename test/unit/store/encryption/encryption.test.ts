import { hash } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { ApiObject } from '../../../../src/api/object.ts'
import { openWatchCache } from '../../../../src/cache/cache.ts'
import type { Count, Family } from '../../../../src/lib/measure.ts'
import { openMemory } from '../../../../src/kv/embedded/memory.ts'
import { type Kv, putKey } from '../../../../src/kv/kv.ts'
import {
  Encryption,
  type EncryptionConfig,
  EncryptionMeasures,
  type KmsConfig,
  openKmsPlugin,
  type ProviderConfig,
} from '../../../../src/store/encryption/encryption.ts'
import { KmsProvider } from '../../../../src/store/encryption/kms.ts'
import { openKvStore } from '../../../../src/store/kv-store.ts'
import type { Store, StoredResource } from '../../../../src/store/store.ts'
import { FakeKmsPlugin } from '../../../fakes/kms-plugin.ts'

const signal = new AbortController().signal
const SECRETS: StoredResource = {
  group: '',
  resource: 'secrets',
  storagePrefix: 'secrets',
  namespaced: true,
  selectableFields: [],
}
const PODS: StoredResource = { ...SECRETS, resource: 'pods', storagePrefix: 'pods' }
const at = (resource: StoredResource, name: string) => ({ resource, namespace: 'ns', name })
const object = (name: string): ApiObject => ({
  kind: 'Secret',
  apiVersion: 'v1',
  metadata: { name, namespace: 'ns' },
  data: { a: 'b' },
})
const key = (name: string, fill: number) => ({ name, secret: Buffer.alloc(32, fill) })
const OLD: ProviderConfig = { kind: 'aescbc', keys: [key('old', 1)] }
const NEW: ProviderConfig = { kind: 'aesgcm', keys: [key('new', 2)] }
const PLAIN: ProviderConfig = { kind: 'identity' }
const sealing = (...providers: ProviderConfig[]): EncryptionConfig => ({
  entries: [{ resources: ['secrets'], providers }],
})

let kv: Kv
let now: number
let measures: EncryptionMeasures
const opened: Encryption[] = []

beforeEach(() => {
  kv = openMemory()
  now = Date.now()
})
afterEach(async () => {
  for (const encryption of opened.splice(0)) await encryption.close()
})

async function encryptionFor(config: EncryptionConfig): Promise<Encryption> {
  const resourceOf = (key: string) => ({ group: '', resource: key.split('/')[2] ?? '' })
  measures = new EncryptionMeasures()
  const encryption = await Encryption.open(config, { resourceOf, openPlugin: openKmsPlugin, now: () => now, measures })
  opened.push(encryption)
  return encryption
}

const over = (transformer: Encryption): Store => openKvStore({ kv, prefix: '/registry', transformer })
const storeWith = async (config: EncryptionConfig): Promise<Store> => over(await encryptionFor(config))
const put = (store: Store, name: string, resource = SECRETS) =>
  store.write(at(resource, name), () => ({ kind: 'put', object: object(name) }), signal)
const stored = async (name: string, type = 'secrets'): Promise<string> =>
  ((await kv.get(`/registry/${type}/ns/${name}`, {}, signal)).item?.value ?? Buffer.of()).toString('latin1')
const read = async (store: Store, name: string) => (await store.get(at(SECRETS, name), { kind: 'latest' }, signal)).item

/** The series of a family: its labels and its number. */
const shown = (family: Family<Count>) => [...family.all()].map(({ values, series }) => [...values, series.value])

describe('encryption at rest', () => {
  it('is counted by resource and by the way it is done, whether it goes well or not', async () => {
    await put(await storeWith(sealing(NEW)), 'a')
    expect(shown(measures.operations)).toEqual([['secrets', 'to_storage', 'k8s:enc:aesgcm:v1:', 'OK', 1]])
    const wrong: ProviderConfig = { kind: 'aesgcm', keys: [key('new', 9)] }
    const store = await storeWith(sealing(wrong, PLAIN))
    await read(store, 'a')
    await put(store, 'b', PODS)
    expect(shown(measures.operations)).toEqual([['secrets', 'from_storage', 'k8s:enc:aesgcm:v1:', 'Unknown', 1]])
  })

  it('seals what is named, and nothing else (R-183, P-440, P-441)', async () => {
    const store = await storeWith(sealing(NEW, PLAIN))
    await put(store, 'a')
    await put(store, 'p', PODS)
    expect(await stored('a')).toMatch(/^k8s:enc:aesgcm:v1:new:/)
    expect(await stored('a')).not.toContain('Secret')
    expect(await stored('p', 'pods')).toMatch(/^{"kind":"Secret"/)
    expect(await read(store, 'a')).toMatchObject({ kind: 'object', name: 'a' })
  })

  it('reads what was stored plain before, and seals it with its next write, even one without a change (P-440, P-448)', async () => {
    await put(openKvStore({ kv, prefix: '/registry' }), 'a')
    const store = await storeWith(sealing(NEW, PLAIN))
    expect(await read(store, 'a')).toMatchObject({ kind: 'object' })
    expect((await put(store, 'a')).kind).toBe('put')
    expect(await stored('a')).toMatch(/^k8s:enc:aesgcm/)
    expect((await put(store, 'a')).kind).toBe('kept')
  })

  it('lets keys be changed: the new one is added, comes first, everything is written anew, the old one goes (P-441, P-448)', async () => {
    await put(await storeWith(sealing(OLD)), 'a')
    expect(await stored('a')).toMatch(/^k8s:enc:aescbc:v1:old:/)
    const both = await storeWith(sealing(NEW, OLD))
    expect(await read(both, 'a')).toMatchObject({ kind: 'object' })
    expect((await put(both, 'a')).kind).toBe('put')
    expect(await stored('a')).toMatch(/^k8s:enc:aesgcm:v1:new:/)
    expect(await read(await storeWith(sealing(NEW)), 'a')).toMatchObject({ kind: 'object' })
  })

  it('goes by new rules while it runs: what is unchanged is written anew, though it was read before (P-449)', async () => {
    const encryption = await encryptionFor(sealing(OLD))
    const store = over(encryption)
    const first = await put(store, 'a')
    await encryption.replace(sealing(NEW, OLD), signal)
    const current = first.kind === 'put' ? { item: first.object, stale: false } : undefined
    const followable = openKvStore({ kv, prefix: '/registry', transformer: encryption })
    const decide = () => ({ kind: 'put', object: object('a') }) as const
    expect((await followable.writeAssuming({ key: at(SECRETS, 'a'), decide, current }, signal)).kind).toBe('put')
    expect(await stored('a')).toMatch(/^k8s:enc:aesgcm:v1:new:/)
  })

  it.each([
    ['the key is gone', sealing(NEW), /no matching prefix found/],
    ['the key is another', sealing({ kind: 'aesgcm', keys: [key('old', 9)] }), /no matching prefix found/],
    ['nothing is sealed any more', sealing(PLAIN), /identity transformer tried to read encrypted data/],
    // Once in 256 times what the wrong key makes of the end looks like padding; then the rest is no object.
    ['the secret is another', sealing({ kind: 'aescbc', keys: [key('old', 9)] }, PLAIN), /padding|not an object/],
  ])('tells what cannot be opened where %s (R-183, P-445)', async (_name, config, problem) => {
    await put(await storeWith(sealing(OLD)), 'a')
    const item = await read(await storeWith(config), 'a')
    expect(item).toMatchObject({ kind: 'unreadable', problem: expect.stringMatching(problem) })
    expect(JSON.stringify(item)).not.toContain('registry')
  })

  it('is read again from the store where the cache could not: a key was given back (P-446)', async () => {
    await put(await storeWith(sealing(OLD)), 'a')
    const encryption = await encryptionFor(sealing(NEW))
    const store = openKvStore({ kv, prefix: '/registry', transformer: encryption })
    const cache = openWatchCache({ store, resources: [SECRETS] })
    const life = new AbortController()
    const running = cache.run(life.signal)
    await cache.ready(signal)
    const list = async (): Promise<number> => {
      let count = 0
      const page = await cache.list({ resource: SECRETS, at: { kind: 'latest' } }, signal)
      for await (const batch of page.batches) count += batch.length
      return count
    }
    await expect(list()).rejects.toMatchObject({ reason: 'StorageReadError' })
    expect(await read(cache, 'a')).toMatchObject({ kind: 'unreadable' })
    await encryption.replace(sealing(NEW, OLD), signal)
    expect(await list()).toBe(1)
    expect(await read(cache, 'a')).toMatchObject({ kind: 'object' })
    expect((await put(cache, 'a')).kind).toBe('put')
    expect(await stored('a')).toMatch(/^k8s:enc:aesgcm:v1:new:/)
    life.abort()
    await running
  })

  it('does not open a value that was moved to another key (P-443)', async () => {
    const store = await storeWith(sealing(NEW))
    await put(store, 'a')
    const { item } = await kv.get('/registry/secrets/ns/a', {}, signal)
    await putKey(kv, { key: '/registry/secrets/ns/b', value: item!.value, expected: 0 }, signal)
    expect(await read(store, 'b')).toMatchObject({
      kind: 'unreadable',
      problem: 'cipher: message authentication failed',
    })
  })

  it('tries every key of a name', async () => {
    const name = (fill: number): ProviderConfig => ({ kind: 'aesgcm', keys: [key('k', fill)] })
    await put(await storeWith(sealing(name(1))), 'a')
    expect(await read(await storeWith(sealing(name(2), name(1))), 'a')).toMatchObject({ kind: 'object' })
  })
})

describe('keys that a plugin keeps', () => {
  const kms = (plugin: FakeKmsPlugin): KmsConfig => ({
    kind: 'kms',
    name: 'p',
    endpoint: plugin.endpoint,
    timeoutMs: 30_000,
  })
  let plugin: FakeKmsPlugin
  let folder: string

  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'quarterdeck-test-'))
    plugin = await new FakeKmsPlugin(folder).start()
  })
  afterEach(async () => {
    plugin.stop()
    await rm(folder, { recursive: true, force: true })
  })

  it('seal with one seed for all, and open without asking again (P-441, P-450)', async () => {
    const store = await storeWith(sealing(kms(plugin)))
    for (const name of ['a', 'b', 'c']) await put(store, name)
    expect(await stored('a')).toMatch(/^k8s:enc:kms:v2:p:/)
    expect(plugin.calls).toMatchObject({ Encrypt: 1, Decrypt: 0 })
    const other = await storeWith(sealing(kms(plugin)))
    for (const name of ['a', 'b', 'c']) expect(await read(other, name)).toMatchObject({ kind: 'object' })
    expect(plugin.calls).toMatchObject({ Encrypt: 2, Decrypt: 1 })
  })

  it('make a new seed when the key is another one, and what was sealed before is written anew (P-450)', async () => {
    await put(await storeWith(sealing(kms(plugin))), 'a')
    plugin.keyId = 'key-2'
    const store = await storeWith(sealing(kms(plugin)))
    expect((await put(store, 'a')).kind).toBe('put')
    expect((await put(store, 'a')).kind).toBe('kept')
    expect(await stored('a')).toContain('key-2')
  })

  it('stop sealing three minutes after the plugin was last well, and go on opening (P-450)', async () => {
    const store = await storeWith(sealing(kms(plugin)))
    await put(store, 'a')
    now += 180_001
    await expect(put(store, 'b')).rejects.toMatchObject({
      reason: 'InternalError',
      message: expect.stringContaining('expired at'),
    })
    expect(await read(store, 'a')).toMatchObject({ kind: 'object' })
  })

  it('are waited for: nothing looks damaged because a plugin comes late', async () => {
    await put(await storeWith(sealing(kms(plugin))), 'a')
    plugin.healthz = 'not yet'
    const store = await storeWith(sealing(kms(plugin)))
    const item = read(store, 'a')
    await expect.poll(() => plugin.calls.Status, { interval: 5 }).toBeGreaterThan(1)
    expect(plugin.calls.Decrypt).toBe(0)
    plugin.healthz = 'ok'
    expect(await item).toMatchObject({ kind: 'object' })
  })

  it('do not replace others while their plugin is unwell (P-449)', async () => {
    const encryption = await encryptionFor(sealing(NEW))
    plugin.healthz = 'not today'
    const patience = new AbortController()
    const replaced = encryption.replace(sealing(kms(plugin), NEW), patience.signal)
    const refused = expect(replaced).rejects.toThrow(/KMS provider p: .*not today/)
    // Who asks a second time has heard the first answer.
    await expect.poll(() => plugin.calls.Status).toBeGreaterThan(1)
    patience.abort()
    await refused
    await put(over(encryption), 'a')
    expect(await stored('a')).toMatch(/^k8s:enc:aesgcm:v1:new:/)
  })

  it('are counted by what the plugin calls its key, hashed', async () => {
    const store = await storeWith(sealing(kms(plugin)))
    await put(store, 'a')
    const told = measures
    await read(await storeWith(sealing(kms(plugin))), 'a')
    const hashed = `sha256:${hash('sha256', plugin.keyId)}`
    expect(shown(told.keyIds)).toEqual([['to_storage', 'p', hashed, '', 1]])
    expect(shown(measures.keyIds)).toEqual([['from_storage', 'p', hashed, '', 1]])
    expect(shown(measures.operations)).toEqual([['secrets', 'from_storage', 'k8s:enc:kms:v2:p:', 'OK', 1]])
    expect(shown(measures.cacheMisses)).toEqual([[1]])
    expect(shown(measures.cachedKeys).map(([name]) => name)).toEqual(['p'])
    const calls = [...measures.plugins.all()].map(({ values }) => values.join(' '))
    expect(calls).toContain('p /v2.KeyManagementService/Decrypt OK')
  })

  it('are reported as away until the plugin is back', async () => {
    const { endpoint } = plugin
    const open = await openKmsPlugin(endpoint, 200)
    const options = { name: 'p', plugin: open, now: () => now, measures: new EncryptionMeasures(), pollMs: 5 }
    const provider = KmsProvider.start(options)
    await provider.ready(signal)
    const isWell = (): boolean => {
      try {
        provider.check()
        return true
      } catch {
        return false
      }
    }
    expect(isWell()).toBe(true)
    plugin.healthz = 'not today'
    await expect.poll(isWell, { interval: 5 }).toBe(false)
    plugin.healthz = 'ok'
    await expect.poll(isWell, { interval: 5 }).toBe(true)
    await provider.close()
  })

  it('that a plugin refuses to unwrap are told, and the others go on', async () => {
    const store = await storeWith(sealing(kms(plugin), PLAIN))
    await put(store, 'a')
    plugin.stop()
    const another = await new FakeKmsPlugin(folder, 'other.sock').start()
    const item = await read(await storeWith(sealing(kms(another), PLAIN)), 'a')
    expect(item).toMatchObject({ kind: 'unreadable', problem: expect.stringContaining('failed to decrypt DEK') })
    another.stop()
  })
})
