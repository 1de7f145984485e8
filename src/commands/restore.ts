// `quarterdeck restore FILE`: a backup into an empty store.
import { createReadStream } from 'node:fs'
import path from 'node:path'
import { BackupError } from '../backup/backup-error.ts'
import { BackupReader } from '../backup/backup-reader.ts'
import { checkedPages } from '../backup/checked-pages.ts'
import { restore, type RestoreOrder } from '../backup/restore.ts'
import type { Config, Environment } from '../config/config.ts'
import { makePrivateDirectory } from '../config/files.ts'
import { integer } from '../config/setting-reader.ts'
import type { Setting } from '../config/settings.ts'
import { usageError } from '../config/start-error.ts'
import type { CopiedItem } from '../kv/copy.ts'
import { checkPut } from '../kv/embedded/embedded.ts'
import { systemClock } from '../lib/clock.ts'
import { describeStorage, openRestorable } from '../server/storage.ts'
import { COMPACTION_KEY } from '../store/compactor.ts'
import { described, explained, readKey, verifyBackup } from './backup.ts'
import { readCommandLine } from './command-flags.ts'
import { complain, inOneLine, print } from './output.ts'
import { stopSignal } from './stop-signal.ts'
import { readStorageConfig } from './storage-flags.ts'

/** So many writes may have been made after a backup. They cost an embedded store nothing, and etcd a write each. */
const MARGIN = { embedded: 1_000_000_000, etcd: 1_000_000 } as const

const PROGRESS_MS = 5000

/** Resolves with the exit code. */
export async function runRestore(args: readonly string[], environment: Environment): Promise<number> {
  const { read, operands } = readCommandLine('restore', args, { most: 1, wanted: 'give one file to restore' })
  const [file] = operands
  if (file === undefined) throw usageError('give one file to restore; see quarterdeck restore --help')
  const key = readKey(read.text('encryption-key-file'))
  const config = await readStorageConfig(read, environment)
  const margin =
    marginOf(read.optional('revision-margin')) ?? MARGIN[config.storage.kind === 'etcd' ? 'etcd' : 'embedded']
  const signal = stopSignal()
  return explained(file, async () => {
    // Nothing is written before all of it was read.
    const header = await verifyBackup(file, key, config.storage.kind === 'embedded' ? checkPut : undefined)
    checkPrefix(header.prefix, config)
    await using reader = await BackupReader.open(createReadStream(file), key)
    const given = {
      pages: checkedPages(reader),
      copied: header.revision,
      above: header.revision + margin,
      isLowered: read.switch('lower-revisions'),
    }
    const newest = await restoreInto(config, given, signal)
    const where = describeStorage(config.storage)
    print(`${inOneLine(`${file}: ${described(header)}; restored into ${where}, revision ${newest}`)}\n`)
    return 0
  })
}

/** Throws a `StartError` for what is not a number of revisions. */
export function marginOf(setting: Setting | undefined): number | undefined {
  return setting === undefined ? undefined : integer(setting, 0, 1e12 - 1)
}

/** Keys are restored as they are, and servers look for them under their prefix. */
function checkPrefix(prefix: string, config: Config): void {
  if (prefix !== config.storagePrefix)
    throw new BackupError(`its keys are under ${prefix}: give --etcd-prefix ${prefix}`)
}

type Given = Pick<RestoreOrder, 'pages' | 'above' | 'copied' | 'check'> & {
  /** The revisions of the store are not raised. */
  readonly isLowered: boolean
}

export async function restoreInto(config: Config, given: Given, signal: AbortSignal): Promise<number> {
  if (config.storage.kind === 'embedded')
    makePrivateDirectory(path.dirname(config.storage.directory), 'the data directory')
  const kv = await openRestorable({ config, clock: systemClock }, signal)
  let told = Date.now()
  const onProgress = (revision: number, goal: number): void => {
    if (Date.now() - told < PROGRESS_MS) return
    told = Date.now()
    complain(`passed revision ${revision} of ${goal}\n`)
  }
  const { pages, isLowered, ...revisions } = given
  const prefix = config.storagePrefix
  const order = {
    ...revisions,
    ...(isLowered ? { above: 0, copied: 0 } : {}),
    kv,
    prefix,
    time: new Date(),
    onProgress,
  }
  try {
    return await restore({ ...order, pages: isLowered ? withoutCompaction(pages, prefix) : pages }, signal)
  } finally {
    await kv.close()
  }
}

/** Replicas take this key for the newest compaction: it would be one of revisions that are yet to come. */
async function* withoutCompaction(pages: Given['pages'], prefix: string): AsyncGenerator<readonly CopiedItem[]> {
  for await (const page of pages) yield page.filter(({ key }) => key !== `${prefix}${COMPACTION_KEY}`)
}
