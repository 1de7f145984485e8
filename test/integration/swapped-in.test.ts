// Started on what kube-apiserver has stored, as it was recorded: on an etcd, and on an embedded store that was filled from one.
// The real one is beside ours in test/reference.
import { mkdirSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { openEmbedded } from '../../src/kv/embedded/embedded.ts'
import { openEtcd } from '../../src/kv/etcd/etcd.ts'
import { ABSENT, type Kv, putKey } from '../../src/kv/kv.ts'
import { startEtcd } from '../rigs/etcd-server.ts'
import { PlainClient } from '../rigs/plain-client.ts'
import { itemsOf, nameOf, recordedStore, withoutVersion } from '../corpora/recorded-store.ts'
import { newHome, type ServerProcess, startServerProcess } from '../rigs/server-process.ts'

const { signal } = new AbortController()
const PREFIX = '/registry'
/** So that nothing changes what is compared. */
const QUIET = ['--controllers', 'kubernetes-service', '--service-cluster-ip-range', '10.96.0.0/16']

/** A folder to run in, what opens the storage that a server there works on, and its flags. */
interface Place {
  readonly home: string
  readonly open: () => Promise<Kv>
  readonly flags: readonly string[]
}

const PLACES: Readonly<Record<string, () => Promise<Place>>> = {
  async etcd() {
    const etcd = await startEtcd()
    onTestFinished(() => etcd[Symbol.asyncDispose]())
    const open = (): Promise<Kv> => openEtcd({ endpoints: [etcd.endpoint], prefix: PREFIX, tls: {} }, signal)
    return { home: await newHome(), open, flags: ['--etcd-servers', etcd.endpoint] }
  },
  async embedded() {
    const home = await newHome()
    const dataDir = path.join(home, '.local/share/quarterdeck/store')
    mkdirSync(dataDir, { recursive: true, mode: 0o700 })
    return { home, open: () => openEmbedded({ dataDir }, signal), flags: [] }
  },
}

async function put(open: () => Promise<Kv>, values: Readonly<Record<string, Buffer>>): Promise<void> {
  const kv = await open()
  for (const [key, value] of Object.entries(values)) {
    const { item } = await kv.get(`${PREFIX}/${key}`, {}, signal)
    await putKey(kv, { key: `${PREFIX}/${key}`, value, expected: item?.revision ?? ABSENT }, signal)
  }
  await kv.close()
}

function clientOf(server: ServerProcess): PlainClient {
  const client = new PlainClient({ url: server.url, token: server.adminToken })
  onTestFinished(() => client[Symbol.dispose]())
  return client
}

function recordedValues(): Record<string, Buffer> {
  const { stored } = recordedStore()
  return Object.fromEntries(Object.entries(stored).map(([key, value]) => [key, Buffer.from(value, 'base64')]))
}

describe.each(Object.keys(PLACES))('on what kube-apiserver has stored, %s', (engine) => {
  it('shows what it showed, and writes beside it', async () => {
    const { home, open, flags } = await PLACES[engine]!()
    await put(open, recordedValues())
    const server = await startServerProcess([...QUIET, ...flags], home)
    const client = clientOf(server)
    for (const [list, items] of Object.entries(recordedStore().answers)) {
      const shown = await itemsOf(client, list)
      for (const item of items) {
        // The status of a policy is what whoever looks at it says.
        const isTold = !list.endsWith('/validatingadmissionpolicies')
        if (isTold) expect([list, shown.get(nameOf(item))]).toEqual([list, withoutVersion(item)])
      }
    }
    const ports = [{ port: 80, nodePort: 30123 }]
    const body = { metadata: { name: 'again' }, spec: { type: 'NodePort', ports } }
    const services = '/api/v1/namespaces/swap/services'
    expect((await client.send(services, { method: 'POST', body })).status).toBe(422)
    await client.must(`${services}/swap-service`, { method: 'DELETE' })
    await client.must(services, { method: 'POST', body })
    const pod = '/api/v1/namespaces/swap/pods/swap-pod'
    const labels = { app: 'swap', tier: 'changed' }
    const change = { contentType: 'application/merge-patch+json', body: { metadata: { labels } } }
    const changed = await client.must(pod, { method: 'PATCH', ...change })
    const { stderr } = await server.stop()
    expect(stderr).not.toContain('unreadable')

    const next = clientOf(await startServerProcess([...QUIET, ...flags], home))
    expect(await next.must(pod)).toEqual(changed)
    expect(await next.must(`${services}/again`)).toMatchObject({ spec: { ports: [{ nodePort: 30123 }] } })
  })

  it('names what it cannot read, once, and starts', async () => {
    const { home, open, flags } = await PLACES[engine]!()
    const values = recordedValues()
    // What a start looks at, and one of what it does not.
    const damaged = Object.keys(values).filter((key) => DAMAGED.test(key))
    expect(damaged.length).toBeGreaterThan(12)
    for (const key of damaged) values[key] = values[key]!.subarray(0, values[key]!.length - 9)
    values['podgroups/swap/unknown'] = Buffer.from('k8s\0nobody reads this')
    await put(open, values)
    const server = await startServerProcess([...QUIET, ...flags], home)
    const client = clientOf(server)
    expect((await client.send('/readyz')).status).toBe(200)
    expect((await client.send('/api/v1/namespaces/swap/secrets')).status).toBe(500)
    expect((await client.send('/api/v1/namespaces/swap/configmaps')).status).toBe(200)
    const { stderr } = await server.stop()
    const lines = stderr.split('\n').filter((line) => line.includes('stored object is unreadable'))
    const named = lines.map((line) => JSON.parse(line) as Named)
    const keysOf = (worker: string | undefined) => named.filter((one) => one.worker === worker).map(({ key }) => key)
    for (const worker of new Set(named.map((one) => one.worker))) {
      expect(keysOf(worker).sort()).toEqual(damaged.map((key) => `${PREFIX}/${key}`).sort())
    }
    expect(named.find(({ name }) => name === 'swap-secret')).toMatchObject({
      resource: 'secrets',
      namespace: 'swap',
      reason: 'unexpected EOF',
    })
  })
})

interface Named {
  readonly key: string
  readonly resource: string
  readonly name: string
  readonly reason: string
  /** Where there are several. */
  readonly worker?: string
}

const DAMAGED =
  /^(namespaces\/kube-|clusterroles\/system:aggregate-to-view|flowschemas\/exempt|prioritylevelconfigurations\/exempt|priorityclasses\/system-node|services\/specs\/default|servicecidrs\/kubernetes|ipaddresses\/10\.96\.0\.1$|ranges\/|serviceaccounts\/swap\/default|secrets\/swap\/swap-secret|validatingwebhookconfigurations|mutatingadmissionpolicies|apiextensions.k8s.io\/customresourcedefinitions\/widgets|apiregistration.k8s.io\/apiservices\/v1.apps)/
