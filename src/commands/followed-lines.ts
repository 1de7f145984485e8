// Reads the lines that are written to a file from the call until a signal fires. A log rotation may rename the file and make a new one.
import { type FileHandle, open, stat } from 'node:fs/promises'
import { createInterface } from 'node:readline'
import { setTimeout as pause } from 'node:timers/promises'

const LOOK_MS = 200
const READ_BYTES = 64 * 1024
const LINE_END = 0x0a

/** Resolves to the lines that are written from then on. `-` is standard input, which may end. Throws if the file cannot be read. */
export async function followLines(file: string, signal: AbortSignal): Promise<AsyncIterable<string>> {
  if (file === '-') return inputLines(signal)
  const handle = await open(file, 'r')
  return fileLines(file, { handle, at: (await handle.stat()).size }, signal)
}

async function* inputLines(signal: AbortSignal): AsyncGenerator<string> {
  const { stdin } = process
  try {
    yield* createInterface({ input: stdin, crlfDelay: Infinity, signal })
  } finally {
    // The writer may continue. The command does not wait for it.
    stdin.destroy()
  }
}

interface OpenedFile {
  readonly handle: FileHandle
  /** The position of the first byte to read. */
  readonly at: number
}

async function* fileLines(file: string, first: OpenedFile, signal: AbortSignal): AsyncGenerator<string> {
  let reader = new LineReader(first)
  try {
    for (;;) {
      // The signal is checked before the read, so that the read gets all lines up to the signal.
      const isLast = signal.aborted
      yield* reader.read()
      const next = await reader.successor(file)
      if (next !== undefined) {
        // The old file may have got its last lines since the read above.
        yield* reader.read()
        await reader.close()
        reader = new LineReader(next)
      } else if (isLast) return
      else await pause(LOOK_MS, undefined, { signal }).catch(() => {})
    }
  } finally {
    await reader.close()
  }
}

class LineReader {
  readonly #handle: FileHandle
  #at: number
  /** The beginning of an unfinished line. */
  #begun: Buffer = Buffer.alloc(0)

  constructor({ handle, at }: OpenedFile) {
    this.#handle = handle
    this.#at = at
  }

  /** Yields the complete lines so far. */
  async *read(): AsyncGenerator<string> {
    for (;;) {
      const { bytesRead, buffer } = await this.#handle.read(Buffer.alloc(READ_BYTES), 0, READ_BYTES, this.#at)
      if (bytesRead === 0) return
      this.#at += bytesRead
      const bytes = Buffer.concat([this.#begun, buffer.subarray(0, bytesRead)])
      const end = bytes.lastIndexOf(LINE_END)
      this.#begun = bytes.subarray(end + 1)
      if (end >= 0) yield* bytes.subarray(0, end).toString().split('\n')
    }
  }

  /** The new file of this name, or this file after it was truncated. Undefined: nothing has changed. */
  async successor(file: string): Promise<OpenedFile | undefined> {
    const [own, now] = await Promise.all([this.#handle.stat(), stat(file).catch(() => undefined)])
    if (now === undefined) return undefined
    const isSame = now.ino === own.ino && now.dev === own.dev
    return isSame && now.size >= this.#at ? undefined : { handle: await open(file, 'r'), at: 0 }
  }

  close(): Promise<void> {
    return this.#handle.close()
  }
}
