// The files that commands read; `-` is standard input.
import { readFile } from 'node:fs/promises'
import { buffer } from 'node:stream/consumers'

export function readInput(file: string): Promise<Buffer> {
  return file === '-' ? buffer(process.stdin) : readFile(file)
}

/** As messages name it. */
export function inputName(file: string): string {
  return file === '-' ? 'standard input' : file
}
