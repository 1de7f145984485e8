// Requests of a client in the same process, and what becomes of them when either side is slow, stops or goes.
import { setImmediate as nextTurn } from 'node:timers/promises'
import { describe, expect, it, vi } from 'vitest'
import type { RemoteEnd } from '../../../src/http/http.ts'
import {
  type InProcessAnswer,
  InProcessConnection,
  type InProcessStream,
} from '../../../src/http/in-process-connection.ts'
import { systemClock } from '../../../src/lib/clock.ts'
import { HttpDate } from '../../../src/wire/http-date.ts'

const NEVER = new AbortController().signal
const GET = { method: 'GET', path: '/version', headers: {} }
const HIGH_WATER_BYTES = 64 * 1024

interface Served {
  readonly stream: InProcessStream
  readonly remote: RemoteEnd
  readonly whenOver: () => void
}

/** A connection to a server that answers as a test says. */
function connect(answer: (stream: InProcessStream) => void = () => {}) {
  const served: Served[] = []
  const onClosed = vi.fn()
  const connection = new InProcessConnection({
    authority: '127.0.0.1:6443',
    date: new HttpDate(systemClock),
    serve: (stream, remote) => {
      const whenOver = vi.fn()
      served.push({ stream, remote, whenOver })
      answer(stream)
      return whenOver
    },
    onClosed,
  })
  return { connection, served, onClosed }
}

async function textOf({ body }: InProcessAnswer): Promise<string> {
  const pieces: Buffer[] = []
  for await (const piece of body) pieces.push(piece)
  return Buffer.concat(pieces).toString()
}

describe('a request', () => {
  it('comes with what it says, as over HTTP/2', async () => {
    const { connection, served } = connect((stream) => stream.whole(200, {}, undefined))
    const headers = { 'Impersonate-Group': ['a', 'b'], accept: 'text/plain' }
    await connection.send({ method: 'POST', path: '/x?y=z', headers, body: 'hé' }, NEVER)
    const [{ stream, remote }] = served as [Served]
    expect([stream.method, stream.target]).toEqual(['POST', '/x?y=z'])
    expect({ ...stream.headers }).toEqual({ 'impersonate-group': 'a, b', accept: 'text/plain' })
    expect(stream.rawHeaders).toEqual(
      expect.arrayContaining(['impersonate-group', 'b', ':authority', '127.0.0.1:6443']),
    )
    expect(remote).toMatchObject({ address: '127.0.0.1', isLoopback: true, protocol: 'h2' })
    const sent: string[] = []
    stream.body.listen({
      onData: (chunk) => sent.push(chunk.toString()),
      onEnd: () => sent.push('end'),
      onError: () => sent.push('error'),
    })
    expect(sent).toEqual(['hé', 'end'])
  })

  it.each([
    ['a line break in a header', { ...GET, headers: { 'x-note': 'two\nlines' } }],
    ['a space in the path', { ...GET, path: '/a b' }],
    ['a path of another kind', { ...GET, path: 'version' }],
    ['no method', { ...GET, method: '' }],
  ])('is refused with %s', async (_what, request) => {
    const { connection, served } = connect()
    await expect(connection.send(request, NEVER)).rejects.toThrow('the request is malformed')
    await nextTurn()
    expect(served).toEqual([])
  })

  it('holds up nobody who asks again and again', async () => {
    const { connection } = connect((stream) => stream.whole(200, {}, Buffer.from('{}')))
    const fired = vi.fn()
    setTimeout(fired, 1)
    for (let asked = 0; asked < 1_000_000 && fired.mock.calls.length === 0; asked++)
      await textOf(await connection.send(GET, NEVER))
    expect(fired).toHaveBeenCalledOnce()
  })

  it('is not served where its signal has fired', async () => {
    const { connection, served } = connect()
    const reason = new Error('no longer')
    await expect(connection.send(GET, AbortSignal.abort(reason))).rejects.toBe(reason)
    const late = new AbortController()
    const sending = connection.send(GET, late.signal)
    late.abort(reason)
    await expect(sending).rejects.toBe(reason)
    await nextTurn()
    expect(served).toEqual([])
  })

  it('ends for the server when its signal fires', async () => {
    const { connection, served } = connect((stream) => stream.begin(200, {}))
    const stop = new AbortController()
    const answer = await connection.send(GET, stop.signal)
    const reason = new Error('enough')
    stop.abort(reason)
    await expect(textOf(answer)).rejects.toBe(reason)
    const [{ stream, whenOver }] = served as [Served]
    expect(whenOver).toHaveBeenCalledOnce()
    expect([stream.wasSent, stream.write(Buffer.from('more'))]).toEqual([false, false])
  })
})

