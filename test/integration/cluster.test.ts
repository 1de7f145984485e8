// A cluster in one process, as users have it: with kubectl, by the library, and not at all without the flag.
import { execFile } from 'node:child_process'
import path from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { startServer } from '../../src/library/library.ts'
import { buildGoClient, GO_BUILD_LIMIT_MS } from '../rigs/go-client.ts'
import { Kubectl } from '../rigs/kubectl.ts'
import { newHome, startServerProcess } from '../rigs/server-process.ts'

it(
  'kubectl creates a deployment, waits for its rollout, changes it and goes back',
  async () => {
    const home = await newHome()
    const server = await startServerProcess(['--in-memory', '--nodes', '3'], home)
    const kubectl = new Kubectl(await buildGoClient('kubectl'), { kubeconfig: server.kubeconfigFile, home })
    const run = async (command: string): Promise<string> => {
      const { code, stdout, stderr } = await kubectl.run(command.split(' '))
      expect([command, code, stderr]).toEqual([command, 0, ''])
      return stdout
    }
    await run('create deployment web --image=nginx --replicas=3')
    expect(await run('rollout status deployment/web --timeout=60s')).toMatch(/successfully rolled out\n$/)
    expect((await run('get pods --no-headers')).match(/ 1\/1 +Running /g)).toHaveLength(3)
    expect((await kubectl.run(['logs', 'deployment/web'])).stdout).toBe('')
    await kubectl.run(['annotate', 'pods', '--selector', 'app=web', 'quarterdeck.dev/log=hello from a simulated pod'])
    expect((await kubectl.run(['logs', 'deployment/web'])).stdout).toBe('hello from a simulated pod\n')
    await run('set image deployment/web nginx=nginx:2')
    await run('rollout status deployment/web --timeout=60s')
    expect(await run('rollout history deployment/web')).toMatch(/\n1 .*\n2 /)
    await run('rollout undo deployment/web')
    await run('rollout status deployment/web --timeout=60s')
    expect(await run('get deployment web -o jsonpath={.spec.template.spec.containers[0].image}')).toBe('nginx')
    await run('delete deployment web --cascade=foreground --timeout=60s')
    expect(await run('get pods --no-headers --ignore-not-found')).toBe('')
    expect(await run('get nodes --no-headers')).toMatch(/^node-0 +Ready /)
    expect(await server.stop()).toMatchObject({ code: 0 })
  },
  GO_BUILD_LIMIT_MS,
)

const LABELS = { app: 'web' }
const TEMPLATE = { metadata: { labels: LABELS }, spec: { containers: [{ name: 'web', image: 'nginx' }] } }

it('a rollout is the same with every run of a seed', async () => {
  const runs: unknown[] = []
  for (let run = 0; run < 2; run++) {
    await using server = await startServer({ nodes: 4, clock: 'virtual', seed: 'rollout', port: 18_443 })
    using client = server.client()
    const spec = { replicas: 20, selector: { matchLabels: LABELS }, template: TEMPLATE }
    const deployment = {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'web', namespace: 'default' },
      spec,
    }
    await client.request({ method: 'POST', path: '/apis/apps/v1/namespaces/default/deployments', body: deployment })
    await server.clock.advance('10s')
    const { text } = await client.request({ method: 'GET', path: '/api/v1/namespaces/default/pods' })
    expect(JSON.parse(text)).toMatchObject({ items: { length: 20 } })
    runs.push(text)
  }
  expect(runs[1]).toEqual(runs[0])
})

/** Starts a server with these options and prints which modules of the cluster it has loaded. */
const LOADED = `
  import { registerHooks } from 'node:module'
  const loaded = []
  registerHooks({
    load(url, context, next) {
      if (url.includes('/controllers/cluster/')) loaded.push(url.replace(/.*\\//, ''))
      return next(url, context)
    },
  })
  const { startServer } = await import(process.argv[1])
  const server = await startServer(JSON.parse(process.argv[2]))
  await server.client().request({ method: 'GET', path: '/api/v1/nodes' })
  await new Promise((resolve) => setTimeout(resolve, Number(process.argv[3])))
  await server.stop()
  console.log(JSON.stringify(loaded))
`

it('nothing of it is loaded without the flag', async () => {
  const entry = path.join(import.meta.dirname, '../../src/index.ts')
  const loaded = async (options: object, waitMs: number): Promise<unknown> => {
    const args = ['--input-type=module', '-e', LOADED, entry, JSON.stringify(options), String(waitMs)]
    return JSON.parse((await promisify(execFile)(process.execPath, args)).stdout)
  }
  expect(await loaded({ nodes: 1 }, 1_000)).toContain('cluster.ts')
  expect(await loaded({}, 1_000)).toEqual([])
})
