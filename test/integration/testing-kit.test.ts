// `quarterdeck/testing` against a server in this process: what a test applies, waits for, records, and is told when it fails.
import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { Client, type CustomObject, k8s } from '../../src/client/client.ts'
import { type Server, startServer } from '../../src/index.ts'
import {
  applyYaml,
  eventually,
  type ServerFixtures,
  serverFixtures,
  serverTest,
  waitFor,
  WaitTimeoutError,
} from '../../src/library/testing/testing.ts'
import { startTcpProxy } from '../fakes/tcp-proxy.ts'
import { tempFolder } from '../rigs/temp-folder.ts'

const server = await startServer()
const client = server.client()
const configMaps = client.resource(k8s.ConfigMap).inNamespace('default')
afterAll(() => server.stop())

const WIDGETS = `
apiVersion: example.com/v1
kind: Widget
metadata: { name: left, namespace: workshop }
spec: { size: 3 }
---
apiVersion: v1
kind: List
items:
- apiVersion: example.com/v1
  kind: Widget
  metadata: { name: right }
  spec: { size: 4 }
---
# nothing
---
apiVersion: v1
kind: Namespace
metadata: { name: workshop }
---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: { name: widgets.example.com }
spec:
  group: example.com
  scope: Namespaced
  names: { plural: widgets, singular: widget, kind: Widget, listKind: WidgetList }
  versions:
  - name: v1
    served: true
    storage: true
    subresources: { status: {} }
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec: { type: object, properties: { size: { type: integer } } }
          status: { type: object, x-kubernetes-preserve-unknown-fields: true }
`

function definitionOf(group: string, kind: string): string {
  const text = WIDGETS.slice(WIDGETS.indexOf('apiVersion: apiextensions'))
  return text.replaceAll('example.com', group).replaceAll('Widget', kind).replaceAll('widget', kind.toLowerCase())
}

/** What an error says, of a promise that must reject. */
async function failure(work: Promise<unknown>): Promise<Error> {
  return work.then(
    () => expect.unreachable('it should have failed'),
    (error: unknown) => error as Error,
  )
}

/** For what must come, on a busy machine too: the kit itself waits for 4 seconds. */
const PATIENT = { timeoutMs: 60_000 }

/** Begins to wait, and resolves when the server has opened so many watches for it: every later change is seen. */
async function begun<T>(begin: () => T, watches = 1): Promise<T> {
  using record = server.recordRequests()
  const waiting = begin()
  const opened = () => record.requests.filter(({ verb, status }) => verb === 'watch' && status === 200)
  await expect.poll(opened).toHaveLength(watches)
  return waiting
}

describe('applying YAML', () => {
  it('brings definitions and namespaces first, and gives the objects in their order', async () => {
    const applied = await applyYaml(server, WIDGETS)
    expect(applied.map(({ kind, metadata: { namespace, name } }) => [kind, namespace, name])).toEqual([
      ['Widget', 'workshop', 'left'],
      ['Widget', 'default', 'right'],
      ['Namespace', undefined, 'workshop'],
      ['CustomResourceDefinition', undefined, 'widgets.example.com'],
    ])
    expect(applied[0]?.metadata.uid).toMatch(/^[\da-f-]{36}$/)
  })

  it('applies again, from a file, by a client, into another namespace', async () => {
    const file = path.join(await tempFolder(), 'widgets.yaml')
    await writeFile(file, WIDGETS.replace('size: 3', 'size: 5'))
    const options = { namespace: 'workshop', fieldManager: 'installer' }
    const [left, right] = await applyYaml(client, file, options)
    expect(left).toMatchObject({ spec: { size: 5 }, metadata: { generation: 2 } })
    expect(right?.metadata.namespace).toBe('workshop')
    expect(left?.metadata.managedFields?.map(({ manager }) => manager).sort()).toContain('installer')
    const [again] = await applyYaml(client, pathToFileURL(file), options)
    expect(again?.metadata.resourceVersion).toBe(left?.metadata.resourceVersion)
  })

  it('finds a kind that has come to a group which the client knew', async () => {
    const bolt = { apiVersion: 'example.com/v1', kind: 'Bolt', metadata: { name: 'm8' } }
    const [made] = await applyYaml(client, `${JSON.stringify(bolt)}\n---\n${definitionOf('example.com', 'Bolt')}`)
    expect(made?.kind).toBe('Bolt')
  })

  it.each([
    ['a document without a kind', 'a: 1\n---\nb: 2\n', 'document 1: an object to apply needs its apiVersion'],
    ['nothing that is an object', '{"kind": "List", "items": [null]}', 'document 1: an object to apply needs'],
    ['a key that is there twice', 'a: 1\na: 2\n', 'document 1: line 2: key "a" already set in map'],
    [
      'what the server refuses',
      'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: Not_Good }\n',
      /^document 1, ConfigMap Not_Good: .*Not_Good: .*must consist of lower case/,
    ],
    [
      'an unknown kind',
      'apiVersion: example.com/v1\nkind: Gadget\nmetadata: { name: a }\n',
      /Gadget a: .*no kind Gadget/,
    ],
  ])('says what is wrong with %s', async (_name, text, message) => {
    await expect(applyYaml(client, text)).rejects.toThrow(message)
  })
})

