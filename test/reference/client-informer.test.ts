// The informer of `quarterdeck/client` on the real kube-apiserver: it must not depend on what is particular to our server.
import { expect, it, onTestFinished } from 'vitest'
import { type ApiStatusError, Client, k8s } from '../../src/client/client.ts'
import { startEtcd } from '../rigs/etcd-server.ts'
import {
  ChangeRecord,
  ChangeWriter,
  expectNothingLost,
  expectSame,
  NAMESPACE,
  startInformer,
} from '../rigs/informed-changes.ts'
import { startReferenceServer } from '../rigs/reference-server.ts'
import { startTcpProxy } from '../fakes/tcp-proxy.ts'

async function newScene(flags: readonly string[] = []) {
  const etcd = await startEtcd()
  onTestFinished(() => etcd[Symbol.asyncDispose]())
  const { url, token } = await startReferenceServer({ etcd: etcd.endpoint, flags })
  const proxy = await startTcpProxy(Number(new URL(url).port))
  onTestFinished(() => proxy[Symbol.asyncDispose]())
  const direct = new Client({ url, token, insecureSkipTlsVerify: true })
  const cut = new Client({ url: `https://127.0.0.1:${proxy.port}`, token, insecureSkipTlsVerify: true })
  onTestFinished(() => [direct, cut].forEach((client) => client.close()))
  await direct.resource(k8s.Namespace).create({ metadata: { name: NAMESPACE } })
  return { proxy, direct, cut }
}

it('misses nothing and repeats nothing while its connection is cut a hundred times', async () => {
  await expectNothingLost(await newScene(), 100)
})

it('misses nothing where the server does not stream lists', async () => {
  await expectNothingLost(await newScene(['--feature-gates=WatchList=false']), 20)
})

it('tells the difference only, where the server has forgotten what happened', async () => {
  // Without its cache the server knows no more than etcd does.
  const { proxy, direct, cut } = await newScene(['--watch-cache=false', '--etcd-compaction-interval=1s'])
  const writer = new ChangeWriter(direct)
  await writer.write(50)
  const informer = startInformer(cut)
  const record = new ChangeRecord()
  await informer.addHandler(record).waitForSync()
  const known = record.size
  const past = { resourceVersion: informer.resourceVersion!, resourceVersionMatch: 'Exact' as const }
  proxy.refuse()
  await writer.write(300)
  const maps = direct.resource(k8s.ConfigMap)
  await expect.poll(() => maps.list(past).catch((error: ApiStatusError) => error.code)).toBe(410)
  proxy.accept()
  await expectSame(informer, direct)
  expect(record.size - known).toBeLessThan(300)
  for (const [name, lines] of record.told) {
    expect(lines.at(-1)?.split(' ').at(-1)).toBe(writer.expected.get(name)?.at(-1)?.split(' ').at(-1))
  }
})
