// This build beside another one (`OTHER=…/dist/quarterdeck.js make bench ONLY=builds`): the processor time of small requests, of large writes, and of
// the first creates after a start. Both servers run at the same time and take turns; a ratio is the median of those of the rounds. Two processes
// of one build differ by a quarter, by what V8 happened to optimize. Therefore RUNS (1 by default) starts both again, each time in the other
// order, and the last ratio is the median of the runs. PART is small, large or first; OPERATION a pattern of the operations to run.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { type ApiAnswer, type ApiClient, clientOf } from '../rigs/api-client.ts'
import { COMMAND } from '../rigs/command.ts'
import { threadMillisecondsOf } from '../rigs/process-measures.ts'
import { ServerProcess } from '../rigs/server-process.ts'
import { median } from './median.ts'

const ROUNDS = { small: 80, large: 5 } as const
const CALLERS = 16
const WARM_UP = 4_000
const CALLS = 100
const FIRST = 5_000
const STARTS = 3
const RUNS = Number(process.env['RUNS'] ?? 1)
const SEEDED = 400
const MAPS = '/api/v1/namespaces/default/configmaps'
const DEPLOYMENTS = '/apis/apps/v1/namespaces/default/deployments'
const PODS = '/api/v1/namespaces/default/pods'
const SERVICE_ACCOUNT = '/api/v1/namespaces/default/serviceaccounts/default'
const YAML_TYPE = 'application/yaml'
const MERGE = 'application/merge-patch+json'
const STRATEGIC = 'application/strategic-merge-patch+json'
const JSON_PATCH = 'application/json-patch+json'
const APPLY = 'application/apply-patch+yaml'

interface Build {
  readonly server: ServerProcess
  readonly client: ApiClient
  readonly folder: string
  calls: number
}

interface Request {
  readonly method: string
  readonly path: string
  readonly body?: object | string
  readonly contentType?: string
  readonly status: number
}

/** `n` is another number for each call. */
type Operation = (n: number) => Request

export async function bench(): Promise<void> {
  const asked = new RegExp(process.env['OPERATION'] ?? '')
  const commands = [process.env['OTHER'] ?? COMMAND, COMMAND]
  const wants = (part: string): boolean => (process.env['PART'] ?? part) === part
  if (wants('first')) await benchFirst(commands)
  const small = Object.entries(SMALL).filter(([name]) => wants('small') && asked.test(name))
  const large = Object.entries(LARGE).filter(([name]) => wants('large') && asked.test(name))
  const ratios = new Map<string, number[]>()
  for (let run = 0; run < RUNS; run++) {
    const builds: Build[] = []
    try {
      for (const command of run % 2 === 0 ? commands : commands.toReversed()) builds.push(await start(command))
      for (const build of builds) await seed(build)
      if (run % 2 === 1) builds.reverse()
      for (const [name, operation] of small) note(ratios, name, await compareSmall(builds, name, operation))
      for (const [name, operation] of large) note(ratios, name, await compareLarge(builds, name, operation))
    } finally {
      for (const build of builds) await stop(build)
    }
  }
  for (const [name, of] of ratios) process.stdout.write(`${name.padEnd(34)} ${RUNS} runs: ${median(of).toFixed(3)}\n`)
}

function note(ratios: Map<string, number[]>, name: string, ratio: number): void {
  ratios.set(name, [...(ratios.get(name) ?? []), ratio])
}

async function start(command: string): Promise<Build> {
  const folder = mkdtempSync(path.join(tmpdir(), 'quarterdeck-bench-'))
  const server = new ServerProcess(['serve', '--in-memory', '--secure-port', '0'], folder, {}, command)
  await server.listening()
  return { server, client: clientOf(server), folder, calls: 0 }
}

async function stop({ server, client, folder }: Build): Promise<void> {
  client[Symbol.dispose]()
  await server.stop()
  rmSync(folder, { recursive: true, force: true })
}

function configMap(name: string, note: string): object {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, labels: { app: 'bench' } }, data: { note, filler } }
}
const filler = 'v'.repeat(1_000)

