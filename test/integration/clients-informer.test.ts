// Informers through a restart of the server, on the same data and the same port: they go on where they were, and miss and
// repeat nothing. The record of what they were told is held against the record of what was written.
import { spawn } from 'node:child_process'
import { CoreV1Api, KubeConfig, makeInformer, type V1ConfigMap } from '@kubernetes/client-node'
import { describe, expect, it, onTestFinished } from 'vitest'
import { buildGoClient, CLIENT_LEVELS, GO_BUILD_LIMIT_MS } from '../rigs/go-client.ts'
import { FollowedCommand } from '../rigs/kubectl.ts'
import { newHome, type ServerProcess, startServerProcess } from '../rigs/server-process.ts'

const NAMESPACE = 'informed'
const COLLECTION = `/api/v1/namespaces/${NAMESPACE}/configmaps`

/** `add a 12`, `update a 13`, `delete a`: what happened, in order. */
type Record = string[]

class Writer {
  server: ServerProcess
  readonly record: Record = []

  constructor(server: ServerProcess) {
    this.server = server
  }

  async createNamespace(): Promise<void> {
    const object = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE } }
    await this.#send('POST', '/api/v1/namespaces', object)
  }

  async create(name: string): Promise<void> {
    const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } }
    this.record.push(`add ${name} ${await this.#send('POST', COLLECTION, object)}`)
  }

  async update(name: string, value: string): Promise<void> {
    const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: { value } }
    this.record.push(`update ${name} ${await this.#send('PUT', `${COLLECTION}/${name}`, object)}`)
  }

  async remove(name: string): Promise<void> {
    await this.#send('DELETE', `${COLLECTION}/${name}`)
    this.record.push(`delete ${name}`)
  }

  async #send(method: string, target: string, object?: object): Promise<string | undefined> {
    const { status, body } = await this.server.request(target, {
      method,
      token: this.server.adminToken,
      ...(object === undefined
        ? {}
        : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(object) }),
    })
    expect([method, target, status]).toEqual([method, target, method === 'POST' ? 201 : 200])
    return (JSON.parse(body) as V1ConfigMap).metadata?.resourceVersion
  }
}

/** How an informer is started, and what it was told so far; the server's own config map is left out. */
type StartInformer = (server: ServerProcess) => Promise<() => Record>

async function goThroughRestart(end: NodeJS.Signals, startInformer: StartInformer): Promise<ServerProcess> {
  const home = await newHome()
  const first = await startServerProcess([], home)
  const writer = new Writer(first)
  await writer.createNamespace()
  await writer.create('a')
  const told = await startInformer(first)
  const sees = (): Promise<void> => expect.poll(told).toEqual(writer.record)
  await sees()
  await writer.update('a', '1')
  await writer.create('b')
  await sees()
  await writer.create('c')
  await writer.update('b', '1')
  await writer.remove('a')
  await first.stop(end)

  const second = await startServerProcess(['--secure-port', new URL(first.url).port], home)
  writer.server = second
  await writer.update('b', '2')
  await writer.create('d')
  await writer.remove('c')
  await sees()
  return second
}

function lineOf(event: string, { metadata }: V1ConfigMap): Record {
  if (metadata?.name === 'kube-root-ca.crt') return []
  return [event === 'delete' ? `delete ${metadata?.name}` : `${event} ${metadata?.name} ${metadata?.resourceVersion}`]
}

describe.each(['SIGTERM', 'SIGKILL'] as const)('a restart after %s', (end) => {
  it('is nothing to an informer of client-node (P-540)', async () => {
    let lists = 0
    await goThroughRestart(end, async (server) => {
      const config = new KubeConfig()
      config.loadFromFile(server.kubeconfigFile)
      const api = config.makeApiClient(CoreV1Api)
      const informer = makeInformer<V1ConfigMap>(config, COLLECTION, () => {
        lists++
        return api.listNamespacedConfigMap({ namespace: NAMESPACE })
      })
      const record: Record = []
      for (const event of ['add', 'update', 'delete'] as const) {
        informer.on(event, (object) => void record.push(...lineOf(event, object)))
      }
      const again: { timer?: NodeJS.Timeout } = {}
      informer.on('error', () => {
        again.timer = setTimeout(() => void informer.start(), 100)
      })
      onTestFinished(() => {
        clearTimeout(again.timer)
        return informer.stop()
      })
      await informer.start()
      return () => record
    })
    expect(lists).toBe(1)
  })

  it.each(CLIENT_LEVELS)(
    'is nothing to an informer of client-go, of level %s, that streams its list (P-506)',
    {
      timeout: GO_BUILD_LIMIT_MS,
    },
    async (level) => {
      const program = await buildGoClient('informer', level)
      const lists: string[] = []
      const noteLists = async (server: ServerProcess): Promise<void> => {
        const { body } = await server.request('/metrics', { token: server.adminToken })
        lists.push(...body.split('\n').filter((line) => /^apiserver_request_total.*"LIST".*"configmaps"/.test(line)))
      }
      const second = await goThroughRestart(end, async (server) => {
        const args = [server.kubeconfigFile, NAMESPACE]
        const informer = new FollowedCommand(spawn(program, args, { stdio: ['pipe', 'pipe', 'ignore'] }))
        const isSynced = (): boolean => informer.lines.some((line) => line.includes('synced'))
        await expect.poll(isSynced).toBe(true)
        await noteLists(server)
        return () =>
          informer.lines.flatMap((line) => {
            const { event, name, version } = JSON.parse(line) as { event: string; name?: string; version?: string }
            return name === undefined ? [] : lineOf(event, { metadata: { name, resourceVersion: version ?? '' } })
          })
      })
      await noteLists(second)
      expect(lists).toEqual([])
    },
  )
})
