// Backups restored and stores moved under servers with live informers: what they hold afterwards is what was restored, and no
// resourceVersion is ever lower than one that was seen before.
import { readdirSync } from 'node:fs'
import { mkdir, rename, symlink } from 'node:fs/promises'
import path from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { Client, type Informer, k8s } from '../../src/client/client.ts'
import { unfinishedSince } from '../../src/kv/backup/unfinished.ts'
import { openEtcd } from '../../src/kv/etcd/etcd.ts'
import { startEtcd } from '../rigs/etcd-server.ts'
import { freePort } from '../rigs/free-port.ts'
import { ChangeWriter, type ConfigMap, expectSame, NAMESPACE, startInformer } from '../rigs/informed-changes.ts'
import { newHome, runCommand, type ServerProcess, startCommand, startServerProcess } from '../rigs/server-process.ts'
import { IS_WHOLE } from '../rigs/whole.ts'

/** Where a server keeps its objects. */
interface Place {
  /** Of `serve`, `backup` and `restore`. */
  readonly flags: readonly string[]
  /** For `migrate`. */
  readonly name: string
}

interface Scene {
  readonly home: string
  readonly port: number
}

const { signal } = new AbortController()

const STORES = ['embedded', 'etcd'] as const

describe.each(IS_WHOLE ? STORES : (['etcd'] as const))('a restore into %s', (kind) => {
  it('has informers relist: nothing is missing, nothing is stale', async () => {
    const scene = await newScene()
    const before = await start(scene, await newPlace(kind))
    const { client, informer, writer } = await beginWatching(before.server)
    await writer.write(60)
    await expectSame(informer, client)
    const restored = contentOf(informer)
    await run(scene, ['backup', ...before.place.flags, 'a.backup'])
    await writer.write(40)
    await expectSame(informer, client)
    expect(contentOf(informer)).not.toEqual(restored)
    const seen = newestVersion(informer)
    await before.server.stop('SIGKILL')

    await clear(scene, kind)
    const place = await newPlace(kind)
    const margin = kind === 'etcd' ? ['--revision-margin=3000'] : []
    await run(scene, ['restore', ...place.flags, ...margin, 'a.backup'])
    const { server } = await start(scene, place)

    await expect.poll(() => contentOf(informer)).toEqual(restored)
    await expectSame(informer, client)
    for (const { metadata } of informer.list()) expect(Number(metadata.resourceVersion)).toBeGreaterThan(seen)
    await expectGone(server, seen)
    await client
      .resource(k8s.ConfigMap)
      .inNamespace(NAMESPACE)
      .create({ metadata: { name: 'new' } })
    await expectSame(informer, client)

    const again = await runCommand(['restore', ...place.flags, 'a.backup'], scene.home)
    expect(again.code).toBe(1)
    expect(again.stderr).toMatch(
      kind === 'etcd' ? /the store is not empty: it has \/registry\// : /is in use by process/,
    )
  })
})

describe.each(IS_WHOLE ? STORES : (['embedded'] as const))('a migration from %s', (kind) => {
  it('keeps everything, and informers go on', async () => {
    const scene = await newScene()
    const before = await start(scene, await newPlace(kind))
    const { client, informer, writer } = await beginWatching(before.server)
    await writer.write(60)
    await expectSame(informer, client)
    const [content, seen] = [contentOf(informer), newestVersion(informer)]
    const target = kind === 'etcd' ? { flags: ['--data-dir=moved'], name: 'moved' } : await newPlace('etcd')
    const migration = ['migrate', `--from=${before.place.name}`, `--to=${target.name}`]
    if (kind === 'embedded') {
      expect(await runCommand(migration, scene.home)).toMatchObject({
        code: 1,
        stderr: expect.stringMatching(/is in use by/),
      })
    }
    await before.server.stop('SIGKILL')

    await run(scene, migration)
    // The certificates of the server are where they were.
    if (kind === 'etcd') await rename(path.join(scene.home, 'moved/store'), path.join(scene.home, 'data/store'))
    const { server } = await start(scene, kind === 'etcd' ? await newPlace('embedded') : target)
    await expect.poll(() => newestVersion(informer)).toBeGreaterThan(seen)
    await expectSame(informer, client)
    expect(contentOf(informer)).toEqual(content)
    await expectGone(server, seen)
  })
})

