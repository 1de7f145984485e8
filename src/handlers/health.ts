// /livez, /readyz, /healthz: the result of all checks, as one word or as a list, or of a single check (R-330 to R-338, D12).
import type { Log } from '../lib/log.ts'
import type { Handler, HttpResponse } from '../http/http.ts'
import { plainText } from '../http/responses.ts'
import type { Route } from '../http/router.ts'

export type HealthEndpoint = 'healthz' | 'livez' | 'readyz'

export interface HealthCheck {
  readonly name: string
  /**
   * Resolves if all is well. Otherwise throws the reason. The answer about all checks withholds the reason, which is only in the log. A
   * check that asks other workers tells them the names of the `excluded` checks.
   */
  readonly check: (signal: AbortSignal, excluded: ReadonlySet<string>) => void | Promise<void>
  /** The check is a part of the start: `/livez` ignores its failure during the grace period. */
  readonly startup?: boolean
}

export interface HealthOptions {
  readonly checks: Readonly<Record<HealthEndpoint, readonly HealthCheck[]>>
  readonly inGracePeriod: () => boolean
  readonly log: Log
  /** Called after every check. */
  readonly onChecked?: (endpoint: HealthEndpoint, name: string, isFine: boolean) => void
}

export function healthRoutes(options: HealthOptions): Route[] {
  return (['healthz', 'livez', 'readyz'] as const).flatMap((endpoint) => {
    const checks = options.checks[endpoint].map((check) => observed(endpoint, check, options))
    const single = checks.map((check) => ({ path: `/${endpoint}/${check.name}`, handler: showOne(check) }))
    return [{ path: `/${endpoint}`, handler: showAll(endpoint, checks, options.log) }, ...single]
  })
}

function observed(endpoint: HealthEndpoint, check: HealthCheck, options: HealthOptions): HealthCheck {
  const { name, startup } = check
  const run = async (signal: AbortSignal, excluded: ReadonlySet<string>): Promise<void> => {
    const isIgnored = endpoint === 'livez' && startup === true && options.inGracePeriod()
    let isFine = false
    try {
      if (!isIgnored) await check.check(signal, excluded)
      isFine = true
    } finally {
      options.onChecked?.(endpoint, name, isFine)
    }
  }
  return { ...check, check: run }
}

function showOne({ check }: HealthCheck): Handler {
  return async (request) => {
    const failure = await outcome(check, request.signal, NONE)
    if (failure !== undefined) return plainText(500, `internal server error: ${failure}\n`)
    return { status: 200, headers: { 'content-type': 'text/plain; charset=utf-8' }, body: { kind: 'bytes', bytes: OK } }
  }
}

const OK = Buffer.from('ok')
const NONE: ReadonlySet<string> = new Set()

function showAll(endpoint: HealthEndpoint, checks: readonly HealthCheck[], log: Log): Handler {
  return async (request) => {
    const excluded = new Set(request.query.all('exclude'))
    const unknown = new Set(excluded)
    const lines: string[] = []
    const reasons: Record<string, string> = {}
    let isStarting = true
    for (const { name, check, startup } of checks) {
      if (unknown.delete(name)) {
        lines.push(`[+]${name} excluded: ok`)
        continue
      }
      const failure = await outcome(check, request.signal, excluded)
      lines.push(failure === undefined ? `[+]${name} ok` : `[-]${name} failed: reason withheld`)
      if (failure === undefined) continue
      reasons[name] = failure
      if (startup !== true) isStarting = false
    }
    const failed = Object.keys(reasons)
    // A client that starts a server asks many times a second whether the server is up. The answers until then are logged only at level
    // debug.
    if (failed.length > 0) log[isStarting ? 'debug' : 'warn']({ endpoint, reasons }, 'health check failed')
    if (failed.length === 0 && !request.query.has('verbose')) return plainText(200, 'ok')
    return report(lines, { endpoint, failed, unknown: [...unknown] })
  }
}

interface Findings {
  readonly endpoint: HealthEndpoint
  readonly failed: readonly string[]
  readonly unknown: readonly string[]
}

function report(lines: readonly string[], findings: Findings): HttpResponse {
  const names = findings.unknown.toSorted().map((name) => JSON.stringify(name))
  const warning =
    names.length === 0 ? [] : [`warn: some health checks cannot be excluded: no matches for ${names.join(',')}`]
  const healthy = findings.failed.length === 0
  const last = healthy ? 'healthz check passed' : `${findings.endpoint} check failed`
  return plainText(healthy ? 200 : 500, `${[...lines, ...warning, last].join('\n')}\n`)
}

/** The names of the checks that fail. */
export async function failingChecks(
  checks: readonly HealthCheck[],
  signal: AbortSignal,
  excluded: ReadonlySet<string>,
): Promise<readonly string[]> {
  const failing: string[] = []
  for (const { name, check } of checks) {
    if (!excluded.has(name) && (await outcome(check, signal, excluded)) !== undefined) failing.push(name)
  }
  return failing
}

/** Undefined if the check passed. */
async function outcome(
  check: HealthCheck['check'],
  signal: AbortSignal,
  excluded: ReadonlySet<string>,
): Promise<string | undefined> {
  try {
    await check(signal, excluded)
    return undefined
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}
