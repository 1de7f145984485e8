// A soak: mixed writes through two replicas on one etcd for half a minute. In the end nothing is left that should be gone, no
// address was given twice, and nothing is half deleted.
import { expect, it, onTestFinished } from 'vitest'
import type { ApiClient } from '../rigs/api-client.ts'
import { clientOf } from '../rigs/api-client.ts'
import { dice } from '../corpora/dice.ts'
import { startEtcd } from '../rigs/etcd-server.ts'
import { newHome, startServerProcess } from '../rigs/server-process.ts'

const SOAK_MS = 30_000
const WRITERS = 12
const NAMESPACES = 4

interface ObjectMeta {
  readonly name: string
  readonly namespace?: string
  readonly uid: string
  readonly deletionTimestamp?: string
  readonly ownerReferences?: readonly { readonly uid: string }[]
}

interface Listed {
  readonly metadata: ObjectMeta
  /** Of services. */
  readonly spec: { readonly clusterIP: string; readonly ports: readonly { readonly nodePort?: number }[] }
}

const MERGE = 'application/merge-patch+json'
const APPLY = 'application/apply-patch+yaml'
const NAMES = 6

class Writer {
  readonly #clients: readonly ApiClient[]
  readonly #roll: (sides: number) => number
  readonly #name: string
  /** By status: how many answers. */
  readonly answers = new Map<number, number>()
  readonly faults: string[] = []

  constructor(clients: readonly ApiClient[], number: number) {
    this.#clients = clients
    this.#roll = dice(number + 1)
    this.#name = `writer-${number}`
  }

  async run(until: number): Promise<void> {
    while (Date.now() < until) await this.#step()
  }

  async #step(): Promise<void> {
    const namespace = `soak-${this.#roll(NAMESPACES)}`
    const maps = `/api/v1/namespaces/${namespace}/configmaps`
    const services = `/api/v1/namespaces/${namespace}/services`
    const name = `n${this.#roll(NAMES)}`
    switch (this.#roll(10)) {
      case 0:
        return this.#send('POST', maps, { metadata: { name } })
      case 1:
        return this.#send('PATCH', `${maps}/${name}`, { data: { [this.#name]: String(Date.now()) } }, MERGE)
      case 2:
        return this.#send(
          'PATCH',
          `${maps}/${name}?fieldManager=${this.#name}&force=true`,
          { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: { shared: this.#name } },
          APPLY,
        )
      case 3:
        return this.#ownedChild(maps, name)
      case 4: {
        const propagationPolicy = ['Background', 'Foreground'][this.#roll(2)]
        return this.#send('DELETE', `${maps}/${name}`, { propagationPolicy })
      }
      case 5:
      case 6: {
        const type = ['ClusterIP', 'NodePort'][this.#roll(2)]
        return this.#send('POST', services, { metadata: { name }, spec: { type, ports: [{ port: 80 }] } })
      }
      case 7:
        return this.#send('DELETE', `${services}/${name}`)
      case 8:
        return this.#send('PATCH', `${services}/${name}`, { metadata: { labels: { by: this.#name } } }, MERGE)
      default:
        if (this.#roll(12) > 0) return this.#send('PUT', `${maps}/${name}`, { metadata: { name }, data: {} })
        return this.#renewNamespace(namespace)
    }
  }

  async #ownedChild(maps: string, name: string): Promise<void> {
    const { status, body } = await this.#client().json('GET', `${maps}/${name}`)
    if (status !== 200) return
    const { uid } = (body as { metadata: ObjectMeta }).metadata
    const reference = { apiVersion: 'v1', kind: 'ConfigMap', name, uid, blockOwnerDeletion: true }
    await this.#send('POST', maps, { metadata: { generateName: `${name}-child-`, ownerReferences: [reference] } })
  }

  /** Everything in it goes while others write to it; then it is made anew. */
  async #renewNamespace(name: string): Promise<void> {
    await this.#send('DELETE', `/api/v1/namespaces/${name}`)
    await this.#send('POST', '/api/v1/namespaces', { metadata: { name } })
  }

  #client(): ApiClient {
    return this.#clients[this.#roll(this.#clients.length)]!
  }

