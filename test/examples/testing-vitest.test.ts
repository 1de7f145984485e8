// Tests with vitest: a server for the file, and one of its own for each test.
import { k8s } from 'quarterdeck/client'
import { applyYaml, eventually, type Server, serverFixtures, type ServerFixtures, waitFor } from 'quarterdeck/testing'
import { test as base, beforeAll, expect } from 'vitest'

const SETTINGS = `
apiVersion: v1
kind: ConfigMap
metadata: { name: settings }
data: { colour: red }
`

// What is set up is done once, before the first test; every test begins with it.
const setup = (server: Server) => applyYaml(server, SETTINGS)
const users = [{ name: 'ann', groups: ['developers'] }]
const test = base.extend<ServerFixtures>(serverFixtures({ users, setup }, { beforeAll }))

const settings = { kind: k8s.ConfigMap, name: 'settings', namespace: 'default' }

test('may do what it likes with its server', async ({ client }) => {
  await client.resource(k8s.ConfigMap).inNamespace('default').delete('settings')
  await waitFor(client, settings, 'deleted')
})

test('sees nothing of what others did', async ({ client }) => {
  const painted = eventually(client, settings, { data: { colour: expect.stringMatching(/^bl/) } })
  await client
    .resource(k8s.ConfigMap)
    .inNamespace('default')
    .patch('settings', { data: { colour: 'blue' } })
  expect((await painted).data).toEqual({ colour: 'blue' })
})

test('knows what was asked, and by whom', async ({ server, requests }) => {
  const maps = server.client('ann').resource(k8s.ConfigMap).inNamespace('default')
  await expect(maps.get('settings')).rejects.toMatchObject({ reason: 'Forbidden' })
  expect(requests.requests).toMatchObject([{ verb: 'get', user: 'ann', status: 403 }])
})
