// Makes the keys of the compose file: an authority and certificates for etcd, and the keys that the replicas share. They are in DIRECTORY; each
// container gets a folder of its own in DIRECTORY/for with only the keys that it needs. A second run keeps existing files.
//
//     node deploy/make-certificates.ts DIRECTORY [ENVIRONMENT-FILE]
//
// The user of the containers is written to ENVIRONMENT-FILE: docker compose reads `.env`. It is the user who runs this program. Root instead makes
// the user that the file names the owner of the folders, or else the user of the image.
import { chownSync, copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { makeReplicaFiles, saveAuthority, saveProxy, saveSigned } from '../src/commands/replica-files.ts'

const MEMBERS: readonly string[] = ['etcd-1', 'etcd-2', 'etcd-3']
const REPLICAS: readonly string[] = ['replica-1', 'replica-2', 'replica-3']

const both = (name: string): readonly string[] => [`${name}.crt`, `${name}.key`]

/** The files that each container may see. */
const NEEDED: Readonly<Record<string, readonly string[]>> = {
  ...Object.fromEntries(MEMBERS.map((name) => [name, ['etcd-ca.crt', ...both(name)]])),
  replica: [
    'etcd-ca.crt',
    ...both('etcd-client'),
    ...both('api'),
    'client-ca.crt',
    // Replicas identify themselves by it, and name the user for whom they ask.
    'proxy-ca.crt',
    ...both('proxy'),
    'api-ca.crt',
    'service-account.key',
    'encryption.yaml',
  ],
  prometheus: ['api-ca.crt', ...both('prometheus'), 'etcd-ca.crt'],
}

/** Of the image. */
const NOBODY = 65_532

const [, , directory = 'deploy/pki', environmentFile] = process.argv
const owner = environmentFile === undefined ? undefined : saveOwner(environmentFile)

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
  // This user may only read metrics.
  const monitoring = { commonName: 'prometheus', organizations: ['system:monitoring'], usages: ['client'] as const }
  saveSigned(directory, 'prometheus', clients, monitoring)
  process.stdout.write(`made certificates in ${directory}\n`)
}
// Files of an older version do not have it.
if (!existsSync(path.join(directory, 'proxy.crt'))) saveProxy(directory)
for (const [name, files] of Object.entries(NEEDED)) handOut(path.join(directory, 'for', name), files)

/** Returns the user that the file names. Writes one to it where it names none, or root. */
function saveOwner(file: string): readonly [uid: number, gid: number] {
  const text = existsSync(file)
    ? readFileSync(file, 'utf8')
    : '# The containers run as this user, who owns their keys.\n'
  const named = (name: string): number => Number(new RegExp(`^${name}=(\\d+)`, 'm').exec(text)?.[1] ?? 0)
  if (named('QUARTERDECK_UID') !== 0) return [named('QUARTERDECK_UID'), named('QUARTERDECK_GID')]
  const [uid, gid] = [process.getuid?.() || NOBODY, process.getgid?.() || NOBODY]
  const others = text.split('\n').filter((line) => line !== '' && !/^QUARTERDECK_[UG]ID=/.test(line))
  writeFileSync(file, [...others, `QUARTERDECK_UID=${uid}`, `QUARTERDECK_GID=${gid}`, ''].join('\n'))
  return [uid, gid]
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
  if (owner === undefined || process.getuid?.() !== 0) return
  for (const file of ['', ...files]) chownSync(path.join(folder, file), ...owner)
}
