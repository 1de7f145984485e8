// The topology of docker-compose.yml as local processes: three etcd members, and replicas with the flags and the files that their containers
// have.
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { CORE_SCHEMA, load, mergeTag } from 'js-yaml'
import { onTestFinished } from 'vitest'
import { type EtcdCluster, startEtcdCluster } from './etcd-cluster.ts'
import { type Call, newHome, type ServerProcess, startServerProcess } from './server-process.ts'

const TOP = path.join(import.meta.dirname, '../..')

export interface ComposeService {
  readonly image?: string
  readonly command?: readonly string[]
  readonly depends_on?: object
  readonly environment?: Readonly<Record<string, string>>
  readonly volumes?: readonly string[]
}

const { services } = load(readFileSync(path.join(TOP, 'docker-compose.yml'), 'utf8'), {
  schema: CORE_SCHEMA.withTags(mergeTag),
}) as { readonly services: Readonly<Record<string, ComposeService>> }

export const COMPOSE_SERVICES = services

/** Where `make up` would have them; each container sees a folder in `for`. */
export function makeCertificates(folder: string): string {
  const pki = path.join(folder, 'pki')
  execFileSync(process.execPath, [path.join(TOP, 'deploy/make-certificates.ts'), pki])
  return pki
}

export interface ComposeStack {
  readonly home: string
  readonly pki: string
  readonly cluster: EtcdCluster
  readonly replicas: readonly ServerProcess[]
  /** How an administrator asks. */
  readonly admin: Required<Pick<Call, 'certificate' | 'ca'>>
}

/** Ends with the test. */
export async function startStack(names: readonly string[]): Promise<ComposeStack> {
  const home = await newHome()
  const pki = makeCertificates(home)
  const cluster = await startEtcdCluster(pki, home)
  onTestFinished(() => cluster[Symbol.asyncDispose]())
  const endpoints = cluster.members.map(({ endpoint }) => endpoint).join(',')
  const start = (name: string): Promise<ServerProcess> => {
    // The name of the host is that of the container.
    const own = ['--etcd-servers', endpoints, '--data-dir', path.join(home, name), '--hostname-override', name]
    return startServerProcess([...replicaFlags(name, pki), ...own], home)
  }
  const replicas = await Promise.all(names.map(start))
  const pem = (name: string): string => readFileSync(path.join(pki, name), 'utf8')
  const admin = { certificate: { cert: pem('admin.crt'), key: pem('admin.key') }, ca: pem('api-ca.crt') }
  return { home, pki, cluster, replicas, admin }
}

/** Those of the container, with its files where they are here. */
function replicaFlags(name: string, pki: string): readonly string[] {
  const [, ...flags] = services[name]?.command ?? []
  return flags
    .filter((flag) => !/^--(etcd-servers|bind-address|data-dir|shutdown-delay-duration)=/.test(flag))
    .map((flag) => flag.replace('=/pki/', `=${pki}/for/replica/`).replace('=/audit', `=${TOP}/deploy/audit`))
}
