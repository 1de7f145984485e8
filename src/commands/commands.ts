// The command line: reads what is asked for, runs it, and turns what goes wrong into one line and an exit code.
import { once } from 'node:events'
import { suggestion } from '../lib/closest-word.ts'
import { type Config, type Environment, readConfig } from '../config/config.ts'
import { checkManual, commandManual, convertManual, lintRolesManual, serveManual } from './manual.ts'
import { usageError, StartError } from '../config/start-error.ts'
import { heldCompilers } from '../runtime/compilers.ts'
import { programVersion, versionInfo } from '../server/version.ts'

/** Resolves with the exit code. */
export async function runCommand(args: readonly string[], environment: Environment): Promise<number> {
  try {
    return await dispatch(args, environment)
  } catch (error) {
    if (!(error instanceof StartError)) throw error
    process.stderr.write(`quarterdeck: ${error.message}\n`)
    return error.exitCode
  }
}

async function dispatch([command, ...rest]: readonly string[], environment: Environment): Promise<number> {
  switch (command) {
    case 'serve':
      // As the reference, which has no commands.
      if (rest.includes('--version')) return print(versionLine())
      return rest.some(asksForHelp) ? print(serveManual()) : serve(rest, environment)
    case 'convert':
      return rest.some(asksForHelp) ? print(convertManual()) : convert(rest)
    case 'check':
      return rest.some(asksForHelp) ? print(checkManual()) : check(rest)
    case 'lint-rbac':
      return rest.some(asksForHelp) ? print(lintRolesManual()) : lintRoles(rest)
    case 'version':
    case '--version':
      return print(versionLine())
    case 'help':
    case '--help':
    case '-h':
    case undefined:
      return print(manualOf(rest[0]))
    default: {
      const hint = suggestion(command, ['serve', 'convert', 'check', 'lint-rbac', 'version', 'help'])
      throw usageError(`unknown command "${command}"${hint === '' ? '; see quarterdeck help' : hint}`)
    }
  }
}

function versionLine(): string {
  return `quarterdeck ${programVersion()}, API level ${versionInfo().gitVersion.replace(/\+.*/, '')}\n`
}

function manualOf(command: string | undefined): string {
  const manuals = { serve: serveManual, convert: convertManual, check: checkManual, 'lint-rbac': lintRolesManual }
  const isKnown = command !== undefined && Object.hasOwn(manuals, command)
  return isKnown ? manuals[command as keyof typeof manuals]() : commandManual()
}

async function check(args: readonly string[]): Promise<number> {
  const { runCheck } = await import('./check.ts')
  return runCheck(args)
}

async function convert(args: readonly string[]): Promise<number> {
  const { runConvert } = await import('./convert.ts')
  return runConvert(args)
}

async function lintRoles(args: readonly string[]): Promise<number> {
  const { runLintRoles } = await import('./lint-rbac.ts')
  return runLintRoles(args)
}

function asksForHelp(argument: string): boolean {
  return argument === '--help' || argument === '-h'
}

function print(text: string): number {
  process.stdout.write(text)
  return 0
}

async function serve(args: readonly string[], environment: Environment): Promise<number> {
  const config = await readConfig(args, environment)
  if (config.plainRuntime) heldCompilers.release()
  const stop = stopSignal()
  const { openLog } = await import('../server/logger.ts')
  const log = openLog(config.logLevel)
  const { startServer } = await import('../server/server.ts')
  const server = await startServer(config, log, stop).catch((error: unknown) => {
    if (stop.aborted) return undefined
    throw error
  })
  if (server === undefined) return 0
  process.on('SIGHUP', () => {
    log.info({}, 'received SIGHUP, reloading certificates, tokens and policies')
    server.reload()
  })
  print(await greeting(config, server))
  try {
    if (!stop.aborted) await Promise.race([once(stop, 'abort'), server.failed])
  } catch (error) {
    log.error({ err: error }, 'server failed')
    await server.stop()
    return 1
  }
  log.info({}, 'shutting down')
  await server.stop()
  return 0
}

/** Fires at the first SIGTERM or SIGINT, which asks for a clean stop; the second one does not wait for it. */
function stopSignal(): AbortSignal {
  const stop = new AbortController()
  const onSignal = (): void => {
    if (stop.signal.aborted) process.exit(1)
    stop.abort()
  }
  process.on('SIGTERM', onSignal).on('SIGINT', onSignal)
  return stop.signal
}

async function greeting(config: Config, server: { url: string; kubeconfigFile: string }): Promise<string> {
  const { describeStorage } = await import('../server/storage.ts')
  return `${[
    `quarterdeck ${programVersion()} is listening on ${server.url}`,
    `  kubectl  --kubeconfig ${shellQuoted(server.kubeconfigFile)} get --raw /readyz`,
    `  data     ${describeStorage(config.storage)}`,
  ].join('\n')}\n`
}

function shellQuoted(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`
}
