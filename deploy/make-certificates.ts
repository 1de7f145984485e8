// Makes what the compose file needs before its services can trust each other: an authority and certificates for etcd, and what the
// replicas share. Run again it keeps what is there.
//
//     node deploy/make-certificates.ts DIRECTORY
import { existsSync, mkdirSync } from 'node:fs'
import path from 'node:path'
import { makeReplicaFiles, saveAuthority, saveSigned } from '../src/commands/replica-files.ts'

const MEMBERS: readonly string[] = ['etcd-1', 'etcd-2', 'etcd-3']
const REPLICAS: readonly string[] = ['replica-1', 'replica-2', 'replica-3']

const [, , directory = 'deploy/pki'] = process.argv

if (existsSync(path.join(directory, 'admin.kubeconfig'))) {
  process.stdout.write(`${directory} is complete\n`)
} else {
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  makeEtcdFiles(directory)
  makeReplicaFiles({
    folder: directory,
    names: { dns: [...REPLICAS, 'balancer'], addresses: ['10.96.0.1'] },
    url: 'https://127.0.0.1:6443',
    kubeconfigFile: path.join(directory, 'admin.kubeconfig'),
  })
  process.stdout.write(`made certificates in ${directory}\n`)
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
