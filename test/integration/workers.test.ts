// Several worker processes behind one address: to clients they are one server, whatever becomes of a worker.
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { Client, k8s } from '../../src/client/client.ts'
import { CreateLoad } from '../rigs/create-load.ts'
import { startEtcd } from '../rigs/etcd-server.ts'
import { isRunning } from '../rigs/running-process.ts'
import { newHome, runCommand, type ServerProcess, startServerProcess } from '../rigs/server-process.ts'
import { visit } from '../rigs/tls-visit.ts'
import { rowsOf } from '../rigs/whole.ts'
import { workerPids } from '../rigs/worker-pids.ts'

const STORES: Readonly<Record<string, () => Promise<readonly string[]>>> = {
  'in memory': () => Promise.resolve(['--in-memory']),
  'on the embedded store': () => Promise.resolve([]),
  'on etcd': async () => {
    const etcd = await startEtcd()
    onTestFinished(() => etcd[Symbol.asyncDispose]())
    return ['--etcd-servers', etcd.endpoint]
  },
}

async function startWorkers(flags: readonly string[], count = 2): Promise<ServerProcess> {
  return startServerProcess(['--workers', String(count), ...flags], await newHome())
}

/** A connection of its own, and thus the worker that has the fewest. */
function connect(server: ServerProcess): Client {
  const client = new Client({ kubeconfig: server.kubeconfigFile })
  onTestFinished(() => client.close())
  return client
}

const configMaps = (client: Client) => client.resource(k8s.ConfigMap).inNamespace('default')

/** The names of config maps in the order in which a watch tells of them; it goes on where it was when its worker is gone. */
async function* names(client: Client): AsyncGenerator<string, void, undefined> {
  const maps = configMaps(client)
  const { metadata } = await maps.list()
  yield ''
  for await (const event of maps.watch({ resourceVersion: metadata.resourceVersion })) {
    if (event.type === 'ADDED') yield event.object.metadata.name
  }
}

describe.each(rowsOf(STORES, ['on the embedded store', 'on etcd']))('two workers %s', (_, store) => {
  it('read what was just written through another, while all of them write', async () => {
    const server = await startWorkers(await store())
    const clients = Array.from({ length: 4 }, () => connect(server))
    const updating = clients.map(async (writer, at) => {
      const name = `mine-${at}`
      let object = await configMaps(writer).create({ metadata: { name }, data: { count: '0' } })
      for (let i = 1; i <= 50; i++) {
        const count = String(i)
        object = await configMaps(writer).update({ ...object, data: { count } })
        const read = await Promise.all(clients.map((client) => configMaps(client).get(name)))
        expect(read.map(({ data }) => data)).toEqual(clients.map(() => ({ count })))
      }
    })
    await Promise.all(updating)
  })

  it('answer for one store, see what the other writes, and lose nothing when they are killed', async () => {
    const server = await startWorkers(await store())
    expect(workerPids(server)).toHaveLength(2)
    const [one, other] = [connect(server), connect(server)]
    const seen = names(other)
    await seen.next()
    for (let i = 0; i < 20; i++) {
      const name = `map-${i}`
      await configMaps(one).create({ metadata: { name } })
      expect((await configMaps(other).get(name)).metadata.name).toBe(name)
      expect((await seen.next()).value).toBe(name)
    }
    await seen.return()
    await loseNothing(server)
    expect(await server.stop()).toMatchObject({ code: 0 })
  })
})

/** No write that was acknowledged, and no event of a watch, when each worker is killed under load. */
async function loseNothing(server: ServerProcess): Promise<void> {
  await using load = await CreateLoad.begin({ kubeconfig: server.kubeconfigFile, writers: 4, watchers: 4 })
  for (const pid of workerPids(server)) {
    const before = load.acknowledged.length
    await expect.poll(() => load.acknowledged.length).toBeGreaterThan(before + 20)
    process.kill(pid, 'SIGKILL')
  }
  const then = load.acknowledged.length
  await expect.poll(() => load.acknowledged.length).toBeGreaterThan(then + 100)
  expect(workerPids(server)).toHaveLength(2)
  await load.end()
  expect(load.failures).toEqual([])
  const stored = await configMaps(connect(server)).list()
  const names = stored.items.map(({ metadata }) => metadata.name)
  expect(load.acknowledged.filter((name) => !names.includes(name))).toEqual([])
  for (const seen of load.seen) {
    await expect.poll(() => load.acknowledged.filter((name) => !seen.includes(name))).toEqual([])
    expect(new Set(seen).size).toBe(seen.length)
  }
}

