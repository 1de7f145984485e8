// A cluster's server swapped for ours and back, on one etcd: what kube-apiserver has stored is shown as it shows it, and what we
// have stored is shown by it as we show it.
import { describe, expect, it, onTestFinished } from 'vitest'
import { startEtcd } from '../fakes/etcd-server.ts'
import { everyKind } from '../fakes/every-kind.ts'
import { PlainClient } from '../fakes/plain-client.ts'
import { startReferenceServer } from '../fakes/reference-server.ts'
import { newHome, startServerProcess } from '../fakes/server-process.ts'
import { listablePaths, listsAt, revisionOf } from '../fakes/whole-api.ts'

describe('swapped in for kube-apiserver', () => {
  it('shows what it stored as it shows it', async () => {
    const etcd = await startEtcd()
    onTestFinished(() => etcd[Symbol.asyncDispose]())
    const reference = await startReferenceServer({ etcd: etcd.endpoint })
    const theirs = new PlainClient(reference)
    for (const { object, collection } of everyKind()) {
      const post = () => theirs.send(collection, { method: 'POST', body: object })
      await expect
        .poll(
          async () => {
            const a = await post()
            if (a.status !== 201 && a.status !== 404) console.log(collection, a.bytes.toString())
            return a.status
          },
          { timeout: 10_000 },
        )
        .toBe(201)
    }
    const paths = await listablePaths(theirs)
    const revision = await revisionOf(theirs)
    const expected = await listsAt(theirs, paths, revision)
    const server = await startServerProcess(
      ['--etcd-servers', etcd.endpoint, '--service-cluster-ip-range', '10.96.0.0/16'],
      await newHome(),
    )
    const ours = new PlainClient({ url: server.url, token: server.adminToken })
    expect(await listablePaths(ours)).toEqual(paths)
    const shown = await listsAt(ours, paths, revision)
    const different = [...expected.keys()].filter((key) => shown.get(key) !== expected.get(key))
    for (const key of different)
      console.log(key, '\n', expected.get(key)?.slice(0, 1500), '\n', shown.get(key)?.slice(0, 1500))
    expect(different).toEqual([])
  })
})
