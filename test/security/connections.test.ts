// Connections that are made to hurt, on a server in a process of its own: rows of the hardening list about smuggled requests,
// tunnels and slow clients.
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { connect, type TLSSocket } from 'node:tls'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { dialTls } from '../fakes/hostile-client.ts'
import { openServer } from '../rigs/running-server.ts'
import { ServerProcess } from '../rigs/server-process.ts'

let home = ''
let server: ServerProcess
beforeAll(async () => {
  home = mkdtempSync(path.join(tmpdir(), 'quarterdeck-connections-'))
  server = new ServerProcess(['serve', '--in-memory', '--secure-port', '0'], home, {})
  await server.listening()
})
afterAll(async () => {
  await server?.stop('SIGKILL')
  rmSync(home, { recursive: true, force: true })
})

function dial(url = server.url): Promise<TLSSocket> {
  return dialTls(url, 'http/1.1')
}

/** How long the first byte of an answer may take, on a busy machine too. */
const PATIENCE_MS = 60_000
/** An answer that is followed by nothing for so long was the last one. */
const QUIET_MS = 500

/** Everything that comes until the other side closes, or nothing comes any more for a while. */
function answerTo(socket: TLSSocket, text: string): Promise<{ text: string; closed: boolean }> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = []
    const end = (closed: boolean): void => {
      clearTimeout(timer)
      socket.removeAllListeners('data').removeAllListeners('close')
      resolve({ text: Buffer.concat(chunks).toString('latin1'), closed })
    }
    let timer = setTimeout(end, PATIENCE_MS, false)
    socket.on('data', (chunk: Buffer) => {
      chunks.push(chunk)
      clearTimeout(timer)
      timer = setTimeout(end, QUIET_MS, false)
    })
    socket.on('close', () => end(true))
    socket.write(text)
  })
}

function statusLines(text: string): readonly string[] {
  return text.match(/^HTTP\/1\.1 \d+/gm) ?? []
}

async function stillServes(): Promise<void> {
  expect((await server.request('/readyz', { token: server.adminToken })).status).toBe(200)
}

