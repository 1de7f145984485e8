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
    throw new StartError(`cannot read ${inputName(file)}: ${reasonOf(error)}`, { exitCode: 2, cause: error })
  }
}

/** Its lines, for what may be larger than memory. */
export function linesOf(file: string): AsyncIterable<string> {
  return createInterface({ input: file === '-' ? process.stdin : createReadStream(file), crlfDelay: Infinity })
}

/** As messages name it. */
export function inputName(file: string): string {
  return file === '-' ? 'standard input' : file
}
