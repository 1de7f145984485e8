// The program of an extension's process: loads one file of `--extensions` and answers one review after the other. It is told the source
// of every file, so that all processes of an extension run the same code, whatever is in the folder by then.
import { registerHooks } from 'node:module'
import { isMainThread, Worker } from 'node:worker_threads'
import type { Answer } from './answers.ts'
import type { Extension } from './extensions.ts'
import { type Description, extensible } from './registration.ts'

/** What the process is sent: first what to load, then calls, each when the one before is answered. */
export type Order =
  | { readonly kind: 'load'; readonly entry: string; readonly sources: readonly Source[]; readonly mostBytes: number }
  | { readonly kind: 'call'; readonly index: number; readonly review: string }

/** A file by its URL. */
export type Source = readonly [url: string, text: string]

/** What it says to each. */
export type Report =
  | { readonly kind: 'loaded'; readonly descriptions: readonly Description[] }
  | { readonly kind: 'answer'; readonly review: string }
  | { readonly kind: 'fault'; readonly message: string; readonly stack: string | undefined }

const WATCH_EVERY_MS = 100

/** The packages that extensions may import though nothing is installed beside them. */
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

/** What is added, and who answers for it. */
interface LoadedExtension {
  readonly descriptions: readonly Description[]
  readonly answers: readonly Answer[]
}

async function load(entry: string): Promise<LoadedExtension> {
  const exported = (await import(entry)) as { readonly default?: Extension; readonly extension?: Extension }
  const extension = exported.default ?? exported.extension
  if (typeof extension !== 'function')
    throw new TypeError('exports nothing of defineExtension() as default or extension')
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

function serveSources(sources: ReadonlyMap<string, string>): void {
  registerHooks({
    resolve(specifier, context, next) {
      const isPlace = /^(\.{0,2}\/|file:)/.test(specifier) && URL.canParse(specifier, context.parentURL)
      const url = isPlace ? new URL(specifier, context.parentURL).href : ''
      if (sources.has(url)) return { url, shortCircuit: true }
      try {
        return next(specifier, context)
      } catch (error) {
        const own = OWN_PACKAGES[specifier]
        if (own === undefined) throw error
        return { url: new URL(own, import.meta.url).href, shortCircuit: true }
      }
    },
    load(url, context, next) {
      const source = sources.get(url)
      if (source === undefined) return next(url, context)
      return { format: url.endsWith('.ts') ? 'module-typescript' : 'module', source, shortCircuit: true }
    },
  })
}

function faultOf(error: unknown): Report {
  const { message, stack } = error instanceof Error ? error : new Error(String(error))
  return { kind: 'fault', message, stack }
}

/** Ends the process where the server is gone, or where it takes more memory than it may: V8 sees to its heap alone. */
function watchProcess(server: number, mostBytes: number): void {
  setInterval(() => {
    if (process.ppid !== server || process.memoryUsage.rss() > mostBytes) process.kill(process.pid, 'SIGKILL')
  }, WATCH_EVERY_MS)
}

/** Carries out one order after the other. */
function serve(): (order: Order) => Promise<Report> {
  let answers: readonly Answer[] = []
  return async (order) => {
    if (order.kind === 'call') return { kind: 'answer', review: await answers[order.index]!(order.review) }
    // It watches also when this thread is in an endless loop. Its program is this one.
    new Worker(new URL(import.meta.url), { argv: [String(process.ppid), String(order.mostBytes)] }).unref()
    serveSources(new Map(order.sources))
    const loaded = await load(order.entry)
    answers = loaded.answers
    return { kind: 'loaded', descriptions: loaded.descriptions }
  }
}

if (isMainThread) {
  const carryOut = serve()
  process.on('message', (order: Order) => {
    void carryOut(order)
      .catch(faultOf)
      // Where the server is gone, so is this process.
      .then((report) => process.send?.(report, undefined, {}, () => {}))
  })
  process.on('disconnect', () => process.exit())
} else {
  watchProcess(Number(process.argv[2]), Number(process.argv[3]))
}
