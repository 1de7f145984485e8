// What replicas of one server share and each of them needs: authorities, a serving certificate, the one by which they ask each other for
// a user, the key of service accounts, the key that secrets are encrypted with, and an administrator's kubeconfig.
import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { type KeyPair, makeAuthority, makeSigned, type Names, type Subject } from '../pki/certificate-maker.ts'
import { kubeconfigOf, writeKubeconfig } from '../server/admin.ts'

const YEAR_MS = 365 * 24 * 60 * 60 * 1000
const AUTHORITY_LIFETIME_MS = 10 * YEAR_MS
const CERTIFICATE_LIFETIME_MS = 2 * YEAR_MS

/** By which pods call the server. */
const SERVICE_NAMES: readonly string[] = ['kubernetes', 'kubernetes.default', 'kubernetes.default.svc']

/** Of the certificate by which a replica tells others, and servers of other groups, for whom it asks. */
export const PROXY_NAME = 'front-proxy-client'

interface ReplicaFiles {
  /** Has to be there. */
  readonly folder: string
  /** Under which clients call the replicas. */
  readonly names: Required<Names>
  /** Of one of them, or of what stands before them. */
  readonly url: string
  readonly kubeconfigFile: string
}

/** Gives back the authority of clients. */
export function makeReplicaFiles({ folder, names, url, kubeconfigFile }: ReplicaFiles): KeyPair {
  const api = saveAuthority(folder, 'api-ca')
  const dns = [...names.dns, 'localhost', ...SERVICE_NAMES]
  const addresses = [...names.addresses, '127.0.0.1', '::1']
  saveSigned(folder, 'api', api, { commonName: 'quarterdeck', names: { dns, addresses }, usages: ['server'] })
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  write(folder, 'service-account.key', privateKey.export({ type: 'pkcs8', format: 'pem' }).toString())
  write(folder, 'encryption.yaml', encryptionConfig(randomBytes(32)))
  const clients = saveAuthority(folder, 'client-ca')
  const subject: Subject = { commonName: 'admin', organizations: ['system:masters'], usages: ['client'] }
  const credential = saveSigned(folder, 'admin', clients, subject)
  saveProxy(folder)
  writeKubeconfig(
    kubeconfigFile,
    kubeconfigOf({ url, authority: api.certificate, user: { name: 'admin', credential } }),
  )
  return clients
}

/** By which replicas ask each other for a user. */
export function saveProxy(folder: string): void {
  saveSigned(folder, 'proxy', saveAuthority(folder, 'proxy-ca'), { commonName: PROXY_NAME, usages: ['client'] })
}

export function saveAuthority(folder: string, name: string): KeyPair {
  return save(folder, name, makeAuthority(AUTHORITY_LIFETIME_MS))
}

export function saveSigned(folder: string, name: string, authority: KeyPair, subject: Subject): KeyPair {
  return save(folder, name, makeSigned(authority, subject, CERTIFICATE_LIFETIME_MS))
}

function save(folder: string, name: string, pair: KeyPair): KeyPair {
  write(folder, `${name}.crt`, pair.certificate)
  write(folder, `${name}.key`, pair.key)
  return pair
}

/** Readable by its owner alone, whom the replicas run as. */
function write(folder: string, name: string, text: string): void {
  writeFileSync(path.join(folder, name), text, { mode: 0o600 })
}

/** JSON is YAML too. */
function encryptionConfig(secret: Buffer): string {
  const keys = [{ name: 'key-1', secret: secret.toString('base64') }]
  const resources = [{ resources: ['secrets'], providers: [{ secretbox: { keys } }, { identity: {} }] }]
  return JSON.stringify({ apiVersion: 'apiserver.config.k8s.io/v1', kind: 'EncryptionConfiguration', resources })
}