it('a restore that was interrupted is told of by the next server, and can be done again', async () => {
  const scene = await newScene()
  const { server, place } = await start(scene, await newPlace('embedded'))
  await run(scene, ['backup', ...place.flags, 'a.backup'])
  await server.stop()
  const etcd = await newPlace('etcd')
  const restoring = ['restore', ...etcd.flags, '--revision-margin=10000000', 'a.backup']
  const restore = startCommand(restoring, scene.home)
  const kv = await openEtcd({ endpoints: [etcd.name], prefix: '/registry/' }, signal)
  await expect.poll(() => unfinishedSince(kv, '/registry/', signal)).toBeDefined()
  await kv.close()
  expect(await restore.stop()).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^quarterdeck: a.backup: interrupted\n$/),
  })

  const refused = await runCommand(['serve', '--secure-port=0', '--data-dir=data', ...etcd.flags], scene.home)
  expect(refused.code).toBe(1)
  expect(refused.stderr).toMatch(
    /^quarterdeck: the restore of \S+ into etcd at \S+ was not finished; run quarterdeck restore again\n$/,
  )
  const backup = await runCommand(['backup', ...etcd.flags, 'b.backup'], scene.home)
  expect(backup).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/a restore into the store was not finished\n$/),
  })

  await run(scene, ['restore', ...etcd.flags, '--revision-margin=100', 'a.backup'])
  await start(scene, etcd)
})

describe('a migration to etcd', () => {
  it('is refused where the revisions alone would take hours, and is done below them where that is asked for', async () => {
    const scene = await newScene()
    const { server, place } = await start(scene, await newPlace('embedded'))
    const { client, writer } = await beginWatching(server)
    await writer.write(5)
    const names = await namesOf(client)
    await run(scene, ['backup', ...place.flags, 'a.backup'])
    await server.stop()
    await run(scene, ['restore', '--data-dir=raised', 'a.backup'])

    const etcd = await newPlace('etcd')
    const migration = ['migrate', '--from=raised', `--to=${etcd.name}`]
    const kv = await openEtcd({ endpoints: [etcd.name], prefix: '/registry/' }, signal)
    const before = await kv.newestRevision(signal)
    const refused = await runCommand(migration, scene.home)
    expect(refused.code).toBe(1)
    expect(refused.stderr).toMatch(
      /^quarterdeck: \S+: to raise its revision from \d+ to 1\d{9} takes .* about 69 hours: .*\n$/,
    )
    expect(refused.stderr).toMatch(/--bump-revision 1\d{9} --mark-compacted.*--lower-revisions/)
    await run(scene, ['backup', '--data-dir=raised', 'b.backup'])
    expect(await runCommand(['restore', ...etcd.flags, 'b.backup'], scene.home)).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/--lower-revisions/) as string,
    })
    for (const [command, file] of [
      ['restore', ['a.backup']],
      ['migrate', []],
    ] as const) {
      const places = command === 'restore' ? etcd.flags : [`--from=${place.name}`, `--to=${etcd.name}`]
      expect(await runCommand([command, ...places, '--revision-margin=1000000000', ...file], scene.home)).toMatchObject(
        {
          code: 1,
          stderr: expect.stringMatching(/ takes .* about 69 hours: .* a smaller --revision-margin\n$/) as string,
        },
      )
    }
    expect(await kv.newestRevision(signal)).toBe(before)
    await kv.close()

    await run(scene, [...migration, '--lower-revisions'])
    const { server: moved } = await start(scene, etcd)
    using after = new Client({ kubeconfig: moved.kubeconfigFile })
    expect(await namesOf(after)).toEqual(names)
    const watched = startInformer(after)
    await watched.waitForSync()
    await after
      .resource(k8s.ConfigMap)
      .inNamespace(NAMESPACE)
      .create({ metadata: { name: 'later' } })
    await expect.poll(() => watched.list().some(({ metadata }) => metadata.name === 'later')).toBe(true)
  })

  const ADDRESSES = ['etcd-1:2379,etcd-2:2379', '[::1]:2379', '127.0.0.1:2379', 'localhost:2379']

  it.each(IS_WHOLE ? ADDRESSES : ADDRESSES.slice(0, 1))(
    'takes %s for an address without a scheme, and makes no directory',
    async (place) => {
      const { home } = await newScene()
      for (const args of [
        ['--from=data', `--to=${place}`],
        [`--from=${place}`, '--to=data'],
      ]) {
        const { code, stderr } = await runCommand(['migrate', ...args], home)
        expect({ code, stderr }).toEqual({
          code: 2,
          stderr: expect.stringMatching(/is an address, not a directory/) as string,
        })
      }
      for (const command of ['serve', 'doctor', 'backup', 'restore']) {
        const operand = command === 'backup' || command === 'restore' ? ['a'] : []
        const { code } = await runCommand([command, `--data-dir=${place}`, ...operand], home)
        expect(code).toBe(2)
      }
      expect(readdirSync(home)).toEqual([])
    },
  )
})

