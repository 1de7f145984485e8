// Profiles of a running server, and how much it logs.
import { gunzipSync } from 'node:zlib'
import https from 'node:https'
import { describe, expect, it } from 'vitest'
import { type OpenServer, openServer } from '../fakes/running-server.ts'

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
})