describe('an answer', () => {
  it('has a head, a body and an end', async () => {
    const { connection, served } = connect((stream) =>
      stream.whole(201, { 'content-length': 2, warning: ['299 - "a"', '299 - "b"'] }, Buffer.from('{}')),
    )
    const answer = await connection.send(GET, NEVER)
    expect(answer.status).toBe(201)
    expect(answer.headers).toMatchObject({ 'content-length': '2', warning: '299 - "a", 299 - "b"' })
    expect(answer.headers['date']).toMatch(/GMT$/)
    expect([await textOf(answer), answer.isComplete(), answer.body.readableEnded]).toEqual(['{}', true, true])
    expect(served[0]!.stream.wasSent).toBe(true)
    expect(served[0]!.whenOver).toHaveBeenCalledOnce()
  })

  it('comes piece by piece', async () => {
    const { connection, served } = connect((stream) => stream.begin(200, {}))
    const { body } = await connection.send(GET, NEVER)
    const pieces = body[Symbol.asyncIterator]()
    for (const word of ['one', 'two']) {
      const next = pieces.next()
      served[0]!.stream.write(Buffer.from(word))
      expect((await next).value?.toString()).toBe(word)
    }
    served[0]!.stream.end()
    expect((await pieces.next()).done).toBe(true)
  })

  it('may be made of bytes that change when they are settled', async () => {
    const { connection } = connect((stream) => {
      const scratch = Buffer.from('a')
      stream.begin(200, {})
      for (const letter of 'abc') {
        scratch.write(letter)
        stream.gather(scratch)
        expect(stream.settle()).toBe(true)
      }
      stream.write(Buffer.from('!'))
      stream.end()
    })
    expect(await textOf(await connection.send(GET, NEVER))).toBe('abc!')
  })

  it('is written at the pace of who reads it', async () => {
    const { connection, served } = connect((stream) => stream.begin(200, {}))
    const { body } = await connection.send(GET, NEVER)
    const { stream } = served[0]!
    const onDrain = vi.fn()
    stream.on('drain', onDrain)
    expect(stream.write(Buffer.alloc(HIGH_WATER_BYTES - 1))).toBe(true)
    expect(stream.write(Buffer.alloc(1))).toBe(false)
    expect([stream.needsDrain, stream.unsentBytes, stream.sentBytes]).toEqual([true, HIGH_WATER_BYTES, 0])
    await body[Symbol.asyncIterator]().next()
    expect(onDrain).toHaveBeenCalledOnce()
    expect([stream.needsDrain, stream.unsentBytes, stream.sentBytes]).toEqual([false, 0, HIGH_WATER_BYTES])
  })

  it('that nobody reads to its end is over', async () => {
    const { connection, served } = connect((stream) => {
      stream.begin(200, {})
      stream.write(Buffer.from('first'))
    })
    const { body } = await connection.send(GET, NEVER)
    for await (const _first of body) break
    expect(served[0]!.whenOver).toHaveBeenCalledOnce()
    expect(served[0]!.stream.wasSent).toBe(false)
  })

  it('that is broken off is never taken for a whole one', async () => {
    const { connection } = connect((stream) => {
      stream.begin(200, {})
      stream.write(Buffer.from('half'))
      stream.breakOff()
      stream.end()
    })
    const answer = await connection.send(GET, NEVER)
    await expect(textOf(answer)).rejects.toThrow('the answer was broken off')
    expect(answer.isComplete()).toBe(false)
  })

  it('that never began is none', async () => {
    const { connection } = connect((stream) => stream.breakOff())
    await expect(connection.send(GET, NEVER)).rejects.toThrow('the answer was broken off')
  })
})

describe('a connection', () => {
  it('that hangs up breaks off all that is on it, and takes more', async () => {
    const { connection, served } = connect((stream) => stream.begin(200, {}))
    const answers = await Promise.all([connection.send(GET, NEVER), connection.send(GET, NEVER)])
    served[0]!.remote.hangUp()
    for (const answer of answers) await expect(textOf(answer)).rejects.toThrow('the server has hung up')
    expect((await connection.send(GET, NEVER)).status).toBe(200)
  })

  it('that is closed takes nothing more', async () => {
    const { connection, served, onClosed } = connect()
    const waiting = connection.send(GET, NEVER)
    await nextTurn()
    connection.close()
    await expect(waiting).rejects.toThrow('the connection was closed')
    expect(served[0]!.whenOver).toHaveBeenCalledOnce()
    expect(onClosed).toHaveBeenCalledOnce()
    expect(connection.isClosed).toBe(true)
    await expect(connection.send(GET, NEVER)).rejects.toThrow('the connection is closed')
  })
})
