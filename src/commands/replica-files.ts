// The files that all replicas share: authorities, a serving certificate, the certificate for requests on behalf of users, the key of service
// accounts, the encryption key of secrets, and an administrator's kubeconfig.
import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { type KeyPair, makeAuthority, makeSigned, type Names, type Subject } from '../pki/certificate-maker.ts'
import { kubeconfigOf, writeKubeconfig } from '../config/admin.ts'

const YEAR_MS = 365 * 24 * 60 * 60 * 1000
const AUTHORITY_LIFETIME_MS = 10 * YEAR_MS
const CERTIFICATE_LIFETIME_MS = 2 * YEAR_MS

/** The names by which pods call the server. */
const SERVICE_NAMES: readonly string[] = ['kubernetes', 'kubernetes.default', 'kubernetes.default.svc']

/** The name in the certificate with which a replica forwards requests of users to other replicas and to aggregated API servers. */
export const PROXY_NAME = 'front-proxy-client'

interface ReplicaFiles {
  /** The folder must exist. */
  readonly folder: string
  /** The names by which clients call the replicas. */
  readonly names: Required<Names>
  /** The URL of a replica, or of the load balancer of all replicas. */
  readonly url: string
  readonly kubeconfigFile: string
}

/** Writes all files, and returns the authority of clients. */
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

/** Writes the certificate for requests on behalf of users. */
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

/** Only the owner can read the file. The replicas run as that user. */
function write(folder: string, name: string, text: string): void {
  writeFileSync(path.join(folder, name), text, { mode: 0o600 })
}

/** JSON is also YAML. */
function encryptionConfig(secret: Buffer): string {
  const keys = [{ name: 'key-1', secret: secret.toString('base64') }]
  const resources = [{ resources: ['secrets'], providers: [{ secretbox: { keys } }, { identity: {} }] }]
  return JSON.stringify({ apiVersion: 'apiserver.config.k8s.io/v1', kind: 'EncryptionConfiguration', resources })
}
