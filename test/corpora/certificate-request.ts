// Requests for certificates, as clients make them.
import { generateKeyPairSync, sign } from 'node:crypto'
import * as der from '../../src/pki/der-writer.ts'

/** PEM. `subject`: pairs of an attribute's object id and its value, ready in DER. */
export function certificateRequest(subject: readonly (readonly [string, der.Der])[]): string {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const name = der.sequence(...subject.map(([id, value]) => der.set(der.sequence(der.objectId(id), value))))
  const info = der.sequence(
    der.integer(Buffer.of(0)),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    der.explicit(0),
  )
  const algorithm = der.sequence(der.objectId('1.2.840.10045.4.3.2'))
  const request = der.sequence(info, algorithm, der.bitString(sign('sha256', info, privateKey)))
  const lines = request.toString('base64').match(/.{1,64}/g) ?? []
  return `-----BEGIN CERTIFICATE REQUEST-----\n${lines.join('\n')}\n-----END CERTIFICATE REQUEST-----\n`
}

export const COMMON_NAME = '2.5.4.3'
export const ORGANIZATION = '2.5.4.10'
