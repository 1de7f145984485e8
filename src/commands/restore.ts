// `quarterdeck restore FILE`: writes a backup to an empty store.
import { createReadStream } from 'node:fs'
import path from 'node:path'
import { BackupError } from '../kv/backup/backup-error.ts'
import { BackupReader } from '../kv/backup/backup-reader.ts'
import { checkedPages } from '../kv/backup/checked-pages.ts'
import { restore, type RestoreOrder } from '../kv/backup/restore.ts'
import type { Config, Environment } from '../config/config.ts'
import { makePrivateDirectory } from '../config/files.ts'
import { integer } from '../config/setting-reader.ts'
import type { Setting } from '../config/settings.ts'
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

/**
 * The number of writes that may have happened after the backup. etcd needs a write to skip each of these revisions. An embedded store skips
 * them all in one commit.
 */
const MARGIN = { embedded: 1_000_000_000, etcd: 1_000_000 } as const

const PROGRESS_MS = 5000

export async function runRestore(args: readonly string[], environment: Environment): Promise<number> {
  const wanted = 'give one file to restore'
  const { read, operands } = readCommandLine('restore', args, { least: 1, most: 1, wanted })
  const [file = ''] = operands
  const key = readKey(read.text('encryption-key-file'))
  const config = await readStorageConfig(read, environment)
  const margin =
    marginOf(read.optional('revision-margin')) ?? MARGIN[config.storage.kind === 'etcd' ? 'etcd' : 'embedded']
  const signal = stopSignal()
  return explained(file, async () => {
    // The whole file is read before anything is written.
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

export function marginOf(setting: Setting | undefined): number | undefined {
  return setting === undefined ? undefined : integer(setting, 0, 1e12 - 1)
}

/** Keys are restored unchanged, and a server reads only the keys under its prefix. */
function checkPrefix(prefix: string, config: Config): void {
  if (prefix !== config.storagePrefix)
    throw new BackupError(`its keys are under ${prefix}: give --etcd-prefix ${prefix}`)
}

type Given = Pick<RestoreOrder, 'pages' | 'above' | 'copied' | 'check'> & {
  /** True: the revisions of the new store are not raised. */
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

/** Leaves out the key in which replicas read the newest compaction: it would have a revision that the new store has not reached. */
async function* withoutCompaction(pages: Given['pages'], prefix: string): AsyncGenerator<readonly CopiedItem[]> {
  for await (const page of pages) yield page.filter(({ key }) => key !== `${prefix}${COMPACTION_KEY}`)
}
