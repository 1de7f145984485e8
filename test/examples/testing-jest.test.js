// Tests with jest, which loads modules with NODE_OPTIONS=--experimental-vm-modules: a server for the file, and one of its own for each test.
import { afterAll, beforeAll, test as base, expect } from '@jest/globals'
import { k8s } from 'quarterdeck/client'
import { applyYaml, eventually, serverTest, waitFor } from 'quarterdeck/testing'

const SETTINGS = `
apiVersion: v1
kind: ConfigMap
metadata: { name: settings }
data: { colour: red }
`

// What is set up is done once; every test begins with it.
const test = serverTest({ test: base, beforeAll, afterAll }, { setup: (server) => applyYaml(server, SETTINGS) })
const settings = { kind: k8s.ConfigMap, name: 'settings', namespace: 'default' }

test('may do what it likes with its server', async ({ client }) => {
  await client.resource(k8s.ConfigMap).inNamespace('default').delete('settings')
  await waitFor(client, settings, 'deleted')
})

test('sees nothing of what others did', async ({ client, requests }) => {
  const { data } = await eventually(client, settings, { data: { colour: 'red' } })
  expect(data).toEqual({ colour: 'red' })
  expect(requests.requests.map(({ verb, status }) => [verb, status])).toEqual([['watch', 200]])
})
