// Random objects of every kind, put into an etcd as protobuf, valid or not: both servers show them alike, with what each fills in
// when it reads what others have stored.
import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import type { ApiObject } from '../../src/api/object.ts'
import { canonicalJson } from '../../src/codec/json-encode.ts'
import { encodeProtobuf } from '../../src/codec/protobuf.ts'
import type { Resource } from '../../src/registry/registry.ts'
import { builtInResources } from '../../src/kinds/kinds.ts'
import { arbitraryObject } from '../corpora/arbitrary-object.ts'
import { BUILT_IN, kindOf } from '../corpora/built-in-kinds.ts'
import { putTogether } from '../fakes/etcd-gateway.ts'
import type { PlainClient } from '../rigs/plain-client.ts'
import { startReferenceServer } from '../rigs/reference-server.ts'
import { clientOf, newEtcd, swapIn } from '../rigs/swap.ts'
import { differences, listablePaths, listsAt, OBJECT_ENCODINGS, revisionOf, type Shown } from '../rigs/whole-api.ts'

const OBJECTS_OF_A_KIND = 40

/** What a server goes by itself is not to be nonsense. */
const GONE_BY = /^(namespaces|.*\.(rbac|admissionregistration|apiextensions|apiregistration|flowcontrol).*)$/
/** The first version of autoscalers keeps in annotations what makes no sense, and taints of devices get the time of reading. */
const NOT_COMPARED = /autoscaling\/v1\/|resourceslices$/

function storedResources(): readonly Resource[] {
  return [...builtInResources(BUILT_IN, canonicalJson).all()].filter(
    ({ conversion, verbs, resource, group }) =>
      conversion.isIdentity && verbs.has('create') && !GONE_BY.test(group === '' ? resource : `${resource}.${group}`),
  )
}

/** Without what makes a server act, and what no server would have let in. */
function tame(object: ApiObject, name: string, { namespaced }: Resource): ApiObject {
  const { labels, annotations, creationTimestamp } = object.metadata
  const metadata = JSON.parse(
    JSON.stringify({
      name,
      ...(namespaced ? { namespace: 'default' } : {}),
      uid: name,
      creationTimestamp,
      labels,
      annotations,
    }),
  ) as ApiObject['metadata']
  const spec = { ...(object['spec'] as Record<string, never> | undefined) }
  // How to roll out is said only where it is done that way.
  for (const way of ['strategy', 'updateStrategy']) delete spec[way]
  return { ...object, metadata, ...(object['spec'] === undefined ? {} : { spec }) }
}

it.each([1, 2, 3])('shows random objects of every kind as kube-apiserver does: seed %i', async (seed) => {
  const etcd = await newEtcd()
  const reference = await startReferenceServer({ etcd })
  for (const resource of storedResources()) {
    const { group, version, kind } = resource.storedKind
    const schema = kindOf(kind, group, version)
    const objects = fc.sample(arbitraryObject(schema), { seed, numRuns: OBJECTS_OF_A_KIND })
    for (const [i, object] of objects.entries()) {
      const name = `random-${i}`
      const key = `${resource.stored.storagePrefix}/${resource.namespaced ? 'default/' : ''}${name}`
      await putTogether(etcd, { [`/registry/${key}`]: encodeProtobuf(schema, tame(object, name, resource)) })
    }
  }
  const theirs = clientOf(reference)
  const { client: ours } = await swapIn(etcd, reference, ['--controllers', 'kubernetes-service'])
  const paths = (await listablePaths(theirs)).filter((path) => !NOT_COMPARED.test(path))
  const revision = await revisionOf(theirs)
  const lists = (client: PlainClient): Promise<Shown> => listsAt(client, paths, revision, OBJECT_ENCODINGS)
  expect(differences(await lists(theirs), await lists(ours))).toEqual([])
})
