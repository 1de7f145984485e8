// What people start without a library: etcd and kube-apiserver as processes of their own, until the latter is ready.
import { spawn } from 'node:child_process'
import { generateKeyPairSync } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import https from 'node:https'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { startEtcd } from '../rigs/etcd-server.ts'
import { freePort } from '../rigs/free-port.ts'
import { buildReference, isReferenceBuilt } from '../rigs/go-client.ts'

const LOOK_EVERY_MS = 20
const LIMIT_MS = 120_000

export interface ReferenceTimes {
  readonly start: number
  readonly stop: number
}

/** In milliseconds; undefined where kube-apiserver is not built. */
export async function measureReference(): Promise<ReferenceTimes | undefined> {
  if (!(await isReferenceBuilt('kube-apiserver'))) return undefined
  const binary = await buildReference('kube-apiserver')
  const folder = mkdtempSync(path.join(tmpdir(), 'quarterdeck-bench-'))
  try {
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
    const key = path.join(folder, 'service-account.key')
    writeFileSync(key, privateKey.export({ type: 'pkcs1', format: 'pem' }))
    const port = await freePort()
    const began = performance.now()
    await using etcd = await startEtcd()
    const flags = {
      'etcd-servers': etcd.endpoint,
      'bind-address': '127.0.0.1',
      'secure-port': String(port),
      'cert-dir': folder,
      'service-account-issuer': 'https://kubernetes.default.svc.cluster.local',
      'service-account-key-file': key,
      'service-account-signing-key-file': key,
      'service-cluster-ip-range': '10.96.0.0/16',
      'authorization-mode': 'RBAC',
    }
    const child = spawn(
      binary,
      Object.entries(flags).map(([name, value]) => `--${name}=${value}`),
      { stdio: 'ignore' },
    )
    const exited = once(child, 'exit')
    while (!(await isReady(`https://127.0.0.1:${port}/readyz`))) {
      if (child.exitCode !== null) throw new Error(`kube-apiserver ended with ${child.exitCode}`)
      if (performance.now() - began > LIMIT_MS) throw new Error('kube-apiserver did not come up')
      await sleep(LOOK_EVERY_MS)
    }
    const ready = performance.now()
    child.kill('SIGTERM')
    await exited
    return { start: ready - began, stop: performance.now() - ready }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function isReady(url: string): Promise<boolean> {
  return new Promise((resolve) => {
    const request = https.get(url, { rejectUnauthorized: false, agent: false }, (answer) => {
      answer.resume()
      resolve(answer.statusCode === 200)
    })
    request.on('error', () => resolve(false))
  })
}
