// `quarterdeck backup FILE` and `quarterdeck backup verify FILE`: writes a store at one revision to a file, and reads the file back.
import { createReadStream } from 'node:fs'
import { BackupError } from '../kv/backup/backup-error.ts'
import { BackupReader } from '../kv/backup/backup-reader.ts'
import { writeBackup } from '../kv/backup/backup-writer.ts'
import { checkedPages } from '../kv/backup/checked-pages.ts'
import type { BackupHeader } from '../kv/backup/header.ts'
import { parseKey } from '../kv/backup/seal.ts'
import type { Environment } from '../config/config.ts'
import { readFileAs } from '../config/files.ts'
import { integer } from '../config/setting-reader.ts'
import { reasonOf, StartError } from '../config/start-error.ts'
import type { CopiedItem } from '../kv/copy.ts'
import { KvError } from '../kv/kv.ts'
import { systemClock } from '../lib/clock.ts'
import { CancelledError } from '../lib/errors.ts'
import { isWithin, realPath } from '../lib/real-path.ts'
import { checkPrefix, describeStorage, openStorageCopy } from '../server/storage.ts'
import { programVersion } from '../telemetry/version.ts'
import { readCommandLine, subcommandIn } from './command-flags.ts'
import { checkTarget, writeWhole } from './output-file.ts'
import { complain, inOneLine, print, printBytes } from './output.ts'
import { stopSignal } from './stop-signal.ts'
import { readStorageConfig } from './storage-flags.ts'

export async function runBackup(args: readonly string[], environment: Environment): Promise<number> {
  const { words, rest } = subcommandIn('backup', args)
  return words === 'backup verify' ? verify(rest) : write(rest, environment)
}

async function verify(args: readonly string[]): Promise<number> {
  const wanted = 'give one file to verify'
  const { read, operands } = readCommandLine('backup verify', args, { least: 1, most: 1, wanted })
  const [file = ''] = operands
  const key = readKey(read.text('encryption-key-file'))
  const header = await explained(file, () => verifyBackup(file, key))
  print(`${inOneLine(`${file}: ${described(header)}; verified`)}\n`)
  return 0
}

async function write(args: readonly string[], environment: Environment): Promise<number> {
  const wanted = 'give one file to write, or - for standard output'
  const { read, operands } = readCommandLine('backup', args, { least: 1, most: 1, wanted })
  const [file = ''] = operands
  const key = readKey(read.text('encryption-key-file'))
  const revision = read.optional('revision')
  const at = revision === undefined ? undefined : integer(revision, 1, Number.MAX_SAFE_INTEGER)
  const config = await readStorageConfig(read, environment)
  checkTarget(file, read.switch('overwrite'), read.given(INPUTS))
  const { storage } = config
  if (file !== '-' && storage.kind === 'embedded' && isWithin(realPath(storage.directory), realPath(file)))
    throw new StartError(`${file} cannot be written: it lies in the store, ${storage.directory}`)
  const signal = stopSignal()
  const copy = await openStorageCopy({ config, clock: systemClock, at }, signal)
  const order = { copy, prefix: config.storagePrefix, time: new Date(), version: programVersion(), key }
  const empty = at === undefined ? ', which is empty' : ', which was empty at that revision'
  const source = `read from ${describeStorage(storage)}${copy.count === 0 ? empty : ''}`
  try {
    await checkPrefix(copy, config, signal)
    if (file === '-') {
      const header = await explained('standard output', () => writeBackup({ ...order, write: printBytes }, signal))
      complain(`${inOneLine(`${described(header)}, ${source}`)}\n`)
    } else {
      const header = await explained(file, () =>
        writeWhole(file, async (draft, name) => {
          const written = await writeBackup({ ...order, write: (bytes) => draft.appendFile(bytes) }, signal)
          await verifyBackup(name, key)
          return written
        }),
      )
      print(`${inOneLine(`${file}: ${described(header)}, ${source}; verified`)}\n`)
    }
    return 0
  } finally {
    await copy.close()
  }
}

const INPUTS = ['encryption-key-file', 'config', 'etcd-cafile', 'etcd-certfile', 'etcd-keyfile'] as const

/** Reads the key of a backup from a file. */
export function readKey(file: string | undefined): Buffer | undefined {
  return file === undefined ? undefined : readFileAs(file, '--encryption-key-file', parseKey)
}

/** Reads the whole file. Throws a `BackupError` if it is damaged. */
export async function verifyBackup(
  file: string,
  key: Buffer | undefined,
  accepts?: (item: CopiedItem) => void,
): Promise<BackupHeader> {
  if (file === '-') throw new BackupError('a backup is not read from standard input: give a file')
  await using reader = await BackupReader.open(createReadStream(file), key)
  for await (const _ of checkedPages(reader, accepts));
  return reader.header
}

export function described({ keys, revision, prefix, time, version, encryption }: BackupHeader): string {
  const sealed = encryption === undefined ? '' : ', encrypted'
  return `${keys} keys under ${prefix} at revision ${revision}, of ${time} by quarterdeck ${version}${sealed}`
}

/** Turns known errors into one line that names the file. */
export async function explained<T>(file: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof StartError) throw error
    if (error instanceof CancelledError) throw new StartError(`${file}: interrupted`, { cause: error })
    const isKnown =
      error instanceof BackupError || error instanceof KvError || (error instanceof Error && 'code' in error)
    throw isKnown ? new StartError(`${file}: ${reasonOf(error)}`, { cause: error }) : error
  }
}
