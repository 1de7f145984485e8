// `quarterdeck backup FILE` and `quarterdeck backup verify FILE`: what a store holds at one revision, in a file that was read back.
import { once } from 'node:events'
import { createReadStream } from 'node:fs'
import { type FileHandle, open, rename, rm } from 'node:fs/promises'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { BackupError } from '../backup/backup-error.ts'
import { BackupReader } from '../backup/backup-reader.ts'
import { writeBackup } from '../backup/backup-writer.ts'
import type { BackupHeader } from '../backup/header.ts'
import { parseKey } from '../backup/seal.ts'
import type { Environment } from '../config/config.ts'
import { readFileAs } from '../config/files.ts'
import { reasonOf, StartError, usageError } from '../config/start-error.ts'
import { KvError } from '../kv/kv.ts'
import { systemClock } from '../lib/clock.ts'
import { CancelledError } from '../lib/errors.ts'
import { openStorageCopy } from '../server/storage.ts'
import { programVersion } from '../server/version.ts'
import { stopSignal } from './stop-signal.ts'
import { readStorageConfig, STORAGE_FLAGS } from './storage-flags.ts'

const FLAGS = { ...STORAGE_FLAGS, 'encryption-key-file': { type: 'string' }, revision: { type: 'string' } } as const

/** Resolves with the exit code. */
export async function runBackup(args: readonly string[], environment: Environment): Promise<number> {
  const { values, positionals } = parse(args)
  const key = readKey(values['encryption-key-file'])
  const [first = '', second] = positionals
  if (first === 'verify' && second !== undefined) {
    const header = await explained(second, () => verifyBackup(second, key))
    process.stdout.write(`${second}: ${described(header)}; verified\n`)
    return 0
  }
  if (positionals.length !== 1) throw usageError('give one file to write, or - for standard output')
  const { revision } = values
  if (revision !== undefined && !/^[1-9]\d{0,14}$/.test(revision)) throw usageError('--revision must be a number')
  const config = await readStorageConfig(values, environment)
  const signal = stopSignal()
  const copy = await openStorageCopy(
    { config, clock: systemClock, at: revision === undefined ? undefined : Number(revision) },
    signal,
  )
  const order = { copy, prefix: config.storagePrefix, time: new Date(), version: programVersion(), key }
  try {
    if (first === '-') {
      const header = await explained('standard output', () => writeBackup({ ...order, write: writeToOutput }, signal))
      process.stderr.write(`${described(header)}\n`)
    } else {
      await explained(first, async () => {
        const header = await writeFile(first, (write) => writeBackup({ ...order, write }, signal), key)
        process.stdout.write(`${first}: ${described(header)}; verified\n`)
      })
    }
    return 0
  } finally {
    await copy.close()
  }
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options: FLAGS, strict: true, allowPositionals: true })
  } catch (error) {
    throw usageError(`${reasonOf(error)}; see quarterdeck backup --help`)
  }
}

/** The key of a backup, from its file. */
export function readKey(file: string | undefined): Buffer | undefined {
  return file === undefined ? undefined : readFileAs(file, '--encryption-key-file', parseKey)
}

/** Reads all of it. Throws a `BackupError` where it is not as it was written. */
export async function verifyBackup(file: string, key: Buffer | undefined): Promise<BackupHeader> {
  await using reader = await BackupReader.open(createReadStream(file), key)
  for await (const _ of reader.pages());
  return reader.header
}

export function described({ keys, revision, prefix, time, version, encryption }: BackupHeader): string {
  const sealed = encryption === undefined ? '' : ', encrypted'
  return `${keys} keys under ${prefix} at revision ${revision}, of ${time} by quarterdeck ${version}${sealed}`
}

/** What goes wrong as one line that names the file. */
export async function explained<T>(file: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof CancelledError) throw new StartError(`${file}: interrupted`, { cause: error })
    const isKnown =
      error instanceof BackupError || error instanceof KvError || (error instanceof Error && 'code' in error)
    throw isKnown ? new StartError(`${file}: ${reasonOf(error)}`, { cause: error }) : error
  }
}

async function writeToOutput(bytes: Buffer): Promise<void> {
  if (!process.stdout.write(bytes)) await once(process.stdout, 'drain')
}

/** It has its name only when it is whole, on the disk and read back. */
async function writeFile(
  file: string,
  fill: (write: (bytes: Buffer) => Promise<void>) => Promise<BackupHeader>,
  key: Buffer | undefined,
): Promise<BackupHeader> {
  const draft = `${file}.partial`
  const handle = await open(draft, 'w', 0o600)
  try {
    const header = await filled(handle, fill)
    await verifyBackup(draft, key)
    await rename(draft, file)
    await syncFolder(path.dirname(file))
    return header
  } catch (error) {
    await rm(draft, { force: true })
    throw error
  }
}

async function filled(
  handle: FileHandle,
  fill: (write: (bytes: Buffer) => Promise<void>) => Promise<BackupHeader>,
): Promise<BackupHeader> {
  try {
    const header = await fill((bytes) => handle.appendFile(bytes))
    await handle.sync()
    return header
  } finally {
    await handle.close()
  }
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
