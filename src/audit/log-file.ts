// The audit log file: lines are appended in order, in batches, and the file is rotated by size. Old files are named after their
// time, and removed by number or age (P-190).
import { type FileHandle, open, readdir, rename, rm, stat } from 'node:fs/promises'
import { createReadStream, createWriteStream } from 'node:fs'
import path from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import type { Clock } from '../lib/clock.ts'

export interface LogFileOptions {
  readonly file: string
  readonly maxBytes: number
  /** The number of old files to keep. 0: all. */
  readonly maxBackups: number
  /** The age at which old files are removed. 0: never. */
  readonly maxAgeMs: number
  readonly compress: boolean
  /** Whether this process rotates the file, if several processes write it. Absent: only this process writes the file. */
  readonly rotatesShared?: (() => boolean) | undefined
  readonly clock: Clock
  /** Called with the number of lines that could not be written. */
  readonly onLost: (lines: number) => void
}

const GATHER_MS = 20

/** Lines are gathered as bytes: strings would be copied twice more, and would make garbage collections longer. */
const GATHERED_BYTES = 256 * 1024
const MOST_BYTES_A_CHARACTER = 3

const LINE_END = 0x0a

/** Complete lines. */
interface Lines {
  readonly bytes: Buffer
  used: number
  count: number
}

export class LogFile {
  readonly #options: LogFileOptions
  #handle: FileHandle | undefined
  #size = 0
  /** Another program may have moved the file. */
  #isMoved = false
  #waiting: Lines[] = []
  #spare: Buffer | undefined
  #writing: Promise<void> | undefined
  #next: Promise<void> | undefined
  /** A request waits for the next write. */
  #isWanted = false
  #hurry: (() => void) | undefined
  waitingBytes = 0

  constructor(options: LogFileOptions) {
    this.#options = options
  }

  /** Takes a line with its line end. It is written soon, together with the lines that follow closely. */
  append(line: string): void {
    const lines = this.#roomFor(line.length * MOST_BYTES_A_CHARACTER)
    const written = lines.bytes.write(line, lines.used)
    lines.used += written
    lines.count++
    this.waitingBytes += written
    if (this.#next !== undefined) return
    this.#next = this.#writeNext()
    // `flushed` gives the error to its callers.
    this.#next.catch(() => {})
  }

  #roomFor(size: number): Lines {
    const last = this.#waiting.at(-1)
    if (last !== undefined && last.bytes.length - last.used >= size) return last
    const spare = size > GATHERED_BYTES ? undefined : this.#spare
    if (spare !== undefined) this.#spare = undefined
    const lines = { bytes: spare ?? Buffer.allocUnsafeSlow(Math.max(size, GATHERED_BYTES)), used: 0, count: 0 }
    this.#waiting.push(lines)
    return lines
  }

  /** Resolves when all lines taken so far are in the file. Rejects if the last of them could not be written. */
  flushed(): Promise<void> {
    this.#isWanted = this.#next !== undefined
    this.#hurry?.()
    return this.#next ?? this.#writing ?? Promise.resolve()
  }

  /** Waits some milliseconds for more lines, because each write is expensive. The wait ends as soon as a request waits for the write. */
  #gather(): Promise<void> {
    if (this.#isWanted) return Promise.resolve()
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, GATHER_MS)
      this.#hurry = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  }

