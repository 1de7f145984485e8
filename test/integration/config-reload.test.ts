// A configuration file that is changed under a running server: a hang-up has it read again, what can be is gone by at once, and the rest
// is named.
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, it } from 'vitest'
import { newHome, type ServerProcess, startServerProcess } from '../rigs/server-process.ts'
import { workerPids } from '../rigs/worker-pids.ts'

interface Running {
  readonly server: ServerProcess
  readonly log: () => string
  /** Writes the file and sends the signal. */
  readonly reload: (settings: object) => void
}

async function start(settings: object, workers: number): Promise<Running> {
  const home = await newHome()
  const file = path.join(home, 'quarterdeck.yaml')
  const write = (content: object): void => writeFileSync(file, JSON.stringify(content))
  write(settings)
  const server = await startServerProcess(['--in-memory', '--config', file, '--workers', String(workers)], home)
  let log = ''
  server.child.stderr?.on('data', (chunk: Buffer) => (log += chunk.toString()))
  const reload = (content: object): void => {
    write(content)
    server.child.kill('SIGHUP')
  }
  return { server, log: () => log, reload }
}

async function levels({ server }: Running): Promise<Readonly<Record<string, string>>> {
  const { body } = await server.request('/debug/flags/log-level', { token: server.adminToken })
  return JSON.parse(body) as Record<string, string>
}

it('what a running server can go by is in effect, the rest is named, and a wrong file changes nothing', async () => {
  const running = await start({ 'log-level': 'info', 'max-requests-inflight': 400 }, 1)
  const { server, log, reload } = running
  const seats = async (): Promise<number> => {
    const { body } = await server.request('/metrics', { token: server.adminToken })
    return Number(
      /^apiserver_flowcontrol_nominal_limit_seats\{priority_level="global-default"\} (\d+)$/m.exec(body)?.[1],
    )
  }
  const before = await seats()
  reload({ 'log-level': 'warn', 'max-requests-inflight': 4000, 'event-ttl': '2h', 'etcd-compaction-interval': '9m' })
  await expect
    .poll(log)
    .toContain(
      '"flags":["etcd-compaction-interval","event-ttl"],"msg":"changed settings need a restart to take effect"',
    )
  expect(await levels(running)).toMatchObject({ server: 'warn', cache: 'warn' })
  expect(await seats()).toBeGreaterThan(before * 4)
  expect((await server.request('/readyz')).status).toBe(200)

  reload({ 'log-levle': 'debug' })
  await expect
    .poll(log)
    .toMatch(/unknown flag log-levle[^\n]*"msg":"could not reload the configuration; keeping the previous one"/)
  expect(await levels(running)).toMatchObject({ server: 'warn' })
})

it('workers that take the place of others go by all of it, and a wrong file replaces none', async () => {
  const { server, log, reload } = await start({ 'event-ttl': '1h' }, 2)
  const first = workerPids(server)
  reload({ 'event-ttl': '1s' })
  await expect.poll(log).toContain('"flags":["event-ttl"],"msg":"changed settings are in effect"')
  await expect.poll(() => workerPids(server).filter((pid) => first.includes(pid))).toEqual([])

  const events = '/api/v1/namespaces/default/events'
  const body = JSON.stringify({ metadata: { name: 'soon-gone' }, involvedObject: { namespace: 'default' } })
  const call = { token: server.adminToken, headers: { 'content-type': 'application/json' } }
  expect((await server.request(events, { ...call, method: 'POST', body })).status).toBe(201)
  await expect.poll(async () => (await server.request(`${events}/soon-gone`, call)).status).toBe(404)

  const second = workerPids(server)
  reload({ 'event-tll': '1h' })
  await expect.poll(log).toMatch(/unknown flag event-tll[^\n]*"msg":"could not reload the configuration/)
  expect(workerPids(server)).toEqual(second)
})
