// Reads, signs and verifies JSON web tokens in their compact form. Only signatures by key pairs are supported, and the key determines the
// algorithms: a token cannot choose another one.
import { constants, type KeyObject, sign, verify } from 'node:crypto'
import type { ValueMap } from '../api/value.ts'
import { isMap } from '../api/value.ts'

export interface Jwt {
  readonly algorithm: string
  /** Empty: the token names no key. */
  readonly keyId: string
  readonly claims: ValueMap
  /** The signed part. */
  readonly signed: string
  readonly signature: Buffer
}

/** No issuer that we trust makes longer tokens. */
const MAX_LENGTH = 64 * 1024
const FORM = /^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+$/

/** Undefined: the text is not a token. Trust nothing in it before its signature is verified. */
export function parseJwt(token: string): Jwt | undefined {
  if (token.length > MAX_LENGTH || !FORM.test(token)) return undefined
  const [head = '', body = '', signature = ''] = token.split('.')
  const header = parsePart(head)
  const claims = parsePart(body)
  if (header === undefined || claims === undefined || Object.hasOwn(header, 'crit')) return undefined
  const { alg, kid } = header
  if (typeof alg !== 'string' || (kid !== undefined && typeof kid !== 'string')) return undefined
  return {
    algorithm: alg,
    keyId: kid ?? '',
    claims,
    signed: token.slice(0, head.length + 1 + body.length),
    signature: Buffer.from(signature, 'base64url'),
  }
}

function parsePart(part: string): ValueMap | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, 'base64url').toString('utf8'))
    return isMap(value as ValueMap) ? (value as ValueMap) : undefined
  } catch {
    return undefined
  }
}

interface Algorithm {
  readonly hash: string
  readonly keyType: string
  readonly curve?: string
  readonly pss?: boolean
}

const ALGORITHMS: Readonly<Record<string, Algorithm>> = {
  RS256: { hash: 'sha256', keyType: 'rsa' },
  RS384: { hash: 'sha384', keyType: 'rsa' },
  RS512: { hash: 'sha512', keyType: 'rsa' },
  PS256: { hash: 'sha256', keyType: 'rsa', pss: true },
  PS384: { hash: 'sha384', keyType: 'rsa', pss: true },
  PS512: { hash: 'sha512', keyType: 'rsa', pss: true },
  ES256: { hash: 'sha256', keyType: 'ec', curve: 'prime256v1' },
  ES384: { hash: 'sha384', keyType: 'ec', curve: 'secp384r1' },
  ES512: { hash: 'sha512', keyType: 'ec', curve: 'secp521r1' },
}

export const SIGNATURE_ALGORITHMS: readonly string[] = Object.keys(ALGORITHMS)

function fits(algorithm: Algorithm, key: KeyObject): boolean {
  if (key.asymmetricKeyType !== algorithm.keyType) return false
  return algorithm.curve === undefined || key.asymmetricKeyDetails?.namedCurve === algorithm.curve
}

export function isSignedBy(jwt: Jwt, key: KeyObject): boolean {
  const algorithm = Object.hasOwn(ALGORITHMS, jwt.algorithm) ? ALGORITHMS[jwt.algorithm] : undefined
  if (algorithm === undefined || !fits(algorithm, key)) return false
  return verify(algorithm.hash, Buffer.from(jwt.signed), signatureForm(algorithm, key), jwt.signature)
}

/** The algorithm with which a key signs. Undefined: tokens cannot be signed with such a key. */
export function algorithmOf(key: KeyObject): string | undefined {
  return Object.keys(ALGORITHMS).find((name) => fits(ALGORITHMS[name]!, key))
}

export interface SigningKey {
  readonly key: KeyObject
  readonly id: string
  readonly algorithm: string
}

export function signJwt({ key, id, algorithm }: SigningKey, claims: object): string {
  const signed = `${encode({ alg: algorithm, kid: id })}.${encode(claims)}`
  const known = ALGORITHMS[algorithm]
  if (known === undefined) throw new Error(`tokens cannot be signed with ${algorithm}`)
  const signature = sign(known.hash, Buffer.from(signed), signatureForm(known, key))
  return `${signed}.${signature.toString('base64url')}`
}

function encode(part: object): string {
  return Buffer.from(JSON.stringify(part)).toString('base64url')
}

interface SignatureForm {
  readonly key: KeyObject
  readonly dsaEncoding?: 'ieee-p1363'
  readonly padding?: number
  readonly saltLength?: number
}

function signatureForm({ keyType, pss }: Algorithm, key: KeyObject): SignatureForm {
  if (keyType === 'ec') return { key, dsaEncoding: 'ieee-p1363' }
  if (pss !== true) return { key, padding: constants.RSA_PKCS1_PADDING }
  return { key, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST }
}
