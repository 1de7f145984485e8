// An upgrade from level 1.36 to 1.37 and back on one etcd, with kube-apiserver of each level before, beside and after ours: at each step both
// show the same objects, whichever server and level wrote them.
import { expect, it } from 'vitest'
import type { ApiLevel } from '../../src/api/level.ts'
import { everyKind } from '../corpora/every-kind.ts'
import { versionedObject } from '../corpora/versioned-objects.ts'
import type { PlainClient } from '../rigs/plain-client.ts'
import { type ReferenceServer, startReferenceServer } from '../rigs/reference-server.ts'
import { clientOf, fill, newEtcd, swapIn } from '../rigs/swap.ts'
import { differences, listablePaths, listsAt, revisionOf } from '../rigs/whole-api.ts'

const MERGE = 'application/merge-patch+json'
/** Kinds that only 1.37 has. */
const NEW: readonly (readonly [collection: string, kind: string])[] = [
  ['/apis/certificates.k8s.io/v1/clustertrustbundles', 'ClusterTrustBundle'],
  ['/apis/certificates.k8s.io/v1/namespaces/swap/podcertificaterequests', 'PodCertificateRequest'],
  ['/apis/resource.k8s.io/v1/devicetaintrules', 'DeviceTaintRule'],
  ['/apis/storagemigration.k8s.io/v1/storageversionmigrations', 'StorageVersionMigration'],
]

async function makeNew(client: PlainClient, count: number): Promise<void> {
  for (const [collection, kind] of NEW) {
    const { name, ...body } = versionedObject({ group: '', version: 'v1', kind }, count)
    await client.must(collection, { method: 'POST', body: { metadata: { name }, ...body } })
  }
}

/** Every object is stored anew by this server. */
async function edit(client: PlainClient, value: string): Promise<void> {
  const body = { metadata: { labels: { edited: value } } }
  for (const { name, collection } of everyKind()) {
    if (name !== '') await client.must(`${collection}/${name}`, { method: 'PATCH', contentType: MERGE, body })
  }
}

async function expectSame(theirs: PlainClient, ours: PlainClient): Promise<void> {
  const paths = await listablePaths(theirs)
  expect(await listablePaths(ours)).toEqual(paths)
  const revision = await revisionOf(theirs)
  expect(differences(await listsAt(theirs, paths, revision), await listsAt(ours, paths, revision))).toEqual([])
}

it('reads what other levels have stored as kube-apiserver does', async () => {
  const etcd = await newEtcd()
  let folder: string | undefined
  const reference = async (level: ApiLevel): Promise<ReferenceServer> => {
    const started = await startReferenceServer({ etcd, level, ...(folder === undefined ? {} : { folder }) })
    folder = started.folder
    return started
  }
  /** Both at a level, with changes by one of them in between. */
  const round = async (level: ApiLevel, change: (theirs: PlainClient, ours: PlainClient) => Promise<void>) => {
    const started = await reference(level)
    const flags = ['--controllers', 'kubernetes-service', `--emulated-version=${level}`]
    const { server, client: ours } = await swapIn(etcd, started, flags)
    const theirs = clientOf(started)
    await expectSame(theirs, ours)
    await change(theirs, ours)
    await expectSame(theirs, ours)
    expect((await server.stop()).stderr).not.toContain('unreadable')
    await started.stop()
  }
  await round('1.36', (theirs) => fill(theirs))
  await round('1.37', (_, ours) => makeNew(ours, 1))
  await round('1.36', (_, ours) => edit(ours, 'by-ours'))
  await round('1.37', (_, ours) => edit(ours, 'by-ours-again'))
  await round('1.36', (theirs) => edit(theirs, 'by-theirs'))
  await round('1.37', async (theirs) => {
    for (const [collection] of NEW) expect(await theirs.must(collection)).toHaveProperty('items.length', 1)
    await makeNew(theirs, 2)
    await edit(theirs, 'by-theirs-again')
  })
  await round('1.36', () => Promise.resolve())
})
