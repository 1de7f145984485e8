// A cluster's server swapped for ours and back, on one etcd: what kube-apiserver has stored is shown as it shows it, and what we
// have stored is shown by it as we show it.
import { describe, expect, it } from 'vitest'
import { revisionsUnder } from '../fakes/etcd-gateway.ts'
import { everyKind } from '../corpora/every-kind.ts'
import { startReferenceServer } from '../rigs/reference-server.ts'
import { clientOf, fill, newEtcd, swapIn } from '../rigs/swap.ts'
import { differences, listablePaths, listsAt, revisionOf, statesOf } from '../rigs/whole-api.ts'

/** What changes by itself, and what cannot be shown because the webhook that converts it is not there. */
const CHANGING =
  /\/(leases|clusterroles|configmaps|endpoints|endpointslices|validatingadmissionpolicies|v1beta1\/widgets)$/
/** Leases, where each server is, what it says of itself, and what nobody looked after there: roles that gather others, the status of policies. */
const KEPT_ANEW =
  /leases\/|\/(?:endpointslices|endpoints)\/default\/kubernetes$|\/extension-apiserver-authentication$|\/clusterroles\/|\/validatingadmissionpolicies\//
/** So that nothing changes what is compared. */
const QUIET = ['--controllers', 'kubernetes-service']

describe('swapped in for kube-apiserver', () => {
  it('shows what it stored as it shows it, and it shows what we changed', async () => {
    const etcd = await newEtcd()
    const reference = await startReferenceServer({ etcd })
    const theirs = clientOf(reference)
    await fill(theirs)
    const paths = await listablePaths(theirs)
    const still = paths.filter((one) => !CHANGING.test(one))
    const revision = await revisionOf(theirs)
    const [lists, states] = [await listsAt(theirs, paths, revision), await statesOf(theirs, still)]
    await reference.stop()
    const before = await revisionsUnder(etcd, '/registry/')

    const { server, client: ours } = await swapIn(etcd, reference, QUIET)
    expect(await listablePaths(ours)).toEqual(paths)
    expect(differences(lists, await listsAt(ours, paths, revision))).toEqual([])
    expect(differences(states, await statesOf(ours, still))).toEqual([])
    // The start has written nothing anew that was there.
    const after = await revisionsUnder(etcd, '/registry/')
    const changed = [...before].filter(([key, revision]) => after.get(key) !== revision && !KEPT_ANEW.test(key))
    expect(changed).toEqual([])

    for (const { name, collection } of everyKind()) {
      if (name === '') continue
      await ours.must(`${collection}/${name}`, {
        method: 'PATCH',
        contentType: 'application/merge-patch+json',
        body: { metadata: { labels: { edited: 'by-ours' } } },
      })
    }
    const edited = await revisionOf(ours)
    const shown = await listsAt(ours, paths, edited)
    await server.stop()
    const back = await startReferenceServer({ etcd, folder: reference.folder })
    expect(differences(await listsAt(clientOf(back), paths, edited), shown)).toEqual([])
  })

  it('is followed by it on an etcd that we filled', async () => {
    const etcd = await newEtcd()
    const first = await startReferenceServer({ etcd: await newEtcd() })
    await first.stop()
    const { server, client: ours } = await swapIn(etcd, first, QUIET)
    await fill(ours)
    const paths = await listablePaths(ours)
    const revision = await revisionOf(ours)
    const shown = await listsAt(ours, paths, revision)
    await server.stop()
    const after = await startReferenceServer({ etcd, folder: first.folder })
    const theirs = clientOf(after)
    expect(await listablePaths(theirs)).toEqual(paths)
    expect(differences(await listsAt(theirs, paths, revision), shown)).toEqual([])
  })

  it.each(['application/json', 'application/yaml'])('shows what it stored as %s', async (mediaType) => {
    const etcd = await newEtcd()
    const reference = await startReferenceServer({ etcd, flags: [`--storage-media-type=${mediaType}`] })
    const theirs = clientOf(reference)
    await fill(theirs)
    const paths = await listablePaths(theirs)
    const { client: ours } = await swapIn(etcd, reference, QUIET)
    const revision = await revisionOf(theirs)
    expect(differences(await listsAt(theirs, paths, revision), await listsAt(ours, paths, revision))).toEqual([])
  })
})
