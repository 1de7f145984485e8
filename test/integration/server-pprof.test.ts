// Profiles of a running server, and how much it logs.
import { gunzipSync } from 'node:zlib'
import https from 'node:https'
import { describe, expect, it } from 'vitest'
import type { Log } from '../../src/lib/log.ts'
import { type OpenServer, openServer } from '../rigs/running-server.ts'

function bytesAt(server: OpenServer, path: string): Promise<{ status: number; headers: object; bytes: Buffer }> {
  const { promise, resolve, reject } = Promise.withResolvers<{ status: number; headers: object; bytes: Buffer }>()
  const headers = { authorization: `Bearer ${server.adminToken}` }
  https
    .get(`${server.url}${path}`, { ca: server.authority, headers }, (response) => {
      const pieces: Buffer[] = []
      response.on('data', (piece: Buffer) => pieces.push(piece))
      response.on('end', () => {
        resolve({ status: response.statusCode ?? 0, headers: response.headers, bytes: Buffer.concat(pieces) })
      })
    })
    .on('error', reject)
  return promise
}

describe('profiles (R-341, P-474)', () => {
  it.each(['profile', 'heap', 'allocs'])('%s comes packed, as a file', async (name) => {
    await using server = await openServer(['--profiling'])
    const { status, headers, bytes } = await bytesAt(server, `/debug/pprof/${name}?seconds=0.1`)
    expect(status).toBe(200)
    expect(headers).toMatchObject({ 'content-disposition': `attachment; filename="${name}"` })
    expect(gunzipSync(bytes).includes('nanoseconds') || gunzipSync(bytes).includes('bytes')).toBe(true)
  })

  it('are for those who may see them, and have an index', async () => {
    await using server = await openServer(['--profiling'])
    expect(await server.request('/debug/pprof')).toMatchObject({ status: 302, headers: { location: '/debug/pprof/' } })
    expect((await server.request('/debug/pprof/')).body).toContain('href="heap?')
    expect(await server.request('/debug/pprof/symbol')).toMatchObject({ status: 200, body: 'num_symbols: 1\n' })
    expect(await server.request('/debug/pprof/chairs')).toMatchObject({ status: 404, body: 'Unknown profile\n' })
    expect((await server.request('/debug/pprof/heap', { token: '' })).status).toBe(403)
    expect((await server.request('/')).body).not.toContain('/debug')
  })

  it('are not there where nobody asked for them', async () => {
    await using server = await openServer()
    for (const path of ['/debug/pprof', '/debug/pprof/', '/debug/pprof/heap', '/debug/flags/v']) {
      expect((await server.request(path)).status).toBe(404)
    }
  })
})

describe('how much is logged (R-341, P-474)', () => {
  it('is changed while the server runs', async () => {
    const told: string[] = []
    const ignore = (): void => {}
    const log = {
      level: 'info',
      debug: (_: object, text: string) => told.push(text),
      info: ignore,
      warn: ignore,
      error: ignore,
    }
    await using server = await openServer(['--profiling'], log)
    const put = (body: string) => server.request('/debug/flags/v', { method: 'PUT', body })
    expect(await put('5')).toMatchObject({ status: 200, body: 'successfully set klog.logging.verbosity to 5\n' })
    expect(log.level).toBe('debug')
    await put('0')
    expect(log.level).toBe('info')
    expect(await put('abc')).toMatchObject({
      status: 400,
      body: 'strconv.ParseUint: parsing "abc": invalid syntax\n',
    })
    expect(await server.request('/debug/flags/v')).toMatchObject({ status: 406, body: 'unsupported http method\n' })
  })

  it('is told and changed by component', async () => {
    const { log, lines } = logOfComponents()
    await using server = await openServer([], log)
    const at = '/debug/flags/log-level'
    expect(await server.must(at)).toMatchObject({ requests: 'info', cache: 'info', server: 'info' })
    const put = (place: string, body: string) => server.request(place, { method: 'PUT', body })
    expect((await put(`${at}/requests`, 'debug\n')).json()).toEqual({ requests: 'debug' })
    await server.request('/version')
    await expect.poll(() => lines).toContain('requests request finished')
    expect(await server.must(at)).toMatchObject({ requests: 'debug', cache: 'info', server: 'info' })
    expect((await put(at, '"warn"')).json()).toMatchObject({ requests: 'warn', cache: 'warn', server: 'warn' })
    expect((await put(at, 'loud')).json()).toMatchObject({
      reason: 'BadRequest',
      message: '"loud" is not a log level; the body is one of debug, info, warn, error, silent',
    })
    expect((await put(`${at}/chairs`, 'debug')).json()).toMatchObject({
      code: 404,
      message: expect.stringContaining('there is no component "chairs"; there are admission, ') as string,
    })
    expect((await server.request(at, { method: 'DELETE' })).status).toBe(405)
  })
})

/** Each component has a level of its own, as in the real one; its lines begin with its name. */
function logOfComponents(): { readonly log: Log; readonly lines: string[] } {
  const lines: string[] = []
  const parts = new Map<string, Log>()
  const make = (name: string): Log => {
    const ignore = (): void => {}
    const part: Log = {
      level: 'info',
      debug: (_, text) => void (part.level === 'debug' && lines.push(`${name} ${text}`)),
      info: ignore,
      warn: ignore,
      error: ignore,
    }
    parts.set(name, part)
    return part
  }
  return { log: { ...make('server'), of: (component) => parts.get(component) ?? make(component) }, lines }
}
