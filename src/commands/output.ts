// What commands print. Names, keys and messages come from files and servers: they may not tell a terminal what to do.
import { once } from 'node:events'

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

/** Control characters, and those that change the direction of a text, are escaped as in JSON; line feeds and tabs stay. */
export function printable(text: string): string {
  return text.replaceAll(/[^\P{Cc}\n\t]|\p{Bidi_Control}|[\u2028\u2029]/gu, escaped)
}

/** The same without line feeds: a text of others cannot begin a line that looks like ours. */
export function inOneLine(text: string): string {
  return printable(text.replaceAll(/\s*\n\s*/g, ' ').trim())
}

function escaped(character: string): string {
  return String.raw`\u${character.codePointAt(0)!.toString(16).padStart(4, '0')}`
}
