// Reads certificate requests in PKCS#10 (RFC 2986): the public key, and whether its holder has signed the request.
import { constants, createPublicKey, type KeyObject, verify } from 'node:crypto'
import {
  childrenOf,
  type DerElement,
  INTEGER,
  OBJECT_ID,
  readElement,
  readObjectId,
  SEQUENCE,
  SET,
} from './der-reader.ts'

export interface CertificateRequest {
  /** Undefined: the algorithm of the key is not known. */
  readonly key: KeyObject | undefined
  /** Whether the holder of the key has signed the request. */
  readonly isSigned: () => boolean
}

interface SignatureAlgorithm {
  /** The type of the key, as Node names it. */
  readonly key: 'rsa' | 'ec' | 'ed25519'
  /** Undefined if the algorithm has a hash of its own. */
  readonly hash?: string
  /** Undefined: the algorithm does not use PSS. */
  readonly saltLength?: number
}

const BIT_STRING = 0x03
/** The tag of an explicit `[0]`, which holds other elements. The tag of `[n]` is higher by n. */
const CONTEXT = 0xa0
const UNCOMPRESSED = 0x04
/** A larger public exponent costs too much. */
const MAX_EXPONENT = 2n ** 31n - 1n
const NULL = Buffer.of(0x05, 0)

const KNOWN_KEYS: Readonly<Record<string, SignatureAlgorithm['key'] | 'other'>> = {
  '1.2.840.113549.1.1.1': 'rsa',
  '1.2.840.10045.2.1': 'ec',
  '1.3.101.112': 'ed25519',
  '1.3.101.110': 'other',
  '1.2.840.10040.4.1': 'other',
}
const CURVES: readonly string[] = ['secp224r1', 'prime256v1', 'secp384r1', 'secp521r1']
const ED25519 = '1.3.101.112'
const PSS = '1.2.840.113549.1.1.10'
const MGF1 = '1.2.840.113549.1.1.8'
const SIGNATURES: Readonly<Record<string, SignatureAlgorithm>> = {
  '1.2.840.113549.1.1.5': { key: 'rsa', hash: 'sha1' },
  '1.3.14.3.2.29': { key: 'rsa', hash: 'sha1' },
  '1.2.840.113549.1.1.11': { key: 'rsa', hash: 'sha256' },
  '1.2.840.113549.1.1.12': { key: 'rsa', hash: 'sha384' },
  '1.2.840.113549.1.1.13': { key: 'rsa', hash: 'sha512' },
  '1.2.840.10045.4.1': { key: 'ec', hash: 'sha1' },
  '1.2.840.10045.4.3.2': { key: 'ec', hash: 'sha256' },
  '1.2.840.10045.4.3.3': { key: 'ec', hash: 'sha384' },
  '1.2.840.10045.4.3.4': { key: 'ec', hash: 'sha512' },
  [ED25519]: { key: 'ed25519' },
}
/** With PSS, the salt is as long as the hash. */
const PSS_HASHES: Readonly<Record<string, SignatureAlgorithm & { readonly saltLength: number }>> = {
  '2.16.840.1.101.3.4.2.1': { key: 'rsa', hash: 'sha256', saltLength: 32 },
  '2.16.840.1.101.3.4.2.2': { key: 'rsa', hash: 'sha384', saltLength: 48 },
  '2.16.840.1.101.3.4.2.3': { key: 'rsa', hash: 'sha512', saltLength: 64 },
}
const EXTENSION_REQUEST = '1.2.840.113549.1.9.14'
const ALTERNATIVE_NAMES = '2.5.29.17'
/** The tags of a mail address, a DNS name and a URI. */
const TEXTS: readonly number[] = [0x81, 0x82, 0x86]
const ADDRESS = 0x87

/** Undefined if the bytes are not a request, or their key does not parse. Like Go, it accepts extra elements at the end of a sequence. */
export function readCertificateRequest(bytes: Buffer): CertificateRequest | undefined {
  const [body, algorithm, signature] = childrenOf(readElement(bytes), SEQUENCE) ?? []
  const [version, subject, info, attributes] = childrenOf(body, SEQUENCE) ?? []
  const bits = bitsOf(signature)
  if (version?.tag !== INTEGER || algorithm?.tag !== SEQUENCE || bits === undefined) return undefined
  const requested = childrenOf(attributes, CONTEXT)
  if (!isName(subject) || requested?.every(isAttribute) !== true) return undefined
  const key = readKey(info)
  if (key === 'malformed') return undefined
  return { key, isSigned: () => key !== undefined && isSignedBy(key, body!.whole, algorithm, bits) }
}

