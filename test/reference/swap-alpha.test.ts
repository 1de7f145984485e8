// On the etcd of a kube-apiserver with everything switched on that it has: kinds of alpha and beta versions are not served by us
// and stay as they are; fields of alpha state, and custom resources that are stored as CBOR, are shown as it shows them.
import { describe, expect, it } from 'vitest'
import { keysUnder } from '../fakes/etcd-gateway.ts'
import type { PlainClient } from '../rigs/plain-client.ts'
import { startReferenceServer } from '../rigs/reference-server.ts'
import { clientOf, fill, newEtcd, swapIn } from '../rigs/swap.ts'
import { differences, listablePaths, listsAt, revisionOf } from '../rigs/whole-api.ts'

const EVERYTHING = ['--runtime-config=api/all=true', '--feature-gates=AllAlpha=true,AllBeta=true']

/** Objects of kinds that have no version of ours, by where they are made. */
const UNKNOWN: readonly (readonly [collection: string, object: object])[] = [
  [
    '/apis/coordination.k8s.io/v1beta1/namespaces/swap/leasecandidates',
    {
      metadata: { name: 'c' },
      spec: { leaseName: 'l', binaryVersion: '1.36.0', emulationVersion: '1.36.0', strategy: 'OldestEmulationVersion' },
    },
  ],
  [
    '/apis/storagemigration.k8s.io/v1beta1/storageversionmigrations',
    { metadata: { name: 'm' }, spec: { resource: { group: '', resource: 'secrets' } } },
  ],
  [
    '/apis/resource.k8s.io/v1beta2/devicetaintrules',
    {
      metadata: { name: 'r' },
      spec: { deviceSelector: { driver: 'd.example.com' }, taint: { key: 'k', effect: 'NoSchedule' } },
    },
  ],
]
const THEIR_KEYS = /^\/registry\/(leasecandidates\/swap|storageversionmigrations|devicetaintrules)\//

/** What is stored of kinds that we do not serve, byte by byte. */
async function unknownIn(etcd: string): Promise<Record<string, string>> {
  const all = [...(await keysUnder(etcd, '/registry/'))].filter(([key]) => THEIR_KEYS.test(key))
  return Object.fromEntries(all.map(([key, value]) => [key, value.toString('base64')]))
}

async function statuses(client: PlainClient): Promise<readonly number[]> {
  return Promise.all(UNKNOWN.map(async ([collection]) => (await client.send(collection)).status))
}

describe('on the etcd of a kube-apiserver that has everything switched on', () => {
  it('leaves what it does not know, and shows the rest', async () => {
    const etcd = await newEtcd()
    const reference = await startReferenceServer({ etcd, flags: EVERYTHING })
    const theirs = clientOf(reference)
    await fill(theirs)
    for (const [collection, body] of UNKNOWN) await theirs.must(collection, { method: 'POST', body })
    const custom = (await keysUnder(etcd, '/registry/swap.example.com/')).get(
      '/registry/swap.example.com/gadgets/swap/one',
    )
    expect(custom?.subarray(0, 3).toString('hex')).toBe('d9d9f7')

    const { server, client: ours } = await swapIn(etcd, reference, ['--controllers', 'kubernetes-service'])
    const unknown = await unknownIn(etcd)
    expect(Object.keys(unknown)).toHaveLength(UNKNOWN.length)
    const paths = await listablePaths(ours)
    const revision = await revisionOf(theirs)
    expect(differences(await listsAt(theirs, paths, revision), await listsAt(ours, paths, revision))).toEqual([])
    expect(new Set(await statuses(ours))).toEqual(new Set([404]))
    await reference.stop()
    // Nothing that we serve was found to be unreadable.
    expect((await server.stop()).stderr).not.toContain('unreadable')

    expect(await unknownIn(etcd)).toEqual(unknown)
    const back = await startReferenceServer({ etcd, folder: reference.folder, flags: EVERYTHING })
    expect(new Set(await statuses(clientOf(back)))).toEqual(new Set([200]))
  })
})
