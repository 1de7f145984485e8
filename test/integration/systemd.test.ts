// Where systemd has started the server, it is told when it is ready and when it stops.
import { chmod, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { expect, it } from 'vitest'
import { newHome, startServerProcess } from '../rigs/server-process.ts'

/** In place of the program of systemd: writes down how it was called. */
async function notifiedFolder(
  script: string,
): Promise<{ readonly PATH: string; readonly told: () => Promise<string> }> {
  const folder = await newHome()
  const [program, file] = [path.join(folder, 'systemd-notify'), path.join(folder, 'told')]
  await writeFile(program, `#!/bin/sh\n${script.replace('FILE', file)}\n`)
  await chmod(program, 0o755)
  return { PATH: `${folder}:${process.env['PATH']}`, told: () => readFile(file, 'utf8') }
}

it('is told that the server is ready, and that it stops', async () => {
  const { PATH, told } = await notifiedFolder('echo "$@" >> FILE')
  const environment = { PATH, NOTIFY_SOCKET: '/run/notify' }
  const server = await startServerProcess(['--in-memory'], await newHome(), environment)
  await expect.poll(told).toBe(`--pid=${server.child.pid} READY=1 STATUS=serving on ${server.url}\n`)
  await server.stop()
  expect(await told()).toMatch(/\n--pid=\d+ STOPPING=1 STATUS=finishing requests\n$/)
})

it('is not told where it has not asked', async () => {
  const { PATH, told } = await notifiedFolder('echo "$@" >> FILE')
  const server = await startServerProcess(['--in-memory'], await newHome(), { PATH })
  await server.stop()
  await expect(told()).rejects.toThrow('ENOENT')
})

it('is served without, where it cannot be told', async () => {
  const { PATH } = await notifiedFolder('exit 1')
  const server = await startServerProcess(['--in-memory'], await newHome(), { PATH, NOTIFY_SOCKET: '/run/notify' })
  const { stderr } = await server.stop()
  expect(stderr).toContain('could not notify systemd')
})
