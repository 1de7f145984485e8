// The output of commands. Texts from files and servers must not control a terminal.
import { once } from 'node:events'
import { printable } from '../lib/printable.ts'

/** Writes a text to standard output. */
export function print(text: string): void {
  process.stdout.write(printable(text))
}

/** Writes a text to standard error. */
export function complain(text: string): void {
  process.stderr.write(printable(text))
}

/** Writes bytes unchanged, for another program. Resolves when the reader can take more. */
export async function printBytes(bytes: Buffer): Promise<void> {
  if (!process.stdout.write(bytes)) await once(process.stdout, 'drain')
}

/** Writes a document unchanged for another program, and like other texts to a terminal. */
export async function printDocument(text: string): Promise<void> {
  if (process.stdout.isTTY) print(text)
  else await printBytes(Buffer.from(text))
}

const BROKEN_PIPE_STATUS = 141
const endProcess = (): never => process.exit(BROKEN_PIPE_STATUS)

/** For commands: the process exits when the reader of standard output is gone, as with SIGPIPE. */
export function endWithReader(): void {
  process.stdout.on('error', endProcess)
}

/** For servers: the process continues when a reader of standard output or standard error is gone. */
export function outliveReaders(): void {
  for (const output of [process.stdout, process.stderr]) output.off('error', endProcess).on('error', () => {})
}

/** Without line feeds, a foreign text cannot begin a line that looks like ours. */
export function inOneLine(text: string): string {
  return printable(text.replaceAll(/\s*\n\s*/g, ' ').trim())
}
