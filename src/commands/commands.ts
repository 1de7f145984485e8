// The command line: finds the command, runs it, and turns errors into one line and an exit code.
import { once } from 'node:events'
import { suggestion } from '../lib/closest-word.ts'
import { type Config, type Environment, readConfig } from '../config/config.ts'
import { commandManual, MANUALS } from './manual.ts'
import { COMMAND_FLAGS, readCommandLine } from './command-flags.ts'
import { complain, outliveReaders, print } from './output.ts'
import { tellSystemd } from './systemd.ts'
import { stopSignal } from './stop-signal.ts'
import { reasonOf, usageError, StartError } from '../config/start-error.ts'
import type { Log } from '../lib/log.ts'
import { isLoopbackHost } from '../lib/loopback-host.ts'
import { heldCompilers } from '../lib/runtime/compilers.ts'
import type { RunningServer, StartOrder } from '../server/server.ts'
import { programVersion, versionInfo } from '../telemetry/version.ts'

export { endWithReader } from './output.ts'

/** Resolves with the exit code. */
export async function runCommand(args: readonly string[], environment: Environment): Promise<number> {
  try {
    return await dispatch(args, environment)
  } catch (error) {
    if (!(error instanceof StartError)) throw error
    complain(`quarterdeck: ${error.message}\n`)
    return error.exitCode
  }
}

/** Resolves with the exit code. A command is loaded when it runs. */
type Run = (args: readonly string[], environment: Environment) => Promise<number>

const COMMANDS: Readonly<Record<string, Run>> = {
  serve,
  store: async (...given) => (await import('./store.ts')).runStore(...given),
  test: async (args) => (await import('./test.ts')).runTest(args),
  apply: async (args) => (await import('./apply.ts')).runApply(args),
  convert: async (args) => (await import('./convert.ts')).runConvert(args),
  check: async (args) => (await import('./check.ts')).runCheck(args),
  define: async (args) => (await import('./define.ts')).runDefine(args),
  'lint-rbac': async (args) => (await import('./lint-rbac.ts')).runLintRoles(args),
  'record-role': async (args) => (await import('./record-role.ts')).runRecordRole(args),
  history: async (args) => (await import('./history.ts')).runHistory(args),
  explain: async (args) => (await import('./explain.ts')).runExplain(args),
  backup: async (...given) => (await import('./backup.ts')).runBackup(...given),
  restore: async (...given) => (await import('./restore.ts')).runRestore(...given),
  migrate: async (args) => (await import('./migrate.ts')).runMigrate(args),
  doctor: async (...given) => (await import('./doctor.ts')).runDoctor(...given),
  bundle: async (args) => (await import('./bundle.ts')).runBundle(args),
  init: async (args) => (await import('./init.ts')).runInit(args),
  completion: async (args) => (await import('./completion.ts')).runCompletion(args),
  healthcheck: async (...given) => (await import('./healthcheck.ts')).runHealthcheck(...given),
  console: async (...given) => (await import('./console.ts')).runConsole(...given),
  top: async (args) => (await import('./top.ts')).runTop(args),
  version: async (args) => {
    readCommandLine('version', args)
    return show(versionLine())
  },
  help: async (args) => {
    const words = readCommandLine('help', args, { most: 2 }).operands.join(' ')
    return show(words === '' ? commandManual() : manualOf(words))
  },
}

async function dispatch([first = 'help', ...rest]: readonly string[], environment: Environment): Promise<number> {
  if (first === 'worker') return work(environment)
  const name = asksForHelp(first) ? 'help' : first === '--version' ? 'version' : first
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name]! : unknownCommand(name)
  return flagsOf(rest).some(asksForHelp) ? show(manualOf(name)) : command(rest, environment)
}

function unknownCommand(words: string): never {
  const hint = suggestion(words, Object.keys(COMMANDS))
  throw usageError(`unknown command "${words}"${hint === '' ? '; see quarterdeck help' : hint}`)
}

/** A subcommand is on the page of its command. */
function manualOf(words: string): string {
  const name = Object.hasOwn(COMMAND_FLAGS, words) ? words.split(' ')[0]! : words
  return (MANUALS.get(name) ?? unknownCommand(words))()
}

/** Arguments after `--` belong to another program. */
function flagsOf(args: readonly string[]): readonly string[] {
  return args.includes('--') ? args.slice(0, args.indexOf('--')) : args
}

function versionLine(): string {
  return `quarterdeck ${programVersion()}, API level ${versionInfo().gitVersion.replace(/\+.*/, '')}\n`
}

function asksForHelp(argument: string): boolean {
  return argument === '--help' || argument === '-h'
}

function show(text: string): number {
  print(text)
  return 0
}

