// Reads pieces of given lengths, and lines, from a stream. Computes a digest of the bytes that were read.
import { createHash, type Hash } from 'node:crypto'
import { BackupError } from './backup-error.ts'

export class ByteSource implements AsyncDisposable {
  readonly #pieces: AsyncIterator<Buffer>
  readonly #hash: Hash = createHash('sha256')
  #held: Buffer = Buffer.alloc(0)

  constructor(pieces: AsyncIterable<Buffer>) {
    this.#pieces = pieces[Symbol.asyncIterator]()
  }

  /** Reads exactly this number of bytes. Throws if there are fewer. */
  async take(length: number): Promise<Buffer> {
    const pieces = [this.#held]
    let bytes = this.#held.length
    while (bytes < length) {
      const { done, value } = await this.#pieces.next()
      if (done === true) throw new BackupError('it is cut short')
      pieces.push(value)
      bytes += value.length
    }
    const all = pieces.length === 1 ? this.#held : Buffer.concat(pieces)
    this.#held = all.subarray(length)
    const taken = all.subarray(0, length)
    this.#hash.update(taken)
    return taken
  }

  /** A line with its line feed. Throws if the first `longest` bytes have no line feed. */
  async line(longest: number): Promise<string> {
    let end = this.#held.indexOf('\n')
    while (end < 0 && this.#held.length < longest) {
      const { done, value } = await this.#pieces.next()
      if (done === true) break
      this.#held = Buffer.concat([this.#held, value])
      end = this.#held.indexOf('\n')
    }
    if (end < 0 || end >= longest) throw new BackupError('it is not a backup')
    return (await this.take(end + 1)).toString()
  }

  /** The digest of all bytes that were taken. */
  digest(): Buffer {
    return this.#hash.copy().digest()
  }

  async isAtEnd(): Promise<boolean> {
    while (this.#held.length === 0) {
      const { done, value } = await this.#pieces.next()
      if (done === true) return true
      this.#held = value
    }
    return false
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#pieces.return?.()
  }
}
