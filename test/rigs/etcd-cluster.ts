// Three etcd members as processes of their own, with the certificates that the compose file is run with: TLS between all of
// them and from clients, none without a certificate.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { etcdEnvironment, findEtcd } from './etcd-binary.ts'
import { freePort } from './free-port.ts'

export interface EtcdMember {
  readonly endpoint: string
  /** `host:port`, where it tells its metrics. */
  readonly metrics: string
  readonly child: ChildProcess
}

export class EtcdCluster implements AsyncDisposable {
  readonly members: readonly EtcdMember[]

  constructor(members: readonly EtcdMember[]) {
    this.members = members
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.members.map(({ child }) => kill(child)))
  }
}

export async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const gone = once(child, 'exit')
  child.kill('SIGKILL')
  await gone
}

/** `pki` is what `deploy/make-certificates.ts` has made; data goes into `folder`. */
export async function startEtcdCluster(pki: string, folder: string): Promise<EtcdCluster> {
  const binary = await findEtcd('newest')
  const names = ['etcd-1', 'etcd-2', 'etcd-3']
  const places = await Promise.all(
    names.map(async (name) => ({
      name,
      client: await freePort(),
      peer: await freePort(),
      metrics: `127.0.0.1:${await freePort()}`,
    })),
  )
  const url = (port: number): string => `https://127.0.0.1:${port}`
  const cluster = places.map(({ name, peer }) => `${name}=${url(peer)}`).join(',')
  const members = places.map(({ name, client, peer, metrics }) => {
    const pair = (prefix: string): Record<string, string> => ({
      [`${prefix}cert-file`]: path.join(pki, `${name}.crt`),
      [`${prefix}key-file`]: path.join(pki, `${name}.key`),
      [`${prefix}trusted-ca-file`]: path.join(pki, 'etcd-ca.crt'),
      [`${prefix}client-cert-auth`]: 'true',
    })
    const settings = {
      name,
      'data-dir': path.join(folder, name),
      'log-level': 'error',
      'listen-client-urls': url(client),
      'advertise-client-urls': url(client),
      'listen-peer-urls': url(peer),
      'initial-advertise-peer-urls': url(peer),
      'initial-cluster': cluster,
      'listen-metrics-urls': `http://${metrics}`,
      ...pair(''),
      ...pair('peer-'),
    }
    const flags = Object.entries(settings).map(([flag, value]) => `--${flag}=${value}`)
    const child = spawn(binary.path, flags, { env: etcdEnvironment(), stdio: 'ignore' })
    process.once('exit', () => child.kill('SIGKILL'))
    return { endpoint: url(client), metrics, child }
  })
  return new EtcdCluster(members)
}