async function serve(args: readonly string[], environment: Environment): Promise<number> {
  // The reference server has no commands but has this flag.
  const others = args.filter((argument) => argument !== '--version')
  if (others.length < args.length) {
    readCommandLine('serve', others)
    return show(versionLine())
  }
  outliveReaders()
  const config = await readConfig(args, environment)
  // A supervisor loads little code, and its store must be fast from the start.
  if (config.plainRuntime || config.workers > 1) heldCompilers.release()
  const stop = stopSignal()
  const { logStyle, openLog } = await import('../telemetry/logger.ts')
  const log = openLog(config.logLevel, logStyle(config.logFormat))
  const time = config.virtualClock ? (await import('../library/library.ts')).openTime({ clock: 'virtual' }) : undefined
  if (time !== undefined) log.warn({}, '--virtual-clock: only requests to /debug/clock move the time')
  const { ADMIN, kubeconfigOf, kubeconfigPlace, writeKubeconfig } = await import('../config/admin.ts')
  using kubeconfig = kubeconfigPlace(config.kubeconfigFile, config.dataDirectory)
  const { openManagements } = await import('../telemetry/management/listeners.ts')
  await using management = await openManagements(config.management, log)
  const onListening: ServeOrder['onListening'] = (access, pages) => {
    const { url, authority, adminToken: token } = access
    const user = { name: ADMIN.name, credential: { token } }
    writeKubeconfig(kubeconfig.file, kubeconfigOf({ url, authority, user }))
    management.show(pages)
  }
  const order = { config, log, signal: stop, onListening }
  const starting = config.workers > 1 ? startSupervisor(order, args) : startServer({ ...order, ...time?.order })
  const server = await starting.catch((error: unknown) => {
    if (stop.aborted) return undefined
    throw error
  })
  if (server === undefined) return 0
  await time?.begin()
  // Reloads run one after another, so the last one counts.
  let reloaded = Promise.resolve()
  process.on('SIGHUP', () => {
    const what = config.workers > 1 ? 'replacing the workers' : 'reloading settings, certificates, tokens and policies'
    log.info({}, `received SIGHUP, ${what}`)
    reloaded = reloaded.then(async () => server.reload(await readAgain(args, environment, log)))
  })
  print(await greeting(config, environment, { url: server.url, kubeconfigFile: kubeconfig.file, management }))
  await tellSystemd(environment, log, 'READY=1', `serving on ${server.url}`)
  try {
    if (!stop.aborted) await Promise.race([once(stop, 'abort'), server.failed])
  } catch (error) {
    log.error({ err: error }, 'server failed')
    await server.stop()
    return 1
  }
  log.info({}, 'shutting down')
  await tellSystemd(environment, log, 'STOPPING=1', 'finishing requests')
  await server.stop()
  return 0
}

/** Reads the configuration again. Logs an error and returns undefined if it is wrong. */
async function readAgain(args: readonly string[], environment: Environment, log: Log): Promise<Config | undefined> {
  try {
    return await readConfig(args, environment)
  } catch (error) {
    log.error({ reason: reasonOf(error) }, 'could not reload the configuration; keeping the previous one')
    return undefined
  }
}

/** A server in this process, or a supervisor. */
type Serving = Pick<RunningServer, 'url' | 'failed' | 'reload' | 'stop'>

type ServeOrder = Pick<StartOrder, 'config' | 'log' | 'signal'> & Required<Pick<StartOrder, 'onListening'>>

async function startServer(order: StartOrder): Promise<Serving> {
  const { startServer: start } = await import('../server/server.ts')
  return start({ ...order, faults: await openFaults(order.config, order.log) })
}

/** With `--dev`, administrators can inject faults. Other servers do not load the module for faults. */
async function openFaults({ dev }: Config, log: Log): Promise<StartOrder['faults']> {
  return dev ? new (await import('../library/faults/faults.ts')).FaultInjector(log) : undefined
}

async function startSupervisor(order: ServeOrder, flags: readonly string[]): Promise<Serving> {
  const { startSupervisor: start } = await import('../server/supervisor.ts')
  return start({ ...order, flags, program: process.argv[1] ?? '', args: ['worker'] })
}

/** Runs the command `worker`. Only the supervisor starts this command, so it has no manual. */
async function work(environment: Environment): Promise<number> {
  outliveReaders()
  const link = (await import('../workers/supervisor-link.ts')).SupervisorLink.open()
  if (link === undefined) throw usageError('workers are started by quarterdeck serve --workers')
  return (await import('../server/worker.ts')).runWorker(link, environment, openFaults)
}

async function greeting(
  config: Config,
  environment: Environment,
  { url, kubeconfigFile, management }: { url: string; kubeconfigFile: string; management: { urls: readonly string[] } },
): Promise<string> {
  const { describeStorage } = await import('../server/storage.ts')
  return `${[
    `quarterdeck ${programVersion()} is listening on ${url}`,
    ...(config.console === 'off'
      ? []
      : [`  console  ${url}/console/ - ${await loginHint(url, kubeconfigFile, environment)}`]),
    `  kubectl  --kubeconfig ${shellQuoted(kubeconfigFile)} get --raw /readyz`,
    `  data     ${describeStorage(config.storage)}`,
    ...management.urls.map((each) => `  manage   ${each}/readyz`),
  ].join('\n')}\n`
}

async function loginHint(url: string, kubeconfigFile: string, environment: Environment): Promise<string> {
  if (!isLoopbackHost(new URL(url).host)) return `the token to log in with: ${kubeconfigFile}`
  const { consoleKubeconfig } = await import('./console.ts')
  const isFound = consoleKubeconfig(environment) === kubeconfigFile
  // In a clone, npx would install the clone first.
  const isClone = environment['npm_lifecycle_event'] === 'start' && environment['npm_package_name'] === 'quarterdeck'
  return `log in with: ${isClone ? 'npm run quarterdeck --' : 'npx quarterdeck'} console${isFound ? '' : ` --kubeconfig ${shellQuoted(kubeconfigFile)}`}`
}

function shellQuoted(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`
}
