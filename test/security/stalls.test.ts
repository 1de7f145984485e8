// The largest bodies and answers of every encoding: how long each holds the event loop up, and so everybody else.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { configMap, type LargeRequest, largeWrites, MAPS } from '../fakes/large-bodies.ts'
import { expectNoStall, longestStall } from '../fakes/longest-stall.ts'
import { processorMilliseconds } from '../fakes/processor-time.ts'
import { type OpenServer, openServer } from '../fakes/running-server.ts'

let server: OpenServer
beforeAll(async () => {
  server = await openServer(['--feature-gates', 'CBORServingAndStorage=true'])
  for (const name of ['target', 'a', 'b', 'c', 'd']) {
    await server.must(MAPS, { method: 'POST', body: JSON.stringify(configMap(name, 700_000)) })
  }
})
afterAll(() => server?.[Symbol.asyncDispose]())

/** `JSON.parse` of a body that is let in cannot be cut up. */
function parsingMs(name: string, { body }: LargeRequest): number {
  return /JSON|patch/.test(name) ? processorMilliseconds(() => void JSON.parse(body as string)) : 0
}

const lists: Readonly<Record<string, () => LargeRequest>> = Object.fromEntries(
  ['json', 'yaml', 'cbor', 'vnd.kubernetes.protobuf', 'json;as=Table;g=meta.k8s.io;v=v1'].map((type) => [
    `list as ${type}`,
    () => ({ path: MAPS, headers: { accept: `application/${type}` } }),
  ]),
)

it.each([
  ['version 2', '/openapi/v2', 'application/json'],
  ['version 2 in protobuf', '/openapi/v2', 'application/com.github.proto-openapi.spec.v2@v1.0+protobuf'],
  ['version 3', '/openapi/v3/api/v1', 'application/json'],
  ['version 3 in protobuf', '/openapi/v3/api/v1', 'application/com.github.proto-openapi.spec.v3@v1.0+protobuf'],
])('the OpenAPI document of %s, made anew, holds nobody up', async (_, path, accept) => {
  await expectNoStall(async () => {
    // A server that has made none yet: what is in use is kept.
    await using fresh = await openServer()
    return await longestStall(async () => {
      const answer = await fresh.request(path, { headers: { accept, 'accept-encoding': 'identity' } })
      expect(answer.status).toBe(200)
    })
  })
})

it.each(Object.entries({ ...lists, ...largeWrites('target') }))('%s holds nobody up', async (name, make) => {
  const request = make()
  const { path, ...call } = request
  const once = async (): Promise<void> => {
    const { status, body } = await server.request(path, call)
    expect(status, body.slice(0, 500)).toBeLessThan(300)
  }
  await expectNoStall(() => longestStall(once), parsingMs(name, request))
})
