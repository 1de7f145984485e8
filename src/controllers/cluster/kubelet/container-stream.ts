// The channels of exec and attach, over a WebSocket (v4 and v5 of channel.k8s.io) or over SPDY: input, output and the result.
import { PassThrough } from 'node:stream'
import type { WebSocket } from 'ws'
import type { SpdyStream } from '../../../wire/spdy.ts'

export interface ContainerStream {
  readonly stdin: AsyncIterable<Buffer>
  readonly stdout: (output: string | Uint8Array) => Promise<void>
  readonly stderr: (output: string | Uint8Array) => Promise<void>
  /** Fires when the client is gone. */
  readonly signal: AbortSignal
  /** Sends the result to the client, and closes the stream. */
  end(status: object): Promise<void>
}

/** The channels that the client requests. */
export interface Channels {
  readonly stdin: boolean
  readonly stdout: boolean
  readonly stderr: boolean
  readonly tty: boolean
}

/** The channels in a query. With a terminal, errors are written to the output. */
export function channelsOf(query: URLSearchParams): Channels {
  const has = (name: string): boolean => query.get(name) === '1' || query.get(name) === 'true'
  const tty = has('tty')
  return { stdin: has('input'), stdout: has('output'), stderr: has('error') && !tty, tty }
}

/** The first byte of a message is its channel. */
const STDIN = 0
const STDOUT = 1
const STDERR = 2
const STATUS = 3
const CLOSE = 255
const HIGH_WATER_BYTES = 256 * 1024

export const CHANNEL_PROTOCOLS: readonly string[] = ['v5.channel.k8s.io', 'v4.channel.k8s.io']

export function streamOfSocket(socket: WebSocket, channels: Channels): ContainerStream {
  const gone = new AbortController()
  const stdin = new PassThrough()
  if (!channels.stdin) stdin.end()
  socket.on('message', (data: Buffer) => {
    const [channel, closed] = data
    if (channel === STDIN && !stdin.writableEnded && !stdin.write(data.subarray(1))) {
      socket.pause()
      stdin.once('drain', () => socket.resume())
    } else if (channel === CLOSE && closed === STDIN && !stdin.writableEnded) stdin.end()
  })
  socket.on('error', () => {})
  socket.once('close', () => {
    gone.abort()
    // A command that still reads gets the end of its input.
    if (!stdin.writableEnded) stdin.end()
  })
  const send = (channel: number, data: string | Uint8Array): Promise<void> =>
    new Promise((resolve) => {
      if (socket.readyState !== socket.OPEN) return resolve()
      const message = Buffer.concat([Buffer.of(channel), Buffer.from(data as Uint8Array)])
      const isFull = socket.bufferedAmount > HIGH_WATER_BYTES
      socket.send(message, () => isFull && resolve())
      if (!isFull) resolve()
    })
  const out = channels.stdout ? STDOUT : undefined
  const error = channels.tty ? out : channels.stderr ? STDERR : undefined
  return {
    stdin,
    stdout: async (output) => (out === undefined ? undefined : send(out, output)),
    stderr: async (output) => (error === undefined ? undefined : send(error, output)),
    signal: gone.signal,
    end: async (status) => {
      await send(STATUS, JSON.stringify(status))
      socket.close(1000)
    },
  }
}

/** Collects the streams that the client opens, one for each channel. */
export class SpdyStreams {
  readonly #wanted: ReadonlySet<string>
  readonly #streams = new Map<string, SpdyStream>()
  readonly #complete = Promise.withResolvers<void>()

  constructor({ stdin, stdout, stderr, tty }: Channels) {
    const asked = { error: true, stdin, stdout, stderr, resize: tty }
    this.#wanted = new Set(Object.entries(asked).flatMap(([name, isWanted]) => (isWanted ? [name] : [])))
  }

  add(stream: SpdyStream): void {
    const type = stream.headers.get('streamtype') ?? ''
    stream.on('error', () => {})
    if (!this.#wanted.has(type) || this.#streams.has(type)) return void stream.destroy()
    this.#streams.set(type, stream)
    if (type !== 'stdin') stream.resume()
    if (this.#streams.size === this.#wanted.size) this.#complete.resolve()
  }

  /** Resolves when all streams are there, and never if the client opens fewer. */
  async stream(signal: AbortSignal): Promise<ContainerStream> {
    await this.#complete.promise
    const stdin = this.#streams.get('stdin')
    const write = async (name: string, output: string | Uint8Array): Promise<void> => {
      const stream = this.#streams.get(name)
      if (stream === undefined || stream.destroyed) return
      await new Promise<void>((resolve) => stream.write(output, () => resolve()))
    }
    return {
      stdin: stdin ?? (async function* () {})(),
      stdout: (output) => write('stdout', output),
      stderr: (output) => write(this.#wanted.has('stderr') ? 'stderr' : 'stdout', output),
      signal,
      end: async (status) => {
        const error = this.#streams.get('error')
        error?.end(JSON.stringify(status))
        for (const name of ['stdout', 'stderr', 'resize']) this.#streams.get(name)?.end()
        stdin?.destroy()
      },
    }
  }
}
