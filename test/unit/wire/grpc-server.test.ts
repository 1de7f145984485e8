import { once } from 'node:events'
import { connect } from 'node:net'
import { connect as connectSecure } from 'node:tls'
import { Client, credentials, Metadata, type ServiceError } from '@grpc/grpc-js'
import { describe, expect, it } from 'vitest'
import { type GrpcServer, type GrpcServerOptions, listenForGrpc } from '../../../src/wire/grpc-server.ts'
import { makeAuthority, makeServing } from '../../../src/pki/certificate-maker.ts'
import { PREFIX_BYTES } from '../../../src/wire/grpc-messages.ts'

function listen(onCall: GrpcServerOptions['onCall'], tls?: GrpcServerOptions['tls']): Promise<GrpcServer> {
  return listenForGrpc({
    address: { kind: 'tcp', host: '127.0.0.1', port: 0 },
    tls,
    maxMessageBytes: 1000,
    onCall,
    onFault: (error) => {
      throw error
    },
  })
}

function portOf({ address }: GrpcServer): number {
  return address.kind === 'tcp' ? address.port : 0
}

const withRoom = (text: string): Buffer => Buffer.concat([Buffer.alloc(PREFIX_BYTES), Buffer.from(text)])

/** What grpc-js makes of the answer. */
async function call(server: GrpcServer, message: string): Promise<string> {
  const client = new Client(`127.0.0.1:${portOf(server)}`, credentials.createInsecure())
  try {
    return await new Promise((resolve) => {
      client.makeUnaryRequest(
        '/some.Service/Method',
        (text: string) => Buffer.from(text),
        (bytes) => bytes.toString(),
        message,
        new Metadata(),
        (error: ServiceError | null, answer?: string) =>
          resolve(error === null ? `answer: ${answer}` : `${error.code}: ${error.details}`),
      )
    })
  } finally {
    client.close()
  }
}

describe('a gRPC server', () => {
  it('does not repeat a handshake', async () => {
    const { certificate, key } = makeServing(makeAuthority(60_000), { dns: ['localhost'], addresses: [] }, 60_000)
    const server = await listen(() => {}, { certificate, key, clientCa: undefined })
    const insecure = { rejectUnauthorized: false }
    const options = { host: '127.0.0.1', port: portOf(server), maxVersion: 'TLSv1.2', ALPNProtocols: ['h2'] } as const
    const socket = connectSecure({ ...options, ...insecure })
    await once(socket, 'secureConnect')
    const outcome = await new Promise((resolve) => {
      socket.once('error', resolve)
      socket.renegotiate(insecure, () => resolve('repeated'))
    })
    expect(outcome).toMatchObject({ code: 'ERR_SSL_NO_RENEGOTIATION' })
    socket.destroy()
    await server.close(14, 'gone')
  })

  it('answers a call with messages and a status', async () => {
    const server = await listen((path, served) => {
      let text = ''
      served.listen({
        onMessage: (message) => (text += message.toString()),
        onClientEnd: () => {
          served.send(withRoom(`${path} ${text}`))
          served.end(0)
        },
      })
    })
    expect(await call(server, 'hello')).toBe('answer: /some.Service/Method hello')
    expect(await call(server, '')).toBe('answer: /some.Service/Method ')
    await server.close(14, 'gone')
  })

  it('tells what went wrong, in any script, before and after the first message', async () => {
    let hasAnswer = false
    const server = await listen((_, served) => {
      if (hasAnswer) served.send(withRoom('x'))
      served.end(9, 'nicht möglich: 100 %')
    })
    expect(await call(server, 'a')).toBe('9: nicht möglich: 100 %')
    hasAnswer = true
    expect(await call(server, 'a')).toBe('9: nicht möglich: 100 %')
    await server.close(14, 'gone')
  })

  it('takes no message that is too long', async () => {
    const server = await listen((_, served) => served.listen({ onMessage: () => {}, onClientEnd: () => {} }))
    expect(await call(server, 'x'.repeat(1001))).toBe('8: grpc: received message larger than max (1001 vs. 1000)')
    await server.close(14, 'gone')
  })

  it('ends what is under way when it is closed', async () => {
    const begun = Promise.withResolvers<void>()
    const server = await listen((_, served) => {
      served.listen({ onMessage: () => {}, onClientEnd: () => {} })
      begun.resolve()
    })
    const answer = call(server, 'a')
    await begun.promise
    const closed = server.close(14, 'gone')
    expect(await answer).toBe('14: gone')
    await closed
  })

  it('does not wait for a client that says nothing', async () => {
    const server = await listen(() => {})
    const socket = connect(portOf(server), '127.0.0.1')
    await once(socket, 'connect')
    const gone = once(socket.resume(), 'close')
    await server.close(14, 'gone')
    await gone
  })
})
