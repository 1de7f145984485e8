// The lines that are written to a file from now on, until somebody says that it is enough; also across rotations, by which the file is
// renamed and another one takes its place. What was written before that moment is read to its end.
import { type FileHandle, open, stat } from 'node:fs/promises'
import { createInterface } from 'node:readline'
import { setTimeout as pause } from 'node:timers/promises'

const LOOK_MS = 200
const READ_BYTES = 64 * 1024
const LINE_END = 0x0a

/** Resolves once what is written counts; `-` is standard input, which has an end of its own. Throws where the file cannot be read. */
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
    // Whoever writes to it may go on, and is not to be waited for.
    stdin.destroy()
  }
}

interface OpenedFile {
  readonly handle: FileHandle
  /** From where on it is read. */
  readonly at: number
}

async function* fileLines(file: string, first: OpenedFile, signal: AbortSignal): AsyncGenerator<string> {
  let reader = new LineReader(first)
  try {
    for (;;) {
      // Asked before reading: what is written until then is there to be read.
      const isLast = signal.aborted
      yield* reader.read()
      const next = await reader.successor(file)
      if (next !== undefined) {
        // Its last lines may have come since.
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
  /** Of a line that is still being written. */
  #begun: Buffer = Buffer.alloc(0)

  constructor({ handle, at }: OpenedFile) {
    this.#handle = handle
    this.#at = at
  }

  /** What is there by now. */
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

  /** The file that has taken the place of this one, or this one where it was emptied; undefined: it is as it was. */
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