  async #send(method: string, path: string, body?: object, contentType = 'application/json'): Promise<void> {
    const { status, text } = await this.#client().send(method, path, body === undefined ? {} : { body, contentType })
    this.answers.set(status, (this.answers.get(status) ?? 0) + 1)
    if (status >= 500) this.faults.push(`${method} ${path}: ${status} ${text}`)
  }
}

async function all(client: ApiClient, path: string): Promise<readonly Listed[]> {
  return ((await client.json('GET', path)).body as { items: readonly Listed[] }).items
}

it('mixed writes through two replicas leave everything in order', { timeout: 400_000 }, async () => {
  const etcd = await startEtcd()
  onTestFinished(() => etcd[Symbol.asyncDispose]())
  const args = ['--etcd-servers', etcd.endpoint, '--service-cluster-ip-range', '10.96.0.0/24']
  const servers = [await startServerProcess(args, await newHome()), await startServerProcess(args, await newHome())]
  const clients = servers.map(clientOf)
  onTestFinished(() => clients.forEach((client) => client[Symbol.dispose]()))
  const [client] = clients
  for (let i = 0; i < NAMESPACES; i++) {
    await client!.send('POST', '/api/v1/namespaces', { body: { metadata: { name: `soak-${i}` } } })
  }

  const writers = Array.from({ length: WRITERS }, (_, number) => new Writer(clients, number))
  const end = Date.now() + SOAK_MS
  await Promise.all(writers.map((writer) => writer.run(end)))
  expect(writers.flatMap(({ faults }) => faults)).toEqual([])

  // What is on its way out gets there: owners, their dependents, namespaces.
  const unfinished = async (): Promise<readonly string[]> => {
    const maps = await all(client!, '/api/v1/configmaps')
    const uids = new Set(maps.map(({ metadata }) => metadata.uid))
    const namespaces = await all(client!, '/api/v1/namespaces')
    const going = [...maps, ...namespaces].filter(({ metadata }) => metadata.deletionTimestamp !== undefined)
    const orphans = maps.filter(({ metadata: { ownerReferences = [] } }) =>
      ownerReferences.some(({ uid }) => !uids.has(uid)),
    )
    const there = new Set(namespaces.map(({ metadata }) => metadata.name))
    const homeless = maps.filter(({ metadata }) => !there.has(metadata.namespace ?? ''))
    return [
      ...going.map(({ metadata }) => `half deleted: ${metadata.namespace}/${metadata.name}`),
      ...orphans.map(({ metadata }) => `orphan: ${metadata.namespace}/${metadata.name}`),
      ...homeless.map(({ metadata }) => `without a namespace: ${metadata.namespace}/${metadata.name}`),
    ]
  }
  await expect.poll(unfinished, { timeout: 240_000, interval: 250 }).toEqual([])

  const services = await all(client!, '/api/v1/services')
  const addresses = services.map(({ spec }) => spec.clusterIP)
  expect(new Set(addresses).size).toBe(addresses.length)
  const ports = services.flatMap(({ spec }) => spec.ports.flatMap(({ nodePort }) => nodePort ?? []))
  expect(new Set(ports).size).toBe(ports.length)
  const claims = (await all(client!, '/apis/networking.k8s.io/v1/ipaddresses')).map(({ metadata }) => metadata.name)
  expect(claims).toEqual(expect.arrayContaining(addresses))

  // Both replicas say the same.
  const [one, two] = await Promise.all(clients.map((each) => all(each, '/api/v1/configmaps')))
  expect(two).toEqual(one)
  const count = writers.flatMap(({ answers }) => [...answers.values()]).reduce((sum, answers) => sum + answers, 0)
  process.stdout.write(`${count} writes in ${SOAK_MS / 1000} s\n`)
  for (const server of servers) expect(await server.stop()).toMatchObject({ code: 0 })
})
