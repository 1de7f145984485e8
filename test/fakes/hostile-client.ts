// A client that means no good: HTTP/2 frames over TLS as a test makes them up, and what they cost the server, in processor time.
import { once } from 'node:events'
import { connect, type TLSSocket } from 'node:tls'
import * as h2 from '../rigs/http2-frames.ts'
import { FrameConnection } from '../rigs/http2-frames.ts'

/** Fields of a request that say who sends it. */
export type Credential = Readonly<Record<string, string>>

export const NOBODY_TOKEN = 'nobody-token'
/** Somebody who is known and may do nothing. */
export const NOBODY: Credential = { authorization: `Bearer ${NOBODY_TOKEN}` }

/** A TLS connection with nothing on it but what the test writes. */
export async function dialTls(url: string, protocol: 'h2' | 'http/1.1'): Promise<TLSSocket> {
  const { hostname, port } = new URL(url)
  const socket = connect({ host: hostname, port: Number(port), ALPNProtocols: [protocol], rejectUnauthorized: false })
  socket.on('error', () => {})
  await once(socket, 'secureConnect')
  return socket
}

export class HostileClient extends FrameConnection {
  /** The preface and these settings are said. */
  static async dial(url: string, settings: readonly (readonly [number, number])[] = []): Promise<HostileClient> {
    const client = new HostileClient(await dialTls(url, 'h2'))
    client.send(Buffer.from(h2.PREFACE), h2.settingsFrame(settings))
    return client
  }

  get isClosed(): boolean {
    return this.socket.destroyed || this.socket.readableEnded
  }

  /** Undefined where the connection goes on, or ended without a word. */
  get goAwayCode(): number | undefined {
    return this.seen.find(({ type }) => type === h2.GOAWAY)?.content.readUInt32BE(4)
  }

  /**
   * Sends the frames that `make` gives for 0, 1, 2 and so on, until the server ends the connection or `most` were made, and gives
   * how many bytes that were.
   */
  async flood(most: number, make: (turn: number) => Buffer): Promise<number> {
    let bytes = 0
    for (let turn = 0; turn < most && !this.isClosed && this.goAwayCode === undefined; turn += BATCH) {
      const batch = Array.from({ length: BATCH }, (_, i) => make(turn + i))
      bytes += batch.reduce((sum, { length }) => sum + length, 0)
      await this.write(Buffer.concat(batch))
    }
    return bytes
  }

  /** Resolves when the bytes have gone out, or never can. */
  async write(bytes: Buffer): Promise<void> {
    if (this.isClosed) return
    await new Promise<void>((resolve) => {
      this.socket.once('close', resolve)
      this.socket.write(bytes, () => {
        this.socket.off('close', resolve)
        resolve()
      })
    })
    // What the server has to say about it may have come.
    await new Promise((resolve) => setImmediate(resolve))
  }

  /** Resolves when the server has dealt with all that was sent. */
  async settle(text = 'settled'): Promise<void> {
    this.send(h2.frame({ type: h2.PING, flags: 0, stream: 0 }, Buffer.from(text.padEnd(8))))
    await this.frame(
      ({ type, flags, content }) =>
        type === h2.GOAWAY || (type === h2.PING && flags === h2.ACK && content.toString().trim() === text),
    )
  }

  close(): void {
    this.socket.destroy()
  }
}

const BATCH = 100
