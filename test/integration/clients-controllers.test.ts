// Controllers for a custom kind, written with the libraries that people use, in Go, TypeScript and Python: they keep a finalizer,
// write the status, and go on by themselves after a restart of the server on the same data and port.
import { spawn } from 'node:child_process'
import path from 'node:path'
import { CustomObjectsApi, KubeConfig, makeInformer, type KubernetesObject } from '@kubernetes/client-node'
import { describe, expect, it, onTestFinished } from 'vitest'
import { buildGoClient, CLIENT_LEVELS, GO_BUILD_LIMIT_MS } from '../rigs/go-client.ts'
import { FollowedCommand } from '../rigs/kubectl.ts'
import { fetchPythonClient, PYTHON_FETCH_LIMIT_MS } from '../rigs/python-client.ts'
import { newHome, type ServerProcess, startServerProcess } from '../rigs/server-process.ts'

const GROUP = 'demo.example.com'
const FINALIZER = `${GROUP}/cleanup`
const COLLECTION = `/apis/${GROUP}/v1/namespaces/default/widgets`
const PATIENCE = { timeout: 60_000, interval: 100 }

const integer = { type: 'integer' }
const openAPIV3Schema = {
  type: 'object',
  properties: {
    spec: { type: 'object', required: ['size'], properties: { size: { ...integer, minimum: 0 } } },
    status: { type: 'object', properties: { observed: integer } },
  },
}
const DEFINITION = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `widgets.${GROUP}` },
  spec: {
    group: GROUP,
    names: { plural: 'widgets', kind: 'Widget' },
    scope: 'Namespaced',
    versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema }, subresources: { status: {} } }],
  },
}

interface Widget extends KubernetesObject {
  readonly spec: { readonly size: number }
  readonly status?: { readonly observed?: number }
}

async function send(server: ServerProcess, method: string, target: string, body?: object): Promise<Widget | undefined> {
  const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json'
  const answer = await server.request(target, {
    method,
    token: server.adminToken,
    ...(body === undefined ? {} : { headers: { 'content-type': type }, body: JSON.stringify(body) }),
  })
  return answer.status < 300 ? (JSON.parse(answer.body) as Widget) : undefined
}

const widget = (name: string, size: number): object => ({
  apiVersion: `${GROUP}/v1`,
  kind: 'Widget',
  metadata: { name },
  spec: { size },
})

/** Starts a controller; what it says it did so far. */
type StartController = (server: ServerProcess) => Promise<() => readonly string[]>

async function liveThroughRestart(start: StartController): Promise<void> {
  const home = await newHome()
  const first = await startServerProcess([], home)
  await send(first, 'POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', DEFINITION)
  await expect.poll(() => send(first, 'POST', COLLECTION, widget('a', 1)), PATIENCE).toBeDefined()
  const said = await start(first)
  const observed = (server: ServerProcess, name: string) => async () =>
    (await send(server, 'GET', `${COLLECTION}/${name}`))?.status?.observed
  await expect.poll(observed(first, 'a'), PATIENCE).toBe(1)
  expect((await send(first, 'GET', `${COLLECTION}/a`))?.metadata?.finalizers).toEqual([FINALIZER])
  await first.stop()

  const second = await startServerProcess(['--secure-port', new URL(first.url).port], home)
  await send(second, 'PATCH', `${COLLECTION}/a`, { spec: { size: 2 } })
  await send(second, 'POST', COLLECTION, widget('b', 7))
  await expect.poll(observed(second, 'a'), PATIENCE).toBe(2)
  await expect.poll(observed(second, 'b'), PATIENCE).toBe(7)
  await send(second, 'DELETE', `${COLLECTION}/a`)
  await expect.poll(() => send(second, 'GET', `${COLLECTION}/a`), PATIENCE).toBeUndefined()
  await expect
    .poll(said, PATIENCE)
    .toEqual(expect.arrayContaining(['observed a 1', 'observed a 2', 'observed b 7', 'released a']))
}

describe('a controller lives through a restart of the server', () => {
  it.each(CLIENT_LEVELS)(
    'with controller-runtime of level %s, which elects itself again (P-508, P-530)',
    { timeout: GO_BUILD_LIMIT_MS },
    async (level) => {
      const program = await buildGoClient('controller', level)
      let lines: () => readonly string[] = () => []
      await liveThroughRestart((server) => {
        const args = ['--kubeconfig', server.kubeconfigFile]
        // It gives up and is begun anew where it lost its lease, as it would be in a cluster.
        const said: FollowedCommand[] = []
        const run = (): void => {
          const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'ignore'] })
          said.push(new FollowedCommand(child))
          child.once('exit', (code) => {
            if (code !== null) run()
          })
        }
        run()
        lines = () => said.flatMap((one) => one.lines)
        return Promise.resolve(lines)
      })
      expect(lines()).toContain('elected')
    },
  )

  it('with the client for JavaScript (P-540)', async () => {
    await liveThroughRestart(async (server) => {
      const said: string[] = []
      const config = new KubeConfig()
      config.loadFromFile(server.kubeconfigFile)
      const api = config.makeApiClient(CustomObjectsApi)
      const place = { group: GROUP, version: 'v1', namespace: 'default', plural: 'widgets' }
      const informer = makeInformer<Widget>(config, COLLECTION, async () => {
        return (await api.listNamespacedCustomObject(place)) as { items: Widget[] } & KubernetesObject
      })
      const reconcile = async (object: Widget): Promise<void> => {
        const { name = '', finalizers = [], deletionTimestamp } = object.metadata ?? {}
        const at = { ...place, name }
        const withFinalizers = (all: readonly string[]): object => {
          const metadata = { ...(object.metadata as unknown as Record<string, unknown>), finalizers: all }
          return { ...object, metadata }
        }
        if (deletionTimestamp !== undefined) {
          if (!finalizers.includes(FINALIZER)) return
          await api.replaceNamespacedCustomObject({ ...at, body: withFinalizers([]) })
          said.push(`released ${name}`)
        } else if (!finalizers.includes(FINALIZER)) {
          await api.replaceNamespacedCustomObject({ ...at, body: withFinalizers([FINALIZER]) })
        } else if (object.status?.observed !== object.spec.size) {
          const body = { ...object, status: { observed: object.spec.size } }
          await api.replaceNamespacedCustomObjectStatus({ ...at, body })
          said.push(`observed ${name} ${object.spec.size}`)
        }
      }
      for (const event of ['add', 'update'] as const) {
        informer.on(event, (object) => void reconcile(object).catch(() => {}))
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
      return () => said
    })
  })

  it('with the official client for Python (P-541)', { timeout: PYTHON_FETCH_LIMIT_MS }, async () => {
    const python = await fetchPythonClient()
    const program = path.join(import.meta.dirname, 'python/controller.py')
    await liveThroughRestart((server) => {
      const env = { ...process.env, ...python.env }
      const child = spawn(python.path, [program, server.kubeconfigFile], { env, stdio: ['ignore', 'pipe', 'ignore'] })
      const controller = new FollowedCommand(child)
      return Promise.resolve(() => controller.lines)
    })
  })
})
