// `quarterdeck test -- COMMAND`: runs a command beside a server. The command finds the server in its environment.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { constants } from 'node:os'
import path from 'node:path'
import { FLAGS } from '../config/flags.ts'
import { integer } from '../config/setting-reader.ts'
import { reasonOf, usageError } from '../config/start-error.ts'
import { type RequestRecord, type Server, startServer } from '../library/library.ts'
import { readCommandLine } from './command-flags.ts'
import { complain } from './output.ts'

interface Order {
  /** The flags of `quarterdeck serve`. */
  readonly flags: readonly string[]
  readonly command: string
  readonly args: readonly string[]
  /** The number of requests that are printed if the command fails. */
  readonly printed: number
}

/** The exit codes of shells. */
const CANNOT_RUN = 126
const NOT_FOUND = 127

/** The exit code is the command's, or 128 plus the number of the signal that ended it. */
export async function runTest(args: readonly string[]): Promise<number> {
  const order = parse(args)
  const { printed } = order
  const signals = new ForwardedSignals()
  await using server = await startServer({ flags: order.flags })
  using requests = server.recordRequests({ limit: Math.max(printed, 1) })
  const code = await runBeside(server, order, signals)
  if (code !== 0 && printed > 0) printRequests(requests, `${order.command} ended with ${code}`)
  return code
}

function parse(args: readonly string[]): Order {
  const end = args.indexOf('--')
  const [command = '', ...rest] = end === -1 ? [] : args.slice(end + 1)
  if (command.trim() === '')
    throw usageError('give the command to run: quarterdeck test -- COMMAND; see quarterdeck test --help')
  const { read } = readCommandLine('test', args.slice(0, end))
  const printed = integer(read.required('print-requests'), 0, 999_999)
  return { flags: read.given(FLAGS.map(({ name }) => name)), command, args: rest, printed }
}

async function runBeside(server: Server, { command, args }: Order, signals: ForwardedSignals): Promise<number> {
  // When the command has ended, signals end this process again, so that it ends even if the server does not close.
  using forwarded = signals
  if (forwarded.early !== undefined) return codeOf(forwarded.early)
  const child = spawn(command, args, { stdio: 'inherit', env: { ...process.env, ...environmentOf(server) } })
  forwarded.forwardTo(child)
  server.failed.catch((error: unknown) => {
    complain(`quarterdeck test: the server failed: ${reasonOf(error)}\n`)
    child.kill('SIGTERM')
  })
  try {
    const [code, signal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null]
    return code ?? codeOf(signal ?? 'SIGTERM')
  } catch (error) {
    complain(`quarterdeck test: cannot run ${command}: ${reasonOf(error)}\n`)
    return (error as NodeJS.ErrnoException).code === 'ENOENT' ? NOT_FOUND : CANNOT_RUN
  }
}

function environmentOf(server: Server): NodeJS.ProcessEnv {
  const kubeconfig = server.kubeconfigFile()
  return {
    KUBECONFIG: kubeconfig,
    // kubectl keeps a cache by port, and another server may have had this port before.
    KUBECACHEDIR: path.join(path.dirname(kubeconfig), 'cache'),
    // With this variable, controller-runtime's envtest uses this server and starts none.
    USE_EXISTING_CLUSTER: 'true',
  }
}

/** The exit code of shells for a command that a signal ended. */
function codeOf(signal: NodeJS.Signals): number {
  return 128 + constants.signals[signal]
}

/** Forwards signals that the command does not get itself. Listens from the start: otherwise, a signal could end this process alone. */
class ForwardedSignals implements Disposable {
  static readonly #names = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT', 'SIGUSR2'] as const
  readonly #isTold = isInForeground()
  #child: ChildProcess | undefined
  /** A signal that came before the start of the command. */
  early: NodeJS.Signals | undefined

  constructor() {
    for (const name of ForwardedSignals.#names) process.on(name, this.#pass)
  }

  forwardTo(child: ChildProcess): void {
    this.#child = child
  }

  readonly #pass = (signal: NodeJS.Signals): void => {
    if (this.#child === undefined) this.early ??= signal
    else if (!this.#isTold || signal !== 'SIGINT') this.#child.kill(signal)
  };

  [Symbol.dispose](): void {
    for (const name of ForwardedSignals.#names) process.off(name, this.#pass)
  }
}

/** Whether a terminal sends its signals to this process, and so to the command too. */
function isInForeground(): boolean {
  try {
    const [, , group, , , foreground] = readFileSync('/proc/self/stat', 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ')
    return group === foreground
  } catch {
    return process.stdin.isTTY
  }
}

function printRequests(requests: RequestRecord, why: string): void {
  const lines = requests.lines()
  if (lines.length === 0) return
  complain(`${[`quarterdeck test: ${why}; the last requests to the server:`, ...lines].join('\n')}\n`)
}
