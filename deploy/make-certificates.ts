// Makes what the compose file needs before its services can trust each other: one authority for etcd, one for the API and one
// for its clients, certificates signed by them, and a kubeconfig. Run again it keeps what is there.
//
//     node deploy/make-certificates.ts DIRECTORY
import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { kubeconfigOf, writeKubeconfig } from '../src/server/admin.ts'
import { type KeyPair, makeAuthority, makeSigned, type Subject } from '../src/pki/certificate-maker.ts'

const YEAR_MS = 365 * 24 * 60 * 60 * 1000
const MEMBERS: readonly string[] = ['etcd-1', 'etcd-2', 'etcd-3']
const REPLICAS: readonly string[] = ['replica-1', 'replica-2', 'replica-3']

const [, , directory = 'deploy/pki'] = process.argv

if (existsSync(path.join(directory, 'admin.kubeconfig'))) {
  process.stdout.write(`${directory} is complete\n`)
} else {
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  makeAll(directory)
  process.stdout.write(`made certificates in ${directory}\n`)
}

function makeAll(folder: string): void {
  const etcd = save(folder, 'etcd-ca', makeAuthority(10 * YEAR_MS))
  const local = { addresses: ['127.0.0.1', '::1'] }
  for (const name of MEMBERS) {
    // A member is a server to clients and a client to the other members.
    sign(folder, name, etcd, {
      commonName: name,
      names: { dns: [name, 'localhost'], ...local },
      usages: ['server', 'client'],
    })
  }
  sign(folder, 'etcd-client', etcd, { commonName: 'quarterdeck', usages: ['client'] })

  const api = save(folder, 'api-ca', makeAuthority(10 * YEAR_MS))
  const dns = [...REPLICAS, 'balancer', 'localhost', 'kubernetes', 'kubernetes.default', 'kubernetes.default.svc']
  const addresses = [...local.addresses, '10.96.0.1']
  sign(folder, 'api', api, { commonName: 'quarterdeck', names: { dns, addresses }, usages: ['server'] })

  // What one replica signs or seals, the others must know.
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  write(folder, 'service-account.key', privateKey.export({ type: 'pkcs8', format: 'pem' }).toString())
  write(folder, 'encryption.yaml', encryptionConfig(randomBytes(32)))

  const clients = save(folder, 'client-ca', makeAuthority(10 * YEAR_MS))
  const subject: Subject = { commonName: 'admin', organizations: ['system:masters'], usages: ['client'] }
  const user = sign(folder, 'admin', clients, subject)
  const url = 'https://127.0.0.1:6443'
  const kubeconfig = kubeconfigOf({ url, authority: api.certificate, user: { name: 'admin', credential: user } })
  writeKubeconfig(path.join(folder, 'admin.kubeconfig'), kubeconfig)
}

/** JSON is YAML too. */
function encryptionConfig(secret: Buffer): string {
  const keys = [{ name: 'key-1', secret: secret.toString('base64') }]
  const resources = [{ resources: ['secrets'], providers: [{ secretbox: { keys } }, { identity: {} }] }]
  return JSON.stringify({ apiVersion: 'apiserver.config.k8s.io/v1', kind: 'EncryptionConfiguration', resources })
}

function sign(folder: string, name: string, authority: KeyPair, subject: Subject): KeyPair {
  return save(folder, name, makeSigned(authority, subject, 2 * YEAR_MS))
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
