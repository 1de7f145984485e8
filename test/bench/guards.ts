// What the guards around a request cost: the processor time of a consistent GET by a user whom roles let in, with flow
// control and an audit log at level Metadata, and without both. The servers run on one etcd at the same time and take turns.
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import http2 from 'node:http2'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { COMMAND } from '../rigs/command.ts'
import { startEtcd } from '../rigs/etcd-server.ts'
import { median } from './median.ts'

const ROUNDS = 20
const REQUESTS = 3000
const WIDTH = 32

interface Guarded {
  readonly name: string
  readonly child: ChildProcess
  readonly client: http2.ClientHttp2Session
  readonly adminToken: string
  /** Of a GET, in each round. */
  readonly microseconds: number[]
}

interface Place {
  readonly folder: string
  /** Where etcd is. */
  readonly endpoint: string
}

async function start(name: string, flags: readonly string[], { folder, endpoint }: Place): Promise<Guarded> {
  const kubeconfig = path.join(folder, `${name}.kubeconfig`)
  const storage = ['--etcd-servers', endpoint, '--etcd-prefix', `/${name.replaceAll(' ', '-')}`]
  const tokens = path.join(folder, 'tokens')
  const args = ['serve', ...storage, '--data-dir', folder, '--secure-port', '0', '--token-auth-file', tokens]
  const child = spawn(process.execPath, [COMMAND, ...args, '--kubeconfig-out', kubeconfig, ...flags], { stdio: 'pipe' })
  let said = ''
  const url = await new Promise<string>((resolve, reject) => {
    child.once('exit', () => reject(new Error(said)))
    child.stderr?.on('data', (chunk: Buffer) => (said += chunk.toString()))
    child.stdout?.on('data', (chunk: Buffer) => {
      said += chunk.toString()
      const found = /is listening on (\S+)/.exec(said)?.[1]
      if (found !== undefined) resolve(found)
    })
  })
  const { users } = JSON.parse(readFileSync(kubeconfig, 'utf8')) as { users: [{ user: { token: string } }] }
  const client = http2.connect(url, { rejectUnauthorized: false })
  return { name, child, client, adminToken: users[0].user.token, microseconds: [] }
}

function call(client: http2.ClientHttp2Session, token: string, target: string, body?: object): Promise<string> {
  return new Promise((resolve, reject) => {
    const method = body === undefined ? 'GET' : 'POST'
    const stream = client.request({
      ':method': method,
      ':path': target,
      authorization: `Bearer ${token}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    })
    let text = ''
    let status = 0
    stream.on('response', (headers) => (status = Number(headers[':status'])))
    stream.on('data', (chunk: Buffer) => (text += chunk.toString()))
    stream.on('end', () => (status < 300 ? resolve(text) : reject(new Error(`${target}: ${status} ${text}`))))
    stream.on('error', reject)
    stream.end(body === undefined ? undefined : JSON.stringify(body))
  })
}

async function prepare({ client, adminToken }: Guarded): Promise<void> {
  const make = (target: string, body: object): Promise<string> => call(client, adminToken, target, body)
  const rbac = '/apis/rbac.authorization.k8s.io/v1/namespaces/default'
  const metadata = { name: 'reader' }
  const apiGroup = 'rbac.authorization.k8s.io'
  await make('/api/v1/namespaces/default/configmaps', { metadata: { name: 'm' }, data: { k: 'v'.repeat(500) } })
  await make(`${rbac}/roles`, { metadata, rules: [{ apiGroups: [''], resources: ['configmaps'], verbs: ['get'] }] })
  const subjects = [{ kind: 'User', apiGroup, name: 'reader' }]
  await make(`${rbac}/rolebindings`, { metadata, roleRef: { apiGroup, kind: 'Role', name: 'reader' }, subjects })
}

async function processorSeconds({ client, adminToken }: Guarded): Promise<number> {
  const text = await call(client, adminToken, '/metrics')
  return Number(/^process_cpu_seconds_total (\S+)$/m.exec(text)?.[1])
}

async function measure(server: Guarded): Promise<void> {
  const before = await processorSeconds(server)
  let left = REQUESTS
  const worker = async (): Promise<void> => {
    while (left-- > 0) await call(server.client, 'reader-token', '/api/v1/namespaces/default/configmaps/m')
  }
  await Promise.all(Array.from({ length: WIDTH }, worker))
  const seconds = (await processorSeconds(server)) - before
  server.microseconds.push((seconds / REQUESTS) * 1e6)
}

export async function bench(): Promise<void> {
  await using etcd = await startEtcd()
  const folder = mkdtempSync(path.join(tmpdir(), 'quarterdeck-bench-'))
  const policy = path.join(folder, 'policy.yaml')
  writeFileSync(policy, 'apiVersion: audit.k8s.io/v1\nkind: Policy\nrules:\n- level: Metadata\n')
  writeFileSync(path.join(folder, 'tokens'), 'reader-token,reader,reader-uid\n')
  const audit = ['--audit-policy-file', policy, '--audit-log-path', path.join(folder, 'audit.log')]
  const open = [
    '--enable-priority-and-fairness=false',
    '--max-requests-inflight',
    '0',
    '--max-mutating-requests-inflight',
    '0',
  ]
  const place = { folder, endpoint: etcd.endpoint }
  const servers = [
    await start('unguarded', open, place),
    await start('flow control', [], place),
    await start('flow control and audit', audit, place),
  ]
  try {
    for (const server of servers) await prepare(server)
    for (let round = 0; round < ROUNDS; round++) for (const server of servers) await measure(server)
    const [base] = servers
    for (const { name, microseconds } of servers) {
      // Round by round: a machine may be half as fast a minute later, but hardly from one turn to the next.
      const more = microseconds.map((each, round) => (each / base!.microseconds[round]! - 1) * 100)
      const told = `${median(microseconds).toFixed(1)} µs of processor a GET, ${median(more).toFixed(0)} % more`
      process.stdout.write(`  ${name.padEnd(24)} ${told}\n`)
    }
  } finally {
    for (const { child, client } of servers) {
      client.destroy()
      child.kill()
    }
    rmSync(folder, { recursive: true, force: true })
  }
}
