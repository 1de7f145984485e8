// Measures how much of the mapped file is in memory. LMDB reads through a mapping, and read pages stay in the process until
// the file is reopened.
import { readFileSync } from 'node:fs'

/** The bytes that are read or written between two looks at the kernel's numbers. */
const LOOK_AFTER_BYTES = 4 * 1024 * 1024
const MOST_BYTES = 24 * 1024 * 1024
/** The bytes of the index that are touched for each record. */
const FOUND_THROUGH_BYTES = 4096

export class MappedMemory {
  readonly #mapped: () => number | undefined
  readonly #lookAfter: number
  /** The mapped bytes before pages of the store are read: those of the program itself. */
  #before: number
  #touched = 0
  #touchedInAll = 0
  #isTooMuch = false

  /** `mapped`: the bytes of mapped files in memory. Undefined: unknown. */
  constructor(mapped: () => number | undefined = mappedBytes, lookAfter: number = LOOK_AFTER_BYTES) {
    this.#mapped = mapped
    this.#lookAfter = lookAfter
    this.#before = mapped() ?? 0
  }

  /** Whether the file should be reopened. */
  get isTooMuch(): boolean {
    return this.#isTooMuch
  }

  note(records: number, bytes: number): void {
    this.#touched += bytes + records * FOUND_THROUGH_BYTES
    if (this.#touched < this.#lookAfter) return
    this.#touchedInAll += this.#touched
    this.#touched = 0
    const mapped = this.#mapped()
    this.#isTooMuch = (mapped === undefined ? this.#touchedInAll : mapped - this.#before) > MOST_BYTES
  }

  /** Call this when the file was reopened. */
  renewed(): void {
    this.#before = this.#mapped() ?? 0
    this.#touched = this.#touchedInAll = 0
    this.#isTooMuch = false
  }
}

/** The mapped bytes from /proc, on Linux. Undefined on other systems. */
function mappedBytes(): number | undefined {
  try {
    const kilobytes = /^RssFile:\s+(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'latin1'))?.[1]
    return kilobytes === undefined ? undefined : Number(kilobytes) * 1024
  } catch {
    return undefined
  }
}
