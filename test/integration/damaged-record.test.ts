// A bit that has changed on the disk of the embedded store: the object is named in the log and by the doctor, everything else is served, and
// the object can be taken away.
import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { expect, it } from 'vitest'
import { newHome, runCommand, type ServerProcess, startServerProcess } from '../rigs/server-process.ts'

const MAPS = '/api/v1/namespaces/default/configmaps'
const KEY = '/registry/configmaps/default/struck'
const MARK = 'what-is-struck-by-a-stray-bit'
const FLAGS = ['--data-dir=data', '--feature-gates=AllowUnsafeMalformedObjectDeletion=true']

/** In every copy of the text that the file has: pages of before the last commit are still there. */
async function flipBit(file: string, text: string): Promise<void> {
  const bytes = await readFile(file)
  let flipped = 0
  for (let at = bytes.indexOf(text); at >= 0; at = bytes.indexOf(text, at + 1)) {
    bytes[at + 3]! ^= 0x10
    flipped++
  }
  expect(flipped).toBeGreaterThan(0)
  await writeFile(file, bytes)
}

async function call(server: ServerProcess, target: string, method = 'GET', body?: object) {
  const text = body === undefined ? '' : JSON.stringify(body)
  // Node says by itself how long a body is, but not that of a DELETE.
  const headers = { 'content-type': 'application/json', 'content-length': String(text.length) }
  const answer = await server.request(target, { method, token: server.adminToken, headers, body: text })
  return { status: answer.status, object: JSON.parse(answer.body) as Record<string, unknown> }
}

it('a flipped bit is found and told with the key, and the rest is served', async () => {
  const home = await newHome()
  const first = await startServerProcess(FLAGS, home)
  for (const [name, text] of Object.entries({ struck: MARK, whole: 'as it was' })) {
    expect((await call(first, MAPS, 'POST', { metadata: { name }, data: { text } })).status).toBe(201)
  }
  await first.stop()
  await flipBit(path.join(home, 'data/store/data.mdb'), MARK)

  const doctor = await runCommand(['doctor', '--data-dir=data', '--output=json'], home)
  const { findings } = JSON.parse(doctor.stdout) as { findings: readonly { check: string }[] }
  expect(findings.filter(({ check }) => check === 'unreadable')).toEqual([
    expect.objectContaining({
      subject: KEY,
      problem: expect.stringMatching(/^the record of revision \d+ is damaged$/),
    }),
  ])
  const backup = await runCommand(['backup', '--data-dir=data', 'backup.bin'], home)
  expect([backup.code, backup.stderr]).toEqual([1, expect.stringContaining(`${KEY}: the record of revision`)])

  const server = await startServerProcess(FLAGS, home)
  let log = ''
  server.child.stderr?.on('data', (chunk: Buffer) => (log += chunk.toString()))
  expect(await call(server, `${MAPS}/whole`)).toMatchObject({ status: 200, object: { data: { text: 'as it was' } } })
  expect((await call(server, '/api/v1/namespaces')).status).toBe(200)
  expect(await call(server, `${MAPS}/struck`)).toMatchObject({ status: 500 })
  const list = await call(server, MAPS)
  expect(list).toMatchObject({ status: 500, object: { reason: 'StorageReadError' } })
  expect(JSON.stringify(list.object)).toContain('default/struck')

  const unsafe = { ignoreStoreReadErrorWithClusterBreakingPotential: true }
  expect((await call(server, `${MAPS}/struck`, 'DELETE', unsafe)).status).toBe(200)
  expect((await call(server, MAPS)).status).toBe(200)
  const { stderr } = await server.stop()
  expect(log + stderr).toContain(`"key":"${KEY}"`)
})
