// The keys of service account tokens: one key signs, and all keys verify. The key ID is the digest of the public key, so that it is the
// same on every replica (P-040, P-054).
import { createPrivateKey, createPublicKey, hash, type KeyObject } from 'node:crypto'
import type { Jwt, SigningKey } from './jwt.ts'
import { algorithmOf, isSignedBy } from './jwt.ts'

export interface VerificationKey {
  readonly key: KeyObject
  readonly id: string
  readonly algorithm: string
}

export interface SigningKeys {
  /** Undefined: this server checks tokens and does not make them. */
  readonly signing: SigningKey | undefined
  readonly verification: readonly VerificationKey[]
}

/** `checking`: texts of one or more public or private keys in PEM form. Throws an `Error` with a message for the operator. */
export function readSigningKeys(signing: string | undefined, checking: readonly string[]): SigningKeys {
  const own = signing === undefined ? undefined : signingKeyOf(signing)
  const publicKeys = checking.flatMap(publicKeysIn)
  const all = own === undefined ? publicKeys : [verificationKey(createPublicKey(own.key)), ...publicKeys]
  const verification = all.filter((key, i) => all.findIndex(({ id }) => id === key.id) === i)
  return { signing: own, verification }
}

function signingKeyOf(pem: string): SigningKey {
  let key: KeyObject
  try {
    key = createPrivateKey(pem)
  } catch (error) {
    throw new Error('does not hold a private key in PEM form', { cause: error })
  }
  const { id, algorithm } = verificationKey(createPublicKey(key))
  return { key, id, algorithm }
}

function publicKeysIn(pem: string): VerificationKey[] {
  const blocks = [...pem.matchAll(/-----BEGIN ([A-Z0-9 ]+)-----[^-]+-----END \1-----/g)].filter(
    ([, label]) => label !== 'EC PARAMETERS',
  )
  if (blocks.length === 0) throw new Error('does not hold a key in PEM form')
  return blocks.map(([block]) => {
    try {
      return verificationKey(createPublicKey(block))
    } catch (error) {
      throw new Error('holds a key that cannot be read or cannot sign tokens', { cause: error })
    }
  })
}

function verificationKey(key: KeyObject): VerificationKey {
  const algorithm = algorithmOf(key)
  if (algorithm === undefined) throw new Error('holds a key that is neither RSA nor of the curves P-256, P-384, P-521')
  return { key, id: hash('sha256', key.export({ type: 'spki', format: 'der' }), 'base64url'), algorithm }
}

/** Whether one of the keys signed the token: the key that the token names, or any key if it names no known key. */
export function isSignedByOneOf(keys: readonly VerificationKey[], jwt: Jwt): boolean {
  const named = keys.filter(({ id }) => id === jwt.keyId)
  return (named.length === 0 ? keys : named).some(({ key }) => isSignedBy(jwt, key))
}

/** The JWKS document. */
export function jsonWebKeys(keys: readonly VerificationKey[]): object {
  return {
    keys: keys.map(({ key, id, algorithm }) => {
      const { kty, crv, x, y, n, e } = key.export({ format: 'jwk' })
      const numbers = kty === 'EC' ? { crv, x, y } : { n, e }
      return { use: 'sig', kty, kid: id, alg: algorithm, ...numbers }
    }),
  }
}
