// Makes what the compose file needs before its services can trust each other: an authority and certificates for etcd, and what the
// replicas share. Everything is in DIRECTORY; each container gets a folder of its own in DIRECTORY/for, with what it needs and nothing
// else. Run again it keeps what is there.
//
//     node deploy/make-certificates.ts DIRECTORY [ENVIRONMENT-FILE]
//
// With ENVIRONMENT-FILE, whose keys they are is written there: docker compose reads `.env`, and runs the containers as that user.
import { copyFileSync, existsSync, mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { makeReplicaFiles, saveAuthority, saveProxy, saveSigned } from '../src/commands/replica-files.ts'

const MEMBERS: readonly string[] = ['etcd-1', 'etcd-2', 'etcd-3']
const REPLICAS: readonly string[] = ['replica-1', 'replica-2', 'replica-3']

const both = (name: string): readonly string[] => [`${name}.crt`, `${name}.key`]

/** What each container may see. */
const NEEDED: Readonly<Record<string, readonly string[]>> = {
  ...Object.fromEntries(MEMBERS.map((name) => [name, ['etcd-ca.crt', ...both(name)]])),
  replica: [
    'etcd-ca.crt',
    ...both('etcd-client'),
    ...both('api'),
    'client-ca.crt',
    // By which replicas ask each other for a user, and know each other.
    'proxy-ca.crt',
    ...both('proxy'),
    'api-ca.crt',
    'service-account.key',
    'encryption.yaml',
  ],
  prometheus: ['api-ca.crt', ...both('prometheus'), 'etcd-ca.crt'],
}

const [, , directory = 'deploy/pki', environmentFile] = process.argv

if (existsSync(path.join(directory, 'admin.kubeconfig'))) {
  process.stdout.write(`${directory} is complete\n`)
} else {
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  makeEtcdFiles(directory)
  const clients = makeReplicaFiles({
    folder: directory,
    names: { dns: [...REPLICAS, 'balancer'], addresses: ['10.96.0.1'] },
    url: 'https://127.0.0.1:6443',
    kubeconfigFile: path.join(directory, 'admin.kubeconfig'),
  })
  // Who reads metrics, and nothing else.
  const monitoring = { commonName: 'prometheus', organizations: ['system:monitoring'], usages: ['client'] as const }
  saveSigned(directory, 'prometheus', clients, monitoring)
  process.stdout.write(`made certificates in ${directory}\n`)
}
// What was made by an older version does not have it.
if (!existsSync(path.join(directory, 'proxy.crt'))) saveProxy(directory)
for (const [name, files] of Object.entries(NEEDED)) handOut(path.join(directory, 'for', name), files)
if (environmentFile !== undefined && !existsSync(environmentFile)) {
  const [uid, gid] = [process.getuid?.() ?? 0, process.getgid?.() ?? 0]
  writeFileSync(
    environmentFile,
    `# Whose files the keys are: the containers run as them.\nQUARTERDECK_UID=${uid}\nQUARTERDECK_GID=${gid}\n`,
  )
}

function makeEtcdFiles(folder: string): void {
  const etcd = saveAuthority(folder, 'etcd-ca')
  for (const name of MEMBERS) {
    // A member is a server to clients and a client to the other members.
    const names = { dns: [name, 'localhost'], addresses: ['127.0.0.1', '::1'] }
    saveSigned(folder, name, etcd, { commonName: name, names, usages: ['server', 'client'] })
  }
  saveSigned(folder, 'etcd-client', etcd, { commonName: 'quarterdeck', usages: ['client'] })
}

function handOut(folder: string, files: readonly string[]): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  for (const file of files) copyFileSync(path.join(directory, file), path.join(folder, file))
}
