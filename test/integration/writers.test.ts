// Many writers of one object at a time: no update is lost, none is refused.
import { describe, expect, it, onTestFinished } from 'vitest'
import { clientOf } from '../rigs/api-client.ts'
import { startEtcd } from '../rigs/etcd-server.ts'
import { newHome, startServerProcess } from '../rigs/server-process.ts'

const MAPS = '/api/v1/namespaces/default/configmaps'
const WRITERS = 64
const ROUNDS = 5

interface ConfigMap {
  readonly metadata: { readonly resourceVersion: string; readonly labels?: Readonly<Record<string, string>> }
  readonly data?: Readonly<Record<string, string>>
}

async function storageArguments(kind: string): Promise<readonly string[]> {
  if (kind === 'memory') return ['--in-memory']
  if (kind === 'embedded') return []
  const etcd = await startEtcd()
  onTestFinished(() => etcd[Symbol.asyncDispose]())
  return ['--etcd-servers', etcd.endpoint]
}

describe.each(['memory', 'embedded', 'etcd'])('on %s', (kind) => {
  it('64 writers that patch one object lose no update (W-162, W-639)', async () => {
    const server = await startServerProcess(await storageArguments(kind), await newHome())
    using client = clientOf(server)
    expect((await client.send('POST', MAPS, { body: { metadata: { name: 'shared' } } })).status).toBe(201)
    const patchTypes = ['application/merge-patch+json', 'application/strategic-merge-patch+json']
    const writer = async (number: number): Promise<void> => {
      const contentType = patchTypes[number % patchTypes.length]!
      for (let round = 0; round < ROUNDS; round++) {
        const body = { data: { [`w${number}-${round}`]: String(round) } }
        const { status, text } = await client.send('PATCH', `${MAPS}/shared`, { body, contentType })
        expect(status, text).toBe(200)
      }
    }
    await Promise.all(Array.from({ length: WRITERS }, (_, number) => writer(number)))
    const body = (await client.json('GET', `${MAPS}/shared`)).body as ConfigMap
    expect(Object.keys(body.data ?? {})).toHaveLength(WRITERS * ROUNDS)
    expect(await server.stop()).toMatchObject({ code: 0 })
  })

  it('of writers that name the version they have seen one wins (W-114)', async () => {
    const server = await startServerProcess(await storageArguments(kind), await newHome())
    using client = clientOf(server)
    await client.send('POST', MAPS, { body: { metadata: { name: 'shared' }, data: { count: '0' } } })
    for (let round = 1; round <= ROUNDS; round++) {
      const body = (await client.json('GET', `${MAPS}/shared`)).body as ConfigMap
      const put = { ...body, data: { count: String(round) } }
      const answers = await Promise.all(
        Array.from({ length: 16 }, (_, number) =>
          client.send('PUT', `${MAPS}/shared`, { body: { ...put, data: { ...put.data, by: String(number) } } }),
        ),
      )
      const statuses = answers.map(({ status }) => status).toSorted((a, b) => a - b)
      expect(statuses).toEqual([200, ...Array.from({ length: 15 }, () => 409)])
    }
    expect(await server.stop()).toMatchObject({ code: 0 })
  })

  it('16 appliers of one object own each what they applied', async () => {
    const server = await startServerProcess(await storageArguments(kind), await newHome())
    using client = clientOf(server)
    const applier = async (number: number): Promise<void> => {
      const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'shared' }, data: { [`a${number}`]: 'x' } }
      const path = `${MAPS}/shared?fieldManager=m${number}`
      const { status, text } = await client.send('PATCH', path, { body, contentType: 'application/apply-patch+yaml' })
      expect([200, 201], text).toContain(status)
    }
    await Promise.all(Array.from({ length: 16 }, (_, number) => applier(number)))
    interface Managed {
      readonly data: Readonly<Record<string, string>>
      readonly metadata: { readonly managedFields: readonly { readonly manager: string; readonly fieldsV1: object }[] }
    }
    const body = (await client.json('GET', `${MAPS}/shared`)).body as Managed
    expect(Object.keys(body.data)).toHaveLength(16)
    for (const { manager, fieldsV1 } of body.metadata.managedFields) {
      expect(fieldsV1).toEqual({ 'f:data': { [`f:a${manager.slice(1)}`]: {} } })
    }
    expect(await server.stop()).toMatchObject({ code: 0 })
  })
})
