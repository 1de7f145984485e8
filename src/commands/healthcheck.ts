// `quarterdeck healthcheck`: asks for the server's health at its --management-address. The image has a shell script with the same purpose,
// which needs no Node (`deploy/image/quarterdeck`).
import { text } from 'node:stream/consumers'
import type { IncomingMessage } from 'node:http'
import type { Environment } from '../config/config.ts'
import { parseAddress } from '../config/management-config.ts'
import { integer } from '../config/setting-reader.ts'
import type { Setting } from '../config/settings.ts'
import { reasonOf, usageError } from '../config/start-error.ts'
import { readCommandLine } from './command-flags.ts'
import { complain, print } from './output.ts'

const PATIENCE_MS = 5_000

/** Resolves with the exit code. 0: the server is healthy. */
export async function runHealthcheck(args: readonly string[], environment: Environment): Promise<number> {
  const url = parse(args, environment)
  try {
    const answer = await ask(url)
    print(`${(await text(answer)).trimEnd()}\n`)
    return answer.statusCode === 200 ? 0 : 1
  } catch (error) {
    complain(`quarterdeck healthcheck: ${url} does not answer: ${reasonOf(error)}\n`)
    return 1
  }
}

function ask(url: string): Promise<IncomingMessage> {
  const { get } = process.getBuiltinModule(url.startsWith('https:') ? 'node:https' : 'node:http')
  const signal = AbortSignal.timeout(PATIENCE_MS)
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
  // The server is on this machine, and the request has no secret.
  get(url, { signal, agent: false, rejectUnauthorized: false }, resolve).on('error', (error) =>
    reject(signal.aborted ? (signal.reason as Error) : error),
  )
  return promise
}

function parse(args: readonly string[], environment: Environment): string {
  const wanted = 'give one path, such as /livez'
  const { read, operands } = readCommandLine('healthcheck', args, { most: 1, wanted })
  const path = operands[0] ?? '/readyz'
  if (!path.startsWith('/')) throw usageError(`"${path}" is not a path: ${wanted}; see quarterdeck healthcheck --help`)
  const inEnvironment = (source: string): Setting | undefined => {
    const given = environment[source] ?? ''
    return given === '' ? undefined : { text: given, source }
  }
  const address = read.optional('management-address')
  const port = address === undefined ? read.optional('healthz-port') : undefined
  const scheme = (environment['QUARTERDECK_MANAGEMENT_CLIENT_CA_FILE'] ?? '') === '' ? 'http' : 'https'
  const managed = address ?? (port === undefined ? inEnvironment('QUARTERDECK_MANAGEMENT_ADDRESS') : undefined)
  if (managed !== undefined) return `${scheme}://${reachable(managed)}${path}`
  const setting = port ?? inEnvironment('QUARTERDECK_HEALTHZ_PORT')
  if (setting === undefined)
    throw usageError('give the --management-address of the server; see quarterdeck healthcheck --help')
  return `http://127.0.0.1:${integer(setting, 1, 65_535)}${path}`
}

/** The address under which this machine reaches the server. */
function reachable(setting: Setting): string {
  const { host, port } = parseAddress(setting)
  if (port === 0) throw usageError(`${setting.source}: "${setting.text}" is not a port that can be called`)
  const name = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host
  return `${name.includes(':') ? `[${name}]` : name}:${port}`
}