describe('a worker that fails', () => {
  it('delays nobody else where it is stopped', async () => {
    const server = await startWorkers(['--in-memory', '--worker-stall-timeout', '10m'])
    const clients = [connect(server), connect(server)]
    for (const client of clients) await configMaps(client).list()
    const [stalled] = workerPids(server)
    process.kill(stalled!, 'SIGSTOP')
    const listed = clients.map((client) => configMaps(client).list())
    const live = await Promise.race(listed.map((list, i) => list.then(() => clients[i]!)))
    for (let i = 0; i < 20; i++) await configMaps(live).create({ metadata: { name: `map-${i}` } })
    // Of those that come one may have been given to it before that was noticed.
    let answered = 0
    const newcomers = Array.from({ length: 5 }, async () => {
      await configMaps(connect(server)).get('map-1')
      answered++
    })
    await expect.poll(() => answered).toBeGreaterThanOrEqual(4)
    process.kill(stalled!, 'SIGCONT')
    await Promise.all([...listed, ...newcomers])
  })

  it('is replaced where it does not answer for too long', async () => {
    const server = await startWorkers(['--in-memory', '--worker-stall-timeout', '1s'])
    const said = stderrOf(server)
    const clients = [connect(server), connect(server)]
    for (const client of clients) await configMaps(client).list()
    const [stalled] = workerPids(server)
    process.kill(stalled!, 'SIGSTOP')
    await Promise.all(clients.map((client) => configMaps(client).list()))
    await expect.poll(() => workerPids(server)).not.toContain(stalled)
    await expect.poll(() => said.text).toMatch(/it did not answer for \d+ ms; it was stopped by a signal/)
    await expect.poll(() => said.text).toContain('another worker has taken its place')
  })

  it('has its controllers run by another', async () => {
    const handOver = async (): Promise<number> => {
      const server = await startWorkers(['--in-memory'])
      const leases = connect(server).resource(k8s.Lease).inNamespace('kube-system')
      const holder = async (): Promise<string> =>
        (await leases.get('quarterdeck-controllers').catch(() => undefined))?.spec?.holderIdentity ?? ''
      await expect.poll(holder).not.toBe('')
      const first = await holder()
      process.kill(workerPids(server)[Number(first.split('_').at(-1)) - 1]!, 'SIGKILL')
      const killedAt = performance.now()
      await expect.poll(holder).not.toBe(first)
      return performance.now() - killedAt
    }
    // A lease that nobody is known to have left is waited for, each time; a machine may stand still for a moment.
    const taken: number[] = []
    while (taken.length < 3 && !taken.some((ms) => ms < 4_000)) taken.push(await handOver())
    expect(Math.min(...taken)).toBeLessThan(4_000)
  })
})

