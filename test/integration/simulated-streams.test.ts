// Logs, commands and ports of containers on simulated nodes, with kubectl: over WebSockets and over SPDY.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { pipeline } from 'node:stream/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Server, startServer } from '../../src/library/library.ts'
import { buildGoClient, GO_BUILD_LIMIT_MS } from '../rigs/go-client.ts'
import { Kubectl } from '../rigs/kubectl.ts'
import { newHome } from '../rigs/server-process.ts'

type Exec = NonNullable<NonNullable<Parameters<typeof startServer>[0]>['containers']>['exec']

/** Runs the command on this machine. */
const exec: Exec = async ({ command, stdin, stdout, stderr, tty, container }) => {
  const [program = '', ...args] = command
  if (program === 'where') {
    await stdout(`${container} ${tty ? 'terminal' : 'pipe'}\n`)
    return
  }
  if (program === 'broken') throw new Error('out of order')
  const child = spawn(program, args)
  void pipeline(stdin, child.stdin).catch(() => {})
  const copied = [
    (async () => {
      for await (const piece of child.stdout) await stdout(piece as Buffer)
    })(),
    (async () => {
      for await (const piece of child.stderr) await stderr(piece as Buffer)
    })(),
  ]
  const [code] = (await once(child, 'exit')) as [number]
  await Promise.all(copied)
  return code
}

const backend = createServer((request, response) => {
  response.end(`${request.method} ${request.url}`)
})
let server: Server
let program: string

beforeAll(async () => {
  program = await buildGoClient('kubectl')
  backend.listen(0, '127.0.0.1')
  await once(backend, 'listening')
  const { port } = backend.address() as AddressInfo
  server = await startServer({
    nodes: 1,
    flags: { 'disable-admission-plugins': 'ServiceAccount' },
    containers: {
      exec,
      port: (call) => (call.port === 80 ? port : undefined),
      logs: ({ pod, previous, follow }) => {
        if (pod !== 'talking') return undefined
        return follow ? counting() : [previous ? 'before' : 'now', 'two', 'three']
      },
    },
  })
  const client = server.client()
  const make = (name: string, annotations: object = {}, more: object = {}): Promise<unknown> => {
    const containers = [{ name: 'web', image: 'nginx', ports: [{ containerPort: 80 }] }]
    const body = { metadata: { name, annotations }, spec: { containers, ...more } }
    return client.request({ method: 'POST', path: '/api/v1/namespaces/default/pods', body })
  }
  await make('web')
  await make('talking')
  await make('written', { 'quarterdeck.dev/log': 'one\ntwo\nthree\n', 'quarterdeck.dev/log.side': 'of the side' })
  await make(
    'ending',
    { 'quarterdeck.dev/log': 'done\n', 'quarterdeck.dev/run-time': '3s' },
    { restartPolicy: 'Never' },
  )
  await make('pulling', { 'quarterdeck.dev/image-pull-error': 'true' })
}, GO_BUILD_LIMIT_MS)

afterAll(async () => {
  await server?.stop()
  backend.close()
})

async function* counting(): AsyncGenerator<string> {
  for (const line of ['a', 'b', 'c']) yield line
}

async function kubectlWith(env: Readonly<Record<string, string>> = {}): Promise<Kubectl> {
  return new Kubectl(program, { kubeconfig: server.kubeconfigFile(), home: await newHome(), env })
}

async function running(kubectl: Kubectl): Promise<void> {
  const waited = await kubectl.run(['wait', '--for=condition=Ready', 'pod/web', 'pod/talking', 'pod/written'])
  expect(waited.code).toBe(0)
}

const WAYS = [
  ['a WebSocket', {}],
  ['SPDY', { KUBECTL_REMOTE_COMMAND_WEBSOCKETS: 'false', KUBECTL_PORT_FORWARD_WEBSOCKETS: 'false' }],
] as const