  async #writeNext(): Promise<void> {
    await this.#writing?.catch(() => {})
    await this.#gather()
    this.#hurry = this.#next = undefined
    this.#isWanted = false
    const taken = this.#waiting
    this.#waiting = []
    this.waitingBytes = 0
    this.#writing = this.#writeAll(taken)
    try {
      await this.#writing
    } catch (error) {
      this.#options.onLost(taken.reduce((sum, { count }) => sum + count, 0))
      throw error
    } finally {
      this.#writing = undefined
    }
  }

  /** Call this if another program may have moved the file: the next lines go to the new file of this name. */
  reopen(): void {
    this.#isMoved = true
  }

  async close(): Promise<void> {
    await this.flushed().catch(() => {})
    await this.#handle?.close()
    this.#handle = undefined
  }

  async #writeAll(taken: readonly Lines[]): Promise<void> {
    for (const { bytes, used } of taken) {
      await this.#write(bytes.subarray(0, used))
      if (bytes.length === GATHERED_BYTES) this.#spare = bytes
    }
  }

  /** A line for which the file has no room begins a new file. A line larger than any file gets a file of its own. */
  async #write(lines: Buffer): Promise<void> {
    if (this.#isMoved) {
      this.#isMoved = false
      await this.#handle?.close()
      this.#handle = undefined
    }
    for (let at = 0; at < lines.length; ) {
      await this.#followName()
      this.#handle ??= await this.#open()
      const fits = wholeLines(lines, at, this.#maxBytes - this.#size)
      if (fits === at && this.#size > 0) {
        await this.#rotate()
        continue
      }
      const end = fits === at ? firstLine(lines, at) : fits
      await this.#append(this.#handle, lines.subarray(at, end))
      at = end
    }
  }

  get #maxBytes(): number {
    const { maxBytes, rotatesShared } = this.#options
    return rotatesShared?.() === false ? Infinity : maxBytes
  }

  /** Closes a shared file that another process has moved, so that the next write opens the file that now has the name. */
  async #followName(): Promise<void> {
    const { file, rotatesShared } = this.#options
    if (rotatesShared === undefined || this.#handle === undefined) return
    const [ours, named] = await Promise.all([this.#handle.stat(), stat(file).catch(() => undefined)])
    this.#size = ours.size
    if (named?.ino === ours.ino) return
    await this.#handle.close()
    this.#handle = undefined
  }

  async #append(handle: FileHandle, bytes: Buffer): Promise<void> {
    for (let written = 0; written < bytes.length; ) {
      written += (await handle.write(bytes, written)).bytesWritten
    }
    this.#size += bytes.length
  }

  async #open(): Promise<FileHandle> {
    const { file } = this.#options
    const handle = await open(file, 'a', 0o600)
    this.#size = (await handle.stat()).size
    if (this.#size < this.#maxBytes) return handle
    this.#handle = handle
    await this.#rotate()
    return this.#open()
  }

  async #rotate(): Promise<void> {
    const { file, clock } = this.#options
    await this.#handle?.close()
    this.#handle = undefined
    this.#size = 0
    await rename(file, await freeName(file, clock.now()))
    await this.#removeOld()
  }

  async #removeOld(): Promise<void> {
    const { file, maxBackups, maxAgeMs, compress, clock } = this.#options
    const old = await backupsOf(file)
    const tooOld = maxAgeMs === 0 ? 0 : clock.now() - maxAgeMs
    const gone = old.filter(({ atMs }, place) => (maxBackups > 0 && place >= maxBackups) || atMs < tooOld)
    for (const { name } of gone) await rm(name, { force: true })
    if (!compress) return
    for (const { name } of old) {
      if (name.endsWith('.gz') || gone.some((each) => each.name === name)) continue
      await pipeline(createReadStream(name), createGzip(), createWriteStream(`${name}.gz`, { mode: 0o600 }))
      await rm(name, { force: true })
    }
  }
}

/** The end of the last line, from `at` on, that fits into the file. `at`: no line fits. */
function wholeLines(lines: Buffer, at: number, room: number): number {
  if (lines.length - at <= room) return lines.length
  return room <= 0 ? at : Math.max(at, lines.lastIndexOf(LINE_END, at + room - 1) + 1)
}

function firstLine(lines: Buffer, at: number): number {
  const end = lines.indexOf(LINE_END, at)
  return end === -1 ? lines.length : end + 1
}

/** `audit-2030-01-02T03-04-05.678.log`. */
function backupName(file: string, atMs: number): string {
  const { dir, name, ext } = path.parse(file)
  const stamp = new Date(atMs).toISOString().slice(0, -1).replaceAll(':', '-')
  return path.join(dir, `${name}-${stamp}${ext}`)
}

async function freeName(file: string, nowMs: number): Promise<string> {
  for (let atMs = nowMs; ; atMs++) {
    const name = backupName(file, atMs)
    if (!(await exists(name)) && !(await exists(`${name}.gz`))) return name
  }
}

async function exists(file: string): Promise<boolean> {
  try {
    await stat(file)
    return true
  } catch {
    return false
  }
}

/** The old files, the newest first. */
async function backupsOf(file: string): Promise<readonly { readonly name: string; readonly atMs: number }[]> {
  const { dir, name, ext } = path.parse(file)
  const found = (await readdir(dir === '' ? '.' : dir)).flatMap((entry) => {
    const plain = entry.endsWith('.gz') ? entry.slice(0, -3) : entry
    if (!plain.startsWith(`${name}-`) || !plain.endsWith(ext)) return []
    const stamp = plain.slice(name.length + 1, plain.length - ext.length)
    const time = /^(\d{4}-\d\d-\d\dT\d\d)-(\d\d)-(\d\d\.\d{3})$/.exec(stamp)
    if (time === null) return []
    return [{ name: path.join(dir, entry), atMs: Date.parse(`${time[1]}:${time[2]}:${time[3]}Z`) }]
  })
  return found.toSorted((a, b) => b.atMs - a.atMs)
}
