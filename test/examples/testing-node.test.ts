// Tests with node:test: a server for the file, and one of its own for each test.
import assert from 'node:assert/strict'
import { after, before, test as base } from 'node:test'
import { k8s } from 'quarterdeck/client'
import { eventually, serverTest, waitFor } from 'quarterdeck/testing'

const test = serverTest({ test: base, before, after })
const config = { metadata: { name: 'settings', namespace: 'default' }, data: { colour: 'red' } }

test('makes an object', async ({ client }) => {
  const made = await client.resource(k8s.ConfigMap).create(config)
  await waitFor(client, made, ({ data }) => data?.['colour'] === 'red')
})

test('makes it again, in a server of its own', async ({ client, requests }) => {
  const made = await client.resource(k8s.ConfigMap).create(config)
  await eventually(client, made, { data: { colour: 'red' } })
  assert.deepEqual(
    requests.requests.map(({ verb, status }) => [verb, status]),
    [
      ['create', 201],
      ['get', 200],
      ['watch', 200],
    ],
  )
})
