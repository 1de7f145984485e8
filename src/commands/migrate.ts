// `quarterdeck migrate --from PLACE --to PLACE`: what one store holds into another, with resourceVersions that only rise.
import { BackupError } from '../backup/backup-error.ts'
import { wholePages } from '../backup/unfinished.ts'
import { type Config, readConfig } from '../config/config.ts'
import { directoryPath } from '../config/setting-reader.ts'
import { usageError } from '../config/start-error.ts'
import { systemClock } from '../lib/clock.ts'
import { describeStorage, openStorageCopy } from '../server/storage.ts'
import { explained } from './backup.ts'
import { readCommandLine } from './command-flags.ts'
import { inOneLine, print } from './output.ts'
import { marginOf, restoreInto } from './restore.ts'
import { stopSignal } from './stop-signal.ts'

/** Resolves with the exit code. */
export async function runMigrate(args: readonly string[]): Promise<number> {
  const { read } = readCommandLine('migrate', args)
  const [from, to] = [read.text('from'), read.text('to')]
  if (from === undefined || to === undefined) throw usageError('say --from and --to; see quarterdeck migrate --help')
  const margin = marginOf(read.required('revision-margin')) ?? 0
  const [source, target] = [await configOf(read, 'from'), await configOf(read, 'to')]
  const signal = stopSignal()
  const copy = await openStorageCopy({ config: source, clock: systemClock, exclusive: true }, signal)
  const check = async (): Promise<void> => {
    if ((await copy.newestRevision(signal)) === copy.revision) return
    throw new BackupError(`${from} was written to meanwhile: stop its servers, and migrate again`)
  }
  try {
    return await explained(to, async () => {
      const { revision: copied, count } = copy
      const isLowered = read.switch('lower-revisions')
      const pages = wholePages(copy, source.storagePrefix, signal)
      const newest = await restoreInto(target, { pages, copied, above: copied + margin, isLowered, check }, signal)
      const places = [source, target].map(({ storage }) => describeStorage(storage))
      print(
        `${inOneLine(`${count} keys at revision ${copied} of ${places[0]} are in ${places[1]}, revision ${newest}`)}\n`,
      )
      return 0
    })
  } finally {
    await copy.close()
  }
}

type Flags = ReturnType<typeof readCommandLine<'migrate'>>['read']

/** Of a data directory, or of the URLs of an etcd. */
function configOf(read: Flags, name: 'from' | 'to'): Promise<Config> {
  const place = read.required(name)
  if (!place.text.includes('://')) {
    return readConfig(
      [
        `--data-dir=${directoryPath(place, ': URLs of an etcd begin with http:// or https://')}`,
        ...read.given(['etcd-prefix']),
      ],
      {},
    )
  }
  const given = read.given(['etcd-prefix', 'etcd-cafile', 'etcd-certfile', 'etcd-keyfile', 'dev'])
  return readConfig([`--etcd-servers=${place.text}`, ...given], {})
}
