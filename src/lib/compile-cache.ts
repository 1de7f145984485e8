// Keeps compiled code between starts, in the user's cache directory. A start without the cache takes 1.5 times as long.
import { existsSync, mkdirSync } from 'node:fs'
import { enableCompileCache, flushCompileCache } from 'node:module'
import { homedir } from 'node:os'
import path from 'node:path'

/** Node writes the cache when the process ends. It is also written after this time, because a server may be killed. */
const FLUSH_AFTER_MS = 5000

/** Applies to modules that are imported later. Without a cache directory, they are compiled at every start. */
export function keepCompiled(): void {
  try {
    const caches = process.env['XDG_CACHE_HOME'] ?? path.join(homedir(), '.cache')
    const folder = path.join(caches, 'quarterdeck')
    // Node would make the folders too, but it never returns if it cannot (`make-directory.ts` has the reason).
    for (const each of [caches, folder]) if (!existsSync(each)) mkdirSync(each)
    enableCompileCache(folder)
  } catch {
    return
  }
  setTimeout(flushCompileCache, FLUSH_AFTER_MS).unref()
}
