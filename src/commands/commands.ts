// The command line: reads what is asked for, runs it, and turns what goes wrong into one line and an exit code.
import { once } from 'node:events'
import { suggestion } from '../lib/closest-word.ts'
import { type Config, type Environment, readConfig } from '../config/config.ts'
import {
  checkManual,
  commandManual,
  convertManual,
  defineManual,
  lintRolesManual,
  serveManual,
  storeManual,
  testManual,
} from './manual.ts'
import { explainManual, healthcheckManual, historyManual, recordRoleManual, topManual } from './manual-client.ts'
import { completionManual, initManual } from './manual-setup.ts'
import { backupManual, bundleManual, doctorManual, migrateManual, restoreManual } from './manual-storage.ts'
import { tellSystemd } from './systemd.ts'
import { stopSignal } from './stop-signal.ts'
import { reasonOf, usageError, StartError } from '../config/start-error.ts'
import type { Log } from '../lib/log.ts'
import { heldCompilers } from '../runtime/compilers.ts'
import type { RunningServer, ServerAccess, StartOrder } from '../server/server.ts'
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

interface Command {
  readonly manual: () => string
  /** Resolves with the exit code. What a command needs is loaded when it is run. */
  readonly run: (args: readonly string[], environment: Environment) => Promise<number>
}

const COMMANDS: Readonly<Record<string, Command>> = {
  serve: { manual: serveManual, run: serve },
  store: {
    manual: storeManual,
    run: async (args, environment) => (await import('./store.ts')).runStore(args, environment),
  },
  test: { manual: testManual, run: async (args) => (await import('./test.ts')).runTest(args) },
  convert: { manual: convertManual, run: async (args) => (await import('./convert.ts')).runConvert(args) },
  check: { manual: checkManual, run: async (args) => (await import('./check.ts')).runCheck(args) },
  define: { manual: defineManual, run: async (args) => (await import('./define.ts')).runDefine(args) },
  'lint-rbac': { manual: lintRolesManual, run: async (args) => (await import('./lint-rbac.ts')).runLintRoles(args) },
  'record-role': {
    manual: recordRoleManual,
    run: async (args) => (await import('./record-role.ts')).runRecordRole(args),
  },
  history: { manual: historyManual, run: async (args) => (await import('./history.ts')).runHistory(args) },
  explain: { manual: explainManual, run: async (args) => (await import('./explain.ts')).runExplain(args) },
  backup: {
    manual: backupManual,
    run: async (args, environment) => (await import('./backup.ts')).runBackup(args, environment),
  },
  restore: {
    manual: restoreManual,
    run: async (args, environment) => (await import('./restore.ts')).runRestore(args, environment),
  },
  migrate: { manual: migrateManual, run: async (args) => (await import('./migrate.ts')).runMigrate(args) },
  doctor: {
    manual: doctorManual,
    run: async (args, environment) => (await import('./doctor.ts')).runDoctor(args, environment),
  },
  bundle: { manual: bundleManual, run: async (args) => (await import('./bundle.ts')).runBundle(args) },
  init: { manual: initManual, run: async (args) => (await import('./init.ts')).runInit(args) },
  completion: {
    manual: completionManual,
    run: async (args) => (await import('./completion.ts')).runCompletion(args, manuals()),
  },
  healthcheck: {
    manual: healthcheckManual,
    run: async (args, environment) => (await import('./healthcheck.ts')).runHealthcheck(args, environment),
  },
  top: { manual: topManual, run: async (args) => (await import('./top.ts')).runTop(args) },
}

function manuals(): ReadonlyMap<string, () => string> {
  return new Map(Object.entries(COMMANDS).map(([name, { manual }]) => [name, manual]))
}

async function dispatch([name = 'help', ...rest]: readonly string[], environment: Environment): Promise<number> {
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined
  // As the reference, which has no commands.
  const asksForVersion = name === 'version' || name === '--version' || (name === 'serve' && rest.includes('--version'))
  if (asksForVersion) return print(versionLine())
  if (command !== undefined)
    return flagsOf(rest).some(asksForHelp) ? print(command.manual()) : command.run(rest, environment)
  if (name === 'worker') return work(environment)
  if (name === 'help' || asksForHelp(name)) {
    const topic = rest[0] ?? ''
    return print(Object.hasOwn(COMMANDS, topic) ? COMMANDS[topic]!.manual() : commandManual())
  }
  const hint = suggestion(name, [...Object.keys(COMMANDS), 'version', 'help'])
  throw usageError(`unknown command "${name}"${hint === '' ? '; see quarterdeck help' : hint}`)
}

