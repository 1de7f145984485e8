// `quarterdeck healthcheck`: asks the server's --healthz-port how it is. The image has the same in a shell script, which needs no Node
// (`deploy/image/quarterdeck`).
import type { Environment } from '../config/config.ts'
import { reasonOf, usageError } from '../config/start-error.ts'
import { readCommandLine } from './command-flags.ts'
import { complain, print } from './output.ts'

const PATIENCE_MS = 5_000

/** Resolves with the exit code: 0 where the server is well. */
export async function runHealthcheck(args: readonly string[], environment: Environment): Promise<number> {
  const { port, path } = parse(args, environment)
  const url = `http://127.0.0.1:${port}${path}`
  try {
    const answer = await fetch(url, { signal: AbortSignal.timeout(PATIENCE_MS) })
    print(`${(await answer.text()).trimEnd()}\n`)
    return answer.ok ? 0 : 1
  } catch (error) {
    const reason = error instanceof Error && error.cause !== undefined ? error.cause : error
    complain(`quarterdeck healthcheck: ${url} does not answer: ${reasonOf(reason)}\n`)
    return 1
  }
}

function parse(args: readonly string[], environment: Environment): { readonly port: number; readonly path: string } {
  const wanted = 'one path is asked for, such as /livez'
  const { read, operands } = readCommandLine('healthcheck', args, { most: 1, wanted })
  const path = operands[0] ?? '/readyz'
  if (!path.startsWith('/')) throw usageError(`${wanted}; see quarterdeck healthcheck --help`)
  const text = read.text('healthz-port') ?? environment['QUARTERDECK_HEALTHZ_PORT'] ?? ''
  const port = Number(text)
  if (!/^\d+$/.test(text) || port < 1 || port > 65_535) {
    throw usageError(
      text === '' ? '--healthz-port is needed, as the server has it' : `--healthz-port: "${text}" is not a port`,
    )
  }
  return { port, path }
}
