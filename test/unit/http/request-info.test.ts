import { describe, expect, it } from 'vitest'
import { parseQuery } from '../../../src/http/query.ts'
import { requestInfoOf, RequestInfos, type ResourceInfo } from '../../../src/http/request-info.ts'

function infoOf(line: string) {
  const [method = '', target = ''] = line.split(' ')
  const [path = '', search = ''] = target.split('?')
  return requestInfoOf(method, path, parseQuery(search))
}

const blank: ResourceInfo = {
  kind: 'resource',
  verb: 'get',
  group: '',
  version: 'v1',
  resource: 'pods',
  subresource: undefined,
  rest: [],
  namespace: undefined,
  name: undefined,
  selectedName: undefined,
  legacy: false,
}

const resources: readonly (readonly [string, Partial<ResourceInfo>])[] = [
  ['GET /api/v1/pods', { verb: 'list' }],
  ['HEAD /api/v1/pods', { verb: 'list' }],
  ['GET /api/v1/pods/', { verb: 'list' }],
  ['GET /api/v1/pods?watch', { verb: 'watch' }],
  ['GET /api/v1/pods?watch=true', { verb: 'watch' }],
  ['GET /api/v1/pods?watch=FALSE', { verb: 'list' }],
  ['GET /api/v1/pods?watch=0', { verb: 'list' }],
  ['GET /api/v1/pods?watch=0&watch=1', { verb: 'list' }],
  ['GET /api/v1/pods/p?watch=1', { verb: 'get', name: 'p' }],
  ['OPTIONS /api/v1/pods', { verb: '' }],
  ['POST /api/v1/namespaces/n/pods', { verb: 'create', namespace: 'n' }],
  ['PUT /api/v1/namespaces/n/pods/p', { verb: 'update', namespace: 'n', name: 'p' }],
  ['PATCH /api/v1/namespaces/n/pods/p/status', { verb: 'patch', namespace: 'n', name: 'p', subresource: 'status' }],
  ['DELETE /api/v1/namespaces/n/pods/p', { verb: 'delete', namespace: 'n', name: 'p' }],
  ['DELETE /api/v1/namespaces/n/pods', { verb: 'deletecollection', namespace: 'n' }],
  ['GET /api/v1/namespaces/n/pods/p/proxy/a/b', { namespace: 'n', name: 'p', subresource: 'proxy', rest: ['a', 'b'] }],
  ['GET /apis/apps/v1/deployments', { verb: 'list', group: 'apps', resource: 'deployments' }],
  [
    'GET /apis/apps/v1/namespaces/n/deployments/d/scale',
    { group: 'apps', resource: 'deployments', namespace: 'n', name: 'd', subresource: 'scale' },
  ],
  ['GET /api/v1/namespaces', { verb: 'list', resource: 'namespaces' }],
  ['GET /api/v1/namespaces/n', { resource: 'namespaces', namespace: 'n', name: 'n' }],
  ['GET /api/v1/namespaces/n/status', { resource: 'namespaces', namespace: 'n', name: 'n', subresource: 'status' }],
  [
    'PUT /api/v1/namespaces/n/finalize',
    { verb: 'update', resource: 'namespaces', namespace: 'n', name: 'n', subresource: 'finalize' },
  ],
  ['GET /api/v1//pods', { resource: '', name: 'pods' }],
  // As the specification prints reviews (D15).
  [
    'POST /api/v1/subjectaccessreviews',
    { verb: 'create', group: 'authorization.k8s.io', resource: 'subjectaccessreviews' },
  ],
  [
    'POST /api/v1/namespaces/n/localsubjectaccessreviews',
    { verb: 'create', group: 'authorization.k8s.io', resource: 'localsubjectaccessreviews', namespace: 'n' },
  ],
  ['GET /api/v1/watch/pods', { verb: 'watch', legacy: true }],
  ['GET /api/v1/watch/namespaces/n/pods/p', { verb: 'watch', namespace: 'n', name: 'p', legacy: true }],
  ['GET /api/v1/proxy/nodes/x/y/z', { verb: 'proxy', resource: 'nodes', name: 'x', rest: ['y', 'z'], legacy: true }],
  ['GET /api/v1/pods?fieldSelector=metadata.name%3Dx', { verb: 'list', selectedName: 'x' }],
  ['GET /api/v1/pods?watch&fieldSelector=a=b,metadata.name==x', { verb: 'watch', selectedName: 'x' }],
  ['GET /api/v1/pods?fieldSelector=metadata.name!=x', { verb: 'list' }],
  ['GET /api/v1/pods?fieldSelector=metadata.name%3D..', { verb: 'list' }],
  ['DELETE /api/v1/pods?fieldSelector=metadata.name=x', { verb: 'deletecollection' }],
]

describe('what a request asks for (R-055, R-056, P-100 to P-104)', () => {
  it.each(resources)('%s', (line, expected) => {
    expect(infoOf(line)).toEqual({ ...blank, ...expected })
  })

  it.each([
    '/',
    '/api',
    '/api/v1',
    '/api/v1/',
    '/apis',
    '/apis/apps',
    '/apis/apps/v1',
    '/version',
    '/healthz/ping',
    '//',
  ])('GET %s is a plain path', (path) => {
    expect(infoOf(`GET ${path}`)).toEqual({ kind: 'path', verb: 'get' })
  })

  it.each(['/api/v1/watch', '/api/v1/watch/', '/apis/apps/v1/watch'])('GET %s is cut off too early (R-027)', (path) => {
    expect(infoOf(`GET ${path}`)).toEqual({
      kind: 'broken',
      message: `unable to determine kind and namespace from url, ${path}`,
    })
  })

  it.each([
    ['.', '/api/v1/namespaces/./pods'],
    ['..', '/api/v1/namespaces/n/pods/..'],
    ['..', '/healthz/../metrics'],
    ['..', '/..'],
    ['.', './api'],
  ])('a dot segment %s in %s leads nowhere (D36)', (segment, path) => {
    expect(infoOf(`GET ${path}`)).toEqual({ kind: 'broken', message: `invalid path: no part may be '${segment}'` })
  })

  it.each(['/api/v1/namespaces/n/pods/...', '/api/v1/nodes/a.', '/.well-known/x'])(
    'GET %s has no dot segment',
    (path) => {
      expect(infoOf(`GET ${path}`).kind).not.toBe('broken')
    },
  )
})

it('what is remembered of a path is what would be found anew, whatever was asked before', () => {
  const infos = new RequestInfos()
  const methods = ['GET', 'HEAD', 'POST', 'DELETE', 'OPTIONS']
  const paths = ['/api/v1/pods', '/api/v1/namespaces/n/pods/p', '/api/v1/watch/pods', '/version', '/api/v1/watch']
  const queries = ['', 'watch=1', 'fieldSelector=metadata.name%3Dx'].map(parseQuery)
  const all = methods.flatMap((method) => paths.flatMap((path) => queries.map((query) => ({ method, path, query }))))
  const check = (): void => {
    for (const { method, path, query } of all) {
      expect(infos.of(method, path, query)).toEqual(requestInfoOf(method, path, query))
    }
  }
  check()
  check()
  for (let i = 0; i < 5000; i++) infos.of('GET', `/api/v1/nodes/n${i}`, queries[0]!)
  check()
})

it('the same path is not taken apart twice', () => {
  const infos = new RequestInfos()
  const ask = () => infos.of('GET', '/api/v1/namespaces/n/pods/p', parseQuery(''))
  expect(ask()).toBe(ask())
})