describe('waiting for an object', () => {
  it('sees it come, change and go', async () => {
    const place = { kind: k8s.ConfigMap, name: 'settings', namespace: 'default' }
    const { comes, turnsBlue } = await begun(
      () => ({
        comes: waitFor(client, place, 'exists', PATIENT),
        turnsBlue: waitFor(client, place, ({ data }) => data!['colour'] === 'blue', PATIENT),
      }),
      2,
    )
    await configMaps.create({ metadata: { name: 'settings' }, data: { colour: 'red' } })
    expect((await comes).data).toEqual({ colour: 'red' })
    const blue = await configMaps.patch('settings', { data: { colour: 'blue' } })
    await configMaps.patch('settings', { data: { colour: 'green' } })
    expect(await turnsBlue).toEqual(blue)
    const goes = waitFor(client, blue, 'deleted', PATIENT)
    await configMaps.delete('settings')
    expect(await goes).toBeUndefined()
  })

  it('takes another object of the same name for a new one', async () => {
    const old = await configMaps.create({ metadata: { name: 'phoenix' } })
    await configMaps.delete('phoenix')
    await configMaps.create({ metadata: { name: 'phoenix' } })
    await waitFor(client, old, 'deleted', PATIENT)
    const place = { kind: k8s.ConfigMap, name: 'phoenix', namespace: 'default' }
    await expect(waitFor(client, place, 'deleted', { timeoutMs: 2000 })).rejects.toThrow('still exists')
  })

  it('looks at conditions', async () => {
    const widgets = client.resource<CustomObject>({ group: 'example.com', version: 'v1', plural: 'widgets' })
    const place = { kind: { group: 'example.com', version: 'v1', kind: 'Widget' }, name: 'left', namespace: 'workshop' }
    const ready = waitFor(client, place, { condition: 'Ready' }, PATIENT)
    const conditions = (status: string) => ({ status: { conditions: [{ type: 'Ready', status, reason: 'Sawing' }] } })
    await widgets.inNamespace('workshop').status.patch('left', conditions('False'))
    await waitFor(client, place, { condition: 'Ready', status: 'False' }, PATIENT)
    await expect(waitFor(client, place, { condition: 'Ready' }, { timeoutMs: 2000 })).rejects.toThrow(
      'Widget workshop/left has no condition Ready=True: it is False (Sawing: )',
    )
    await widgets.inNamespace('workshop').status.patch('left', conditions('True'))
    expect((await ready).metadata.name).toBe('left')
  })

  it('waits for a kind that is yet to be defined', async () => {
    const gadget = { apiVersion: 'example.org/v1', kind: 'Gadget', metadata: { name: 'one', namespace: 'default' } }
    const comes = waitFor(client, gadget, 'exists', PATIENT)
    await applyYaml(client, `${definitionOf('example.org', 'Gadget')}\n---\n${JSON.stringify(gadget)}`)
    expect((await comes).metadata.name).toBe('one')
  })

  it('goes on after the connection is cut', async () => {
    const { url, ca = '', token } = server.credentials()
    await using proxy = await startTcpProxy(Number(new URL(url).port))
    using other = new Client({ url: `https://127.0.0.1:${proxy.port}`, ca, token })
    using record = server.recordRequests()
    const comes = waitFor(other, { kind: k8s.Secret, name: 'late', namespace: 'default' }, 'exists', PATIENT)
    await expect.poll(() => record.requests.at(-1)?.status).toBe(200)
    proxy.refuse()
    await client
      .resource(k8s.Secret)
      .inNamespace('default')
      .create({ metadata: { name: 'late' } })
    proxy.accept()
    expect((await comes).metadata.name).toBe('late')
    expect(proxy.accepted).toBeGreaterThan(1)
  })

  it('ends with the signal, and at once where it may not look', async () => {
    const place = { kind: k8s.Secret, name: 'never', namespace: 'default' }
    const reason = new Error('enough')
    await expect(waitFor(client, place, 'exists', { signal: AbortSignal.abort(reason) })).rejects.toBe(reason)
    const stop = new AbortController()
    const waiting = waitFor(client, place, 'exists', { signal: stop.signal })
    stop.abort(reason)
    await expect(waiting).rejects.toBe(reason)
    const began = performance.now()
    const refused = waitFor(server.client({ name: 'ann' }), place, 'exists', { timeoutMs: 120_000 })
    await expect(refused).rejects.toMatchObject({ code: 403 })
    expect(performance.now() - began).toBeLessThan(60_000)
  })

  it('asks in which namespace, and for what an object lacks', async () => {
    await expect(waitFor(client, { kind: k8s.Secret, name: 'x' }, 'exists')).rejects.toThrow(
      'in which namespace is Secret x',
    )
    await expect(waitFor(client, { metadata: { name: 'x' } }, 'exists')).rejects.toThrow('needs its apiVersion, kind')
  })
})

