// The keys that sign and check tokens of service accounts.
import { generateKeyPairSync } from 'node:crypto'
import path from 'node:path'
import { readSigningKeys, type SigningKeys } from '../auth/signing-keys.ts'
import type { Config } from './config.ts'
import { readOwnFile, readTextFile, writePrivateFile } from './files.ts'
import { reasonOf, StartError } from './start-error.ts'
import type { Log } from '../lib/log.ts'

const OWN_KEY = 'service-account.key'

/** The operator's keys, or our own key. Our own key is `given`, in PEM, or the key in the data directory. */
export function accountKeys({ identity, dataDirectory }: Config, given?: string): SigningKeys {
  const { signingKeyFile, keyFiles } = identity
  const older = keyFiles.map((file) =>
    keysIn(file, '--service-account-key-file', (text) => readSigningKeys(undefined, [text])),
  )
  const checking = older.flatMap(({ verification }) => verification)
  const own =
    signingKeyFile === undefined
      ? readSigningKeys(given ?? ownAccountKey(dataDirectory), [])
      : keysIn(signingKeyFile, '--service-account-signing-key-file', (text) => readSigningKeys(text, []))
  const known = new Set(own.verification.map(({ id }) => id))
  return { signing: own.signing, verification: [...own.verification, ...checking.filter(({ id }) => !known.has(id))] }
}

/** Warns if this server signs tokens with its own key and other replicas may use the same store. */
export function warnOfOwnKey({ identity, storage }: Config, log: Log): void {
  if (identity.signingKeyFile !== undefined || storage.kind !== 'etcd') return
  log.warn(
    {},
    'service account tokens are valid on this replica only; give all replicas the same --service-account-signing-key-file',
  )
}

function keysIn(file: string, flag: string, read: (text: string) => SigningKeys): SigningKeys {
  const text = readTextFile(file, flag)
  try {
    return read(text)
  } catch (error) {
    throw new StartError(`${flag} ${file} ${reasonOf(error)}`, { cause: error })
  }
}

/** The key in the directory, in PEM, or a new key. */
export function ownAccountKey(directory: string | undefined): string {
  const kept = directory === undefined ? undefined : readOwnFile(directory, OWN_KEY)
  if (kept !== undefined) return kept
  const { privateKey } = generateKeyPairSync('ec', {
    namedCurve: 'prime256v1',
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  })
  if (directory !== undefined) writePrivateFile(path.join(directory, OWN_KEY), privateKey)
  return privateKey
}
