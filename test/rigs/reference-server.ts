// The reference server as its users run it: kube-apiserver on an etcd of the caller's, and its controllers beside any server of
// this API. Both end with the test.
import type { ChildProcess } from 'node:child_process'
import { generateKeyPairSync } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import https from 'node:https'
import path from 'node:path'
import type { ApiLevel } from '../../src/api/level.ts'
import { runProgram } from './child-program.ts'
import { freePort } from './free-port.ts'
import { buildReference } from './go-client.ts'
import { newHome } from './server-process.ts'

const ADMIN_TOKEN = 'reference-admin-token'

export interface ReferenceServer {
  readonly url: string
  /** Of a member of system:masters. */
  readonly token: string
  /** For kubectl and the like; it does not check the server's certificate. */
  readonly kubeconfigFile: string
  /** Everything that it needs lies here: the key of its service accounts is `service-account.key`. */
  readonly folder: string
  readonly child: ChildProcess
  /** As an operator stops it; resolves when the process is gone. */
  stop(): Promise<void>
}

export interface ReferenceServerOptions {
  readonly etcd: string
  /** Of its release; absent: the default level of ours. */
  readonly level?: ApiLevel
  /** A further start in the same folder has the same keys and tokens. */
  readonly folder?: string
  /** Further flags. One that is given twice counts as it is given last. */
  readonly flags?: readonly string[]
}

/** Resolves when it is ready. Throws with its last words where it does not come up. */
export async function startReferenceServer(options: ReferenceServerOptions): Promise<ReferenceServer> {
  const binary = await buildReference('kube-apiserver', options.level)
  const folder = options.folder ?? (await newHome())
  const port = await freePort()
  const url = `https://127.0.0.1:${port}`
  const key = path.join(folder, 'service-account.key')
  const tokens = path.join(folder, 'reference-tokens.csv')
  if (options.folder === undefined) {
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
    writeFileSync(key, privateKey.export({ type: 'pkcs1', format: 'pem' }))
    writeFileSync(tokens, `${ADMIN_TOKEN},reference-admin,reference-admin-uid,system:masters\n`)
  }
  const child = runProgram(binary, [
    `--etcd-servers=${options.etcd}`,
    '--bind-address=127.0.0.1',
    // The reference takes no loopback address for an endpoint of the cluster.
    '--advertise-address=192.0.2.1',
    `--secure-port=${port}`,
    `--cert-dir=${path.join(folder, 'reference-certificates')}`,
    `--token-auth-file=${tokens}`,
    '--authorization-mode=Node,RBAC',
    '--service-account-issuer=https://kubernetes.default.svc.cluster.local',
    `--service-account-key-file=${key}`,
    `--service-account-signing-key-file=${key}`,
    '--service-cluster-ip-range=10.96.0.0/16',
    ...(options.flags ?? []),
  ])
  await child.until(() => isReady(url))
  return {
    url,
    token: ADMIN_TOKEN,
    kubeconfigFile: writeKubeconfig(folder, url, ADMIN_TOKEN),
    folder,
    child: child.process,
    stop: child.stop,
  }
}

/** kube-controller-manager against a server of this API, with the controllers that are named (`-` before one switches it off). */
export function startReferenceControllers(
  kubeconfigFile: string,
  controllers: readonly string[],
  flags: readonly string[] = [],
  level?: ApiLevel,
): Promise<{ stop(): Promise<void> }> {
  const own = [`--controllers=${controllers.join(',')}`, '--use-service-account-credentials=false', ...flags]
  return startReferenceLoop('kube-controller-manager', kubeconfigFile, own, level)
}

/** The same of kube-scheduler. */
export function startReferenceScheduler(
  kubeconfigFile: string,
  flags: readonly string[] = [],
  level?: ApiLevel,
): Promise<{ stop(): Promise<void> }> {
  return startReferenceLoop('kube-scheduler', kubeconfigFile, flags, level)
}

async function startReferenceLoop(
  name: 'kube-controller-manager' | 'kube-scheduler',
  kubeconfigFile: string,
  flags: readonly string[],
  level?: ApiLevel,
): Promise<{ stop(): Promise<void> }> {
  const binary = await buildReference(name, level)
  const port = await freePort()
  const child = runProgram(binary, [
    `--kubeconfig=${kubeconfigFile}`,
    '--leader-elect=false',
    '--bind-address=127.0.0.1',
    `--secure-port=${port}`,
    `--cert-dir=${await newHome()}`,
    ...flags,
  ])
  await child.until(() => isReady(`https://127.0.0.1:${port}`, '/healthz'))
  return { stop: child.stop }
}

export function writeKubeconfig(folder: string, server: string, token: string): string {
  const file = path.join(folder, 'reference.kubeconfig')
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'reference',
    clusters: [{ name: 'reference', cluster: { server, 'insecure-skip-tls-verify': true } }],
    users: [{ name: 'reference', user: { token } }],
    contexts: [{ name: 'reference', context: { cluster: 'reference', user: 'reference' } }],
  }
  writeFileSync(file, JSON.stringify(config))
  return file
}

function isReady(url: string, target = '/readyz'): Promise<boolean> {
  return new Promise((resolve) => {
    const request = https.get(`${url}${target}`, { rejectUnauthorized: false, agent: false }, (answer) => {
      answer.resume()
      resolve(answer.statusCode === 200)
    })
    request.on('error', () => resolve(false))
  })
}
