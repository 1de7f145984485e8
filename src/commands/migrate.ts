// `quarterdeck migrate --from PLACE --to PLACE`: copies one store to another. resourceVersions only rise.
import { BackupError } from '../kv/backup/backup-error.ts'
import { wholePages } from '../kv/backup/unfinished.ts'
import { type Config, readConfig } from '../config/config.ts'
import { directoryPath } from '../config/setting-reader.ts'
import { StartError, usageError } from '../config/start-error.ts'
import { systemClock } from '../lib/clock.ts'
import { isWithin, realPath } from '../lib/real-path.ts'
import { checkPrefix, describeStorage, openStorageCopy } from '../server/storage.ts'
import { explained } from './backup.ts'
import { readCommandLine } from './command-flags.ts'
import { inOneLine, print } from './output.ts'
import { marginOf, restoreInto } from './restore.ts'
import { stopSignal } from './stop-signal.ts'

const CONNECTION = ['etcd-cafile', 'etcd-certfile', 'etcd-keyfile', 'dev'] as const

export async function runMigrate(args: readonly string[]): Promise<number> {
  const { read } = readCommandLine('migrate', args)
  const [from, to] = [read.text('from'), read.text('to')]
  if (from === undefined || to === undefined) throw usageError('give --from and --to; see quarterdeck migrate --help')
  const stray = [from, to].some((place) => place.includes('://')) ? undefined : read.given(CONNECTION)[0]
  if (stray !== undefined) throw usageError(`${stray.replace(/=.*/, '')} requires URLs of an etcd in --from or --to`)
  const margin = marginOf(read.required('revision-margin')) ?? 0
  const [source, target] = [await configOf(read, 'from'), await configOf(read, 'to')]
  checkApart(source, target)
  const signal = stopSignal()
  const copy = await openStorageCopy({ config: source, clock: systemClock, exclusive: true }, signal)
  const check = async (): Promise<void> => {
    if ((await copy.newestRevision(signal)) === copy.revision) return
    throw new BackupError(`${from} was written to meanwhile: stop its servers, and migrate again`)
  }
  try {
    await checkPrefix(copy, source, signal)
    return await explained(to, async () => {
      const { revision: copied, count } = copy
      const isLowered = read.switch('lower-revisions')
      const pages = wholePages(copy, source.storagePrefix, signal)
      const newest = await restoreInto(target, { pages, copied, above: copied + margin, isLowered, check }, signal)
      const places = [source, target].map(({ storage }) => describeStorage(storage))
      const empty = count === 0 ? 'the source is empty: ' : ''
      print(
        `${inOneLine(`${empty}${count} keys at revision ${copied} of ${places[0]} are in ${places[1]}, revision ${newest}`)}\n`,
      )
      return 0
    })
  } finally {
    await copy.close()
  }
}

/** Throws a `StartError` if both places are one store, or if one data directory lies in the other. */
function checkApart(source: Config, target: Config): void {
  for (const from of placesOf(source)) {
    for (const to of placesOf(target)) {
      if (from === to) throw usageError(`--from and --to both name ${from}`)
      if (isWithin(from, to) || isWithin(to, from))
        throw usageError(`--from ${from} and --to ${to} must be apart: one lies in the other`)
    }
  }
}

function placesOf({ storage, dataDirectory = '' }: Config): readonly string[] {
  if (storage.kind === 'etcd') return storage.endpoints
  return storage.kind === 'embedded' ? [dataDirectory, storage.directory].map(realPath) : []
}

type Flags = ReturnType<typeof readCommandLine<'migrate'>>['read']

/** A place is a data directory or the URLs of an etcd. */
async function configOf(read: Flags, name: 'from' | 'to'): Promise<Config> {
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
  try {
    return await readConfig([`--etcd-servers=${place.text}`, ...read.given(['etcd-prefix', ...CONNECTION])], {})
  } catch (error) {
    throw error instanceof StartError ? usageError(error.message.replace('--etcd-servers', `--${name}`)) : error
  }
}
