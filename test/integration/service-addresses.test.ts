// Services made through two servers on one etcd at once: no address and no port is given twice, none is lost.
import { expect, it, onTestFinished } from 'vitest'
import { startEtcd } from '../rigs/etcd-server.ts'
import type { ServerProcess } from '../rigs/server-process.ts'
import { newHome, startServerProcess } from '../rigs/server-process.ts'

interface Service {
  readonly metadata: { readonly name: string }
  readonly spec: { readonly clusterIP: string; readonly ports: readonly { readonly nodePort: number }[] }
}

const SERVICES = '/api/v1/namespaces/default/services'
const TOTAL = 200
const AT_ONCE = 40

function send(
  server: ServerProcess,
  method: string,
  path: string,
  body?: object,
): ReturnType<ServerProcess['request']> {
  const headers = { 'content-type': 'application/json' }
  const { token } = server.kubeconfig.users[0].user
  return server.request(path, { method, headers, token, ...(body === undefined ? {} : { body: JSON.stringify(body) }) })
}

async function create(server: ServerProcess, name: string): Promise<Service> {
  const spec = { type: 'NodePort', ports: [{ port: 80 }] }
  const answer = await send(server, 'POST', SERVICES, { metadata: { name }, spec })
  expect(answer.status, answer.body).toBe(201)
  return JSON.parse(answer.body) as Service
}

it('gives every service an address and a port of its own, and takes them back', async () => {
  const store = await startEtcd({})
  onTestFinished(() => store[Symbol.asyncDispose]())
  const args = ['--etcd-servers', store.endpoint, '--service-cluster-ip-range', '10.96.0.0/24']
  const servers = [await startServerProcess(args, await newHome()), await startServerProcess(args, await newHome())]
  const namespace = async (): Promise<number> => (await send(servers[0]!, 'GET', '/api/v1/namespaces/default')).status
  await expect.poll(namespace).toBe(200)

  const made: Service[] = []
  for (let first = 0; first < TOTAL; first += AT_ONCE) {
    const batch = Array.from({ length: AT_ONCE }, (_, i) => create(servers[i % 2]!, `s${first + i}`))
    made.push(...(await Promise.all(batch)))
  }
  expect(new Set(made.map(({ spec }) => spec.clusterIP)).size).toBe(TOTAL)
  expect(new Set(made.map(({ spec }) => spec.ports[0]?.nodePort)).size).toBe(TOTAL)

  const gone = await Promise.all(
    made.map(({ metadata }, i) => send(servers[(i + 1) % 2]!, 'DELETE', `${SERVICES}/${metadata.name}`)),
  )
  expect(gone.every(({ status }) => status === 200)).toBe(true)
  const left = await send(servers[1]!, 'GET', '/apis/networking.k8s.io/v1/ipaddresses')
  const names = (JSON.parse(left.body) as { items: Service[] }).items.map(({ metadata }) => metadata.name)
  expect(names).toEqual(['10.96.0.1'])
  for (const server of servers) await server.stop()
})
