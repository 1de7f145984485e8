// Logs, exec and proxy of pods that no node runs: what a client is told before anything would be connected to.
import { expect, it } from 'vitest'
import type { ServerProcess } from '../rigs/server-process.ts'
import { newHome, startServerProcess } from '../rigs/server-process.ts'

const PODS = '/api/v1/namespaces/default/pods'

function call(server: ServerProcess, path: string, body?: object): ReturnType<ServerProcess['request']> {
  const { token } = server.kubeconfig.users[0].user
  if (body === undefined) return server.request(path, { token })
  const headers = { 'content-type': 'application/json' }
  return server.request(path, { method: 'POST', headers, token, body: JSON.stringify(body) })
}

async function startWithAccount(): Promise<ServerProcess> {
  const server = await startServerProcess(['--in-memory'], await newHome())
  const account = async (): Promise<number> =>
    (await call(server, '/api/v1/namespaces/default/serviceaccounts/default')).status
  await expect.poll(account).toBe(200)
  return server
}

const TOLD = [
  { path: 'unplaced/log', status: 204, says: '' },
  { path: 'missing/log', status: 404, says: 'pods \\"missing\\" not found' },
  { path: 'two/log', status: 400, says: 'a container name must be specified for pod two, choose one of: [a b]' },
  { path: 'two/log?container=x', status: 400, says: 'container x is not valid for pod two' },
  { path: 'placed/log', status: 404, says: 'pods \\"nowhere\\" not found' },
  {
    path: 'unplaced/log?tailLines=-1',
    status: 422,
    says: 'PodLogOptions \\"unplaced\\" is invalid: tailLines: Invalid value: -1: must be greater than or equal to 0',
  },
  { path: 'unplaced/log?tailLines=x', status: 400, says: 'invalid syntax' },
  { path: 'unplaced/log?stream=Stdout', status: 422, says: 'stream: Forbidden: may not be specified' },
  { path: 'unplaced/exec?command=ls', status: 400, says: 'pod unplaced does not have a host assigned' },
  { path: 'two/attach', status: 400, says: 'choose one of: [a b]' },
  { path: 'placed/portforward', status: 404, says: 'pods \\"nowhere\\" not found' },
  { path: 'unplaced/exec?dryRun=All', status: 400, says: 'dryRun is not supported' },
  { path: 'a:b:c:d/proxy/', status: 400, says: 'invalid pod request \\"a:b:c:d\\"' },
  { path: 'unplaced/proxy/', status: 400, says: 'address not allowed' },
]

it('tells what is wrong before anything would be connected to (W-398, P-402, P-406 to P-408, P-415, P-425, P-426)', async () => {
  const server = await startWithAccount()
  const containers = [{ name: 'a', image: 'i' }]
  for (const [name, spec] of Object.entries({
    unplaced: { containers },
    two: { containers: [...containers, { name: 'b', image: 'i' }] },
    placed: { containers, nodeName: 'nowhere' },
  })) {
    const answer = await call(server, PODS, { metadata: { name }, spec })
    expect(answer.status, answer.body).toBe(201)
  }
  for (const { path, status, says } of TOLD) {
    const answer = await call(server, `${PODS}/${path}`)
    expect([path, answer.status, answer.body]).toEqual([path, status, expect.stringContaining(says)])
  }
  expect((await call(server, `${PODS}/unplaced/log`, {})).status).toBe(405)

  const services = '/api/v1/namespaces/default/services'
  await call(server, services, { metadata: { name: 's' }, spec: { ports: [{ port: 80 }] } })
  const missing = await call(server, `${services}/s/proxy/`)
  expect([missing.status, missing.body]).toEqual([503, expect.stringContaining('no endpoints available for service')])
  const wrong = await call(server, `${services}/s:99/proxy/`)
  expect([wrong.status, wrong.body]).toEqual([503, expect.stringContaining('no service port 99 found')])
  await server.stop()
})
