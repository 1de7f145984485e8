// That history is forgotten, by replicas that take turns, and that all of them notice.
import { describe, expect, it, onTestFinished } from 'vitest'
import { startEtcd } from '../rigs/etcd-server.ts'
import { newHome, startServerProcess } from '../rigs/server-process.ts'

describe('two replicas that keep history for a moment', () => {
  it('forget it and tell so, and go on answering from the present (R-102, R-180)', async () => {
    const etcd = await startEtcd()
    onTestFinished(() => etcd[Symbol.asyncDispose]())
    const flags = ['--etcd-servers', etcd.endpoint, '--etcd-compaction-interval', '300ms']
    const homes = [await newHome(), await newHome()]
    const replicas = await Promise.all(homes.map((home) => startServerProcess(flags, home)))
    const collection = '/api/v1/namespaces'
    const create = async (name: string): Promise<string> => {
      const { body } = await replicas[0]!.request(collection, {
        method: 'POST',
        token: replicas[0]!.adminToken,
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } }),
      })
      return (JSON.parse(body) as { metadata: { resourceVersion: string } }).metadata.resourceVersion
    }
    const exactly = `${collection}?resourceVersionMatch=Exact&resourceVersion=${await create('a')}`
    // A state that has not changed since can be told however old it is.
    await create('b')
    for (const replica of replicas) {
      const token = replica.adminToken
      const past = async (): Promise<number> => (await replica.request(exactly, { token })).status
      await expect.poll(past).toBe(410)
      expect((await replica.request(`${collection}/a`, { token })).status).toBe(200)
    }
    for (const replica of replicas) expect(await replica.stop()).toMatchObject({ code: 0 })
  })
})
