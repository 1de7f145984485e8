// `quarterdeck migrate --from PLACE --to PLACE`: what one store holds into another, with resourceVersions that only rise.
import path from 'node:path'
import { parseArgs } from 'node:util'
import { BackupError } from '../backup/backup-error.ts'
import { wholePages } from '../backup/unfinished.ts'
import { type Config, readConfig } from '../config/config.ts'
import { reasonOf, usageError } from '../config/start-error.ts'
import { systemClock } from '../lib/clock.ts'
import { openStorageCopy } from '../server/storage.ts'
import { explained } from './backup.ts'
import { marginOf, restoreInto } from './restore.ts'
import { stopSignal } from './stop-signal.ts'

const ETCD_FLAGS = {
  dev: { type: 'boolean' },
  'etcd-cafile': { type: 'string' },
  'etcd-certfile': { type: 'string' },
  'etcd-keyfile': { type: 'string' },
} as const

const FLAGS = {
  ...ETCD_FLAGS,
  from: { type: 'string' },
  to: { type: 'string' },
  'etcd-prefix': { type: 'string', default: '/registry' },
  'revision-margin': { type: 'string' },
} as const

/** Of a store that nobody writes to any more all revisions are known. */
const MARGIN = 1000

/** Resolves with the exit code. */
export async function runMigrate(args: readonly string[]): Promise<number> {
  const values = parse(args)
  const { from, to } = values
  if (from === undefined || to === undefined) throw usageError('say --from and --to; see quarterdeck migrate --help')
  const [source, target] = [await configOf(from, values), await configOf(to, values)]
  const signal = stopSignal()
  const copy = await openStorageCopy({ config: source, clock: systemClock, exclusive: true }, signal)
  const check = async (): Promise<void> => {
    if ((await copy.newestRevision(signal)) === copy.revision) return
    throw new BackupError(`${from} was written to meanwhile: stop its servers, and migrate again`)
  }
  try {
    return await explained(to, async () => {
      const above = copy.revision + (marginOf(values['revision-margin']) ?? MARGIN)
      const pages = wholePages(copy, source.storagePrefix, signal)
      const newest = await restoreInto(target, { pages, above, check }, signal)
      process.stdout.write(
        `${copy.count} keys at revision ${copy.revision} of ${from} are in ${to}, revision ${newest}\n`,
      )
      return 0
    })
  } finally {
    await copy.close()
  }
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options: FLAGS }).values
  } catch (error) {
    throw usageError(`${reasonOf(error)}; see quarterdeck migrate --help`)
  }
}

/** A data directory, or the URLs of an etcd. */
function configOf(place: string, values: ReturnType<typeof parse>): Promise<Config> {
  const prefix = `--etcd-prefix=${values['etcd-prefix']}`
  if (!place.includes('://')) return readConfig([`--data-dir=${path.resolve(place)}`, prefix], {})
  const names = Object.keys(ETCD_FLAGS) as (keyof typeof ETCD_FLAGS)[]
  const given = names.filter((name) => values[name] !== undefined).map((name) => `--${name}=${String(values[name])}`)
  return readConfig([`--etcd-servers=${place}`, prefix, ...given], {})
}
