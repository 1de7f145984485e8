import { expect, it } from 'vitest'
import { deleteOptionsOfQuery } from '../../../src/handlers/delete-options.ts'
import { parseQuery } from '../../../src/http/query.ts'
import { openWorld } from '../../rigs/api-world.ts'

it.each([
  ['uid=u&resourceVersion=7', { preconditions: { uid: 'u', resourceVersion: '7' } }],
  ['uid=&resourceVersion=7', { preconditions: { resourceVersion: '7' } }],
  ['uid=u&resourceVersion=', { preconditions: { uid: 'u' } }],
  ['uid=&resourceVersion=', {}],
  ['resourceVersion', {}],
  ['gracePeriodSeconds=5&dryRun=All', { gracePeriodSeconds: 5, dryRun: ['All'] }],
])('the options of ?%s', (query, options) => {
  expect(deleteOptionsOfQuery(parseQuery(query))).toEqual(options)
})

it.each([
  ['configmaps?labelSelector=%zz', 'the part "labelSelector=%zz" of the query is not a name and a value'],
  ['configmaps?labelSelector=a;b', 'the part "labelSelector=a;b" of the query is not a name and a value'],
  ['configmaps?labelSelector=a%00,b', 'the labelSelector has a NUL, at which it would end'],
  ['configmaps?fieldSelector=metadata.name%00=b', 'the fieldSelector has a NUL, at which it would end'],
  ['configmaps/a?dryRun=All%', 'the part "dryRun=All%" of the query is not a name and a value'],
  ['configmaps/a?uid=x&resourceVersion=%1', 'the part "resourceVersion=%1" of the query is not a name and a value'],
])('a DELETE of %s, of which a part would be lost, deletes nothing (D36)', async (target, message) => {
  const world = await openWorld()
  const maps = '/api/v1/namespaces/ns/configmaps'
  await world.send({ method: 'POST', path: maps, body: { metadata: { name: 'a' } } })
  const path = `/api/v1/namespaces/ns/${target}`
  expect(await world.send({ method: 'DELETE', path })).toMatchObject({ status: 400, body: { message } })
  expect(await world.send({ method: 'GET', path: `${maps}/a` })).toMatchObject({ status: 200 })
})
