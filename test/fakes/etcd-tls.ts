// Certificates for a test etcd: an authority, a server on 127.0.0.1 and a client, made anew for every use. They are written
// in DER by hand, so that a test does not stand on the code that makes the server's own.
import { generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'

export interface Pem {
  readonly certificate: string
  readonly key: string
}

/** In PEM; those of the server are files, for a process that wants them there. */
export interface EtcdCertificates {
  readonly ca: string
  readonly client: Pem
  readonly files: { readonly ca: string; readonly certificate: string; readonly key: string }
}

export async function makeEtcdCertificates(folder: string): Promise<EtcdCertificates> {
  const authority = issue({ name: 'test authority', extensions: [AUTHORITY] })
  const server = issue({ name: 'etcd', issuer: authority, extensions: [LOOPBACK, EITHER_END] })
  const client = issue({ name: 'client', issuer: authority, extensions: [EITHER_END] })
  const files = { ca: join(folder, 'ca.crt'), certificate: join(folder, 'server.crt'), key: join(folder, 'server.key') }
  await writeFile(files.ca, authority.certificate)
  await writeFile(files.certificate, server.certificate)
  await writeFile(files.key, server.key, { mode: 0o600 })
  return { ca: authority.certificate, client, files }
}

const SEQUENCE = 0x30
const SET = 0x31
const OCTETS = 0x04
const BITS = 0x03
const INTEGER = 0x02
const BOOLEAN = 0x01
const OBJECT_ID = 0x06
const UTF8 = 0x0c
const UTC_TIME = 0x17
/** The first, second, … tag that a structure defines for itself; `+ 0x20` where it holds further values. */
const OWN = 0x80
const HOLDS = 0x20

const ECDSA_WITH_SHA256 = der(SEQUENCE, der(OBJECT_ID, Buffer.from('2a8648ce3d040302', 'hex')))
const COMMON_NAME = der(OBJECT_ID, Buffer.from('550403', 'hex'))
const TRUE = der(BOOLEAN, Buffer.from([0xff]))

const AUTHORITY = extension('551d13', der(SEQUENCE, TRUE), TRUE)
const LOOPBACK = extension(
  '551d11',
  der(SEQUENCE, der(OWN + 7, Buffer.from([127, 0, 0, 1])), der(OWN + 2, Buffer.from('localhost'))),
)
/** Server and client: etcd's own gateway dials its server with the server's certificate. */
const EITHER_END = extension(
  '551d25',
  der(
    SEQUENCE,
    der(OBJECT_ID, Buffer.from('2b06010505070301', 'hex')),
    der(OBJECT_ID, Buffer.from('2b06010505070302', 'hex')),
  ),
)

interface Issued extends Pem {
  readonly name: string
  readonly privateKey: KeyObject
}

function issue(request: {
  readonly name: string
  readonly issuer?: Issued
  readonly extensions: readonly Buffer[]
}): Issued {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const body = der(
    SEQUENCE,
    der(OWN + HOLDS, der(INTEGER, Buffer.from([2]))),
    der(INTEGER, Buffer.concat([Buffer.from([1]), randomBytes(15)])),
    ECDSA_WITH_SHA256,
    distinguishedName(request.issuer?.name ?? request.name),
    der(SEQUENCE, time(Date.now() - 3_600_000), time(Date.now() + 3_600_000)),
    distinguishedName(request.name),
    publicKey.export({ type: 'spki', format: 'der' }),
    der(OWN + HOLDS + 3, der(SEQUENCE, ...request.extensions)),
  )
  const signature = sign('sha256', body, request.issuer?.privateKey ?? privateKey)
  const whole = der(SEQUENCE, body, ECDSA_WITH_SHA256, der(BITS, Buffer.from([0]), signature))
  return {
    name: request.name,
    privateKey,
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    certificate: `-----BEGIN CERTIFICATE-----\n${whole.toString('base64').replace(/.{64}/g, '$&\n')}\n-----END CERTIFICATE-----\n`,
  }
}

/** Tag, length, value. */
function der(tag: number, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts)
  const length: number[] = []
  for (let rest = content.length; rest > 0; rest >>>= 8) length.unshift(rest & 0xff)
  const header = content.length < 0x80 ? [tag, content.length] : [tag, 0x80 | length.length, ...length]
  return Buffer.concat([Buffer.from(header), content])
}

function extension(id: string, value: Buffer, critical: Buffer = Buffer.alloc(0)): Buffer {
  return der(SEQUENCE, der(OBJECT_ID, Buffer.from(id, 'hex')), critical, der(OCTETS, value))
}

function distinguishedName(name: string): Buffer {
  return der(SEQUENCE, der(SET, der(SEQUENCE, COMMON_NAME, der(UTF8, Buffer.from(name)))))
}

function time(millis: number): Buffer {
  return der(UTC_TIME, Buffer.from(`${new Date(millis).toISOString().replace(/[-:T]/g, '').slice(2, 14)}Z`))
}
