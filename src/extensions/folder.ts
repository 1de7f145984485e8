// The extensions of `--extensions`: every TypeScript or JavaScript file in the folder. These files may import files in folders below it.
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, readlinkSync, realpathSync, statSync } from 'node:fs'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Log } from '../lib/log.ts'
import type { ExtensionSource } from './extension-process.ts'
import type { Source } from './process.ts'
import { ProcessPool } from './process-pool.ts'
import { type ExtensionPoints, register } from './registration.ts'

export interface ExtensionFolderParts {
  readonly directory: string
  /** Whether extensions may use the network. */
  readonly network: boolean
  readonly points: ExtensionPoints
  readonly log: Log
}

interface Loaded {
  readonly fingerprint: string
  readonly pool: ProcessPool
  readonly remove: () => void
}

/** Says in one line why an extension cannot be loaded. */
export class ExtensionError extends Error {}

export class ExtensionFolder implements AsyncDisposable {
  readonly #parts: ExtensionFolderParts
  readonly #loaded = new Map<string, Loaded>()
  /** All pools, including retired ones with calls under way. */
  readonly #pools = new Set<ProcessPool>()
  /** The fingerprints of extensions that could not be loaded, by name. */
  readonly #refused = new Map<string, string>()

  constructor(parts: ExtensionFolderParts) {
    this.#parts = parts
  }

  /** Loads all files. Throws an `ExtensionError` for a file that cannot be loaded, or an error of the system. */
  async open(): Promise<void> {
    const found = readExtensions(this.#parts)
    const loads = await Promise.allSettled(found.map((each) => this.#load(each)))
    for (const load of loads) if (load.status === 'rejected') throw load.reason
  }

  /** Loads changes in the folder. If a file cannot be loaded, the failure is logged and the previous version stays. */
  async reload(): Promise<void> {
    const { log } = this.#parts
    const found = readExtensions(this.#parts)
    const names = new Set(found.map(({ name }) => name))
    for (const [name, loaded] of [...this.#loaded].filter(([known]) => !names.has(known))) {
      this.#retire(loaded)
      this.#loaded.delete(name)
      log.info({ extension: name }, 'removed extension')
    }
    for (const each of found) {
      const { name, fingerprint } = each
      if (this.#loaded.get(name)?.fingerprint === fingerprint || this.#refused.get(name) === fingerprint) continue
      try {
        await this.#load(each)
        this.#refused.delete(name)
      } catch (error) {
        if (!(error instanceof ExtensionError)) throw error
        this.#refused.set(name, fingerprint)
        log.error({ extension: name, reason: error.message }, 'could not reload extension; keeping the previous one')
      }
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#pools].map((pool) => pool.end()))
  }

  async #load(found: FoundExtension): Promise<void> {
    const { name, fingerprint } = found
    const { points, log } = this.#parts
    const pool = new ProcessPool(found, log)
    this.#pools.add(pool)
    const added: (() => void)[] = []
    const loaded = { fingerprint, pool, remove: () => added.forEach((remove) => remove()) }
    try {
      const descriptions = await pool.open()
      for (const [i, description] of descriptions.entries()) {
        added.push(register(points, description, pool.answeredBy(i), name))
      }
    } catch (error) {
      this.#retire(loaded)
      const [line = ''] = (error instanceof Error ? error.message : String(error)).split('\n')
      throw new ExtensionError(`${name}: ${line}`, { cause: error })
    }
    // The new functions are added before the old ones are removed, so that every request finds a function.
    const before = this.#loaded.get(name)
    this.#loaded.set(name, loaded)
    if (before !== undefined) this.#retire(before)
    log.info(
      { extension: name, functions: added.length },
      before === undefined ? 'loaded extension' : 'reloaded extension',
    )
  }

  #retire({ pool, remove }: Loaded): void {
    remove()
    void pool.retire().then(() => this.#pools.delete(pool))
  }
}

interface FoundExtension extends ExtensionSource {
  /** Changes with the file, and with any file in the folders below. */
  readonly fingerprint: string
}

const PROGRAM = /(?<!\.d)\.(ts|js|mjs)$/

/** The extensions of the folder, sorted by name. Throws an `ExtensionError` for a link out of the folder, or an error of the system. */
function readExtensions({ directory, network }: ExtensionFolderParts): readonly FoundExtension[] {
  const folder = [path.resolve(directory), realpathSync(directory)]
  const names = [...filesIn(directory)].filter((name) => PROGRAM.test(name) && !isHidden(name)).sort()
  const files = names.map((name) => ({ name, source: readSource(path.resolve(directory, name)) }))
  const shared = files.filter(({ name }) => name.includes(path.sep)).map(({ source }) => source)
  return files
    .filter(({ name }) => !name.includes(path.sep))
    .map(({ name, source }) => {
      const sources = [source, ...shared]
      const fingerprint = createHash('sha256').update(JSON.stringify(sources)).digest('base64')
      return { name, entry: source[0], sources, fingerprint, folder, network }
    })
}

/**
 * The files in a folder, by paths from `root`. Throws an `ExtensionError` for a link out of the folder: an extension could read the target,
 * since the permission model of Node checks paths only.
 */
function* filesIn(root: string, below = '', above: readonly string[] = []): Generator<string> {
  const within = path.join(realpathSync(root), path.sep)
  for (const entry of readdirSync(path.join(root, below), { withFileTypes: true })) {
    const name = path.join(below, entry.name)
    const target = entry.isSymbolicLink() ? targetOf(path.join(root, name)) : undefined
    if (target !== undefined && !path.join(target, path.sep).startsWith(within)) {
      throw new ExtensionError(`${name}: the symbolic link leads out of the folder; copy its target into the folder`)
    }
    const isFolder = entry.isDirectory() || (target !== undefined && statSync(target, MAYBE)?.isDirectory() === true)
    const real = isFolder ? realpathSync(path.join(root, name)) : ''
    if (!isFolder) yield name
    else if (!above.includes(real)) yield* filesIn(root, name, [...above, real])
  }
}

const MAYBE = { throwIfNoEntry: false } as const

/** The target of a link, even if it does not exist. */
function targetOf(link: string): string {
  try {
    return realpathSync(link)
  } catch {
    return path.resolve(realpathSync(path.dirname(link)), readlinkSync(link))
  }
}

/** Node loads packages from `node_modules` itself. Folders that begin with a dot are Kubernetes' own copies of mounted configuration. */
function isHidden(name: string): boolean {
  return name.split(path.sep).some((part) => part === 'node_modules' || part.startsWith('.'))
}

function readSource(file: string): Source {
  return [pathToFileURL(file).href, readFileSync(file, 'utf8')]
}
