// Aggregated discovery, which every kubectl asks for: what a change makes anew, and what it leaves.
import { createHash } from 'node:crypto'
import { expect, it } from 'vitest'
import { discoveryRoutes } from '../../../src/handlers/discovery.ts'
import type { HttpResponse } from '../../../src/http/http.ts'
import { aggregatedItem, type DiscoveryGroup } from '../../../src/registry/discovery.ts'
import { builtInGroups } from '../../../src/schema/built-in-resources.ts'
import { loadBuiltInSchema } from '../../../src/schema/schema.ts'
import { ANYBODY, fakeRequest } from '../http/fake-request.ts'

const AGGREGATED = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList'
const schema = loadBuiltInSchema()
const named = builtInGroups().filter(({ group }) => group !== '')

/** Counts how often what is in the group is looked at. */
function counted({ group, versions }: DiscoveryGroup) {
  const counts = { looks: 0 }
  const observed: DiscoveryGroup = {
    group,
    get versions() {
      counts.looks++
      return versions
    },
  }
  return { observed, counts }
}

function serve(groups: () => readonly DiscoveryGroup[]) {
  const routes = discoveryRoutes({
    groups,
    withNamed: (all) => all,
    serverAddress: () => '127.0.0.1:6443',
    kind: (group, version, kind) => schema.kind({ group, version, kind })!,
    cbor: false,
  })
  const { handler } = routes.find(({ path, subtree }) => path === '/apis' && subtree !== true)!
  return async (headers: Record<string, string> = {}): Promise<HttpResponse> =>
    handler(fakeRequest('GET /apis', { headers: { accept: AGGREGATED, ...headers } }), ANYBODY)
}

function bytesOf({ body }: HttpResponse): Buffer {
  if (body.kind !== 'bytes') throw new Error(`a body of bytes, not ${body.kind}`)
  return body.bytes
}

it('says the same as each group for itself, with a tag of what it says (R-308)', async () => {
  const answer = await serve(() => named)()
  const contents = { metadata: {}, items: named.map(aggregatedItem) }
  expect(JSON.parse(bytesOf(answer).toString())).toEqual({
    kind: 'APIGroupDiscoveryList',
    apiVersion: 'apidiscovery.k8s.io/v2',
    ...contents,
  })
  const hash = createHash('sha512').update(JSON.stringify(contents)).digest('hex').toUpperCase()
  expect(answer.headers['etag']).toBe(`"${hash}"`)
})

it('is made once while nothing changes, and is nothing for whoever has it', async () => {
  const { observed, counts } = counted(named[0]!)
  const ask = serve(() => [observed])
  const first = await ask()
  counts.looks = 0
  expect(bytesOf(await ask()).equals(bytesOf(first))).toBe(true)
  expect(await ask({ 'if-none-match': String(first.headers['etag']) })).toMatchObject({ status: 304 })
  expect(counts.looks).toBe(0)
})

it('is made anew after a change, of the group that has changed', async () => {
  const [kept, changing] = [counted(named[0]!), named[1]!]
  let groups = [kept.observed, changing]
  const ask = serve(() => groups)
  const first = await ask()
  expect(kept.counts.looks).toBeGreaterThan(0)
  kept.counts.looks = 0
  groups = [kept.observed, { ...changing, group: 'changed.example.com' }]
  const second = await ask()
  expect(second.headers['etag']).not.toBe(first.headers['etag'])
  expect(JSON.parse(bytesOf(second).toString())).toMatchObject({
    items: [{ metadata: { name: kept.observed.group } }, { metadata: { name: 'changed.example.com' } }],
  })
  expect(kept.counts.looks).toBe(0)
})