function deployment(name: string, note: string, variables = 10): object {
  const labels = { app: name }
  const env = Array.from({ length: variables }, (_, i) => ({ name: `VARIABLE_${i}`, value: `value-${i}` }))
  const probe = { httpGet: { path: '/ready', port: 8080 } }
  const ports = [{ containerPort: 8080, name: 'http' }]
  const containers = [{ name: 'main', image: 'example.com/app:v1', env, ports, readinessProbe: probe }]
  const template = { metadata: { labels }, spec: { containers } }
  const metadata = { name, annotations: { note } }
  return { apiVersion: 'apps/v1', kind: 'Deployment', metadata, spec: { selector: { matchLabels: labels }, template } }
}

function pod(name: string, note: string): object {
  const { template } = (deployment(name, note) as { spec: { template: { spec: object } } }).spec
  const spec = { ...template.spec, automountServiceAccountToken: false }
  return { apiVersion: 'v1', kind: 'Pod', metadata: { name, annotations: { note } }, spec }
}

async function seed({ client }: Build): Promise<void> {
  // Pods need the service account, which comes a moment after the start.
  while ((await client.send('GET', SERVICE_ACCOUNT)).status !== 200) await setTimeout(50)
  for (let i = 0; i < SEEDED; i++) {
    await expectStatus(201, client.send('POST', MAPS, { body: configMap(`o-${i}`, 'seed') }))
    await expectStatus(201, client.send('POST', DEPLOYMENTS, { body: deployment(`o-${i}`, 'seed') }))
    await expectStatus(201, client.send('POST', PODS, { body: pod(`o-${i}`, 'seed') }))
  }
  await expectStatus(201, client.send('POST', MAPS, { body: largeMap('large') }))
  await expectStatus(201, client.send('POST', DEPLOYMENTS, { body: largeDeployment('large') }))
}

async function expectStatus(status: number, answer: Promise<ApiAnswer>): Promise<void> {
  const got = await answer
  if (got.status !== status) throw new Error(`${got.status}: ${got.text.slice(0, 1000)}`)
}

const one = (n: number): string => `o-${(n * 7919) % SEEDED}`

const SMALL: Readonly<Record<string, Operation>> = {
  GET: (n) => ({ method: 'GET', path: `${DEPLOYMENTS}/${one(n)}`, status: 200 }),
  'LIST of 50': () => ({ method: 'GET', path: `${DEPLOYMENTS}?limit=50`, status: 200 }),
  'create config map': (n) => ({ method: 'POST', path: MAPS, body: configMap(`c-${n}`, 'new'), status: 201 }),
  'create deployment': (n) => ({ method: 'POST', path: DEPLOYMENTS, body: deployment(`c-${n}`, 'new'), status: 201 }),
  'update config map': (n) => ({
    method: 'PUT',
    path: `${MAPS}/${one(n)}`,
    body: configMap(one(n), String(n)),
    status: 200,
  }),
  'update deployment': (n) => ({
    method: 'PUT',
    path: `${DEPLOYMENTS}/${one(n)}`,
    body: deployment(one(n), String(n)),
    status: 200,
  }),
  'merge patch': (n) => ({
    method: 'PATCH',
    path: `${DEPLOYMENTS}/${one(n)}`,
    body: { metadata: { annotations: { note: String(n) } } },
    contentType: MERGE,
    status: 200,
  }),
  'json patch': (n) => ({
    method: 'PATCH',
    path: `${DEPLOYMENTS}/${one(n)}`,
    body: [{ op: 'replace', path: '/metadata/annotations/note', value: String(n) }],
    contentType: JSON_PATCH,
    status: 200,
  }),
  'strategic merge patch of a pod': (n) => ({
    method: 'PATCH',
    path: `${PODS}/${one(n)}`,
    body: { spec: { containers: [{ name: 'main', image: `example.com/app:v${n}` }] } },
    contentType: STRATEGIC,
    status: 200,
  }),
  'update status': (n) => ({
    method: 'PUT',
    path: `${DEPLOYMENTS}/${one(n)}/status`,
    body: { ...deployment(one(n), 'status'), status: { observedGeneration: n, replicas: 1, updatedReplicas: 1 } },
    status: 200,
  }),
  'patch the status of a pod': (n) => ({
    method: 'PATCH',
    path: `${PODS}/${one(n)}/status`,
    body: { status: { conditions: [{ type: 'Ready', status: n % 2 === 0 ? 'True' : 'False', message: String(n) }] } },
    contentType: STRATEGIC,
    status: 200,
  }),
  apply: (n) => ({
    method: 'PATCH',
    path: `${DEPLOYMENTS}/${one(n)}?fieldManager=bench&force=true`,
    body: deployment(one(n), String(n)),
    contentType: APPLY,
    status: 200,
  }),
}

