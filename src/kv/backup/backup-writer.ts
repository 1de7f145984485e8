// Writes a backup of everything that a store held under a prefix at one revision: a header, chunks of items and a digest. Only one chunk is
// in memory at a time.
import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { zstdCompress } from 'node:zlib'
import type { StoreCopy } from '../copy.ts'
import { BackupError } from './backup-error.ts'
import { type BackupHeader, encodeHeader } from './header.ts'
import { encodeEnd, encodeItem } from './records.ts'
import { newSeal, Seal } from './seal.ts'
import { wholePages } from './unfinished.ts'

const compress = promisify(zstdCompress)

/** A chunk is closed at this many bytes. */
const CHUNK_BYTES = 1024 * 1024

export interface BackupOrder {
  readonly copy: StoreCopy
  readonly prefix: string
  readonly time: Date
  /** The version of the program. */
  readonly version: string
  /** Absent: the backup is not encrypted. */
  readonly key?: Buffer | undefined
  /** Resolves when it can take more bytes. */
  readonly write: (bytes: Buffer) => Promise<void>
}

export async function writeBackup(order: BackupOrder, signal: AbortSignal): Promise<BackupHeader> {
  const { copy, key } = order
  const header: BackupHeader = {
    revision: copy.revision,
    keys: copy.count,
    prefix: order.prefix,
    time: order.time.toISOString(),
    version: order.version,
    compression: 'zstd',
    ...(key === undefined ? {} : { encryption: newSeal(key) }),
  }
  const file = new ChunkWriter(header, order)
  let count = 0
  for await (const page of wholePages(copy, order.prefix, signal)) {
    for (const item of page) await file.add(encodeItem(item))
    count += page.length
  }
  if (count !== header.keys) throw new BackupError(`the store reported ${header.keys} keys and returned ${count}`)
  await file.add(encodeEnd(count))
  await file.finish()
  return header
}

class ChunkWriter {
  readonly #write: (bytes: Buffer) => Promise<void>
  readonly #hash = createHash('sha256')
  readonly #seal: Seal | undefined
  #head: Buffer | undefined
  #records: Buffer[] = []
  #bytes = 0
  #index = 0

  constructor(header: BackupHeader, { key, write }: Pick<BackupOrder, 'key' | 'write'>) {
    this.#write = write
    this.#head = encodeHeader(header)
    const { encryption } = header
    this.#seal = key === undefined || encryption === undefined ? undefined : new Seal(key, encryption, this.#head)
  }

  async add(record: Buffer): Promise<void> {
    if (this.#bytes > 0 && this.#bytes + record.length > CHUNK_BYTES) await this.#close()
    this.#records.push(record)
    this.#bytes += record.length
  }

  async finish(): Promise<void> {
    await this.#close()
    await this.#put(lengthOf(0))
    await this.#write(this.#hash.digest())
  }

  async #close(): Promise<void> {
    if (this.#head !== undefined) await this.#put(this.#head)
    this.#head = undefined
    const packed = await compress(Buffer.concat(this.#records))
    const payload = this.#seal?.seal(packed, this.#index) ?? packed
    await this.#put(lengthOf(payload.length))
    await this.#put(payload)
    this.#records = []
    this.#bytes = 0
    this.#index++
  }

  async #put(bytes: Buffer): Promise<void> {
    this.#hash.update(bytes)
    await this.#write(bytes)
  }
}

function lengthOf(bytes: number): Buffer {
  const length = Buffer.alloc(4)
  length.writeUInt32BE(bytes)
  return length
}
