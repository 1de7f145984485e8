// The files that commands read; `-` is standard input.
import { createReadStream } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createInterface } from 'node:readline'
import { buffer } from 'node:stream/consumers'
import { reasonOf, StartError } from '../config/start-error.ts'

/** Throws a `StartError` that names the file. */
export async function readInput(file: string): Promise<Buffer> {
  try {
    return await (file === '-' ? buffer(process.stdin) : readFile(file))
  } catch (error) {
    throw unreadable(file, error)
  }
}

/** The lines of a file that may be larger than memory. Throws a `StartError` that names the file. */
export async function* linesOf(file: string): AsyncGenerator<string> {
  try {
    yield* createInterface({ input: file === '-' ? process.stdin : createReadStream(file), crlfDelay: Infinity })
  } catch (error) {
    throw unreadable(file, error)
  }
}

function unreadable(file: string, error: unknown): StartError {
  return new StartError(`cannot read ${inputName(file)}: ${reasonOf(error)}`, { exitCode: 2, cause: error })
}

/** The name in messages. */
export function inputName(file: string): string {
  return file === '-' ? 'standard input' : file
}
