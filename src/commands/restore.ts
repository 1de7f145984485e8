// `quarterdeck restore FILE`: a backup into an empty store.
import { createReadStream } from 'node:fs'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { BackupError } from '../backup/backup-error.ts'
import { BackupReader } from '../backup/backup-reader.ts'
import { restore, type RestoreOrder } from '../backup/restore.ts'
import type { Config, Environment } from '../config/config.ts'
import { makePrivateDirectory } from '../config/files.ts'
import { reasonOf, usageError } from '../config/start-error.ts'
import { systemClock } from '../lib/clock.ts'
import { describeStorage, openRestorable } from '../server/storage.ts'
import { described, explained, readKey, verifyBackup } from './backup.ts'
import { stopSignal } from './stop-signal.ts'
import { readStorageConfig, STORAGE_FLAGS } from './storage-flags.ts'

const FLAGS = {
  ...STORAGE_FLAGS,
  'encryption-key-file': { type: 'string' },
  'revision-margin': { type: 'string' },
} as const

/** So many writes may have been made after a backup. They cost an embedded store nothing, and etcd a write each. */
const MARGIN = { embedded: 1_000_000_000, etcd: 1_000_000 } as const

const PROGRESS_MS = 5000

/** Resolves with the exit code. */
export async function runRestore(args: readonly string[], environment: Environment): Promise<number> {
  const { values, positionals } = parse(args)
  const [file] = positionals
  if (file === undefined || positionals.length > 1) throw usageError('give one file to restore')
  const key = readKey(values['encryption-key-file'])
  const config = await readStorageConfig(values, environment)
  const margin = marginOf(values['revision-margin']) ?? (config.storage.kind === 'etcd' ? MARGIN.etcd : MARGIN.embedded)
  const signal = stopSignal()
  return explained(file, async () => {
    // Nothing is written before all of it was read.
    const header = await verifyBackup(file, key)
    checkPrefix(header.prefix, config)
    await using reader = await BackupReader.open(createReadStream(file), key)
    const newest = await restoreInto(config, { pages: reader.pages(), above: header.revision + margin }, signal)
    process.stdout.write(
      `${file}: ${described(header)}; restored into ${describeStorage(config.storage)}, revision ${newest}\n`,
    )
    return 0
  })
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options: FLAGS, allowPositionals: true })
  } catch (error) {
    throw usageError(`${reasonOf(error)}; see quarterdeck restore --help`)
  }
}

export function marginOf(text: string | undefined): number | undefined {
  if (text !== undefined && !/^\d{1,12}$/.test(text)) throw usageError('--revision-margin must be a number')
  return text === undefined ? undefined : Number(text)
}

/** Keys are restored as they are, and servers look for them under their prefix. */
function checkPrefix(prefix: string, config: Config): void {
  if (prefix !== config.storagePrefix)
    throw new BackupError(`its keys are under ${prefix}: give --etcd-prefix ${prefix}`)
}

type Given = Pick<RestoreOrder, 'pages' | 'above' | 'check'>

export async function restoreInto(config: Config, given: Given, signal: AbortSignal): Promise<number> {
  if (config.storage.kind === 'embedded')
    makePrivateDirectory(path.dirname(config.storage.directory), 'the data directory')
  const kv = await openRestorable({ config, clock: systemClock }, signal)
  let told = Date.now()
  const onProgress = (revision: number, goal: number): void => {
    if (Date.now() - told < PROGRESS_MS) return
    told = Date.now()
    process.stderr.write(`passed revision ${revision} of ${goal}\n`)
  }
  try {
    return await restore({ ...given, kv, prefix: config.storagePrefix, time: new Date(), onProgress }, signal)
  } finally {
    await kv.close()
  }
}
