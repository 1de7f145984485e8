// What commands print. Names, keys and messages come from files and servers: they may not tell a terminal what to do.
import { once } from 'node:events'
import { printable } from '../lib/printable.ts'

/** To standard output. */
export function print(text: string): void {
  process.stdout.write(printable(text))
}

/** To standard error. */
export function complain(text: string): void {
  process.stderr.write(printable(text))
}

/** As they are, for another program. Resolves when more can be taken. */
export async function printBytes(bytes: Buffer): Promise<void> {
  if (!process.stdout.write(bytes)) await once(process.stdout, 'drain')
}

/** A document, which another program takes as it is; a terminal gets it as any other text. */
export async function printDocument(text: string): Promise<void> {
  if (process.stdout.isTTY) print(text)
  else await printBytes(Buffer.from(text))
}

const BROKEN_PIPE_STATUS = 141
const endProcess = (): never => process.exit(BROKEN_PIPE_STATUS)

/** For commands: the process ends when the reader of standard output goes away, as programs do by SIGPIPE. */
export function endWithReader(): void {
  process.stdout.on('error', endProcess)
}

/** For servers: the process goes on when a reader of standard output or standard error goes away. */
export function outliveReaders(): void {
  for (const output of [process.stdout, process.stderr]) output.off('error', endProcess).on('error', () => {})
}

/** Without line feeds: a text of others cannot begin a line that looks like ours. */
export function inOneLine(text: string): string {
  return printable(text.replaceAll(/\s*\n\s*/g, ' ').trim())
}
