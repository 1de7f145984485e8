// Virtual time for programs in other languages: /debug/clock, where the server was asked to have it.
import { expect, it } from 'vitest'
import type { ServerOptions } from '../../src/index.ts'
import { newServer, plain } from '../rigs/library-server.ts'
import { newHome, startServerProcess } from '../rigs/server-process.ts'

const CLOCK = '/debug/clock'
const BEGIN = '2026-01-01T00:00:00.000Z'
const ONE_HOUR_ON = '2026-01-01T01:00:00.000Z'
const VIRTUAL: ServerOptions = { flags: ['--dev', '--virtual-clock'] }

const post = (body: string) => ({ method: 'POST', body })

it('tells the time, moves it, and answers when all is done that follows from it', async () => {
  const server = await newServer(VIRTUAL)
  const api = plain(server)
  expect(await api.must(CLOCK)).toEqual({ now: BEGIN })
  const event = { metadata: { name: 'seen' }, involvedObject: { namespace: 'default' } }
  await api.request('/api/v1/namespaces/default/events', post(JSON.stringify(event)))
  expect(await api.must(CLOCK, post('{"advance":"1h"}'))).toEqual({ now: ONE_HOUR_ON })
  expect((await api.request('/api/v1/namespaces/default/events/seen')).status).toBe(404)
  await api.request(CLOCK, post('{"advance":250}'))
  expect(server.clock.now()).toBe(Date.parse(ONE_HOUR_ON) + 250)
})

it.each([
  ['{"advance":"-1h"}', 'time cannot be advanced by -1h: say milliseconds'],
  ['{"advance":"soon"}', 'time cannot be advanced by soon'],
  ['{"advance":"1h","by":2}', 'give the time to advance: {"advance":"5m"}'],
  ['{}', 'give the time to advance'],
  ['null', 'give the time to advance'],
  ['advance', 'the body is not JSON'],
])('refuses %s and says why', async (body, message) => {
  const api = plain(await newServer(VIRTUAL))
  const refused = await api.request(CLOCK, post(body))
  expect(refused.status).toBe(400)
  expect(refused.json()['message']).toContain(message)
})

it('is for administrators', async () => {
  const server = await newServer({ ...VIRTUAL, users: [{ name: 'ann' }] })
  expect((await plain(server, 'ann').request(CLOCK)).status).toBe(403)
  expect((await plain(server).request(CLOCK, { method: 'DELETE' })).status).toBe(405)
})

it.each<[string, ServerOptions]>([
  ['without --dev', { clock: 'virtual' }],
  ["with the system's clock", { flags: ['--dev'] }],
])('is not there %s', async (_, options) => {
  expect((await plain(await newServer(options)).request(CLOCK)).status).toBe(404)
})

it('moves the time of a fork alone where that is asked', async () => {
  const server = await newServer(VIRTUAL)
  await using fork = await server.fork()
  expect(await plain(fork).must(CLOCK, post('{"advance":"1h"}'))).toEqual({ now: ONE_HOUR_ON })
  expect(await plain(server).must(CLOCK)).toEqual({ now: BEGIN })
})

it('is there for a server that runs by itself', async () => {
  const server = await startServerProcess(
    ['--in-memory', '--dev', '--virtual-clock', '--workers', '1'],
    await newHome(),
  )
  const { token } = server.kubeconfig.users[0].user
  expect(JSON.parse((await server.request(CLOCK, { token })).body)).toEqual({ now: BEGIN })
  const moved = await server.request(CLOCK, { ...post('{"advance":"1h"}'), token })
  expect(JSON.parse(moved.body)).toEqual({ now: ONE_HOUR_ON })
})
