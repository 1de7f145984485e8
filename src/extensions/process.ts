// The program of an extension's process: loads one file of `--extensions` and answers one review after the other. The server sends it the
// source of every file, so that all processes of an extension run the same code, even after the files have changed. Orders and reports are
// lines of JSON: Node's own channel between processes would let the extension send file descriptors to the server.
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { registerHooks, type ResolveFnOutput, type ResolveHookSync } from 'node:module'
import { fileURLToPath } from 'node:url'
import { isMainThread, MessageChannel, type MessagePort, Worker, workerData } from 'node:worker_threads'
import type { Answer } from './answers.ts'
import { confine, type LoadGuard, loadGuard, readGuard } from './confinement.ts'
import type { Extension } from './extensions.ts'
import { type Description, extensible } from './registration.ts'

/** An order to the process: the first loads the extension, and the others call its functions. Each waits for the previous answer. */
export type Order =
  | {
      readonly kind: 'load'
      readonly entry: string
      readonly sources: readonly Source[]
      readonly network: boolean
    }
  | { readonly kind: 'call'; readonly index: number; readonly review: string }

/** A file with its URL. */
export type Source = readonly [url: string, text: string]

/** The answer of the process to an order. */
export type Report =
  | { readonly kind: 'loaded'; readonly descriptions: readonly Description[] }
  | { readonly kind: 'answer'; readonly review: string }
  | { readonly kind: 'fault'; readonly message: string; readonly stack: string | undefined }

const WATCH_EVERY_MS = 100
/** The limit of the whole process: the heap, memory outside of it, and Node itself. */
const MOST_BYTES = 384 * 1024 * 1024
/** The file descriptors of orders and reports. */
const ORDERS = 0
const REPORTS = 3
const NEWLINE = 10

/** The packages that extensions may import without installing them. */
const OWN_PACKAGES: Readonly<Record<string, string>> = import.meta.url.endsWith('.ts')
  ? {
      'quarterdeck/client': '../client/client.ts',
      'quarterdeck/define': '../define/define.ts',
      'quarterdeck/extensions': './extensions.ts',
    }
  : {
      'quarterdeck/client': './client.js',
      'quarterdeck/define': './define.js',
      'quarterdeck/extensions': './extensions.js',
    }

/** The descriptions of the added functions, and the functions themselves. */
interface LoadedExtension {
  readonly descriptions: readonly Description[]
  readonly answers: readonly Answer[]
}

async function load(entry: string): Promise<LoadedExtension> {
  const exported = (await import(entry)) as { readonly default?: Extension; readonly extension?: Extension }
  const extension = exported.default ?? exported.extension
  if (typeof extension !== 'function')
    throw new TypeError('must export the result of defineExtension() as default or extension')
  const descriptions: Description[] = []
  const answers: Answer[] = []
  extension(
    extensible((description, answer) => {
      descriptions.push(description)
      answers.push(answer)
      return () => {}
    }),
  )
  return { descriptions, answers }
}

/** Calls no method, because an extension could have replaced it. Modules with other schemes than `file:` and `data:` are built in. */
function isBuiltIn(url: string): boolean {
  const scheme = `${url[0]}${url[1]}${url[2]}${url[3]}${url[4]}`
  return scheme !== 'file:' && scheme !== 'data:'
}

function serveSources(sources: ReadonlyMap<string, string>, guard: LoadGuard): void {
  const [mayRead, pathOf] = [readGuard(), fileURLToPath]
  const formatOf = (url: string): string => (url.endsWith('.ts') ? 'module-typescript' : 'module')
  const found = (url: string): ResolveFnOutput => ({ url, format: formatOf(url), shortCircuit: true })
  const find: ResolveHookSync = (specifier, context, next) => {
    const isPlace = /^(\.{0,2}\/|file:)/.test(specifier) && URL.canParse(specifier, context.parentURL)
    const url = isPlace ? new URL(specifier, context.parentURL).href : ''
    if (sources.has(url)) return found(url)
    try {
      const other = next(specifier, context)
      if (other.url[0] !== 'f' || mayRead(pathOf(other.url))) return other
    } catch {
      // Node's error would tell whether a file outside of the folder exists.
    }
    const own = OWN_PACKAGES[specifier]
    if (own !== undefined) return found(new URL(own, import.meta.url).href)
    throw new Error(`found no ${specifier} that extensions may read, imported from ${context.parentURL}`)
  }
  registerHooks({
    resolve(specifier, context, next) {
      const module = find(specifier, context, next)
      if (isBuiltIn(module.url)) guard(module.url)
      return module
    },
    load(url, context, next) {
      if (isBuiltIn(url)) guard(url)
      const source = sources.get(url)
      if (source === undefined) return next(url, context)
      return { format: formatOf(url), source, shortCircuit: true }
    },
  })
}

function faultOf(error: unknown): Report {
  const { message, stack } = error instanceof Error ? error : new Error(String(error))
  const { permission, resource } = (error ?? {}) as { readonly permission?: string; readonly resource?: string }
  // Node's message names no file, and it names flags that the operator does not set.
  if (permission !== undefined)
    return { kind: 'fault', message: `extensions may not do this: ${permission} ${resource}`, stack }
  return { kind: 'fault', message, stack }
}

/** Carries out one order after the other. */
function serve(): (order: Order) => Promise<Report> {
  let answers: readonly Answer[] = []
  return async (order) => {
    if (order.kind === 'call') return { kind: 'answer', review: await answers[order.index]!(order.review) }
    const guard = loadGuard(order.network)
    serveSources(new Map(order.sources), guard)
    confine(order.network, guard)
    const loaded = await load(order.entry)
    answers = loaded.answers
    return { kind: 'loaded', descriptions: loaded.descriptions }
  }
}

/**
 * The program of the thread that takes the orders. No code of the extension runs in it: the extension could reach a socket of its own
 * thread. The thread ends the process if the server is gone or the process takes too much memory, since V8 limits the heap only. It does so
 * even if the other thread is in an endless loop.
 */
function watch(port: MessagePort): void {
  const end = (): void => void process.kill(process.pid, 'SIGKILL')
  const { ppid: server } = process
  // The other thread can close any file descriptor, so the end of the orders alone does not tell whether the server is gone.
  const isOver = (): boolean => process.ppid !== server || process.memoryUsage.rss() > MOST_BYTES
  setInterval(() => isOver() && end(), WATCH_EVERY_MS)
  const pieces: Buffer[] = []
  const orders = new (process.getBuiltinModule('node:net').Socket)({ fd: ORDERS, writable: false })
  orders
    .on('close', end)
    .on('error', end)
    .on('data', (piece) => {
      pieces.push(piece)
      if (piece.at(-1) === NEWLINE) port.postMessage(JSON.parse(Buffer.concat(pieces.splice(0)).toString()))
    })
}

if (isMainThread) {
  const { port1, port2 } = new MessageChannel()
  await once(new Worker(new URL(import.meta.url), { workerData: port2, transferList: [port2] }), 'online')
  // An older Node has no `drop`. Extensions cannot load the module that starts threads there either.
  ;(process.permission as { drop?: (scope: string) => void }).drop?.('worker')
  const carryOut = serve()
  port1.on('message', (order: Order) => {
    void carryOut(order)
      .catch(faultOf)
      .then((report) => writeFileSync(REPORTS, Buffer.from(`${JSON.stringify(report)}\n`)))
  })
} else {
  watch(workerData as MessagePort)
}
