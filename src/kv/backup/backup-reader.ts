// Reads a backup chunk by chunk, and detects all damage.
import { promisify } from 'node:util'
import { zstdDecompress } from 'node:zlib'
import type { CopiedItem } from '../copy.ts'
import { compareKeys } from '../key-order.ts'
import { BackupError } from './backup-error.ts'
import { ByteSource } from './byte-source.ts'
import { type BackupHeader, checkFormat, LONGEST_LINE, parseHeader } from './header.ts'
import { type Chunk, decodeChunk } from './records.ts'
import { Seal } from './seal.ts'

const decompress = promisify(zstdDecompress)

/** A chunk is closed at a megabyte, and stores refuse values of many megabytes. So a file with a chunk larger than this is not a backup. */
const LARGEST_CHUNK_BYTES = 64 * 1024 * 1024

const DIGEST_BYTES = 32

/** Throws a `BackupError` if the file was changed or damaged, or was made with another key. */
export class BackupReader implements AsyncDisposable {
  readonly header: BackupHeader
  readonly #source: ByteSource
  readonly #seal: Seal | undefined

  private constructor(header: BackupHeader, source: ByteSource, seal: Seal | undefined) {
    this.header = header
    this.#source = source
    this.#seal = seal
  }

  static async open(pieces: AsyncIterable<Buffer>, key: Buffer | undefined): Promise<BackupReader> {
    const source = new ByteSource(pieces)
    try {
      const first = await source.line(LONGEST_LINE)
      checkFormat(first)
      const second = await source.line(LONGEST_LINE)
      const header = parseHeader(second)
      const { encryption } = header
      if (encryption === undefined) return new BackupReader(header, source, undefined)
      if (key === undefined) throw new BackupError('it is encrypted: give its key with --encryption-key-file')
      return new BackupReader(header, source, new Seal(key, encryption, Buffer.from(first + second)))
    } catch (error) {
      await source[Symbol.asyncDispose]()
      throw error
    }
  }

  /** The items in the order of their keys. If the iteration ends without an error, the whole file is undamaged. */
  async *pages(): AsyncGenerator<readonly CopiedItem[]> {
    let count = 0
    let last = ''
    for await (const { items, end } of this.#chunks()) {
      for (const { key } of items) {
        if (compareKeys(last, key) >= 0) throw new BackupError('it is damaged: its keys are not in order')
        last = key
      }
      count += items.length
      yield items
      if (end !== undefined && (end !== count || this.header.keys !== count)) {
        throw new BackupError(`it is damaged: it has ${count} of ${this.header.keys} keys`)
      }
    }
  }

  async *#chunks(): AsyncGenerator<Chunk> {
    let isAtEnd = false
    for (let index = 0; ; index++) {
      const length = (await this.#source.take(4)).readUInt32BE()
      if (length === 0) break
      if (isAtEnd || length > LARGEST_CHUNK_BYTES) throw damaged()
      const chunk = decodeChunk(await this.#unpack(await this.#source.take(length), index))
      isAtEnd = chunk.end !== undefined
      yield chunk
    }
    const digest = this.#source.digest()
    if (!isAtEnd || !digest.equals(await this.#source.take(DIGEST_BYTES)) || !(await this.#source.isAtEnd())) {
      throw damaged()
    }
  }

  async #unpack(payload: Buffer, index: number): Promise<Buffer> {
    const packed = this.#seal === undefined ? payload : this.#seal.open(payload, index)
    if (packed === undefined) throw damaged()
    try {
      return await decompress(packed, { maxOutputLength: LARGEST_CHUNK_BYTES })
    } catch {
      throw damaged()
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#source[Symbol.asyncDispose]()
  }
}

function damaged(): BackupError {
  return new BackupError('it is damaged')
}
