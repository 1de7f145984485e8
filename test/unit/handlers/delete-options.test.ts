import { expect, it } from 'vitest'
import { deleteOptionsOfQuery } from '../../../src/handlers/delete-options.ts'
import { parseQuery } from '../../../src/http/query.ts'

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
