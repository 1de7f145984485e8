// Controllers across replicas: one runs them, another takes over within seconds when it dies, and each can be switched off.
import { describe, expect, it, onTestFinished } from 'vitest'
import { DEFINITIONS, definedKind, definitionOf } from '../corpora/defined-kinds.ts'
import { startEtcd } from '../rigs/etcd-server.ts'
import { newHome, type ServerProcess, startServerProcess } from '../rigs/server-process.ts'

const MAPS = '/api/v1/namespaces/default/configmaps'
const KIND = definedKind('taken-over.example.com')
const THINGS = `/apis/${KIND.apiVersion}/namespaces/default/things`
const LEASE = '/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/quarterdeck-controllers'

class Client {
  readonly #server: ServerProcess

  constructor(server: ServerProcess) {
    this.#server = server
  }

  async send(method: string, path: string, body?: object): Promise<{ status: number; body: ApiObject }> {
    const token = this.#server.adminToken
    const headers = { 'content-type': 'application/json' }
    const sent = body === undefined ? {} : { headers, body: JSON.stringify(body) }
    const answer = await this.#server.request(path, { method, token, ...sent })
    return { status: answer.status, body: JSON.parse(answer.body) as ApiObject }
  }

  /** An owner and what it owns; tells when the latter is gone after the former was deleted. */
  async orphan(name: string): Promise<void> {
    const owner = await this.send('POST', MAPS, { metadata: { name } })
    const { uid } = owner.body.metadata
    const reference = { apiVersion: 'v1', kind: 'ConfigMap', name, uid }
    await this.send('POST', MAPS, { metadata: { name: `${name}-child`, ownerReferences: [reference] } })
    await this.send('DELETE', `${MAPS}/${name}`)
  }

  /** Whether there is an object of a custom kind, and what it owns, because they were made now. */
  async isCustomOwner(name: string): Promise<boolean> {
    const { apiVersion, kind } = KIND
    const owner = await this.send('POST', THINGS, { apiVersion, kind, metadata: { name } })
    if (owner.status !== 201) return false
    const reference = { apiVersion, kind, name, uid: owner.body.metadata.uid, blockOwnerDeletion: true }
    const metadata = { name: `${name}-child`, ownerReferences: [reference] }
    return (await this.send('POST', MAPS, { metadata })).status === 201
  }

  async isThere(name: string): Promise<boolean> {
    return (await this.send('GET', `${MAPS}/${name}`)).status === 200
  }

  async holder(): Promise<string> {
    return (await this.send('GET', LEASE)).body.spec?.holderIdentity ?? ''
  }
}

interface ApiObject {
  readonly metadata: { readonly uid: string }
  readonly spec?: { readonly holderIdentity?: string }
}

describe('controllers of two replicas on one etcd (D17)', () => {
  it('are taken over within seconds from a replica that was killed', async () => {
    const etcd = await startEtcd()
    onTestFinished(() => etcd[Symbol.asyncDispose]())
    const start = async (): Promise<ServerProcess> =>
      startServerProcess(['--etcd-servers', etcd.endpoint], await newHome())
    const first = await start()
    const one = new Client(first)
    await expect.poll(() => one.holder()).not.toBe('')
    const holder = await one.holder()
    const two = new Client(await start())
    await two.orphan('a')
    await expect.poll(() => two.isThere('a-child')).toBe(false)
    expect(await two.holder()).toBe(holder)
    await one.send('POST', DEFINITIONS, definitionOf(KIND))
    await expect.poll(() => two.isCustomOwner('before')).toBe(true)

    await first.stop('SIGKILL')
    await two.orphan('b')
    await two.isCustomOwner('after')
    await two.send('DELETE', `${THINGS}/before`)
    await two.send('DELETE', `${THINGS}/after?propagationPolicy=Foreground`)
    await expect.poll(() => two.isThere('b-child'), { interval: 100 }).toBe(false)
    expect(await two.holder()).not.toBe(holder)
    await expect.poll(() => two.isThere('before-child')).toBe(false)
    await expect.poll(() => two.isThere('after-child')).toBe(false)
    await expect.poll(async () => (await two.send('GET', `${THINGS}/after`)).status).toBe(404)
  })

  it('are given back by a replica that stops', async () => {
    const etcd = await startEtcd()
    onTestFinished(() => etcd[Symbol.asyncDispose]())
    const server = await startServerProcess(['--etcd-servers', etcd.endpoint], await newHome())
    const client = new Client(server)
    await expect.poll(() => client.holder()).not.toBe('')
    const holder = await client.holder()
    await server.stop()
    const next = new Client(await startServerProcess(['--etcd-servers', etcd.endpoint], await newHome()))
    expect(await next.holder()).not.toBe(holder)
    await expect.poll(() => next.holder()).not.toBe('')
  })

  it('are handed over by a replica that goes on serving for its shutdown delay', async () => {
    const etcd = await startEtcd()
    onTestFinished(() => etcd[Symbol.asyncDispose]())
    const flags = ['--etcd-servers', etcd.endpoint, '--shutdown-delay-duration', '10m']
    const first = await startServerProcess(flags, await newHome())
    const one = new Client(first)
    await expect.poll(() => one.holder()).not.toBe('')
    const holder = await one.holder()
    const two = new Client(await startServerProcess(flags, await newHome()))
    first.child.kill('SIGTERM')
    await expect.poll(() => two.holder()).not.toMatch(new RegExp(`^(?:${holder})?$`))
    expect((await first.request('/readyz')).status).toBe(500)
    await one.orphan('a')
    await expect.poll(() => one.isThere('a-child')).toBe(false)
    await first.stop('SIGKILL')
  })
})

describe('a controller that is switched off', () => {
  it('does nothing, and the others do what they do (W-327, D17)', async () => {
    const server = await startServerProcess(['--in-memory', '--controllers', '*,-garbage-collector'], await newHome())
    const client = new Client(server)
    await client.orphan('a')
    await client.send('POST', '/api/v1/namespaces', { metadata: { name: 'fresh' } })
    const account = '/api/v1/namespaces/fresh/serviceaccounts/default'
    await expect.poll(async () => (await client.send('GET', account)).status).toBe(200)
    await client.send('DELETE', '/api/v1/namespaces/fresh')
    await expect.poll(async () => (await client.send('GET', '/api/v1/namespaces/fresh')).status).toBe(404)
    expect(await client.isThere('a-child')).toBe(true)
    expect(await server.stop()).toMatchObject({ code: 0 })
  })
})
