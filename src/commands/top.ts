// `quarterdeck top`: who watches a running server, from its /debug/watchers; in a terminal shown anew every other second.
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { reasonOf, usageError } from '../config/start-error.ts'
import { openClient, SERVER_FLAGS, type ServerFlags } from './server-flags.ts'

const REFRESH_MS = 2000
const CLEAR = '\x1b[H\x1b[2J'

/** Resolves with the exit code: 1 where the server cannot be asked, or does not tell. */
export async function runTop(args: readonly string[]): Promise<number> {
  const { once, output, allReplicas, ...server } = parse(args)
  const query = allReplicas ? { replicas: 'all' } : {}
  const screen = process.stdout
  const headers = { accept: output === 'json' ? 'application/json' : 'text/plain' }
  try {
    using client = openClient(server, 'quarterdeck-top')
    for (;;) {
      const { text } = await client.request({ method: 'GET', path: '/debug/watchers', query, headers })
      const isOnce = once || output === 'json' || !screen.isTTY
      screen.write(isOnce ? text : CLEAR + fitted(text, screen))
      if (isOnce) return 0
      await pause(REFRESH_MS)
    }
  } catch (error) {
    process.stderr.write(`quarterdeck top: ${reasonOf(error)}\n`)
    return 1
  }
}

interface TopFlags extends ServerFlags {
  readonly once: boolean
  readonly output: string | undefined
  readonly allReplicas: boolean
}

function parse(args: readonly string[]): TopFlags {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        ...SERVER_FLAGS,
        once: { type: 'boolean', default: false },
        output: { type: 'string', short: 'o' },
        'all-replicas': { type: 'boolean', default: false },
      },
    })
    const { kubeconfig, context, once, output, 'all-replicas': allReplicas } = values
    if (output === undefined || output === 'json') return { kubeconfig, context, once, output, allReplicas }
  } catch (error) {
    throw usageError(`${reasonOf(error)}; see quarterdeck top --help`)
  }
  throw usageError('the only other output is json; see quarterdeck top --help')
}

/** What there is room for: a line that wraps, or a page that scrolls, cannot be shown anew in its place. */
export function fitted(text: string, { rows, columns }: { readonly rows: number; readonly columns: number }): string {
  const lines = text.split('\n').slice(0, rows - 1)
  return lines.map((line) => line.slice(0, columns)).join('\n')
}
