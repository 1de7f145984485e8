// Requests of every kind that could make a server look at things in pairs, on the whole server: each costs no more than its bytes.
// `make test-cost` does the same with bodies as large as they may be.
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { type HostileRow, tooCostly } from '../rigs/hostile-cost.ts'
import { type MeasuredServer, startMeasuredServer } from '../rigs/measured-server.ts'
import * as heads from '../corpora/hostile-heads.ts'
import { OBJECT_QUERIES } from '../corpora/hostile-queries.ts'
import * as rows from '../corpora/hostile-rows.ts'

const BYTES = Number(process.env['HOSTILE_BYTES'] ?? 64 * 1024)

let server: MeasuredServer
beforeAll(async () => {
  server = await startMeasuredServer()
  const data = Object.fromEntries(Array.from({ length: 5000 }, (_, i) => [`k${i}`, 'v']))
  const containers = Array.from({ length: 200 }, (_, i) => ({ name: `c${i}`, image: 'i' }))
  const labels = { app: 'a' }
  const spec = { selector: { matchLabels: labels }, template: { metadata: { labels }, spec: { containers } } }
  const make = (path: string, body: object): Promise<unknown> => server.must(path, { method: 'POST', body })
  await make(rows.MAPS, { kind: 'ConfigMap', apiVersion: 'v1', metadata: { name: 'target' }, data })
  await make('/apis/apps/v1/namespaces/default/deployments', {
    kind: 'Deployment',
    apiVersion: 'apps/v1',
    metadata: { name: 'target' },
    spec,
  })
  const pod = {
    kind: 'Pod',
    apiVersion: 'v1',
    metadata: { name: 'target' },
    spec: { containers: containers.slice(0, 1) },
  }
  await make(rows.PODS, pod)
  await make(rows.QUOTAS, { kind: 'ResourceQuota', apiVersion: 'v1', metadata: { name: 'target' }, spec: {} })
  await make(rows.DEFINITIONS, rows.definition(rows.CUSTOM_SCHEMA, 'sample'))
  await vi.waitFor(async () => expect((await server.request('/apis/hostile.example.com/v1/samples')).status).toBe(200))
})
afterAll(() => server?.[Symbol.asyncDispose]())

const TABLES: Readonly<Record<string, Readonly<Record<string, HostileRow>>>> = {
  'an object full of': rows.METADATA,
  'an object under a name that is taken, full of': rows.TAKEN_NAMES,
  'a pod full of': rows.PODS_ROWS,
  'a patch of': rows.PATCHES,
  'a question or a rule full of': rows.ACCESS,
  'a definition full of': rows.SCHEMAS,
  'a custom object full of': rows.CUSTOM_ROWS,
  'a query full of': heads.QUERIES,
  'a query on objects, full of': OBJECT_QUERIES,
  'a head full of': heads.HEADS,
  'a subresource full of': heads.SUBRESOURCES,
}

describe.each(Object.entries(TABLES))('%s', (_table, table) => {
  it.each(Object.entries(table))('%s costs no more than its bytes', async (_name, row) => {
    expect(await tooCostly(server, row, BYTES)).toBe('')
  })
})
