// The extensions of `--extensions`, loaded before anything is served and again when they change.
import path from 'node:path'
import type { Config } from '../config/config.ts'
import type { ReloadRequests } from '../config/reload-requests.ts'
import { reloadFiles } from '../config/reloaded-files.ts'
import { reasonOf, StartError } from '../config/start-error.ts'
import type { ExtensionFolder } from '../extensions/folder.ts'
import type { ExtensionPoints } from '../extensions/registration.ts'
import type { Log } from '../lib/log.ts'

export interface ExtensionParts {
  readonly config: Pick<Config, 'extensionsDirectory' | 'extensionsNetwork'>
  readonly log: Log
  readonly reloads: ReloadRequests
}

export interface Extensions {
  /**
   * Resolves when the functions are loaded. Call this after the server has made its own objects: extensions do not see these writes. Throws
   * a `StartError` if a file cannot be loaded, because requests that its functions refuse would be allowed.
   */
  load(): Promise<void>
  /** Loads changed files again, until the signal fires. */
  readonly run: (signal: AbortSignal) => Promise<void>
}

const LOOK_EVERY_MS = 10_000

/** The functions answer calls until everything in `opened` that was opened later is closed. */
export function openExtensions(
  { config, log, reloads }: ExtensionParts,
  points: ExtensionPoints,
  opened: AsyncDisposableStack,
): Extensions {
  const { extensionsDirectory: directory, extensionsNetwork: network } = config
  if (directory === undefined) return { load: () => Promise.resolve(), run: () => Promise.resolve() }
  const loaded = opened.use(new AsyncDisposableStack())
  let folder: ExtensionFolder | undefined
  const reload = {
    // The folder of this file is watched. The name of the file does not matter.
    files: [path.join(directory, 'any')],
    everyMs: LOOK_EVERY_MS,
    reloads,
    look: async () => folder?.reload(),
    onProblem: (error: unknown) =>
      log.error({ err: error, directory }, 'could not read extensions; keeping the previous ones'),
  }
  return {
    async load() {
      const { ExtensionFolder } = await import('../extensions/folder.ts')
      const opening = loaded.use(new ExtensionFolder({ directory, network, points, log }))
      try {
        await opening.open()
      } catch (error) {
        throw new StartError(`--extensions ${directory}: ${reasonOf(error)}`, { cause: error })
      }
      // Set only now, because a reload during the loading would load every file a second time.
      folder = opening
    },
    run: (signal) => reloadFiles(reload, signal),
  }
}
