import { describe, expect, it } from 'vitest'
import { objectAddress, routeOf, tableAddress, titleOf } from '../../../../src/console/web/routes.ts'

describe('the addresses of the console', () => {
  it.each([
    ['/console', '', { page: 'overview' }],
    ['/console/', '', { page: 'overview' }],
    ['/console/nothing/here', '', { page: 'overview' }],
    ['/console/server', '', { page: 'server' }],
    ['/console/access', '', { page: 'access' }],
    [
      '/console/kinds/pods',
      '?namespace=a&labels=x%3Dy',
      {
        page: 'table',
        resource: 'pods',
        query: { namespace: 'a', labels: 'x=y', fields: '', where: '', accessible: '' },
      },
    ],
    ['/console/objects/pods/a/web', '', { page: 'object', resource: 'pods', named: { namespace: 'a', name: 'web' } }],
    ['/console/objects/nodes/-/n1', '', { page: 'object', resource: 'nodes', named: { namespace: '', name: 'n1' } }],
    ['/console/objects/pods/a', '', { page: 'overview' }],
  ])('%s%s', (path, search, route) => expect(routeOf(path, search)).toEqual(route))

  it('lead back to what they were made of', () => {
    const query = {
      namespace: 'a b',
      labels: 'x in (y,z)',
      fields: 'status.phase!=Running',
      where: "object.spec.a == 'b'",
      accessible: 'true',
    }
    const [path = '', search = ''] = tableAddress('jobs.batch', query).split('?')
    expect(routeOf(path, `?${search}`)).toEqual({ page: 'table', resource: 'jobs.batch', query })
    const named = { namespace: '', name: 'system:node%2f<b>' }
    const address = objectAddress({ plural: 'clusterroles', group: 'rbac.authorization.k8s.io' }, named)
    expect(routeOf(address, '')).toEqual({ page: 'object', resource: 'clusterroles.rbac.authorization.k8s.io', named })
  })

  it.each([
    ['/console/', 'Overview'],
    ['/console/apply', 'Apply YAML'],
    ['/console/kinds/jobs.batch', 'jobs.batch'],
    ['/console/objects/pods/a/web', 'web'],
  ])('%s is called %s', (path, title) => expect(titleOf(routeOf(path, ''))).toBe(title))
})