describe('CVE-2019-16276: requests within requests', () => {
  const hidden = 'GET /hidden HTTP/1.1\r\nHost: x\r\n\r\n'
  const smuggled: readonly [string, string][] = [
    [
      'a space before the colon',
      `POST /api HTTP/1.1\r\nHost: x\r\nTransfer-Encoding : chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n${hidden}`,
    ],
    ['two lengths', `POST /api HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nabcde${hidden}`],
    [
      'a length and chunks',
      `POST /api HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${hidden}`,
    ],
    [
      'chunks that are not the last coding',
      `POST /api HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n${hidden}`,
    ],
    [
      'a line that is continued',
      `GET /api HTTP/1.1\r\nHost: x\r\nX-A: b\r\n c: d\r\nTransfer-Encoding:\r\n chunked\r\n\r\n${hidden}`,
    ],
    ['a bare line feed', `GET /api HTTP/1.1\nHost: x\nContent-Length: 0\n\n${hidden}`],
    ['a length that is no number', `POST /api HTTP/1.1\r\nHost: x\r\nContent-Length: +5\r\n\r\nabcde${hidden}`],
    [
      'two codings of the body',
      `POST /api HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: identity, chunked\r\n\r\n0\r\n\r\n${hidden}`,
    ],
    [
      'a body of HTTP/1.0 in chunks',
      `POST /api HTTP/1.0\r\nHost: x\r\nConnection: keep-alive\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${hidden}`,
    ],
    ['two hosts', `GET /api HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n${hidden}`],
    ['two hosts that are the same', `GET /api HTTP/1.1\r\nHost: x\r\nhOST: x\r\n\r\n${hidden}`],
    ['two hosts of HTTP/1.0', `GET /api HTTP/1.0\r\nHost: x\r\nHost: y\r\nConnection: keep-alive\r\n\r\n${hidden}`],
    ['two hosts and a body that waits', `POST /api HTTP/1.1\r\nHost: x\r\nHost: y\r\nExpect: 100-continue\r\n\r\n`],
    ['a target of another host', `GET https://y/api HTTP/1.1\r\nHost: x\r\n\r\n${hidden}`],
    ['a target of another port', `GET http://x:1/api HTTP/1.1\r\nHost: x:2\r\n\r\n${hidden}`],
    ['a target of a host, and an empty one', `GET https://y/api HTTP/1.1\r\nHost:\r\n\r\n${hidden}`],
    ['a target with a user', `GET https://x@y/api HTTP/1.1\r\nHost: y\r\n\r\n${hidden}`],
    ['a target of HTTP/1.0 with a user', `GET https://x@y/api HTTP/1.0\r\n\r\n${hidden}`],
    [
      'a target of another host, and a body that waits',
      `POST https://y/api HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n`,
    ],
    [
      'a target of another host and an upgrade',
      `GET https://y/api HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n${hidden}`,
    ],
    ['a host with a path', `GET /api HTTP/1.1\r\nHost: x/y\r\n\r\n${hidden}`],
    ['a host with a user', `GET /api HTTP/1.1\r\nHost: u@x\r\n\r\n${hidden}`],
    [
      'two hosts and an upgrade',
      `GET /api HTTP/1.1\r\nHost: x\r\nHost: y\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n${hidden}`,
    ],
    [
      'two hosts behind another request',
      `GET /api HTTP/2.0\r\nHost: x\r\n\r\nGET /api HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n${hidden}`,
    ],
    ['HTTP/2.0', `GET /api HTTP/2.0\r\nHost: x\r\n\r\n${hidden}`],
    [
      'HTTP/2.0 and an upgrade',
      `GET /api HTTP/2.0\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n${hidden}`,
    ],
    ['the preface of HTTP/2', `PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n${hidden}`],
    ['HTTP/2.0 and nothing behind it', 'GET /api HTTP/2.0\r\nHost: x\r\n\r\n'],
    ['HTTP/0.9 and nothing behind it', 'GET /api HTTP/0.9\r\nHost: x\r\n\r\n'],
    ['no version and nothing behind it', 'GET /api\r\nHost: x\r\n\r\n'],
    ['HTTP/0.9', `GET /api HTTP/0.9\r\nHost: x\r\n\r\n${hidden}`],
    ['HTTP/3.0', `GET /api HTTP/3.0\r\nHost: x\r\n\r\n${hidden}`],
    ['no version', `GET /api\r\nHost: x\r\n\r\n${hidden}`],
    ['no version and no headers', `GET /api\r\n\r\n${hidden}`],
    ['a space in the target', `GET /api /x HTTP/1.1\r\nHost: x\r\n\r\n${hidden}`],
    ['two codings', `POST /api HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip\r\n\r\nabcde${hidden}`],
    ['no host', `GET /api HTTP/1.1\r\n\r\n${hidden}`],
  ]
  it.each(smuggled)('%s', async (_name, text) => {
    const socket = await dial()
    const { text: answers } = await answerTo(socket, text)
    const lines = statusLines(answers)
    expect(lines.slice(0, 1)).toEqual(['HTTP/1.1 400'])
    expect(lines).toHaveLength(1)
    socket.destroy()
  })
})

it.each([
  ['a target of the same host', 'GET https://X:1/readyz HTTP/1.1\r\nHost: x:1\r\nConnection: close\r\n\r\n'],
  ['a target of HTTP/1.0 and no header', 'GET http://x/readyz HTTP/1.0\r\n\r\n'],
])('%s is served', async (_name, text) => {
  const { text: answer } = await answerTo(await dial(), text)
  expect(statusLines(answer)).toEqual(['HTTP/1.1 200'])
})

it('a body is asked for where the client waits for that', async () => {
  const socket = await dial()
  const place = '/api/v1/namespaces/default/configmaps'
  const head = `POST ${place} HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n`
  expect(statusLines((await answerTo(socket, head)).text)[0]).toBe('HTTP/1.1 100')
  socket.destroy()
})

it('a request for a tunnel elsewhere is refused', async () => {
  const socket = await dial()
  const { text, closed } = await answerTo(socket, 'CONNECT 127.0.0.1:80 HTTP/1.1\r\nHost: 127.0.0.1:80\r\n\r\n')
  expect([statusLines(text), closed]).toEqual([['HTTP/1.1 405'], true])
})

