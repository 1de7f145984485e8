// `quarterdeck healthcheck`: asks the server's --healthz-port how it is. The image has the same in a shell script, which needs no Node
// (`deploy/image/quarterdeck`).
import { parseArgs } from 'node:util'
import type { Environment } from '../config/config.ts'
import { reasonOf, usageError } from '../config/start-error.ts'

const PATIENCE_MS = 5_000

/** Resolves with the exit code: 0 where the server is well. */
export async function runHealthcheck(args: readonly string[], environment: Environment): Promise<number> {
  const { port, path } = parse(args, environment)
  const url = `http://127.0.0.1:${port}${path}`
  try {
    const answer = await fetch(url, { signal: AbortSignal.timeout(PATIENCE_MS) })
    process.stdout.write(`${(await answer.text()).trimEnd()}\n`)
    return answer.ok ? 0 : 1
  } catch (error) {
    const reason = error instanceof Error && error.cause !== undefined ? error.cause : error
    process.stderr.write(`quarterdeck healthcheck: ${url} does not answer: ${reasonOf(reason)}\n`)
    return 1
  }
}

function parse(args: readonly string[], environment: Environment): { readonly port: number; readonly path: string } {
  const given = parsed(args)
  const path = given.positionals[0] ?? '/readyz'
  if (given.positionals.length > 1 || !path.startsWith('/')) {
    throw usageError('one path is asked for, such as /livez; see quarterdeck healthcheck --help')
  }
  const text = given.values['healthz-port'] ?? environment['QUARTERDECK_HEALTHZ_PORT'] ?? ''
  const port = Number(text)
  if (!/^\d+$/.test(text) || port < 1 || port > 65_535) {
    throw usageError(
      text === '' ? '--healthz-port is needed, as the server has it' : `--healthz-port: "${text}" is not a port`,
    )
  }
  return { port, path }
}

function parsed(args: readonly string[]) {
  try {
    const options = { 'healthz-port': { type: 'string' } } as const
    return parseArgs({ args: [...args], options, allowPositionals: true })
  } catch (error) {
    throw usageError(`${reasonOf(error)}; see quarterdeck healthcheck --help`)
  }
}