/** A thousand values of a hundred bytes. */
function largeMap(name: string, note = '', values = 1_000): object {
  const data = Object.fromEntries(Array.from({ length: values }, (_, i) => [`key-${i}`, 'v'.repeat(100)]))
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, annotations: { note } }, data }
}

const largeDeployment = (name: string, note = '', variables = 8_000): object => deployment(name, note, variables)

/** 3 MB, a third of it in values that are wrong. */
const refusedDeployment = (name: string): object => ({
  ...largeDeployment(name, '', 60_000),
  spec: { replicas: -1, ...specOf(60_000) },
})
const specOf = (variables: number): object => (deployment('refused', '', variables) as { spec: object }).spec

function yamlOf(deploymentObject: object): string {
  const { spec, metadata } = deploymentObject as {
    spec: { template: { spec: { containers: { env: object[] }[] } } }
    metadata: object
  }
  const env = spec.template.spec.containers[0]!.env.map((variable) => {
    const { name, value } = variable as { name: string; value: string }
    return `        - name: ${name}\n          value: ${value}\n`
  })
  const { name, annotations } = metadata as { name: string; annotations: { note: string } }
  return [
    `apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: ${name}\n  annotations:\n    note: "${annotations.note}"\n`,
    `spec:\n  selector:\n    matchLabels:\n      app: ${name}\n  template:\n    metadata:\n      labels:\n        app: ${name}\n`,
    `    spec:\n      containers:\n      - name: main\n        image: example.com/app:v1\n        env:\n`,
    ...env,
  ].join('')
}

const at = (name: string): string => `${DEPLOYMENTS}/${name}`

const LARGE: Readonly<Record<string, Operation>> = {
  'create 120 KB config map': (n) => ({ method: 'POST', path: MAPS, body: largeMap(`l-${n}`), status: 201 }),
  'update 120 KB config map': (n) => ({
    method: 'PUT',
    path: `${MAPS}/large`,
    body: largeMap('large', `${n}`),
    status: 200,
  }),
  'create 400 KB': (n) => ({
    method: 'POST',
    path: `${DEPLOYMENTS}?dryRun=All`,
    body: largeDeployment(`l-${n}`),
    status: 201,
  }),
  'create 400 KB of YAML': (n) => ({
    method: 'POST',
    path: `${DEPLOYMENTS}?dryRun=All`,
    body: yamlOf(largeDeployment(`l-${n}`)),
    contentType: YAML_TYPE,
    status: 201,
  }),
  'update 400 KB': (n) => ({ method: 'PUT', path: at('large'), body: largeDeployment('large', `${n}`), status: 200 }),
  'merge patch of 400 KB': (n) => ({
    method: 'PATCH',
    path: at('large'),
    body: { metadata: { annotations: { note: `${n}` } } },
    contentType: MERGE,
    status: 200,
  }),
  'apply 400 KB': (n) => ({
    method: 'PATCH',
    path: `${at('large')}?fieldManager=bench&force=true`,
    body: largeDeployment('large', `${n}`),
    contentType: APPLY,
    status: 200,
  }),
  'apply 400 KB of YAML': (n) => ({
    method: 'PATCH',
    path: `${at('large')}?fieldManager=bench&force=true`,
    body: yamlOf(largeDeployment('large', `${n}`)),
    contentType: APPLY,
    status: 200,
  }),
  'refused create of 2.8 MB': () => ({
    method: 'POST',
    path: DEPLOYMENTS,
    body: refusedDeployment('refused'),
    status: 422,
  }),
  'refused create of 2.8 MB of YAML': () => ({
    method: 'POST',
    path: DEPLOYMENTS,
    body: `${yamlOf(largeDeployment('refused', '', 45_000))}  replicas: -1\n`,
    contentType: YAML_TYPE,
    status: 422,
  }),
  'refused apply of 2.8 MB': () => ({
    method: 'PATCH',
    path: `${at('refused')}?fieldManager=bench&force=true`,
    body: refusedDeployment('refused'),
    contentType: APPLY,
    status: 422,
  }),
  'conflict of a 400 KB update': () => {
    const body = largeDeployment('large') as { metadata: object }
    const stale = { ...body, metadata: { ...body.metadata, resourceVersion: '1' } }
    return { method: 'PUT', path: at('large'), body: stale, status: 409 }
  },
}

