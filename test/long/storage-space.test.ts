// A server whose etcd runs out of space: what its clients and its operator are told, and how it is healed.
import { expect, it, onTestFinished } from 'vitest'
import { type EtcdServer, startEtcd } from '../rigs/etcd-server.ts'
import { newHome, runCommand, type ServerProcess, startServerProcess } from '../rigs/server-process.ts'

const QUOTA_BYTES = 16_000_000
const MAPS = '/api/v1/namespaces/default/configmaps'

interface Told {
  readonly findings: readonly { readonly check: string; readonly problem: string; readonly fixed?: boolean }[]
}

async function write(server: ServerProcess, text: string, name = 'large'): Promise<{ status: number; body: string }> {
  const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: { text } }
  const call = { token: server.adminToken, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
  const updated = await server.request(`${MAPS}/${name}`, { ...call, method: 'PUT' })
  return updated.status === 404 ? server.request(MAPS, { ...call, method: 'POST' }) : updated
}

interface OnSmallEtcd {
  readonly server: ServerProcess
  readonly etcd: EtcdServer
  readonly home: string
  /** On standard error. */
  readonly said: { readonly text: string }
}

async function startOnSmallEtcd(...flags: readonly string[]): Promise<OnSmallEtcd> {
  const etcd = await startEtcd({ flags: [`--quota-backend-bytes=${QUOTA_BYTES}`] })
  onTestFinished(() => etcd[Symbol.asyncDispose]())
  const home = await newHome()
  const server = await startServerProcess(['--etcd-servers', etcd.endpoint, ...flags], home)
  const said = { text: '' }
  server.child.stderr?.on('data', (chunk: Buffer) => (said.text += chunk.toString()))
  return { server, etcd, home, said }
}

/** Until a write is refused: the answer to that. */
async function fill(server: ServerProcess): Promise<{ status: number; body: string }> {
  let answer = { status: 0, body: '' }
  for (let i = 0; i < 60 && answer.status < 500; i++) answer = await write(server, String(i % 10).repeat(1_000_000))
  return answer
}

it('an etcd without space refuses writes, is told once with what to do, and is healed by the doctor', async () => {
  const { server, etcd, home, said } = await startOnSmallEtcd()
  const metrics = (await server.request('/metrics', { token: server.adminToken })).body
  expect(metrics).toContain(`quarterdeck_storage_quota_bytes{storage_cluster_id="etcd-0"} ${QUOTA_BYTES}\n`)
  expect(metrics).toMatch(/^quarterdeck_storage_available_bytes\{[^}]*\} [1-9]/m)

  expect((await write(server, 'x', 'small')).status).toBe(201)
  const refused = await fill(server)
  expect(refused.status).toBe(500)
  expect(JSON.parse(refused.body)).toMatchObject({ reason: 'InternalError', message: expect.stringContaining('space') })
  // Others are read, and what makes room is taken.
  expect((await server.request('/readyz')).status).toBe(200)
  const removed = await server.request(`${MAPS}/small`, { method: 'DELETE', token: server.adminToken })
  expect(removed.status).toBe(200)
  await expect.poll(() => said.text).toContain('"msg":"storage is out of space; writes are refused"')
  expect(said.text).toContain('etcdctl alarm disarm')

  const doctor = async (...flags: readonly string[]): Promise<{ code: number | null; space: Told['findings'] }> => {
    const args = ['doctor', `--etcd-servers=${etcd.endpoint}`, '--output=json', ...flags]
    const { code, stdout } = await runCommand(args, home)
    const { findings } = JSON.parse(stdout) as Told
    return { code, space: findings.filter(({ check }) => check === 'storage') }
  }
  const found = await doctor()
  expect(found.code).toBe(1)
  expect(found.space.map(({ problem }) => problem)).toEqual([
    expect.stringContaining('NOSPACE'),
    expect.stringContaining('and its quota is 16 MB'),
  ])
  expect((await doctor('--fix')).space[0]).toMatchObject({ fixed: true })
  expect((await write(server, 'small')).status).toBe(200)
  expect((await doctor()).space).toEqual([])
  expect(said.text.match(/"msg":"storage is out of space/g)).toHaveLength(1)
})

it('an etcd that the server may defragment is healed by it', async () => {
  const { server, said } = await startOnSmallEtcd('--etcd-defrag-free-percent=50')
  expect((await fill(server)).status).toBe(500)
  await expect.poll(() => said.text).toContain('"msg":"etcd was compacted and defragmented, and its alarm disarmed"')
  expect((await write(server, 'small')).status).toBe(200)
})
