// Writes the pieces of watches and other streams. Small pieces wait for the next round, and large pieces are sent at once. With
// compression, the pieces of a round are flushed together, so that a client can read them at once, and watchers of the same events share
// the bytes.
import { ServerClosingError } from './abort-reasons.ts'
import type { ByteSink, Piece } from './http.ts'
import type { Delivery, Outgoing } from './delivery.ts'
import { GzipMember } from './gzip-member.ts'
import type { WireConnection, WireResponse } from '../wire/request-response.ts'
import { cancellableWait } from '../lib/cancellable.ts'
import { throwIfCancelled } from '../lib/errors.ts'
import type { Distribution } from '../lib/measure.ts'

/** This many bytes are sent at once, without waiting for the next round. */
const ENOUGH_BYTES = 64 * 1024

/** Resolves when the response has room again, or at once if it has room. Rejects with `CancelledError` when the signal fires. */
export async function drainedOf(raw: WireResponse, signal: AbortSignal): Promise<void> {
  throwIfCancelled(signal)
  if (!raw.needsDrain) return
  await cancellableWait(signal, (done) => {
    raw.on('drain', done)
    return () => raw.off('drain', done)
  })
}

export interface StreamSinkOptions {
  readonly signal: AbortSignal
  readonly delivery: Delivery
  readonly latency: Distribution | undefined
  readonly isPaced?: boolean | undefined
  readonly isPacked?: boolean
  /** Called when a write to the stream failed. */
  readonly onFault: (error: unknown) => void
}

export class StreamSink implements ByteSink, Outgoing {
  bytes = 0
  readonly connection: WireConnection
  readonly isPaced: boolean
  readonly fail: (error: unknown) => void
  readonly #raw: WireResponse
  readonly #signal: AbortSignal
  readonly #delivery: Delivery
  readonly #isPacked: boolean
  #gzip: GzipMember | undefined
  /** Resolves when the pieces that are being compressed are sent. Later pieces wait. */
  #packing: Promise<void> | undefined
  #pieces: Buffer[] = []
  #keptBytes = 0
  #writes = 0
  #isEnlisted = false
  readonly #latency: Distribution | undefined
  /** The time of the event in the first of the waiting pieces. */
  #since: number | undefined

  constructor(
    raw: WireResponse,
    { signal, delivery, latency, isPaced = false, isPacked = false, onFault }: StreamSinkOptions,
  ) {
    this.connection = raw.connection
    this.fail = onFault
    this.isPaced = isPaced
    this.#isPacked = isPacked
    this.#raw = raw
    this.#signal = signal
    this.#delivery = delivery
    this.#latency = latency
  }

  get waitingBytes(): number {
    return this.#keptBytes + this.#raw.unsentBytes
  }

  write(piece: Piece, since?: number): boolean {
    if (this.#signal.aborted) return false
    this.#since ??= since
    this.#writes++
    if (Buffer.isBuffer(piece)) this.#keep(piece)
    else for (const part of piece) this.#keep(part)
    if (this.#keptBytes >= ENOUGH_BYTES) this.#send(performance.now())
    else if (!this.#isEnlisted) {
      this.#isEnlisted = true
      this.#delivery.enlist(this)
    }
    return !this.#raw.needsDrain && this.#packing === undefined
  }

  #keep(piece: Buffer): void {
    this.bytes += piece.length
    this.#keptBytes += piece.length
    this.#pieces.push(piece)
  }

  flush(now: number): number {
    const writes = this.#writes
    this.#isEnlisted = false
    this.#send(now)
    return writes
  }

  async drained(): Promise<void> {
    await this.#packing
    await drainedOf(this.#raw, this.#signal)
  }

  /** Sends all waiting pieces. */
  async finish(): Promise<void> {
    await this.#packing
    this.#send(performance.now())
    await this.#packing
    if (this.#gzip !== undefined && !this.#isCutOff()) this.#raw.write(this.#gzip.end())
  }

  #send(now: number): void {
    const pieces = this.#pieces
    const isMuch = this.#keptBytes >= ENOUGH_BYTES
    if (pieces.length === 0 || this.#packing !== undefined || this.#isCutOff()) return
    this.#pieces = []
    this.#keptBytes = 0
    this.#writes = 0
    if (this.#since !== undefined) {
      this.#latency?.observe((now - this.#since) / 1000)
      this.#since = undefined
    }
    if (!isMuch) {
      const joined = this.#delivery.join(pieces)
      this.#raw.write(this.#isPacked ? this.#inGzip([joined], this.#delivery.pack(joined)) : joined)
    } else if (this.#isPacked) this.#packing = this.#sendPacked(pieces)
    else this.#sendMuch(pieces)
  }

  #inGzip(pieces: readonly Buffer[], packed: Buffer): Buffer {
    const isFirst = this.#gzip === undefined
    this.#gzip ??= new GzipMember()
    this.#gzip.note(pieces)
    return isFirst ? Buffer.concat([GzipMember.begin(), packed]) : packed
  }

  /** The compression runs outside of the event loop, so that other requests continue. */
  async #sendPacked(pieces: readonly Buffer[]): Promise<void> {
    try {
      const packed = await this.#delivery.packMuch(pieces)
      if (!this.#isCutOff()) this.#raw.write(this.#inGzip(pieces, packed))
    } catch (error) {
      this.fail(error)
    }
    this.#packing = undefined
    this.#send(performance.now())
  }

  /** Whether waiting pieces are dropped, because the request has ended. A closing server still sends the pieces that it has taken. */
  #isCutOff(): boolean {
    return this.#signal.aborted && !(this.#signal.reason instanceof ServerClosingError)
  }

  /** So many bytes are the initial state of a watch. Watches do not share this state, so joining its pieces gains nothing. */
  #sendMuch(pieces: readonly Buffer[]): void {
    for (const piece of pieces) this.#raw.gather(piece)
    this.#raw.flush()
  }
}
