// Forwards ports of pods on simulated nodes: for each connection the client opens a stream for data and one for errors.
import type { Duplex } from 'node:stream'
import { serveSpdy, type SpdyStream } from '../../../wire/spdy.ts'

export const PORT_PROTOCOL = 'portforward.k8s.io'

/** Resolves when the connection ends. `connect` throws if nothing listens on the port. */
export async function forwardPorts(socket: Duplex, connect: (port: number) => Promise<Duplex>): Promise<void> {
  const errors = new Map<string, SpdyStream>()
  const forward = async (id: string, data: SpdyStream): Promise<void> => {
    const error = errors.get(id)
    errors.delete(id)
    try {
      const peer = await connect(Number(data.headers.get('port')))
      await joined(data, peer)
      error?.end()
    } catch (cause) {
      error?.end(cause instanceof Error ? cause.message : String(cause))
      data.end()
      data.resume()
    }
  }
  await serveSpdy(socket, (stream) => {
    stream.on('error', () => {})
    const id = stream.headers.get('requestid') ?? ''
    if (stream.headers.get('streamtype') === 'error') {
      stream.resume()
      errors.set(id, stream)
      stream.once('close', () => errors.delete(id))
    } else void forward(id, stream)
  })
}

/** Resolves when both directions have ended. */
function joined(a: Duplex, b: Duplex): Promise<unknown> {
  const ends = [a, b].map((end) => new Promise<void>((resolve) => end.once('close', resolve)))
  b.on('error', () => a.destroy())
  a.once('close', () => b.destroy())
  a.pipe(b).pipe(a)
  return Promise.all(ends)
}
