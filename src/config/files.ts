// The server's own files. Secrets are never readable by other users, and a file is complete or absent.
import { chmodSync, lstatSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { Value } from '../api/value.ts'
import { parseYaml } from '../codec/yaml-parse.ts'
import type { Log } from '../lib/log.ts'
import { makeDirectory } from '../lib/make-directory.ts'
import { reasonOf, StartError, unwritable } from './start-error.ts'

/** Creates the directory if it is missing, for the owner only. */
export function makePrivateDirectory(directory: string, what: string): void {
  try {
    if (makeDirectory(directory, 0o700)) chmodSync(directory, 0o700)
  } catch (error) {
    throw new StartError(`${what} ${directory} cannot be created: ${reasonOf(error)}`, { cause: error })
  }
}

/** The secret files in the data directory. */
const OWN_SECRETS: readonly string[] = [
  'admin.kubeconfig',
  'admin.token',
  'service-account.key',
  'pki/ca.key',
  'pki/server.key',
]
const OTHERS = 0o077

/**
 * Tightens the permissions of the server's files in its data directory, and logs it. Other files do not change, and neither does the
 * directory, which may be shared.
 */
export function closeDataDirectory(directory: string, log: Log): void {
  const own = OWN_SECRETS.map((name) => path.join(directory, name))
  for (const place of [...own, ...ownStore(path.join(directory, 'store'))]) closeToOthers(place, log)
}

/** The directory and its files. Empty: the directory is not a store. */
function ownStore(directory: string): readonly string[] {
  if (lstatSync(path.join(directory, 'format'), { throwIfNoEntry: false })?.isFile() !== true) return []
  return [directory, ...readdirSync(directory).map((name) => path.join(directory, name))]
}

function closeToOthers(place: string, log: Log): void {
  const found = lstatSync(place, { throwIfNoEntry: false })
  // A link has the rights of its target.
  if (found === undefined || found.isSymbolicLink() || (found.mode & OTHERS) === 0) return
  const mode = (found.mode & 0o777).toString(8)
  try {
    chmodSync(place, found.mode & 0o700)
    log.warn({ path: place, mode }, 'file was accessible to others; permissions tightened')
  } catch (error) {
    log.warn(
      { path: place, mode, reason: reasonOf(error) },
      'file is accessible to others and its permissions could not be tightened',
    )
  }
}

/** Writes a file that only its owner can read. */
export function writePrivateFile(file: string, text: string): void {
  const draft = `${file}.${process.pid}.new`
  try {
    writeFileSync(draft, text, { mode: 0o600, flush: true })
    renameSync(draft, file)
  } catch (error) {
    rmSync(draft, { force: true })
    throw unwritable(file, error)
  }
}

/** `what` names the flag or the purpose in the message. */
export function readTextFile(file: string, what: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw new StartError(`${what} ${file} cannot be read: ${reasonOf(error)}`, { cause: error })
  }
}

/** Reads a bundle of authorities. Undefined: no file is given. A bundle without a certificate is refused: it would trust no peer. */
export function readAuthorities(file: string, flag: string): string
export function readAuthorities(file: string | undefined, flag: string): string | undefined
export function readAuthorities(file: string | undefined, flag: string): string | undefined {
  if (file === undefined) return undefined
  const text = readTextFile(file, flag)
  if (text.includes('-----BEGIN CERTIFICATE-----')) return text
  throw new StartError(`${flag} ${file} does not hold a certificate in PEM form`)
}

/** Parses the text of a file. Errors of `parse` become a `StartError` with the flag and the file. */
export function readFileAs<T>(file: string, what: string, parse: (text: string) => T): T {
  const text = readTextFile(file, what)
  try {
    return parse(text)
  } catch (error) {
    throw new StartError(`${what} ${file}: ${reasonOf(error)}`, { cause: error })
  }
}

/** Reads a YAML document. Duplicate fields and errors of `read` become a `StartError` with the flag and the file. */
export function readDocument<T>(file: string, flag: string, read: (document: Value) => T): T {
  return readFileAs(file, flag, (text) => {
    const { value, duplicates } = parseYaml(Buffer.from(text))
    if (duplicates.length > 0) throw new Error(duplicates[0])
    return read(value)
  })
}

/** Undefined: the file does not exist. */
export function readOwnFile(directory: string, name: string): string | undefined {
  const file = path.join(directory, name)
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw new StartError(`${file} cannot be read: ${reasonOf(error)}`, { cause: error })
  }
}
