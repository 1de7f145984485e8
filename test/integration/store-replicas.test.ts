// Two replicas on one store of ours, with certificates on both ends, and no etcd: what is written to one is read from the other, also
// when the store was killed and started again.
import path from 'node:path'
import { readFile, writeFile } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { openEtcd } from '../../src/kv/etcd/etcd.ts'
import { makeEtcdCertificates } from '../fakes/etcd-tls.ts'
import { newHome, type ServerProcess, startServerProcess } from '../rigs/server-process.ts'
import { StoreProcess } from '../rigs/store-process.ts'

const COLLECTION = '/api/v1/namespaces/default/configmaps'

interface ApiAnswer {
  readonly metadata: { readonly resourceVersion: string; readonly name: string }
  readonly items?: readonly ApiAnswer[]
}

async function create(replica: ServerProcess, name: string): Promise<number> {
  const body = JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } })
  const headers = { 'content-type': 'application/json' }
  const { status } = await replica.request(COLLECTION, { method: 'POST', token: replica.adminToken, headers, body })
  return status
}

async function list(replica: ServerProcess): Promise<readonly string[]> {
  const answer = await replica.request(COLLECTION, { token: replica.adminToken })
  expect(answer.status).toBe(200)
  return ((JSON.parse(answer.body) as ApiAnswer).items ?? []).map(({ metadata }) => metadata.name)
}

it('two replicas share a store over mutual TLS, and lose nothing when it is killed', async () => {
  const home = await newHome()
  const { client, files } = await makeEtcdCertificates(home)
  const [certFile, keyFile] = [path.join(home, 'client.crt'), path.join(home, 'client.key')]
  await writeFile(certFile, client.certificate)
  await writeFile(keyFile, client.key)
  await using store = await StoreProcess.start([
    '--listen-client-urls=https://127.0.0.1:0',
    `--cert-file=${files.certificate}`,
    `--key-file=${files.key}`,
    `--trusted-ca-file=${files.ca}`,
  ])
  const start = (name: string): Promise<ServerProcess> =>
    startServerProcess(
      [
        `--etcd-servers=${store.endpoint}`,
        `--etcd-cafile=${files.ca}`,
        `--etcd-certfile=${certFile}`,
        `--etcd-keyfile=${keyFile}`,
        `--data-dir=${path.join(home, name)}`,
        '--secure-port=0',
      ],
      home,
    )
  const first = await start('replica-1')
  const second = await start('replica-2')
  const written: string[] = []
  for (let round = 0; round < 20; round++) {
    const [writer, reader] = round % 2 === 0 ? [first, second] : [second, first]
    if (round === 10) {
      await store.kill()
      await store.start()
    }
    expect([round, await create(writer, `c-${round}`)]).toEqual([round, 201])
    written.push(`c-${round}`)
    expect(await list(reader)).toEqual(expect.arrayContaining(written))
  }
  for (const replica of [first, second]) expect(await replica.stop()).toMatchObject({ code: 0 })
  expect(await store.stop()).toBe(0)
})

it('a client without a certificate is not let in', async () => {
  const home = await newHome()
  const { files } = await makeEtcdCertificates(home)
  await using store = await StoreProcess.start([
    '--in-memory',
    '--listen-client-urls=https://127.0.0.1:0',
    `--cert-file=${files.certificate}`,
    `--key-file=${files.key}`,
    `--trusted-ca-file=${files.ca}`,
  ])
  const options = { endpoints: [store.endpoint], prefix: '/registry/', openTimeoutMs: 2000 }
  const opening = openEtcd({ ...options, tls: { ca: await readFile(files.ca, 'utf8') } }, AbortSignal.timeout(20_000))
  await expect(opening).rejects.toMatchObject({ name: 'KvError', code: 'denied' })
})

it('a replica uses a store over a Unix socket', async () => {
  const home = await newHome()
  const socket = `unix://${home}/store.sock`
  await using store = await StoreProcess.start(['--in-memory', `--listen-client-urls=${socket}`])
  expect(store.endpoint).toBe(socket)
  const replica = await startServerProcess([`--etcd-servers=${socket}`, '--secure-port=0'], home)
  expect(await create(replica, 'c')).toBe(201)
  expect(await list(replica)).toContain('c')
  expect(await replica.stop()).toMatchObject({ code: 0 })
})
