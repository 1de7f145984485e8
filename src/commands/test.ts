// `quarterdeck test -- COMMAND`: a server for as long as a command runs, which finds it by its environment, in whatever language it is.
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
  /** Of `quarterdeck serve`. */
  readonly flags: readonly string[]
  readonly command: string
  readonly args: readonly string[]
  /** How many of the last requests are printed when the command fails. */
  readonly printed: number
}

/** As shells have it. */
const CANNOT_RUN = 126
const NOT_FOUND = 127

/** Resolves with the exit code of the command, or 128 and the number of the signal that ended it. */
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
  const [command, ...rest] = end === -1 ? [] : args.slice(end + 1)
  if (command === undefined)
    throw usageError('say which command to run: quarterdeck test -- COMMAND; see quarterdeck test --help')
  const { read } = readCommandLine('test', args.slice(0, end))
  const printed = integer(read.required('print-requests'), 0, 999_999)
  return { flags: read.given(FLAGS.map(({ name }) => name)), command, args: rest, printed }
}

async function runBeside(server: Server, { command, args }: Order, signals: ForwardedSignals): Promise<number> {
  // Once the command has ended they end this process again, should the server not close.
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
    // What kubectl remembers of a server it finds by the port, which another had before.
    KUBECACHEDIR: path.join(path.dirname(kubeconfig), 'cache'),
    // Has controller-runtime's envtest use this server instead of starting one.
    USE_EXISTING_CLUSTER: 'true',
  }
}

/** As shells have it, of a command that a signal ended. */
function codeOf(signal: NodeJS.Signals): number {
  return 128 + constants.signals[signal]
}

/** The command is to be told what this process is told, once. Listens from the start: a signal that ended this process would leave it running. */
class ForwardedSignals implements Disposable {
  static readonly #names = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT', 'SIGUSR2'] as const
  readonly #isTold = isInForeground()
  #child: ChildProcess | undefined
  /** What came before there was a command. */
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

/** Whether a terminal sends its signals to this process, and so to the command as well. */
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