/** What follows `--` is for others. */
function flagsOf(args: readonly string[]): readonly string[] {
  return args.includes('--') ? args.slice(0, args.indexOf('--')) : args
}

function versionLine(): string {
  return `quarterdeck ${programVersion()}, API level ${versionInfo().gitVersion.replace(/\+.*/, '')}\n`
}

function asksForHelp(argument: string): boolean {
  return argument === '--help' || argument === '-h'
}

function print(text: string): number {
  process.stdout.write(text)
  return 0
}

/** That nobody reads any more what it says is no reason for a server to end. */
function outliveReaders(): void {
  for (const output of [process.stdout, process.stderr]) output.on('error', () => {})
}

async function serve(args: readonly string[], environment: Environment): Promise<number> {
  outliveReaders()
  const config = await readConfig(args, environment)
  // A supervisor has nothing to load, and is not to be slow where its store is asked.
  if (config.plainRuntime || config.workers > 1) heldCompilers.release()
  const stop = stopSignal()
  const { openLog } = await import('../server/logger.ts')
  const log = openLog(config.logLevel)
  const time = config.virtualClock ? (await import('../library/library.ts')).openTime({ clock: 'virtual' }) : undefined
  if (time !== undefined) log.warn({}, '--virtual-clock: time stands still but for what is posted to /debug/clock')
  const { ADMIN, kubeconfigOf, kubeconfigPlace, writeKubeconfig } = await import('../server/admin.ts')
  using kubeconfig = kubeconfigPlace(config.kubeconfigFile, config.dataDirectory)
  const { HealthzPort } = await import('../server/healthz-port.ts')
  await using healthz = config.healthzPort === 0 ? undefined : await HealthzPort.open(config.healthzPort)
  const onListening = (access: ServerAccess): void => {
    const { url, authority, adminToken: token } = access
    const user = { name: ADMIN.name, credential: { token } }
    writeKubeconfig(kubeconfig.file, kubeconfigOf({ url, authority, user }))
    healthz?.ask(access)
  }
  const order = { config, log, signal: stop, onListening }
  const starting = config.workers > 1 ? startSupervisor(order, args) : startServer({ ...order, ...time?.order })
  const server = await starting.catch((error: unknown) => {
    if (stop.aborted) return undefined
    throw error
  })
  if (server === undefined) return 0
  await time?.begin()
  // One after another: the last is what counts.
  let reloaded = Promise.resolve()
  process.on('SIGHUP', () => {
    const what = config.workers > 1 ? 'replacing the workers' : 'reloading settings, certificates, tokens and policies'
    log.info({}, `received SIGHUP, ${what}`)
    reloaded = reloaded.then(async () => server.reload(await readAgain(args, environment, log)))
  })
  print(await greeting(config, server.url, kubeconfig.file))
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

/** The configuration as it is now; undefined where it is wrong, which is told. */
async function readAgain(args: readonly string[], environment: Environment, log: Log): Promise<Config | undefined> {
  try {
    return await readConfig(args, environment)
  } catch (error) {
    log.error({ reason: reasonOf(error) }, 'could not reload the configuration; keeping the previous one')
    return undefined
  }
}

/** What the command needs of whoever serves. */
type Serving = Pick<RunningServer, 'url' | 'failed' | 'reload' | 'stop'>

type ServeOrder = Pick<StartOrder, 'config' | 'log' | 'signal'> & Required<Pick<StartOrder, 'onListening'>>

async function startServer(order: StartOrder): Promise<Serving> {
  return (await import('../server/server.ts')).startServer(order)
}

async function startSupervisor(order: ServeOrder, flags: readonly string[]): Promise<Serving> {
  const { startSupervisor: start } = await import('../server/supervisor.ts')
  return start({ ...order, flags, program: process.argv[1] ?? '', args: ['worker'] })
}

/** Started by the supervisor, and by nobody else: so it is in no manual. */
async function work(environment: Environment): Promise<number> {
  outliveReaders()
  const link = (await import('../workers/supervisor-link.ts')).SupervisorLink.open()
  if (link === undefined) throw usageError('workers are started by quarterdeck serve --workers')
  return (await import('../server/worker.ts')).runWorker(link, environment)
}

async function greeting(config: Config, url: string, kubeconfigFile: string): Promise<string> {
  const { describeStorage } = await import('../server/storage.ts')
  return `${[
    `quarterdeck ${programVersion()} is listening on ${url}`,
    `  kubectl  --kubeconfig ${shellQuoted(kubeconfigFile)} get --raw /readyz`,
    `  data     ${describeStorage(config.storage)}`,
  ].join('\n')}\n`
}

function shellQuoted(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`
}