describe.each(WAYS)('over %s', (_way, env) => {
  it('kubectl exec runs a command, with its input, its output and its exit code (P-418, P-420)', async () => {
    const kubectl = await kubectlWith(env)
    await running(kubectl)
    const shell = (script: string): string[] => ['exec', '-i', 'web', '--', 'sh', '-c', script]
    expect(await kubectl.run(shell('cat; echo no >&2; exit 3'), 'hello')).toEqual({
      code: 3,
      stdout: 'hello',
      stderr: 'no\ncommand terminated with exit code 3\n',
    })
    expect(await kubectl.run(['exec', 'web', '--', 'where'])).toMatchObject({ code: 0, stdout: 'web pipe\n' })
    expect(await kubectl.run(['exec', 'web', '--', 'broken'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('error executing command in container: out of order'),
    })
    expect(await kubectl.run(['exec', 'pulling', '--', 'ls'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('container not found ("web")'),
    })
    const large = 'x'.repeat(3_000_000)
    expect((await kubectl.run(shell('cat'), large)).stdout).toBe(large)
  })

  it('kubectl cp copies files both ways', async () => {
    const kubectl = await kubectlWith(env)
    await running(kubectl)
    const folder = await newHome()
    const [here, there, back] = ['here', 'there', 'back'].map((name) => path.join(folder, name)) as [
      string,
      string,
      string,
    ]
    const content = 'some text\n'.repeat(100_000)
    writeFileSync(here, content)
    expect(await kubectl.run(['cp', here, `web:${there}`])).toMatchObject({ code: 0 })
    expect(readFileSync(there, 'utf8')).toBe(content)
    expect(await kubectl.run(['cp', `web:${there}`, back])).toMatchObject({ code: 0 })
    expect(readFileSync(back, 'utf8')).toBe(content)
  })

  it('kubectl port-forward leads to a local port (P-421)', async () => {
    const kubectl = await kubectlWith(env)
    await running(kubectl)
    const forward = kubectl.follow(['port-forward', 'pod/web', ':80', ':81'])
    await expect.poll(() => forward.lines.filter((line) => line.includes('127.0.0.1'))).toHaveLength(2)
    const ports = forward.lines.flatMap((line) => /127\.0\.0\.1:(\d+) /.exec(line)?.[1] ?? [])
    for (const place of ['a', 'b']) {
      const answer = await fetch(`http://127.0.0.1:${ports[0]}/${place}`)
      expect(await answer.text()).toBe(`GET /${place}`)
    }
    await expect(fetch(`http://127.0.0.1:${ports[1]}/`)).rejects.toThrow('fetch failed')
  })

  it('kubectl attach shows what is written from then on, until the container ends', async () => {
    const kubectl = await kubectlWith(env)
    await running(kubectl)
    expect((await kubectl.run(['attach', 'talking'])).stdout).toMatch(/a\nb\nc\n$/)
  })
})

describe('kubectl logs', () => {
  it.each([
    ['written', 'one\ntwo\nthree\n'],
    ['written --tail=1', 'three\n'],
    ['written --limit-bytes=5', 'one\nt'],
    ['web', ''],
    ['talking', 'now\ntwo\nthree\n'],
    ['talking -f', 'a\nb\nc\n'],
    ['written --since-time=2300-01-01T00:00:00Z', ''],
    ['written --since=1h', 'one\ntwo\nthree\n'],
  ])('%s', async (args, said) => {
    const kubectl = await kubectlWith()
    await running(kubectl)
    expect(await kubectl.run(['logs', ...args.split(' ')])).toEqual({ code: 0, stdout: said, stderr: '' })
  })

  it('tells when lines were written', async () => {
    const kubectl = await kubectlWith()
    await running(kubectl)
    const { stdout } = await kubectl.run(['logs', 'written', '--timestamps'])
    expect(stdout).toMatch(/^(?:\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{9}Z (?:one|two|three)\n){3}$/)
  })

  it('follows a container until it ends', async () => {
    const kubectl = await kubectlWith()
    await kubectl.run(['wait', '--for=jsonpath={.status.startTime}', 'pod/ending'])
    await expect.poll(async () => (await kubectl.run(['logs', '-f', 'ending'])).stdout).toBe('done\n')
    const phase = await kubectl.run(['get', 'pod', 'ending', '-o', 'jsonpath={.status.phase}'])
    expect(phase.stdout).toBe('Succeeded')
  })

  it('says what is missing', async () => {
    const kubectl = await kubectlWith()
    await running(kubectl)
    const previous = await kubectl.run(['logs', '-p', 'web'])
    expect(previous.stderr).toContain('previous terminated container "web" in pod "web" not found')
    const waiting = await kubectl.run(['logs', 'pulling'])
    expect(waiting.stderr).toContain('container "web" in pod "pulling" is waiting to start: ImagePullBackOff')
  })
})

it('the proxy leads to ports of pods, and to the kubelet of the node', async () => {
  const kubectl = await kubectlWith()
  await running(kubectl)
  const raw = async (place: string): Promise<string> => (await kubectl.run(['get', '--raw', `/api/v1/${place}`])).stdout
  expect(await raw('namespaces/default/pods/web/proxy/a?b=c')).toBe('GET /a?b=c')
  await kubectl.run(['label', 'pod', 'web', 'app=web'])
  await kubectl.run(['create', 'service', 'clusterip', 'web', '--tcp=8080:80'])
  await expect.poll(() => raw('namespaces/default/services/web:8080/proxy/x')).toBe('GET /x')
  expect(await raw('nodes/node-0/proxy/healthz')).toBe('ok')
  const closed = await kubectl.run(['get', '--raw', '/api/v1/namespaces/default/pods/web:81/proxy/'])
  expect(closed.stderr).toContain('port 81 of pod web: connect: connection refused')
})
