// Our client's end of HTTP/2, the one that speaks to etcd, with Node's server at the other, which is another's work (nghttp2): what
// either says is made up at random, within the rules, and the other must hear it.
import { once } from 'node:events'
import http2 from 'node:http2'
import type { AddressInfo } from 'node:net'
import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { Connection } from '../../src/wire/http2-client-connection.ts'
import { Dialer } from '../../src/kv/etcd/dialer.ts'
import type { Broken, StreamListener } from '../../src/wire/http2-client-stream.ts'
import { block } from '../corpora/header-blocks.ts'
import { CANCEL, INTERNAL_ERROR, REFUSED_STREAM } from '../rigs/http2-frames.ts'
import { SEED } from '../rigs/seed.ts'

fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: SEED })

interface Plan {
  readonly status: number
  readonly fields: Readonly<Record<string, string>>
  readonly pieces: readonly Buffer[]
  readonly trailers: Readonly<Record<string, string>> | undefined
  readonly reset: number | undefined
  readonly sent: readonly Buffer[]
  /** What the window of a stream is when the first of the request has come. */
  readonly windowThen: number
}

interface Outcome {
  readonly fields: Record<string, string>[]
  readonly bytes: Buffer[]
  readonly end: string
}

function call(connection: Connection, path: string, sent: readonly Buffer[]): Promise<Outcome> {
  return new Promise((resolve) => {
    const fields: Record<string, string>[] = []
    const bytes: Buffer[] = []
    const listener: StreamListener = {
      onHeaders: (headers, isLast) => {
        fields.push(Object.fromEntries(headers))
        if (isLast) resolve({ fields, bytes, end: 'ended' })
      },
      onData: (data, isLast) => {
        bytes.push(Buffer.from(data))
        if (isLast) resolve({ fields, bytes, end: 'ended' })
      },
      onBroken: ({ code }: Broken) => resolve({ fields, bytes, end: `reset ${code}` }),
    }
    const head = block({ ':method': 'POST', ':scheme': 'http', ':path': path, ':authority': 'there' })
    const stream = connection.open(head, listener)
    sent.forEach((piece, i) => stream.send(piece, i === sent.length - 1))
  })
}

const pieces = fc.array(
  fc.uint8Array({ minLength: 1, maxLength: 60_000 }).map((bytes) => Buffer.from(bytes)),
  { minLength: 1, maxLength: 5 },
)
const plans = fc.array(
  fc.record({
    status: fc.constantFrom(200, 204, 404, 503),
    fields: fc.dictionary(fc.constantFrom('content-type', 'x-a', 'grpc-encoding'), fc.stringMatching(/^[!-~]{1,300}$/)),
    pieces,
    trailers: fc.option(
      fc.dictionary(fc.constantFrom('grpc-status', 'grpc-message'), fc.stringMatching(/^[!-~]{1,50}$/)),
      {
        nil: undefined,
      },
    ),
    reset: fc.option(fc.constantFrom(CANCEL, INTERNAL_ERROR, REFUSED_STREAM), { nil: undefined }),
    sent: pieces,
    windowThen: fc.integer({ min: 1, max: 100_000 }),
  }),
  { minLength: 1, maxLength: 8 },
)
const settings = fc.record({
  initialWindowSize: fc.integer({ min: 1, max: 100_000 }),
  maxConcurrentStreams: fc.integer({ min: 1, max: 10 }),
})

it('a client of ours hears what Node’s server says, and is heard', async () => {
  await fc.assert(
    fc.asyncProperty(plans, settings, async (some: readonly Plan[], agreed) => {
      const received = new Map<string, Buffer>()
      const server = http2.createServer({ settings: agreed })
      server.on('stream', (stream, headers) => {
        const path = headers[':path'] ?? ''
        const plan = some[Number(path.slice(1))]!
        const chunks: Buffer[] = []
        stream.on('error', () => {})
        stream.once('data', () => stream.session?.settings({ initialWindowSize: plan.windowThen }))
        stream.on('data', (chunk: Buffer) => chunks.push(chunk))
        stream.on('end', () => {
          received.set(path, Buffer.concat(chunks))
          if (plan.reset !== undefined) return stream.close(plan.reset)
          const { trailers } = plan
          const hasBody = plan.status !== 204
          stream.respond(
            { ':status': plan.status, ...plan.fields },
            { waitForTrailers: trailers !== undefined && hasBody, endStream: !hasBody },
          )
          if (trailers !== undefined && hasBody) stream.on('wantTrailers', () => stream.sendTrailers(trailers))
          if (hasBody) for (const piece of plan.pieces) stream.write(piece)
          if (hasBody) stream.end()
        })
      })
      await once(server.listen(0, '127.0.0.1'), 'listening')
      const dialer = new Dialer(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, undefined)
      const connection = new Connection(
        (onRead) => dialer.dial(onRead),
        () => {},
      )
      const outcomes = await Promise.all(some.map(({ sent }, i) => call(connection, `/${i}`, sent)))
      for (const [i, { fields, bytes, end }] of outcomes.entries()) {
        const plan = some[i]!
        expect(received.get(`/${i}`)).toEqual(Buffer.concat(plan.sent))
        if (plan.reset !== undefined) {
          expect(end).toBe(`reset ${plan.reset}`)
          continue
        }
        expect(end).toBe('ended')
        expect(fields[0]).toMatchObject({ ':status': String(plan.status), ...plan.fields })
        expect(Buffer.concat(bytes)).toEqual(plan.status === 204 ? Buffer.alloc(0) : Buffer.concat(plan.pieces))
        if (plan.status !== 204 && plan.trailers !== undefined) expect(fields[1] ?? {}).toEqual({ ...plan.trailers })
      }
      connection.close()
      await new Promise((resolve) => server.close(resolve))
    }),
    { numRuns: 60 },
  )
})