describe('what is eventually so', () => {
  it('is compared with what is wanted, or asserted', async () => {
    const made = await configMaps.create({ metadata: { name: 'state' }, data: { phase: 'new', size: '1' } })
    const { matched, asserted } = await begun(
      () => ({
        matched: eventually(client, made, { data: { phase: 'old' } }, PATIENT),
        asserted: eventually(client, made, async ({ data }) => expect(data?.['phase']).toMatch(/^old/), PATIENT),
      }),
      2,
    )
    await configMaps.patch('state', { data: { phase: 'older' } })
    const old = await configMaps.patch('state', { data: { phase: 'old' } })
    expect(await matched).toEqual(old)
    expect((await asserted).data?.['phase']).toBe('older')
  })

  it('fails with the difference, the changes and the events', async () => {
    const made = await configMaps.create({ metadata: { name: 'tale' }, data: { phase: 'new' } })
    const { uid, resourceVersion } = made.metadata
    await client
      .resource(k8s.Event)
      .inNamespace('default')
      .create({
        metadata: { name: 'tale.1' },
        involvedObject: { kind: 'ConfigMap', name: 'tale', namespace: 'default', uid },
        type: 'Warning',
        reason: 'Slow',
        message: 'there is no wind',
        count: 3,
      })
    const { waiting } = await begun(() => ({
      waiting: eventually(client, made, { data: { phase: 'old', wind: '3' } }, { timeoutMs: 4000 }),
    }))
    const aged = await configMaps.patch('tale', { data: { phase: 'older' }, metadata: { labels: { a: 'b' } } })
    const error = await failure(waiting)
    expect(error).toBeInstanceOf(WaitTimeoutError)
    expect(error.message).toBe(`ConfigMap default/tale is not as wanted:
  .data.phase
    wanted  "old"
    seen    "older"
  .data.wind
    wanted  "3"
    seen    nothing
(waited for 4000 ms)
What was seen of it:
  ADDED with resourceVersion ${resourceVersion}
  MODIFIED with resourceVersion ${aged.metadata.resourceVersion}: .metadata.labels, .data.phase
Events about it:
  Warning Slow (3 times): there is no wind`)
  })

  it('shows the object where only a function knows what is wanted', async () => {
    const made = await configMaps.create({ metadata: { name: 'shown' }, data: { phase: 'new' } })
    const asserted = await failure(
      eventually(client, made, ({ data }) => expect(data).toEqual({ phase: 'old' }), { timeoutMs: 2000 }),
    )
    expect(asserted.message).toMatch(
      /is not as wanted: expected .*\n[^]*As it was last seen:\n[^]* {2}data:\n {4}phase: new\n/,
    )
    expect(asserted.message).not.toContain('managedFields')
    expect(asserted.cause).toMatchObject({ name: 'AssertionError' })
    expect(asserted.stack).toContain('testing-kit.test.ts')
    const absent = await failure(
      eventually(client, { kind: k8s.ConfigMap, name: 'none', namespace: 'default' }, {}, { timeoutMs: 2000 }),
    )
    expect(absent.message).toBe('ConfigMap default/none does not exist\n(waited for 2000 ms)')
  })
})