function bitsOf(element: DerElement | undefined): Buffer | undefined {
  return element?.tag === BIT_STRING && element.content[0] === 0 ? element.content.subarray(1) : undefined
}

function idOf(element: DerElement | undefined): string | undefined {
  return element?.tag === OBJECT_ID ? readObjectId(element) : undefined
}

function isName(element: DerElement | undefined): boolean {
  const isPair = (pair: DerElement): boolean => idOf(childrenOf(pair, SEQUENCE)?.[0]) !== undefined
  return childrenOf(element, SEQUENCE)?.every((set) => childrenOf(set, SET)?.every(isPair) === true) === true
}

/** Whether the attribute is valid. Attributes of an unknown form are ignored. Requested extensions must be a list without repetitions. */
function isAttribute(element: DerElement): boolean {
  const [type, values] = childrenOf(element, SEQUENCE) ?? []
  const [first] = childrenOf(values, SET) ?? []
  if (idOf(type) !== EXTENSION_REQUEST || first === undefined) return true
  const extensions = childrenOf(first, SEQUENCE)?.map((extension) => childrenOf(extension, SEQUENCE) ?? [])
  const ids = extensions?.map(([id]) => idOf(id))
  if (ids === undefined || ids.includes(undefined) || new Set(ids).size < ids.length) return false
  return extensions!.every((parts, i) => ids[i] !== ALTERNATIVE_NAMES || areNames(parts.at(-1)))
}

function areNames(value: DerElement | undefined): boolean {
  const isValid = ({ tag, content }: DerElement): boolean => {
    if (tag === ADDRESS) return content.length === 4 || content.length === 16
    return !TEXTS.includes(tag) || content.every((byte) => byte < 0x80)
  }
  return value !== undefined && childrenOf(readElement(value.content), SEQUENCE)?.every(isValid) === true
}

function readKey(info: DerElement | undefined): KeyObject | 'malformed' | undefined {
  const [algorithm, content] = childrenOf(info, SEQUENCE) ?? []
  const [type, parameters] = childrenOf(algorithm, SEQUENCE) ?? []
  const [id, bits] = [idOf(type), bitsOf(content)]
  if (id === undefined || bits === undefined) return 'malformed'
  const known = KNOWN_KEYS[id]
  if (known === undefined) return undefined
  if (known === 'rsa' && parameters?.whole.equals(NULL) !== true) return 'malformed'
  if (known === 'ec' && bits[0] !== UNCOMPRESSED) return 'malformed'
  try {
    const key = createPublicKey({ key: info!.whole, format: 'der', type: 'spki' })
    const curve = key.asymmetricKeyDetails?.namedCurve
    return known === 'ec' && !CURVES.includes(curve ?? '') ? 'malformed' : key
  } catch {
    return 'malformed'
  }
}

function isSignedBy(key: KeyObject, body: Buffer, algorithm: DerElement, signature: Buffer): boolean {
  const how = signatureAlgorithm(algorithm)
  if (how === undefined || how.key !== key.asymmetricKeyType) return false
  if ((key.asymmetricKeyDetails?.publicExponent ?? 0n) > MAX_EXPONENT) return false
  const { hash, saltLength } = how
  const padding = saltLength === undefined ? {} : { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength }
  return verify(hash, body, { key, ...padding }, signature)
}

function signatureAlgorithm(element: DerElement): SignatureAlgorithm | undefined {
  const [type, parameters] = childrenOf(element, SEQUENCE) ?? []
  const id = idOf(type)
  if (id === PSS) return pssAlgorithm(parameters)
  return id === undefined || (id === ED25519 && parameters !== undefined) ? undefined : SIGNATURES[id]
}

/** Undefined: the hash is unknown, the mask has another hash, or the salt is not as long as the hash. */
function pssAlgorithm(parameters: DerElement | undefined): SignatureAlgorithm | undefined {
  const [hash, mask, salt, trailer] = (childrenOf(parameters, SEQUENCE) ?? []).map(
    (element, i) => childrenOf(element, CONTEXT + i)?.[0],
  )
  const [maskType, maskHash] = childrenOf(mask, SEQUENCE) ?? []
  const [id, maskId] = [hash, maskHash].map((element) => idOf(childrenOf(element, SEQUENCE)?.[0]))
  const how = PSS_HASHES[id ?? '']
  const isUsual = maskId === id && idOf(maskType) === MGF1 && isNumber(trailer, 1, true)
  return how !== undefined && isUsual && isNumber(salt, how.saltLength) ? how : undefined
}

function isNumber(element: DerElement | undefined, wanted: number, orAbsent = false): boolean {
  if (element === undefined) return orAbsent
  return element.tag === INTEGER && element.content.equals(Buffer.of(wanted))
}