async function ask(build: Build, operation: Operation, count: number, callers = CALLERS): Promise<void> {
  let left = count
  const caller = async (): Promise<void> => {
    while (left-- > 0) {
      const { method, path: target, status, ...sending } = operation(build.calls++)
      await expectStatus(status, build.client.send(method, target, sending))
    }
  }
  await Promise.all(Array.from({ length: callers }, caller))
}

/** Microseconds a call. */
async function timed(build: Build, operation: Operation, count: number, callers?: number): Promise<number> {
  const { pid } = build.server.child
  const before = threadMillisecondsOf(pid)
  await ask(build, operation, count, callers)
  return ((threadMillisecondsOf(pid) - before) * 1000) / count
}

interface Size {
  readonly rounds: number
  readonly warmUp: number
  readonly calls: number
  readonly callers: number
}

async function compare(builds: readonly Build[], name: string, operation: Operation, size: Size): Promise<number> {
  const figures = new Map<Build, number[]>(builds.map((build) => [build, []]))
  for (const build of builds) await ask(build, operation, size.warmUp, size.callers)
  for (let round = 0; round < size.rounds; round++) {
    for (const build of round % 2 === 0 ? builds : builds.toReversed()) {
      figures.get(build)!.push(await timed(build, operation, size.calls, size.callers))
    }
  }
  const [other, own] = builds.map((build) => figures.get(build)!) as [number[], number[]]
  return tell(name, [other, own])
}

const compareSmall = (builds: readonly Build[], name: string, operation: Operation): Promise<number> =>
  compare(builds, name, operation, {
    rounds: ROUNDS.small,
    warmUp: name.startsWith('LIST') ? WARM_UP / 20 : WARM_UP,
    calls: name.startsWith('LIST') ? CALLS / 10 : CALLS,
    callers: CALLERS,
  })

const compareLarge = (builds: readonly Build[], name: string, operation: Operation): Promise<number> =>
  compare(builds, name, operation, { rounds: ROUNDS.large, warmUp: 3, calls: 2, callers: 1 })

/** Gives the ratio of the medians. */
function tell(name: string, [other, own]: readonly [readonly number[], readonly number[]]): number {
  const micros = (values: readonly number[]): string =>
    `${Math.round(median(values)).toLocaleString('en')} µs`.padStart(12)
  const ratio = median(own.map((value, i) => value / other[i]!))
  const sum = (values: readonly number[]): number => values.reduce((a, b) => a + b, 0)
  const ofMedians = median(own) / median(other)
  const ratios = `ratio ${ratio.toFixed(3)}, of medians ${ofMedians.toFixed(3)}, of sums ${(sum(own) / sum(other)).toFixed(3)}`
  process.stdout.write(`${name.padEnd(34)} ${micros(other)} ${micros(own)}  ${ratios}\n`)
  return ofMedians
}

/** Of a server that has just started. */
async function benchFirst(commands: readonly string[]): Promise<void> {
  const figures = commands.map(() => ({ first: [] as number[], warm: [] as number[] }))
  for (let i = 0; i < STARTS; i++) {
    for (const [at, command] of commands.entries()) {
      const build = await start(command)
      const create = SMALL['create config map']!
      figures[at]!.first.push(await timed(build, create, FIRST))
      await ask(build, create, 4 * FIRST)
      figures[at]!.warm.push(await timed(build, create, FIRST))
      await stop(build)
    }
  }
  const [other, own] = figures.map(({ first }) => first) as [number[], number[]]
  tell('the first 5,000 creates', [other, own])
  const [otherWarm, ownWarm] = figures.map(({ warm }) => warm) as [number[], number[]]
  tell('creates 25,001 to 30,000', [otherWarm, ownWarm])
}
