// Hands a connection over to another server. First the server's answer to the upgrade is sent. Then bytes are copied both ways until either
// side ends.
import type { Duplex } from 'node:stream'
import type { AnswerProgress } from '../wire/request-response.ts'
import type { HttpResponse, ResponseBody } from './http.ts'

export interface Tunnel {
  readonly response: HttpResponse
  readonly body: Extract<ResponseBody, { kind: 'tunnel' }>
  readonly client: Duplex
  /** Bytes that the client has sent after its request. */
  readonly head: Buffer
}

interface TunnelRequest {
  readonly signal: AbortSignal
  progress: AnswerProgress | undefined
}

/**
 * Resolves when both ends are closed, with the number of bytes sent to the client. The progress counts both directions: while one side does
 * not read, the other side is not read either, and its end is not noticed.
 */
export async function joinEnds({ response, body, client, head }: Tunnel, request: TunnelRequest): Promise<number> {
  const { signal } = request
  const { peer } = body
  const close = (): void => {
    client.destroy()
    peer.destroy()
  }
  // A side that breaks off ends the other. This is not a fault of the server.
  const ends = [client, peer].map(
    (end) => new Promise<void>((resolve) => end.on('error', close).once('close', () => resolve(close()))),
  )
  signal.addEventListener('abort', close, { once: true })
  if (signal.aborted) close()
  client.write(headOf(response))
  if (body.head.length > 0) client.write(body.head)
  if (head.length > 0) peer.write(head)
  let sent = body.head.length
  let taken = head.length
  peer.on('data', (piece: Buffer) => (sent += piece.length))
  client.on('data', (piece: Buffer) => (taken += piece.length))
  request.progress = {
    get unsentBytes() {
      return client.writableLength + peer.writableLength
    },
    get sentBytes() {
      return sent + taken
    },
  }
  peer.pipe(client)
  client.pipe(peer)
  await Promise.all(ends)
  signal.removeEventListener('abort', close)
  return sent
}

function headOf({ headers }: HttpResponse): string {
  const lines = Object.entries(headers).flatMap(([name, value]) =>
    (typeof value === 'string' ? [value] : value).map((one) => `${name}: ${one}\r\n`),
  )
  return `HTTP/1.1 101 Switching Protocols\r\n${lines.join('')}\r\n`
}
