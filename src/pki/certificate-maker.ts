// Makes ECDSA certificates: a self-signed CA, and certificates that it signs. It uses no library, because a library would take longer to
// load than the rest of the start.
import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
  sign,
  X509Certificate,
} from 'node:crypto'
import { isIPv4 } from 'node:net'
import * as der from './der-writer.ts'

/** PEM texts. */
export interface KeyPair {
  readonly certificate: string
  readonly key: string
}

export interface Names {
  readonly dns: readonly string[]
  readonly addresses: readonly string[]
}

/** Certificates are valid from a little before they are made, because clocks differ. */
const BACKDATE_MS = 5 * 60 * 1000

const SIGNED_WITH = der.sequence(der.objectId('1.2.840.10045.4.3.2'))
const KEY_USAGE = '2.5.29.15'
const SUBJECT_KEY_ID = '2.5.29.14'
const ALTERNATIVE_NAMES = '2.5.29.17'
const BASIC_CONSTRAINTS = '2.5.29.19'
const AUTHORITY_KEY_ID = '2.5.29.35'
const EXTENDED_KEY_USAGE = '2.5.29.37'
const SERVER_AUTH = '1.3.6.1.5.5.7.3.1'
const CLIENT_AUTH = '1.3.6.1.5.5.7.3.2'

export function makeAuthority(lifetimeMs: number): KeyPair {
  const keys = newKeys()
  const name = nameOf(`quarterdeck-ca@${Math.floor(Date.now() / 1000)}`)
  return finish(keys, {
    subject: name,
    issuer: name,
    issuerKey: keys.privateKey,
    lifetimeMs,
    extensions: [
      extension(BASIC_CONSTRAINTS, der.sequence(der.boolean(true)), 'critical'),
      // Signatures, certificates, revocation lists.
      extension(KEY_USAGE, der.bitString(Buffer.of(0b1000_0110), 1), 'critical'),
      extension(SUBJECT_KEY_ID, der.octetString(keyId(keys.publicKey))),
    ],
  })
}

/** A certificate for a server with the given names. */
export function makeServing(authority: KeyPair, names: Names, lifetimeMs: number): KeyPair {
  return makeSigned(authority, { commonName: 'quarterdeck', names, usages: ['server'] }, lifetimeMs)
}

export interface Subject {
  readonly commonName: string
  readonly organizations?: readonly string[]
  readonly names?: Names
  /** The ends of a connection at which the certificate may be used. */
  readonly usages: readonly ('server' | 'client')[]
}

export function makeSigned(authority: KeyPair, subject: Subject, lifetimeMs: number): KeyPair {
  const keys = newKeys()
  const issuerKey = createPrivateKey(authority.key)
  const { dns = [], addresses = [] } = subject.names ?? {}
  const alternatives = [
    ...dns.map((name) => der.implicit(2, Buffer.from(name))),
    ...addresses.map((address) => der.implicit(7, addressBytes(address))),
  ]
  const usages = subject.usages.map((usage) => der.objectId(usage === 'server' ? SERVER_AUTH : CLIENT_AUTH))
  return finish(keys, {
    subject: nameOf(subject.commonName, subject.organizations),
    issuer: nameOf(commonName(authority.certificate)),
    issuerKey,
    lifetimeMs,
    extensions: [
      extension(BASIC_CONSTRAINTS, der.sequence(), 'critical'),
      extension(KEY_USAGE, der.bitString(Buffer.of(0b1000_0000), 7), 'critical'),
      extension(EXTENDED_KEY_USAGE, der.sequence(...usages)),
      ...(alternatives.length === 0 ? [] : [extension(ALTERNATIVE_NAMES, der.sequence(...alternatives))]),
      extension(SUBJECT_KEY_ID, der.octetString(keyId(keys.publicKey))),
      extension(AUTHORITY_KEY_ID, der.sequence(der.implicit(0, keyId(createPublicKey(issuerKey))))),
    ],
  })
}

interface Keys {
  readonly publicKey: KeyObject
  readonly privateKey: KeyObject
}

interface Content {
  readonly subject: der.Der
  readonly issuer: der.Der
  readonly issuerKey: KeyObject
  readonly lifetimeMs: number
  readonly extensions: readonly der.Der[]
}

function newKeys(): Keys {
  return generateKeyPairSync('ec', { namedCurve: 'P-256' })
}

function finish(keys: Keys, { subject, issuer, issuerKey, lifetimeMs, extensions }: Content): KeyPair {
  const now = Date.now()
  // The first bit is 0 and the second is 1, so that the number is positive and has always 16 bytes.
  const serial = randomBytes(16)
  serial[0] = (serial[0]! & 0x7f) | 0x40
  const signed = der.sequence(
    der.explicit(0, der.integer(Buffer.of(2))),
    der.integer(serial),
    SIGNED_WITH,
    issuer,
    der.sequence(der.time(new Date(now - BACKDATE_MS)), der.time(new Date(now + lifetimeMs))),
    subject,
    publicKeyDer(keys.publicKey),
    der.explicit(3, der.sequence(...extensions)),
  )
  const certificate = der.sequence(signed, SIGNED_WITH, der.bitString(sign('sha256', signed, issuerKey)))
  return {
    certificate: new X509Certificate(certificate).toString(),
    key: keys.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  }
}

function extension(id: string, content: der.Der, critical?: 'critical'): der.Der {
  return der.sequence(
    der.objectId(id),
    ...(critical === undefined ? [] : [der.boolean(true)]),
    der.octetString(content),
  )
}

function nameOf(commonName: string, organizations: readonly string[] = []): der.Der {
  const attribute = (id: string, value: string): der.Der =>
    der.set(der.sequence(der.objectId(id), der.utf8String(value)))
  return der.sequence(
    ...organizations.map((organization) => attribute('2.5.4.10', organization)),
    attribute('2.5.4.3', commonName),
  )
}

function commonName(certificate: string): string {
  return new X509Certificate(certificate).subject.replace(/^CN=/, '')
}

function publicKeyDer(key: KeyObject): Buffer {
  return key.export({ type: 'spki', format: 'der' })
}

/** The SHA-1 of the point of the key. On this curve, the point is the last 65 bytes of the key in DER. */
function keyId(key: KeyObject): Buffer {
  return createHash('sha1').update(publicKeyDer(key).subarray(-65)).digest()
}

export function addressBytes(address: string): Buffer {
  if (isIPv4(address)) return Buffer.from(address.split('.').map(Number))
  const [head = '', tail] = ipv6Words(address).split('::')
  const left = head === '' ? [] : head.split(':')
  const right = tail === undefined || tail === '' ? [] : tail.split(':')
  const words = [...left, ...Array.from({ length: 8 - left.length - right.length }, () => '0'), ...right]
  return Buffer.from(words.map((word) => word.padStart(4, '0')).join(''), 'hex')
}

/** Writes the IPv4 part of `::ffff:1.2.3.4` as two hexadecimal words. */
function ipv6Words(address: string): string {
  const dotted = /\d+\.\d+\.\d+\.\d+$/.exec(address)?.[0]
  if (dotted === undefined) return address
  const hex = addressBytes(dotted).toString('hex')
  return `${address.slice(0, -dotted.length)}${hex.slice(0, 4)}:${hex.slice(4)}`
}
