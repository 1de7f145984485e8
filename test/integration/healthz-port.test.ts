// The deprecated `--healthz-port`, which serves health alone, and both ways in which `quarterdeck healthcheck` asks a server.
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { type AddressInfo, createServer, type Server } from 'node:net'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { COMMAND } from '../rigs/command.ts'
import { freePort } from '../rigs/free-port.ts'
import { newHome, type ServerProcess, startServerProcess } from '../rigs/server-process.ts'

const IN_IMAGE = path.join(import.meta.dirname, '../../deploy/image/quarterdeck')

interface Checked {
  readonly code: number
  readonly said: string
}

function run(program: string, args: readonly string[], port: number): Promise<Checked> {
  const env = { PATH: process.env['PATH'], QUARTERDECK_HEALTHZ_PORT: String(port) }
  return new Promise((resolve) => {
    execFile(program, args, { env }, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : Number(error.code), said: `${stdout}${stderr}`.trim() }),
    )
  })
}

const WAYS: readonly (readonly [string, (port: number, ...args: readonly string[]) => Promise<Checked>])[] = [
  ['the command', (port, ...args) => run(process.execPath, [COMMAND, 'healthcheck', ...args], port)],
  ['the script of the image', (port, ...args) => run(IN_IMAGE, ['healthcheck', ...args], port)],
]

async function started(
  ...flags: readonly string[]
): Promise<{ readonly server: ServerProcess; readonly port: number }> {
  const port = await freePort()
  const server = await startServerProcess(['--in-memory', '--healthz-port', String(port), ...flags], await newHome())
  return { server, port }
}

/** Somebody who takes connections and says nothing. */
async function listening(): Promise<{ readonly server: Server; readonly port: number }> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  return { server, port: (server.address() as AddressInfo).port }
}

describe('the health of a server, on a port without TLS', () => {
  it('is told as long as it runs, also while it shuts down', async () => {
    const { server, port } = await started('--shutdown-delay-duration', '3s')
    for (const [, check] of WAYS) {
      expect(await check(port)).toEqual({ code: 0, said: 'ok' })
      expect(await check(port, '/livez')).toEqual({ code: 0, said: 'ok' })
      const verbose = await check(port, '/readyz?verbose')
      expect(verbose.code).toBe(0)
      expect(verbose.said).toMatch(/^\[\+\]ping ok\n[^]*\nhealthz check passed$/)
    }
    server.child.kill('SIGTERM')
    await expect.poll(async () => (await fetch(`http://127.0.0.1:${port}/readyz`)).status).toBe(500)
    for (const [, check] of WAYS) {
      const { code, said } = await check(port)
      expect(code).toBe(1)
      expect(said).toContain('[-]shutdown failed')
    }
    expect((await fetch(`http://127.0.0.1:${port}/livez`)).status).toBe(200)
  })

  it('is that of all workers', async () => {
    const { port } = await started('--workers', '2')
    for (const [, check] of WAYS) expect(await check(port)).toEqual({ code: 0, said: 'ok' })
  })

  it('has nothing else on its port', async () => {
    const { port } = await started()
    const status = async (place: string, method = 'GET'): Promise<number> =>
      (await fetch(`http://127.0.0.1:${port}${place}`, { method })).status
    expect(
      await Promise.all(
        ['/api/v1/secrets', '/', '/metrics', '/readyz/../metrics', '/readyz%2f..%2fmetrics'].map((place) =>
          status(place),
        ),
      ),
    ).toEqual([404, 404, 404, 404, 404])
    expect(await status('/readyz', 'POST')).toBe(405)
    expect(await status('/readyz/nothing')).toBe(404)
  })
})

describe('where nothing answers', () => {
  it.each(WAYS)('%s fails and says so', async (_, check) => {
    const { code, said } = await check(await freePort())
    expect(code).toBe(1)
    expect(said).toMatch(/http:\/\/127\.0\.0\.1:\d+\/readyz does not answer/)
  })

  it('nobody waits for ever', async () => {
    const { server, port } = await listening()
    expect((await Promise.all(WAYS.map(([, check]) => check(port)))).map(({ code }) => code)).toEqual([1, 1])
    server.close()
  })

  it('the server says which port it cannot have', async () => {
    const { server: taken, port } = await listening()
    const flags = ['serve', '--in-memory', '--secure-port', '0', '--healthz-port', String(port)]
    const { code, said } = await run(process.execPath, [COMMAND, ...flags], 0)
    taken.close()
    expect(code).toBe(1)
    expect(said).toBe(`quarterdeck: --healthz-port: cannot listen on 127.0.0.1:${port}: the port is in use`)
  })
})
