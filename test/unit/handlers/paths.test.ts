// Which paths of resources there are, and what is said of the others.
import { beforeEach, describe, expect, it } from 'vitest'
import { type ApiWorld, openWorld } from '../../rigs/api-world.ts'

let api: ApiWorld

beforeEach(async () => {
  api = await openWorld()
  const body = { metadata: { name: 'p' }, spec: { containers: [{ name: 'c', image: 'i' }] } }
  await api.send({ method: 'POST', path: '/api/v1/namespaces/ns/pods', body })
})

const NOWHERE = 'the server could not find the requested resource'

const rows: readonly (readonly [what: string, line: string, status: number, message: string | undefined])[] = [
  ['a subresource', 'GET /api/v1/namespaces/ns/pods/p/status', 200, undefined],
  ['below a subresource', 'GET /api/v1/namespaces/ns/pods/p/status/x', 404, NOWHERE],
  ['below the log', 'GET /api/v1/namespaces/ns/pods/p/log/x', 404, NOWHERE],
  ['an unknown subresource', 'GET /api/v1/namespaces/ns/pods/p/foo', 404, NOWHERE],
  ['a subresource of an old watch', 'GET /api/v1/watch/namespaces/ns/pods/p/status', 404, NOWHERE],
  ['an old proxy', 'GET /api/v1/proxy/nodes/x', 404, NOWHERE],
  ['below an old proxy', 'GET /api/v1/proxy/nodes/x/y', 404, NOWHERE],
  [
    'a name that is encoded twice (W-059)',
    'PUT /api/v1/namespaces/ns/pods/a%25b',
    400,
    `Name parameter invalid: "a%b": may not contain '%'`,
  ],
]

describe('paths of resources', () => {
  it.each(rows)('%s: %s', async (_, line, status, message) => {
    const [method = '', path = ''] = line.split(' ')
    const answer = await api.send({ method, path })
    expect(answer.status).toBe(status)
    expect(answer.body['message']).toBe(message)
  })
})
