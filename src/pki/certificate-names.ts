// Reads the subject of certificates and certificate requests: its attributes, in their order.
import type { DerElement } from './der-reader.ts'
import { childrenOf, INTEGER, OBJECT_ID, readElement, readObjectId, readText, SEQUENCE, SET } from './der-reader.ts'

export interface NameAttribute {
  /** `2.5.4.10` is an organization. */
  readonly type: string
  /** Undefined: the value is not a text. */
  readonly text: string | undefined
}

export const ORGANIZATION = '2.5.4.10'
export const COMMON_NAME = '2.5.4.3'

/** Undefined if the bytes are not a request for a certificate. */
export function subjectOfRequest(der: Buffer): readonly NameAttribute[] | undefined {
  const parts = childrenOf(readElement(der), SEQUENCE)
  if (parts?.length !== 3) return undefined
  const [version, subject, key] = childrenOf(parts[0], SEQUENCE) ?? []
  if (version?.tag !== INTEGER || key?.tag !== SEQUENCE) return undefined
  return attributesIn(subject)
}

/** Undefined if the bytes are not a certificate. */
export function subjectOfCertificate(der: Buffer): readonly NameAttribute[] | undefined {
  const parts = childrenOf(readElement(der), SEQUENCE)
  const body = childrenOf(parts?.[0], SEQUENCE)
  // The order is version, serial number, algorithm, issuer, validity, subject. Certificates of version 1 have no version number.
  return attributesIn(body?.[body[0]?.tag === INTEGER ? 4 : 5])
}

function attributesIn(name: DerElement | undefined): readonly NameAttribute[] | undefined {
  const sets = childrenOf(name, SEQUENCE)
  if (sets === undefined) return undefined
  const attributes: NameAttribute[] = []
  for (const set of sets) {
    const pairs = childrenOf(set, SET)
    if (pairs === undefined) return undefined
    for (const pair of pairs) {
      const [type, value] = childrenOf(pair, SEQUENCE) ?? []
      if (type?.tag !== OBJECT_ID || value === undefined) return undefined
      attributes.push({ type: readObjectId(type), text: readText(value) })
    }
  }
  return attributes
}
