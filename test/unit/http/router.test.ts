import { describe, expect, it } from 'vitest'
import { plainText } from '../../../src/http/responses.ts'
import { indexPage, routeRequests } from '../../../src/http/router.ts'
import { ANYBODY, bodyText, fakeRequest } from './fake-request.ts'

const rows: readonly (readonly [line: string, answer: string])[] = [
  ['GET /version', 'version'],
  ['GET /debug', 'debug'],
  ['GET /debugger', '404 page not found\n'],
  ['GET /debug/x', 'debug'],
  ['GET /api/v1/pods', 'resources'],
  ['GET /api/v1//pods', 'resources'],
  ['GET //api/v1/pods', '404 page not found\n'],
  ['GET //version', '404 page not found\n'],
  ['GET /apis//apps/v1', '404 page not found\n'],
  ['GET /apis//apps/v1/deployments', '404 page not found\n'],
]

describe('where a request goes (R-040, R-047)', () => {
  const handler = routeRequests({
    routes: [
      { path: '/version', handler: () => plainText(200, 'version') },
      { path: '/debug', subtree: true, handler: () => plainText(200, 'debug') },
    ],
    resources: () => plainText(200, 'resources'),
  })

  it.each(rows)('%s', async (line, answer) => {
    expect(bodyText(await handler(fakeRequest(line), ANYBODY))).toBe(answer)
  })
})

describe('the index (R-312, P-237)', () => {
  it('lists every path once, and what a route tells of itself', async () => {
    const handler = () => plainText(200, '')
    const index = indexPage([
      { path: '/version', handler },
      { path: '/apis', subtree: true, handler },
      { path: '/apis', handler, listed: () => ['/apis', '/apis/apps'] },
    ])
    const { paths } = JSON.parse(bodyText(await index(fakeRequest('GET /')))) as { paths: readonly string[] }
    expect(paths).toEqual(['/apis', '/apis/apps', '/version'])
  })
})
