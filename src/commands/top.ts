// `quarterdeck top`: prints the watches of a running server, from its /debug/watchers. In a terminal, the table is refreshed every two
// seconds.
import { setTimeout as pause } from 'node:timers/promises'
import { failureOf } from '../config/start-error.ts'
import { printable } from '../lib/printable.ts'
import { readCommandLine } from './command-flags.ts'
import { complain, print } from './output.ts'
import { openClient } from './server-flags.ts'

const REFRESH_MS = 2000
const CLEAR = '\x1b[H\x1b[2J'

/** The exit code is 1 if the server refuses or cannot be reached. */
export async function runTop(args: readonly string[]): Promise<number> {
  const { read } = readCommandLine('top', args)
  const query = read.switch('all-replicas') ? { replicas: 'all' } : {}
  const screen = process.stdout
  const asJson = read.word('output') === 'json'
  const isOnce = read.switch('once') || asJson || !screen.isTTY
  const headers = { accept: asJson ? 'application/json' : 'text/plain' }
  try {
    using client = openClient(read, 'quarterdeck-top')
    for (;;) {
      const { text } = await client.request({ method: 'GET', path: '/debug/watchers', query, headers })
      if (isOnce) {
        print(text)
        return 0
      }
      screen.write(CLEAR + fitted(printable(text), screen))
      await pause(REFRESH_MS)
    }
  } catch (error) {
    complain(`quarterdeck top: ${failureOf(error)}\n`)
    return 1
  }
}

/** The part of the text that fits the screen. A wrapped line or a scrolled page would stay on the screen. */
export function fitted(text: string, { rows, columns }: { readonly rows: number; readonly columns: number }): string {
  const lines = text.split('\n').slice(0, rows - 1)
  return lines.map((line) => line.slice(0, columns)).join('\n')
}
