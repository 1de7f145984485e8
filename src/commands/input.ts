// The files that commands read; `-` is standard input.
import { createReadStream } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createInterface } from 'node:readline'
import { buffer } from 'node:stream/consumers'

export function readInput(file: string): Promise<Buffer> {
  return file === '-' ? buffer(process.stdin) : readFile(file)
}

/** Its lines, for what may be larger than memory. */
export function linesOf(file: string): AsyncIterable<string> {
  return createInterface({ input: file === '-' ? process.stdin : createReadStream(file), crlfDelay: Infinity })
}

/** As messages name it. */
export function inputName(file: string): string {
  return file === '-' ? 'standard input' : file
}
