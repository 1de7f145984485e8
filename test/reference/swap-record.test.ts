// Records what kube-apiserver stores of every kind and what it answers, for the tests that run without it (RECORD=1 writes the
// file); and holds the recording to what it does today.
import { writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { decodeProtobuf, isProtobuf } from '../../src/codec/protobuf.ts'
import { keysUnder } from '../fakes/etcd-gateway.ts'
import type { JsonMap } from '../rigs/plain-client.ts'
import { RECORDED, type RecordedStore, recordedStore } from '../corpora/recorded-store.ts'
import { startReferenceServer } from '../rigs/reference-server.ts'
import { clientOf, fill, newEtcd } from '../rigs/swap.ts'
import { listablePaths } from '../rigs/whole-api.ts'

/** What is not of the objects that we made, but of the server: some of it, and nothing that is there for a time. */
const OF_THE_SERVER =
  /^(namespaces\/|services\/specs\/default|servicecidrs\/|ipaddresses\/|ranges\/|clusterroles\/system:aggregate-to-view$|flowschemas\/exempt$|prioritylevelconfigurations\/exempt$|priorityclasses\/|apiregistration.k8s.io\/apiservices\/v1.apps$)/
const OURS = /swap|203\.0\.113|csi\.example/
const PASSING = /leases\/|\/kube-system\//

/** Its own endpoints would be those of another server. */
const NO_ENDPOINTS = ['--endpoint-reconciler-type=none']

async function record(): Promise<RecordedStore> {
  const etcd = await newEtcd()
  const client = clientOf(await startReferenceServer({ etcd, flags: NO_ENDPOINTS }))
  await fill(client)
  const stored: Record<string, string> = {}
  for (const [full, value] of await keysUnder(etcd, '/registry/')) {
    const key = full.slice('/registry/'.length)
    const isWanted = OF_THE_SERVER.test(key) || (OURS.test(key) && !PASSING.test(key)) || key.startsWith('leases/swap/')
    if (isWanted) stored[key] = value.toString('base64')
  }
  const answers: Record<string, JsonMap[]> = {}
  for (const path of (await listablePaths(client)).filter((one) => !one.endsWith('/v1beta1/widgets'))) {
    const { items } = (await client.must(path)) as { items: JsonMap[] }
    answers[path] = items.filter((item) => {
      const { namespace = '', name } = item['metadata'] as { namespace?: string; name: string }
      return Object.keys(stored).some((key) => key.endsWith(namespace === '' ? `/${name}` : `/${namespace}/${name}`))
    })
  }
  return { stored, answers }
}

/** One line a key and one a list. */
function fileOf({ stored, answers }: RecordedStore): string {
  const lines = (map: Readonly<Record<string, unknown>>): string =>
    Object.entries(map)
      .map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`)
      .join(',\n')
  return `{"stored":{\n${lines(stored)}\n},"answers":{\n${lines(answers)}\n}}\n`
}

/** Names that are made up, uids and moments differ from run to run. */
function outline({ stored, answers }: RecordedStore): object {
  return {
    stored: Object.fromEntries(Object.entries(stored).map(([key, value]) => [steady(key), startOf(value)])),
    answers: Object.fromEntries(Object.entries(answers).map(([path, items]) => [path, items.map(members)])),
  }
}

function steady(key: string): string {
  return key.replace(/(swap-small-)\w+$/, '$1').replace(/(ipaddresses\/10\.96\.)\d+\.(?!1$)\d+$/, '$1')
}

/** The encoding, the version and the kind. */
function startOf(value: string): string {
  const bytes = Buffer.from(value, 'base64')
  if (!isProtobuf(bytes)) return bytes.toString().slice(0, 60)
  const { apiVersion, kind } = decodeProtobuf(bytes)
  return `protobuf ${apiVersion} ${kind}`
}

function members(item: JsonMap): readonly string[] {
  return Object.keys({ ...(item['metadata'] as JsonMap), ...(item['spec'] as JsonMap | undefined) })
}

test('what kube-apiserver stores and answers is what was recorded', async () => {
  const recording = await record()
  if (process.env['RECORD'] === '1') writeFileSync(RECORDED, fileOf(recording))
  expect(outline(recordedStore())).toEqual(outline(recording))
})
