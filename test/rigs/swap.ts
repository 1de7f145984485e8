// kube-apiserver and ours on one etcd, for tests of a cluster whose server is swapped: the same keys, tokens and ranges for both.
import path from 'node:path'
import { expect, onTestFinished } from 'vitest'
import { startEtcd } from './etcd-server.ts'
import { everyKind } from '../corpora/every-kind.ts'
import { PlainClient } from './plain-client.ts'
import type { ReferenceServer } from './reference-server.ts'
import { newHome, type ServerProcess, startServerProcess } from './server-process.ts'

/** Where it is reached; it ends with the test. */
export async function newEtcd(): Promise<string> {
  const etcd = await startEtcd()
  onTestFinished(() => etcd[Symbol.asyncDispose]())
  return etcd.endpoint
}

export function clientOf(server: { readonly url: string; readonly token: string }): PlainClient {
  const client = new PlainClient(server)
  onTestFinished(() => client[Symbol.dispose]())
  return client
}

export interface SwappedIn {
  readonly server: ServerProcess
  /** With the token that the reference knows too. */
  readonly client: PlainClient
}

export async function swapIn(
  etcd: string,
  { folder, token }: Pick<ReferenceServer, 'folder' | 'token'>,
  flags: readonly string[] = [],
): Promise<SwappedIn> {
  const key = path.join(folder, 'service-account.key')
  const server = await startServerProcess(
    [
      `--etcd-servers=${etcd}`,
      '--service-cluster-ip-range=10.96.0.0/16',
      `--token-auth-file=${path.join(folder, 'reference-tokens.csv')}`,
      '--service-account-issuer=https://kubernetes.default.svc.cluster.local',
      `--service-account-key-file=${key}`,
      `--service-account-signing-key-file=${key}`,
      ...flags,
    ],
    await newHome(),
  )
  return { server, client: clientOf({ url: server.url, token }) }
}

/** Makes one object of every kind. A kind that was just defined is not served at once. */
export async function fill(client: PlainClient): Promise<void> {
  for (const { body, collection, name } of everyKind()) {
    const post = async (): Promise<string> => {
      const { status, bytes } = await client.send(collection, { method: 'POST', body })
      return status === 201 ? '' : `${collection} ${name}: ${bytes.toString()}`
    }
    await expect.poll(post, { timeout: 10_000, interval: 200 }).toBe('')
  }
}