describe('a migration between data directories', () => {
  it('is refused if they are one, or if one lies in the other', async () => {
    const scene = await newScene()
    const { home } = scene
    const { server } = await start(scene, await newPlace('embedded'))
    await server.stop()
    await symlink('data', path.join(home, 'link'))
    await mkdir(path.join(home, 'other'))
    await symlink('../data/store', path.join(home, 'other/store'))
    const before = readdirSync(path.join(home, 'data')).toSorted()
    const both = (place: string): string => `--from and --to both name ${path.join(home, place)}`
    for (const [from, to, message] of [
      ['data', 'data', both('data')],
      ['data', './data/', both('data')],
      ['data', 'link', both('data')],
      ['link', 'data', both('data')],
      ['data', 'other', 'one lies in the other'],
      ['data', 'data/new', 'one lies in the other'],
      ['data', 'data/store', 'one lies in the other'],
      ['data', 'link/deep/new', 'one lies in the other'],
      ['data/store', 'link', 'one lies in the other'],
      ['data/new', 'data', 'one lies in the other'],
    ] as const) {
      const { code, stderr } = await runCommand(['migrate', `--from=${from}`, `--to=${to}`], home)
      expect({ code, stderr }, `${from} ${to}`).toEqual({ code: 2, stderr: expect.stringContaining(message) as string })
    }
    expect(readdirSync(path.join(home, 'data')).toSorted()).toEqual(before)

    const wrong = await runCommand(['migrate', '--from=data', '--to=new', '--etcd-prefix=/other'], home)
    expect(wrong).toMatchObject({ code: 1, stderr: expect.stringMatching(/such as \/registry\//) as string })
    expect(readdirSync(home)).not.toContain('new')
    await run(scene, ['migrate', '--from=data', '--to=data-new'])
  })
})

async function namesOf(client: Client): Promise<readonly string[]> {
  const { items } = await client.resource(k8s.ConfigMap).inNamespace(NAMESPACE).list()
  return items.map(({ metadata }) => metadata.name)
}

async function newScene(): Promise<Scene> {
  return { home: await newHome(), port: await freePort() }
}

async function newPlace(kind: (typeof STORES)[number]): Promise<Place> {
  if (kind === 'embedded') return { flags: ['--data-dir=data'], name: 'data' }
  const etcd = await startEtcd()
  onTestFinished(() => etcd[Symbol.asyncDispose]())
  return { flags: [`--etcd-servers=${etcd.endpoint}`], name: etcd.endpoint }
}

async function clear({ home }: Scene, kind: (typeof STORES)[number]): Promise<void> {
  if (kind === 'embedded') await rename(path.join(home, 'data/store'), path.join(home, 'lost'))
}

/** On the same port and with the same certificates as any other of the scene. */
async function start({ home, port }: Scene, place: Place): Promise<{ server: ServerProcess; place: Place }> {
  const flags = ['--data-dir=data', ...place.flags.filter((flag) => !flag.startsWith('--data-dir'))]
  return { server: await startServerProcess([`--secure-port=${port}`, ...flags], home), place }
}

async function run({ home }: Scene, args: readonly string[]): Promise<void> {
  const { code, stderr } = await runCommand(args, home)
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
}

async function beginWatching(server: ServerProcess) {
  const client = new Client({ kubeconfig: server.kubeconfigFile })
  onTestFinished(() => client.close())
  await client.resource(k8s.Namespace).create({ metadata: { name: NAMESPACE } })
  const informer = startInformer(client)
  await informer.waitForSync()
  return { client, informer, writer: new ChangeWriter(client) }
}

/** Without what a restore changes. */
function contentOf(informer: Informer<k8s.ConfigMap>): readonly unknown[] {
  return informer
    .list()
    .map(({ metadata: { resourceVersion: _version, ...metadata }, ...rest }: ConfigMap) => ({ metadata, ...rest }))
    .toSorted((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1))
}

function newestVersion(informer: Informer<k8s.ConfigMap>): number {
  return Math.max(...informer.list().map(({ metadata }) => Number(metadata.resourceVersion)))
}

async function expectGone(server: ServerProcess, resourceVersion: number): Promise<void> {
  const watch = `/api/v1/configmaps?watch=1&timeoutSeconds=5&resourceVersion=${resourceVersion}`
  const { body } = await server.request(watch, { token: server.adminToken })
  expect(body).toContain('"code":410')
}
