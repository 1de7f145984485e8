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

const LOST: readonly (readonly [string, string])[] = [
  ['configmaps?labelSelector=%zz', 'the part "labelSelector=%zz" of the query is not a name and a value'],
  ['configmaps?labelSelector=a;b', 'the part "labelSelector=a;b" of the query is not a name and a value'],
  ['configmaps?labelSelector=a%00,b', 'the labelSelector has a NUL, at which it would end'],
  ['configmaps?fieldSelector=metadata.name%00=b', 'the fieldSelector has a NUL, at which it would end'],
  ['configmaps?fieldSelector=,', 'the fieldSelector "," has no requirement'],
  ['configmaps?labelSelector=%20', 'the labelSelector " " has no requirement'],
  ['configmaps?labelselector=a=b', 'the query has no parameter "labelselector": did you mean labelSelector?'],
  ['configmaps?label_selector=a=b', 'the query has no parameter "label_selector": did you mean labelSelector?'],
  ['configmaps?Field-Selector=a=b', 'the query has no parameter "Field-Selector": did you mean fieldSelector?'],
  ['configmaps?labelSelector=b=c&labelSelector=a=b', 'the query has several values of labelSelector'],
  ['configmaps?Where=a', 'the query has no parameter "Where": did you mean where?'],
  ['configmaps?where=a', 'a DELETE does not select objects by where'],
  ['configmaps?dryrun=All', 'the query has no parameter "dryrun": did you mean dryRun?'],
  ['configmaps/a?dryrun=All', 'the query has no parameter "dryrun": did you mean dryRun?'],
  ['configmaps/a?dryRun=All%', 'the part "dryRun=All%" of the query is not a name and a value'],
  ['configmaps/a?UID=x', 'the query has no parameter "UID": did you mean uid?'],
  ['configmaps/a?uid=&uid=x', 'the query has several values of uid'],
  ['configmaps/a?uid=x&resourceVersion=%1', 'the part "resourceVersion=%1" of the query is not a name and a value'],
]

it.each(LOST)('a DELETE of %s, of which a part would be lost, deletes nothing (D36)', async (target, message) => {
  const world = await openWorld()
  const maps = '/api/v1/namespaces/ns/configmaps'
  await world.send({ method: 'POST', path: maps, body: { metadata: { name: 'a' } } })
  const path = `/api/v1/namespaces/ns/${target}`
  expect(await world.send({ method: 'DELETE', path })).toMatchObject({ status: 400, body: { message } })
  expect(await world.send({ method: 'GET', path: `${maps}/a` })).toMatchObject({ status: 200 })
})

it.each([
  ['{"dryrun":["All"]}', 'the DeleteOptions have an unknown field "dryrun": did you mean dryRun?'],
  ['{"dryRun":["All"],"dryRun":[]}', 'the DeleteOptions say something twice: duplicate field "dryRun"'],
  ['dryRun: [All]\ndryRun: []\n', /^the DeleteOptions say something twice: .*key "dryRun" already set in map/s],
  [
    '{"Preconditions":{"uid":"x"}}',
    'the DeleteOptions have an unknown field "Preconditions": did you mean preconditions?',
  ],
  ['{"preconditions":{"UID":"x"}}', 'the DeleteOptions have an unknown field "preconditions.UID": did you mean uid?'],
  ['{"grace_period_seconds":5}', /unknown field "grace_period_seconds": did you mean gracePeriodSeconds\?$/],
])('a DELETE with %s in its body deletes nothing (D36)', async (body, message) => {
  const world = await openWorld()
  const path = '/api/v1/namespaces/ns/configmaps/a'
  await world.create(world.resource('configmaps'), { metadata: { name: 'a' } })
  const contentType = body.startsWith('{') ? 'application/json' : 'application/yaml'
  const answer = await world.send({ method: 'DELETE', path, body, contentType })
  expect(answer).toMatchObject({ status: 400, body: { message: expect.stringMatching(message) as string } })
  expect(await world.send({ method: 'GET', path })).toMatchObject({ status: 200 })
})

it.each([
  ['dryrun=All', 'the query has no parameter "dryrun": did you mean dryRun?'],
  ['dry_run=All', 'the query has no parameter "dry_run": did you mean dryRun?'],
  ['dryRun=All;', 'the part "dryRun=All;" of the query is not a name and a value'],
  ['dryRun=%41ll%', 'the part "dryRun=%41ll%" of the query is not a name and a value'],
])('a write with ?%s, which would be no dry run, changes nothing (D36)', async (query, message) => {
  const world = await openWorld()
  const maps = '/api/v1/namespaces/ns/configmaps'
  await world.send({ method: 'POST', path: maps, body: { metadata: { name: 'a' } } })
  const body = { metadata: { name: 'a' }, data: { new: 'yes' } }
  const writes = [
    { method: 'POST', path: maps, body: { ...body, metadata: { name: 'b' } } },
    { method: 'PUT', path: `${maps}/a`, body },
    { method: 'PATCH', path: `${maps}/a`, body, contentType: 'application/merge-patch+json' },
  ]
  for (const write of writes) {
    const answer = await world.send({ ...write, path: `${write.path}?${query}` })
    expect(answer).toMatchObject({ status: 400, body: { message } })
  }
  expect(await world.send({ method: 'GET', path: `${maps}/b` })).toMatchObject({ status: 404 })
  expect((await world.send({ method: 'GET', path: `${maps}/a` })).body).not.toHaveProperty('data')
})