describe('a server with workers', () => {
  it('has one certificate authority, one token and one kubeconfig, also after a restart, and ticket keys until then', async () => {
    const home = await newHome()
    const start = () => startServerProcess(['--workers', '2'], home)
    const first = await start()
    const before = first.kubeconfig
    for (const client of [connect(first), connect(first)]) await client.resource(k8s.Namespace).get('default')
    const { session } = await visit(portOf(first))
    // Connections stay open, and each goes to the worker that has fewer.
    for (let i = 0; i < 2; i++) expect(await visit({ ...portOf(first), session })).toMatchObject({ isResumed: true })
    for (const pid of workerPids(first)) process.kill(pid, 'SIGKILL')
    expect(await visit({ ...portOf(first), session })).toMatchObject({ isResumed: true })
    expect(await first.stop()).toMatchObject({ code: 0 })
    const second = await start()
    expect(second.kubeconfig.users).toEqual(before.users)
    for (const client of [connect(second), connect(second)]) await client.resource(k8s.Namespace).get('default')
    // What tickets are sealed with is not stored.
    expect(await visit({ ...portOf(second), session })).toMatchObject({ isResumed: false })
    await second.stop()
  })

  it('tells of all of them whichever is asked, and forgets nothing that one had counted', async () => {
    const server = await startWorkers(['--in-memory', '--profiling'])
    const clients = [connect(server), connect(server)]
    const end = new AbortController()
    const nobody = { fieldSelector: 'metadata.name=nobody', signal: end.signal }
    const watches = clients.map((client) => configMaps(client).watch(nobody))
    const watching = Promise.allSettled(watches.map((watch) => watch.next()))
    for (const client of clients) for (let i = 0; i < 10; i++) await client.resource(k8s.Secret).list()
    const textOf = async (client: Client, target: string): Promise<string> =>
      (await client.request({ method: 'GET', path: target })).text
    const listed = async (client: Client): Promise<number> => {
      const lines = (await textOf(client, '/metrics')).split('\n')
      const found = lines.find((line) => /^apiserver_request_total{verb="LIST",.*resource="secrets"/.test(line))
      return Number(found?.split(' ').at(-1))
    }
    for (const client of clients) {
      expect(await listed(client)).toBe(20)
      const named = [...(await textOf(client, '/metrics')).matchAll(/^process_start_time_seconds{worker="(\w+)"}/gm)]
      expect(new Set(named.map(([, name]) => name))).toEqual(new Set(['1', '2', 'supervisor']))
      await expect
        .poll(() => textOf(client, '/debug/watchers'))
        .toMatch(/(?:"fieldSelector":"metadata.name=nobody".*){2}/)
      for (const endpoint of ['healthz', 'livez', 'readyz']) {
        expect(await textOf(client, `/${endpoint}?verbose`)).toContain('[+]workers ok')
      }
    }
    const answered = async (client: Client): Promise<number> => {
      const { steps } = JSON.parse(await textOf(client, '/debug/load')) as { steps: readonly { requests: number }[] }
      return steps.reduce((sum, { requests }) => sum + requests, 0)
    }
    const before = await answered(clients[1]!)
    for (let i = 0; i < 10; i++) await textOf(clients[0]!, '/version')
    expect(await answered(clients[1]!)).toBeGreaterThanOrEqual(before + 10)
    for (const client of clients) await pagesOfBoth((target) => textOf(client, target))
    process.kill(workerPids(server)[0]!, 'SIGKILL')
    for (const client of clients) expect(await listed(client)).toBe(20)
    for (const client of clients) {
      const text = async (): Promise<string> => textOf(client, '/metrics')
      await expect.poll(text).toMatch(/^quarterdeck_worker_restarts_total{cause="crash"} 1$/m)
      await expect.poll(text).toMatch(/^quarterdeck_workers_incomplete_seconds_total [0-9.]*[1-9]/m)
    }
    end.abort()
    await watching
  })

  it('forgets what a worker had counted of a kind when both are gone', async () => {
    const server = await startWorkers(['--in-memory'])
    const clients = [connect(server), connect(server)]
    const [client] = clients
    const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
    const schema = { openAPIV3Schema: { type: 'object' } }
    const spec = {
      group: 'example.com',
      names: { plural: 'widgets', kind: 'Widget' },
      scope: 'Cluster',
      versions: [{ name: 'v1', served: true, storage: true, schema }],
    }
    const body = JSON.stringify({ metadata: { name: 'widgets.example.com' }, spec })
    const define = (): Promise<unknown> => client!.request({ method: 'POST', path: definitions, body })
    const path = '/apis/example.com/v1/widgets'
    const list = async (): Promise<void> => {
      for (const each of clients)
        await expect.poll(async () => (await each.request({ method: 'GET', path })).status).toBe(200)
    }
    const counted = async (): Promise<number> => {
      const { text } = await client!.request({ method: 'GET', path: '/metrics' })
      const found = /^apiserver_request_total{verb="LIST",.*resource="widgets".*code="200"} (\d+)$/m.exec(text)
      return Number(found?.[1] ?? 0)
    }
    await define()
    for (let i = 0; i < 5; i++) await list()
    await expect.poll(counted).toBe(10)
    for (const pid of workerPids(server)) {
      process.kill(pid, 'SIGKILL')
      await expect.poll(counted).toBe(10)
      await expect.poll(() => workerPids(server)).toHaveLength(2)
    }
    await client!.request({ method: 'DELETE', path: `${definitions}/widgets.example.com` })
    // A worker that has not learned of the deletion yet would list the old kind.
    for (const each of clients) {
      await expect.poll(() => each.request({ method: 'GET', path }).catch(({ code }) => code as number)).toBe(404)
    }
    await expect.poll(counted).toBe(0)
    await expect.poll(define).toBeDefined()
    await list()
    await expect.poll(counted).toBe(2)
  })

  it('replaces its workers one by one when it is to reload, and refuses nobody meanwhile', async () => {
    const home = await newHome()
    const tokens = path.join(home, 'tokens.csv')
    writeFileSync(tokens, 'first,ann,1,system:masters\n')
    const file = path.join(home, 'settings.yaml')
    const settings = (more: object): void => writeFileSync(file, JSON.stringify({ 'token-auth-file': tokens, ...more }))
    settings({ 'feature-gates': 'ComponentFlagz=true' })
    const server = await startServerProcess(['--workers', '2', '--in-memory', '--config', file], home)
    const said = stderrOf(server)
    const level = { method: 'PUT', token: server.adminToken, body: 'debug' }
    expect((await server.request('/debug/flags/log-level/console', level)).status).toBe(200)
    const before = workerPids(server)
    await using load = await CreateLoad.begin({ kubeconfig: server.kubeconfigFile, writers: 4, watchers: 2 })
    writeFileSync(tokens, 'second,bob,2,system:masters\n')
    settings({ 'feature-gates': 'ComponentFlagz=true', 'event-ttl': '3h', 'worker-stall-timeout': '33s' })
    server.child.kill('SIGHUP')
    const health: number[] = []
    const remaining = async (): Promise<readonly number[]> => {
      health.push((await server.request('/readyz')).status)
      return workerPids(server).filter((pid) => before.includes(pid))
    }
    await expect.poll(remaining).toEqual([])
    expect([...new Set(health)]).toEqual([200])
    const then = load.acknowledged.length
    await expect.poll(() => load.acknowledged.length).toBeGreaterThan(then + 20)
    await load.end()
    expect([load.failures, load.refusedConnections]).toEqual([[], 0])
    await expect.poll(() => load.seen.map((seen) => seen.length)).toEqual(load.seen.map(() => load.acknowledged.length))
    const statusWith = async (token: string) => (await server.request('/api/v1/namespaces', { token })).status
    expect([await statusWith('first'), await statusWith('second')]).toEqual([401, 200])
    const needsRestart = '"flags":["worker-stall-timeout"],"msg":"changed settings need a restart to take effect"'
    expect(said.text).toContain(needsRestart)
    const shown = async (target: string): Promise<string> =>
      (await server.request(target, { token: server.adminToken })).body
    expect(await shown('/flagz')).toMatch(/event-ttl\W+3h/)
    // Each request has a connection of its own, and so they go to both.
    const levels = await Promise.all(Array.from({ length: 4 }, () => shown('/debug/flags/log-level/console')))
    expect(new Set(levels)).toEqual(new Set(['{"console":"debug"}\n']))

    settings({ 'event-ttl': 'soon' })
    server.child.kill('SIGHUP')
    await expect.poll(() => said.text).toContain('could not reload the configuration; keeping the previous one')
    expect((await server.request('/readyz')).status).toBe(200)
  })

  it('says in one line why a worker cannot start', async () => {
    const home = await newHome()
    const flags = ['--workers', '2', '--in-memory', '--secure-port', '0', '--token-auth-file', '/nowhere']
    const { code, stderr } = await runCommand(['serve', ...flags], home)
    expect(code).toBe(1)
    expect(stderr).toMatch(/^quarterdeck: .*--token-auth-file \/nowhere.*\n$/)
  })

  it.each(['in memory', 'on etcd'])('leaves no process behind when its supervisor is killed, %s', async (store) => {
    const server = await startWorkers([...(await STORES[store]!()), '--shutdown-delay-duration', '10m'])
    const pids = workerPids(server)
    await server.stop('SIGKILL')
    await expect.poll(() => pids.filter(isRunning)).toEqual([])
  })

  it('runs one process where it is told to have one worker', async () => {
    const server = await startWorkers(['--in-memory'], 1)
    expect(workerPids(server)).toEqual([])
    await server.stop()
  })
})

function portOf({ url }: ServerProcess): { readonly port: number } {
  return { port: Number(new URL(url).port) }
}

/** How checks went, flow control, and profiles. */
async function pagesOfBoth(get: (target: string) => Promise<string>): Promise<void> {
  const checks = await get('/metrics/slis')
  const runs = /^kubernetes_healthchecks_total{name="ping",type="livez",status="success"} (\d+)$/m.exec(checks)?.[1]
  expect(runs).toBe('2')
  const told = [...checks.matchAll(/^kubernetes_healthcheck{name="ping",type="livez",worker="(\d)"} 1$/gm)]
  expect(told.map(([, worker]) => worker)).toEqual(['1', '2'])
  const levels = await get('/debug/api_priority_and_fairness/dump_priority_levels')
  expect(levels.split('\n')[0]).toMatch(/CancelledRequests, +Worker,$/)
  expect(levels.match(/^exempt,.*, +\d,$/gm)?.map((row) => row.at(-2))).toEqual(['1', '2'])
  for (const worker of ['1', '2']) expect(await get(`/debug/pprof/heap?seconds=0.01&worker=${worker}`)).not.toBe('')
  await expect(get('/debug/pprof/heap?seconds=0.01&worker=3')).rejects.toThrow('Unknown worker')
}

function stderrOf(server: ServerProcess): { text: string } {
  const said = { text: '' }
  server.child.stderr?.on('data', (chunk: Buffer) => (said.text += chunk.toString()))
  return said
}