it('a client cannot have the server repeat the handshake', async () => {
  const { hostname: host, port } = new URL(server.url)
  const maxVersion = 'TLSv1.2'
  const socket = connect({
    host,
    port: Number(port),
    maxVersion,
    ALPNProtocols: ['http/1.1'],
    rejectUnauthorized: false,
  })
  await once(socket, 'secureConnect')
  const outcome = await new Promise((resolve) => {
    socket.once('error', resolve)
    socket.renegotiate({ rejectUnauthorized: false }, () => resolve('repeated'))
  })
  expect(outcome).toMatchObject({ code: 'ERR_SSL_NO_RENEGOTIATION' })
  socket.destroy()
  await stillServes()
})

it('a long audit id of a client is cut off', async () => {
  const idOf = async (id: string): Promise<unknown> =>
    (await server.request('/readyz', { token: server.adminToken, headers: { 'audit-id': id } })).headers['audit-id']
  expect(await idOf('x'.repeat(64))).toBe('x'.repeat(64))
  expect(await idOf('x'.repeat(65))).toBe('x'.repeat(64))
  expect(await idOf('x'.repeat(20_000))).toBe('x'.repeat(64))
})

describe('CVE-2018-1002105 and CVE-2020-8559: tunnels that are refused', () => {
  it.each(['websocket', 'SPDY/3.1', 'h2c', 'TLS/1.0'])(
    'an upgrade to %s that fails leaves nothing open',
    async (token) => {
      const socket = await dial()
      const { text, closed } = await answerTo(
        socket,
        [
          'GET /api/v1/namespaces/default/pods/none/exec?command=sh HTTP/1.1',
          'Host: x',
          `Authorization: Bearer ${server.adminToken}`,
          'Connection: Upgrade',
          `Upgrade: ${token}`,
          'Sec-WebSocket-Version: 13',
          'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
          'Sec-WebSocket-Protocol: v5.channel.k8s.io',
          '',
          '',
        ].join('\r\n'),
      )
      expect(statusLines(text)).toHaveLength(1)
      expect(text).not.toMatch(/^HTTP\/1\.1 101/)
      if (closed) return
      // What comes next on the connection is a request of its own, with no rights left over from the one before.
      const after = await answerTo(socket, 'GET /api/v1/secrets HTTP/1.1\r\nHost: x\r\n\r\n')
      const lines = statusLines(after.text)
      if (!after.closed) expect(lines).toHaveLength(1)
      for (const line of lines) expect(line).toMatch(/ 40[13]$/)
      socket.destroy()
    },
  )

  it('two thousand headers on an upgrade are too many', async () => {
    const socket = await dial()
    const many = Array.from({ length: 2000 }, (_, i) => `X-${i}: ${'y'.repeat(20)}\r\n`).join('')
    const { text } = await answerTo(
      socket,
      `GET /api HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n${many}\r\n`,
    )
    expect(text).not.toMatch(/^HTTP\/1\.1 [123]/)
    await stillServes()
    socket.destroy()
  })
})

describe('CIS 1.2.20: clients that take their time', () => {
  it('a body that never comes does not hold the request for ever', async () => {
    await using slow = await openServer(['--request-timeout', '1s'])
    const socket = await dial(slow.url)
    const head = `POST /api/v1/namespaces/default/configmaps HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${slow.adminToken}\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{`
    socket.write(head)
    const [first] = (await once(socket, 'data')) as [Buffer]
    expect(statusLines(first.toString('latin1'))[0]).toMatch(/HTTP\/1\.1 (408|504)/)
    socket.destroy()
  })
})

describe('CVE-2024-37168 and CVE-2024-37890: packages that had holes', () => {
  it('are there in versions that do not', () => {
    const lock = JSON.parse(readFileSync(path.join(import.meta.dirname, '../../package-lock.json'), 'utf8')) as {
      readonly packages: Readonly<Record<string, { readonly version: string }>>
    }
    const least: Readonly<Record<string, readonly number[]>> = {
      'node_modules/@grpc/grpc-js': [1, 10, 9],
      'node_modules/ws': [8, 17, 1],
      'node_modules/js-yaml': [4, 1, 1],
    }
    for (const [name, wanted] of Object.entries(least)) {
      const version = lock.packages[name]?.version.split('.').map(Number) ?? []
      const isNew = wanted.every(
        (part, i) => version.slice(0, i).some((each, j) => each > wanted[j]!) || version[i]! >= part,
      )
      expect([name, version, isNew]).toEqual([name, version, true])
    }
  })
})
