// Two servers with the same seed and a time that is moved by hand give the same answers, byte by byte.
import { fork } from 'node:child_process'
import { generateKeyPairSync } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, it, vi } from 'vitest'
import { type Server, startServer } from '../../src/index.ts'
import { freePort } from '../rigs/free-port.ts'
import { newHome } from '../rigs/server-process.ts'
import { IS_WHOLE } from '../rigs/whole.ts'

/** By scenario: method, path, status, headers and body of each answer; of a watch its events. */
type Answers = Readonly<Record<string, readonly (readonly unknown[])[]>>

/** What two runs have in common besides the seed: the port and the keys. */
interface Home {
  readonly folder: string
  readonly port: number
}

async function openHome(): Promise<Home> {
  const folder = await newHome()
  writeFileSync(
    path.join(folder, 'tokens.csv'),
    'admin-token,replay-admin,replay-admin-uid,system:masters\nuser-token,replay-user,replay-user-uid\n',
  )
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  writeFileSync(path.join(folder, 'accounts.key'), privateKey.export({ type: 'pkcs8', format: 'pem' }))
  return { folder, port: await freePort() }
}

function startSeeded({ folder, port }: Home, seed: string): Promise<Server> {
  return startServer({
    clock: 'virtual',
    seed,
    port,
    flags: {
      'token-auth-file': path.join(folder, 'tokens.csv'),
      'cert-dir': path.join(folder, 'certificates'),
      'service-account-signing-key-file': path.join(folder, 'accounts.key'),
      'service-account-issuer': 'https://kubernetes.default.svc.cluster.local',
      'service-cluster-ip-range': '10.96.0.0/16',
      'authorization-mode': 'Node,RBAC',
      'disable-admission-plugins': 'NodeRestriction',
    },
  })
}

async function replay(home: Home, seed: string, scenarios: string): Promise<Answers> {
  const raw = path.join(home.folder, 'answers.json')
  await using server = await startSeeded(home, seed)
  const child = fork(
    path.join(import.meta.dirname, 'replay.mjs'),
    ['verify', '--server', server.url, '--token', 'admin-token', '--insecure', '--raw', raw, '--only', scenarios],
    {
      env: { ...process.env, REPLAY_USER_TOKEN: 'user-token' },
      execArgv: [],
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    },
  )
  child.on('message', ({ id, advanceMs }: { id: string; advanceMs: number }) => {
    void server.clock.advance(advanceMs).then(() => child.send(id))
  })
  await once(child, 'close')
  return JSON.parse(readFileSync(raw, 'utf8')) as Answers
}

const FIRST_OBJECTS = [
  '/api/v1/namespaces',
  '/api/v1/serviceaccounts',
  '/api/v1/configmaps',
  '/api/v1/services',
  '/apis/apiregistration.k8s.io/v1/apiservices',
  '/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas',
  '/apis/rbac.authorization.k8s.io/v1/clusterroles',
  '/apis/rbac.authorization.k8s.io/v1/rolebindings',
  '/apis/scheduling.k8s.io/v1/priorityclasses',
]

/** The first objects of a server, as it lists them. */
async function firstObjects(server: Server): Promise<Answers> {
  const client = server.client()
  const answers: (readonly unknown[])[] = []
  for (const path of FIRST_OBJECTS) {
    const { status, text } = await client.request({ method: 'GET', path })
    answers.push(['GET', path, status, text])
  }
  return { 'first objects': answers }
}

/** As if another program had the processor at any moment, for longer than anything takes here that is timed. */
function holdUpAtRandom(): Disposable {
  const now = performance.now.bind(performance)
  let heldUpMs = 0
  return vi.spyOn(performance, 'now').mockImplementation(() => {
    if (Math.random() < 0.1) heldUpMs += Math.random() * 20
    return now() + heldUpMs
  })
}

/** Where the first differs from the second. */
function differences(first: Answers, second: Answers): string[] {
  return Object.entries(first).flatMap(([name, answers]) => {
    const others = second[name] ?? []
    if (answers.length !== others.length) return [`${name}: ${answers.length} and ${others.length} answers`]
    return answers.flatMap((answer, i) => {
      const [one, other] = [JSON.stringify(answer), JSON.stringify(others[i])]
      if (one === other) return []
      let at = 0
      while (one[at] === other[at]) at++
      const [from, to] = [Math.max(0, at - 80), at + 80]
      return [
        `${name}, ${String(answer[0])} ${String(answer[1])}: …${one.slice(from, to)}… and …${other.slice(from, to)}…`,
      ]
    })
  })
}

function uidsIn(answers: Answers): Set<string> {
  return new Set(JSON.stringify(answers).match(/[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/g))
}

/** `make test-conformance` asks for all scenarios. */
const [PART, LEAST_ANSWERS] = IS_WHOLE ? ['', 3_000] : ['writes/create', 100]

it('the same seed gives the same answers to the scenarios of the reference, byte by byte', async () => {
  const home = await openHome()
  const first = await replay(home, 'a', PART)
  using _ = holdUpAtRandom()
  const second = await replay(home, 'a', PART)
  expect(differences(first, second)).toEqual([])
  expect(Object.values(first).flat().length).toBeGreaterThan(LEAST_ANSWERS)
})

it('the same seed writes the first objects in the same order, whatever the machine does meanwhile', async () => {
  const home = await openHome()
  let first: Answers | undefined
  for (let i = 0; i < 10; i++) {
    using _ = i === 0 ? undefined : holdUpAtRandom()
    await using server = await startSeeded(home, 'a')
    const found = await firstObjects(server)
    first ??= found
    expect(differences(first, found)).toEqual([])
  }
  expect(JSON.stringify(first)).toContain('kube-root-ca.crt')
})

it('another seed gives others', async () => {
  const home = await openHome()
  const first = await replay(home, 'a', 'writes/create')
  const second = await replay(home, 'b', 'writes/create')
  expect(differences(first, second)).not.toEqual([])
  const [uids, others] = [uidsIn(first), uidsIn(second)]
  expect(uids.size).toBeGreaterThan(20)
  expect([...uids].filter((uid) => others.has(uid))).toEqual([])
})
