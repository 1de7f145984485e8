// Several worker processes behind one address: to clients they are one server, whatever becomes of a worker.
import { readFileSync } from 'node:fs'
import { describe, expect, it, onTestFinished } from 'vitest'
import { Client, k8s } from '../../src/client/client.ts'
import { startEtcd } from '../fakes/etcd-server.ts'
import { newHome, runCommand, type ServerProcess, startServerProcess } from '../fakes/server-process.ts'
import { workerPids } from '../fakes/worker-pids.ts'

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
  const client = new Client({ kubeconfig: readFileSync(server.kubeconfigFile, 'utf8') })
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

describe.each(Object.entries(STORES))('two workers %s', (_, store) => {
  it('answer for one store, and see what the other writes', async () => {
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
    expect(await server.stop()).toMatchObject({ code: 0 })
  })
})

describe('a server with workers', () => {
  it('has one certificate authority, one token and one kubeconfig, also after a restart', async () => {
    const home = await newHome()
    const start = () => startServerProcess(['--workers', '2'], home)
    const first = await start()
    const before = first.kubeconfig
    for (const client of [connect(first), connect(first)]) await client.resource(k8s.Namespace).get('default')
    expect(await first.stop()).toMatchObject({ code: 0 })
    const second = await start()
    expect(second.kubeconfig.users).toEqual(before.users)
    for (const client of [connect(second), connect(second)]) await client.resource(k8s.Namespace).get('default')
    await second.stop()
  })

  it('says in one line why a worker cannot start', async () => {
    const home = await newHome()
    const flags = ['--workers', '2', '--in-memory', '--secure-port', '0', '--token-auth-file', '/nowhere']
    const { code, stderr } = await runCommand(['serve', ...flags], home)
    expect(code).toBe(1)
    expect(stderr).toMatch(/^quarterdeck: .*--token-auth-file \/nowhere.*\n$/)
  })

  it('leaves no process behind when its supervisor is killed', async () => {
    const server = await startWorkers(['--in-memory'])
    const pids = workerPids(server)
    await server.stop('SIGKILL')
    await expect.poll(() => pids.filter(isAlive)).toEqual([])
  })

  it('runs one process where it is told to have one worker', async () => {
    const server = await startWorkers(['--in-memory'], 1)
    expect(workerPids(server)).toEqual([])
    await server.stop()
  })
})

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
