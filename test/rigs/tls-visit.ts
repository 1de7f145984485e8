// A client that keeps its TLS session, as browsers and Node's agents do, and comes with it to another connection.
import { once } from 'node:events'
import tls from 'node:tls'
import { onTestFinished } from 'vitest'

export interface Visit {
  readonly port: number
  /** Of an earlier visit. */
  readonly session?: Buffer
  /** PEM, to be shown to the server. */
  readonly certificate?: { readonly cert: string; readonly key: string }
  readonly version?: tls.SecureVersion
}

export interface Visited {
  readonly isResumed: boolean
  /** Of a GET of `/api`: 200 for whoever was recognized, 401 for a certificate that is not trusted. */
  readonly status: number
  readonly session: Buffer
}

/** One request. The connection stays open until the test is over, so that another worker is given the next. */
export async function visit({ port, session, certificate, version = 'TLSv1.3' }: Visit): Promise<Visited> {
  const socket = tls.connect({
    host: '127.0.0.1',
    port,
    rejectUnauthorized: false,
    minVersion: version,
    maxVersion: version,
    ...certificate,
    ...(session === undefined ? {} : { session }),
  })
  onTestFinished(() => void socket.destroy())
  let kept = session
  socket.on('session', (given: Buffer) => (kept = given))
  await once(socket, 'secureConnect')
  socket.write('GET /api HTTP/1.1\r\nHost: localhost\r\n\r\n')
  const [head] = (await once(socket, 'data')) as [Buffer]
  const status = Number(head.toString('latin1').split(' ')[1])
  // In TLS 1.2 it comes with the handshake, in 1.3 before the first answer.
  return { isResumed: socket.isSessionReused(), status, session: kept ?? socket.getSession()! }
}