describe('recording requests', () => {
  it('has what the server was asked, refusals and open watches too', async () => {
    using record = server.recordRequests()
    const ann = server.client({ name: 'ann' }).resource(k8s.Secret).inNamespace('default')
    await expect(ann.list({ limit: 1 })).rejects.toMatchObject({ code: 403 })
    const maps = client.resource(k8s.ConfigMap).inNamespace('kube-system')
    await maps.apply({ metadata: { name: 'a' } }, { fieldManager: 'me' })
    await maps.status.get('a').catch(() => undefined)
    const watch = maps.watch({ resourceVersion: '0' })
    await watch.next()
    const secrets = '/api/v1/namespaces/default/secrets'
    const own = '/api/v1/namespaces/kube-system/configmaps'
    expect(record.requests).toMatchObject([
      { verb: 'list', path: secrets, query: 'limit=1', user: 'ann', status: 403 },
      { verb: 'patch', path: `${own}/a`, user: 'admin', status: 201 },
      { verb: 'get', path: `${own}/a/status`, user: 'admin', status: 404 },
      { verb: 'watch', path: own, user: 'admin', status: 200, durationMs: undefined },
    ])
    server.faults.fail({ verb: 'delete', resource: 'configmaps' }, { status: 504 })
    await expect(maps.delete('a')).rejects.toMatchObject({ code: 504 })
    expect(record.requests.at(-1)).toMatchObject({ verb: 'delete', status: 504, user: 'admin' })
    await watch.return()
    await expect.poll(() => record.requests[3]?.durationMs).toBeGreaterThan(0)
  })
})

it('the server of a file is one, whatever is made by extending its fixtures, until the last of them is done', async () => {
  const { fileServer: fixture, serverOptions } = serverFixtures()
  const [take, [options]] = [fixture[0], serverOptions]
  const namespaces = (of: Server): Promise<unknown> => of.client().resource(k8s.Namespace).list()
  let taken: Server | undefined
  await take({ serverOptions: options }, async (first) => {
    await take({ serverOptions: options }, async (second) => expect(second).toBe(first))
    await namespaces(first)
    taken = first
  })
  await expect(namespaces(taken!)).rejects.toThrow()
  await take({ serverOptions: options }, async (next) => void (await namespaces(next)))
})

