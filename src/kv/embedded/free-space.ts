// Measures the free space, by the limit of the store and on the disk. Puts are refused while there is too little space. So deletes and
// compaction, which free space, always have some.
import { statfs } from 'node:fs/promises'
import { KvError, type StoreSize } from '../kv.ts'
import type { Tables } from './tables.ts'

/** The reserve, on the disk and within the file together. */
const RESERVE_BYTES = 4 * 1024 * 1024

/** The disk is checked again after this time, or after this many written bytes. */
const ASK_EVERY_MS = 250
const ASK_EVERY_BYTES = RESERVE_BYTES / 4

/** The bytes of a commit besides the values: pages with few changes. */
const PAGES_BYTES = 512 * 1024

export class FreeSpace {
  readonly #tables: Tables
  readonly #folder: string
  readonly #maxBytes: number
  #asked = Number.NEGATIVE_INFINITY
  #writtenSince = 0
  #diskIsFull = false
  #limitIsReached = false

  constructor(from: { tables: Tables; folder: string; maxBytes: number }) {
    this.#tables = from.tables
    this.#folder = from.folder
    this.#maxBytes = from.maxBytes
  }

  /** Await this before each group of writes, with its bytes. */
  async refresh(bytes: number): Promise<void> {
    if (this.#maxBytes !== Number.POSITIVE_INFINITY) this.#limitIsReached = this.#tables.usedBytes() > this.#maxBytes
    const now = performance.now()
    this.#writtenSince += bytes
    const isRecent = now - this.#asked < ASK_EVERY_MS && this.#writtenSince < ASK_EVERY_BYTES
    if (isRecent && !this.#diskIsFull) return
    this.#asked = now
    this.#writtenSince = 0
    this.#diskIsFull = (await this.#freeBytes()) < RESERVE_BYTES + 2 * bytes + PAGES_BYTES
  }

  /** Throws `full` if a put must be refused. */
  check(): void {
    if (this.#limitIsReached) throw new KvError('full', `the store has reached its limit of ${this.#maxBytes} bytes`)
    if (this.#diskIsFull) throw new KvError('full', `the disk of ${this.#folder} is full`)
  }

  async size(): Promise<StoreSize> {
    const [bytes, onDisk] = await Promise.all([this.#tables.sizeBytes(), this.#freeBytes()])
    const inUseBytes = this.#tables.usedBytes()
    const availableBytes = Math.max(0, Math.min(onDisk - RESERVE_BYTES, this.#maxBytes - inUseBytes))
    const limit = Number.isFinite(availableBytes)
      ? { quotaBytes: inUseBytes + availableBytes, availableBytes }
      : undefined
    return { bytes, inUseBytes, limit }
  }

  /**
   * The free bytes on the disk and in the file. If the disk cannot be checked, it does not count as full: a write then fails on its own.
   */
  async #freeBytes(): Promise<number> {
    try {
      const [disk, fileBytes] = await Promise.all([statfs(this.#folder), this.#tables.sizeBytes()])
      return disk.bavail * disk.bsize + Math.max(0, fileBytes - this.#tables.usedBytes())
    } catch {
      return Number.POSITIVE_INFINITY
    }
  }
}
