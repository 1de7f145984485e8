// Programs that tests need and make themselves, kept in a cache outside the checkout: made once, whoever else is making them,
// and never seen half made.
import { access, constants, link, mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { isRunning } from './running-process.ts'

export function cacheFile(...names: readonly string[]): string {
  return join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'quarterdeck', ...names)
}

/**
 * `make` fills a folder of its own and says where in it the program is; that then moves to its place in one step. A lock
 * keeps a second process from doing the same work again meanwhile. Throws what `make` throws.
 */
export async function makeOnce(path: string, make: (folder: string) => Promise<string>): Promise<void> {
  if (await isExecutable(path)) return
  await mkdir(dirname(path), { recursive: true })
  const folder = await mkdtemp(`${path}-making-`)
  const lock = `${path}.lock`
  try {
    while (!(await takeLock(lock, folder))) await delay(200)
    try {
      if (!(await isExecutable(path))) await rename(join(folder, await make(folder)), path)
    } finally {
      await rm(lock, { force: true })
    }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

export async function findOnPath(name: string): Promise<string | undefined> {
  for (const folder of (process.env['PATH'] ?? '').split(delimiter)) {
    const path = join(folder, name)
    if (await isExecutable(path)) return path
  }
  return undefined
}

/** Whether the lock is ours now. That of a process which is gone is taken away, for the next attempt. */
async function takeLock(lock: string, folder: string): Promise<boolean> {
  const mine = join(folder, 'pid')
  await writeFile(mine, String(process.pid))
  try {
    await link(mine, lock)
    return true
  } catch {
    const holder = Number(await readFile(lock, 'utf8').catch(() => ''))
    if (holder > 0 && !isRunning(holder)) await rm(lock, { force: true })
    return false
  }
}

export function isExecutable(path: string): Promise<boolean> {
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  )
}