/** Runs what is declared as jest would: with a callback for whatever has a parameter. */
function fakeRunner() {
  const [tests, hooks]: [(() => Promise<void>)[], (() => Promise<unknown>)[]] = [[], []]
  const declare = (_name: string, body: () => Promise<void>): void => {
    expect(body).toHaveLength(0)
    tests.push(body)
  }
  const test = Object.assign(declare, { only: declare, skip: () => {} })
  const begins: { readonly hook: () => Promise<unknown>; readonly timeoutMs: number | undefined }[] = []
  const beforeAll = (hook: () => Promise<unknown>, timeoutMs?: number): void => void begins.push({ hook, timeoutMs })
  return { test, tests, hooks, begins, beforeAll, afterAll: (hook: () => Promise<unknown>) => void hooks.push(hook) }
}

describe('tests that have a server each', () => {
  it('begin with what the setup made, and see nothing of each other', async () => {
    const runner = fakeRunner()
    const setup = (own: Server) => applyYaml(own, 'apiVersion: v1\nkind: Namespace\nmetadata: { name: prepared }')
    const declare = serverTest(runner, { setup, users: [{ name: 'ann' }] })
    const used: ServerFixtures[] = []
    const body = async (fixtures: ServerFixtures): Promise<void> => {
      used.push(fixtures)
      expect(fixtures.server.credentials('ann').url).toBe(fixtures.server.url)
      const namespaces = fixtures.client.resource(k8s.Namespace)
      await namespaces.get('prepared')
      await namespaces.create({ metadata: { name: 'mine' } })
      expect(fixtures.requests.requests.map(({ verb }) => verb)).toEqual(['get', 'create'])
    }
    declare('one', body)
    declare.only('two', body)
    declare.skip('three', () => expect.unreachable('it is skipped'))
    // The start has a time limit of its own: that of the first test would be too short on a busy machine.
    expect(runner.begins.map(({ timeoutMs }) => timeoutMs)).toEqual([60_000])
    for (const { hook } of runner.begins) await hook()
    for (const test of runner.tests) await test()
    expect(used.map(({ fileServer }) => fileServer === used[0]?.fileServer)).toEqual([true, true])
    expect(new Set(used.map(({ server: { url } }) => url)).size).toBe(2)
    await expect(used[0]!.fileServer.client().resource(k8s.Namespace).get('mine')).rejects.toMatchObject({ code: 404 })
    await expect(fetch(used[0]!.server.url)).rejects.toThrow()
    for (const hook of runner.hooks) await hook()
    await expect(used[0]!.fileServer.client().resource(k8s.Namespace).get('prepared')).rejects.toThrow()
  })

  it.each([
    ['the last requests', {}, 3],
    ['as many as they should', { printRequests: 1 }, 1],
    ['none where they should not', { printRequests: 0 }, 0],
  ])('print %s when they fail', async (_name, options, count) => {
    const printed = vi.spyOn(console, 'error').mockImplementation(() => {})
    onTestFinished(() => printed.mockRestore())
    const runner = fakeRunner()
    serverTest(runner, options)('fails', async ({ client: own }) => {
      for (let i = 0; i < 3; i++) await own.resource(k8s.Node).list()
      throw new Error('as it should')
    })
    await expect(runner.tests[0]?.()).rejects.toThrow('as it should')
    for (const hook of runner.hooks) await hook()
    const lines = printed.mock.calls.flatMap(([text]) => String(text).split('\n').slice(1))
    expect(lines).toHaveLength(count)
    for (const line of lines) expect(line).toMatch(/^200 +[\d.]+ ms {2}admin {2}list \/api\/v1\/nodes/)
  })

  it('fail where the setup does, and leave no server behind', async () => {
    const runner = fakeRunner()
    const urls: string[] = []
    const setup = async ({ url }: Server): Promise<void> => {
      urls.push(url)
      throw new Error('no such file')
    }
    serverTest(runner, { setup })('never runs', () => expect.unreachable('it has no server'))
    await expect(runner.tests[0]?.()).rejects.toThrow('no such file')
    for (const hook of runner.hooks) await hook()
    for (const url of urls) await expect(fetch(url)).rejects.toThrow()
    const { test } = runner
    expect(() => serverTest({ test })).toThrow('{ test, before, after } of node:test')
  })
})
