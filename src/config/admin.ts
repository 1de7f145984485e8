// The administrator: a token made at the first start, and the kubeconfig with which kubectl reaches the server. Only their owner can read
// them.
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { isIPv6 } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { User } from '../api/user.ts'
import { MASTERS } from '../auth/user.ts'
import { readOwnFile, writePrivateFile } from './files.ts'
import { StartError } from './start-error.ts'
import { jsYaml } from '../lib/late-packages.ts'

/** The name of the cluster and the context in kubeconfigs. */
const NAME = 'quarterdeck'

export const ADMIN: User = { name: 'admin', uid: 'admin', groups: [MASTERS], extra: {} }

/** The token that is kept in the directory, or a new token. Without a directory, always a new token. */
export function adminToken(directory: string | undefined): string {
  if (directory === undefined) return makeToken()
  const kept = readOwnFile(directory, 'admin.token')?.trim()
  if (kept !== undefined && kept !== '') return kept
  const token = makeToken()
  writePrivateFile(path.join(directory, 'admin.token'), `${token}\n`)
  return token
}

function makeToken(): string {
  return randomBytes(32).toString('base64url')
}

/** Disposal removes the file if its folder is temporary. */
export interface KubeconfigFile extends Disposable {
  readonly file: string
}

/** The requested file, else a file in the data directory, else a file in a temporary directory. */
export function kubeconfigPlace(asked: string | undefined, dataDirectory: string | undefined): KubeconfigFile {
  if (asked !== undefined) {
    checkReplaceable(asked)
    return { file: asked, [Symbol.dispose]: () => {} }
  }
  if (dataDirectory !== undefined) {
    return { file: path.join(dataDirectory, 'admin.kubeconfig'), [Symbol.dispose]: () => {} }
  }
  const directory = mkdtempSync(path.join(tmpdir(), 'quarterdeck-'))
  return {
    file: path.join(directory, 'admin.kubeconfig'),
    [Symbol.dispose]: () => rmSync(directory, { recursive: true, force: true }),
  }
}

/** Every start overwrites the file. Throws a `StartError` if the file has other clusters, which would be lost. */
function checkReplaceable(file: string): void {
  const text = readOwnFile(path.dirname(file), path.basename(file)) ?? ''
  try {
    if (text.trim() === '') return
    const { clusters } = jsYaml().load(text) as Kubeconfig
    if (clusters.every(({ name }) => name === NAME)) return
  } catch {
    // The file is not a kubeconfig.
  }
  throw new StartError(
    `--kubeconfig-out ${file} would be overwritten, but does not belong to this server alone: choose another file`,
  )
}

export interface KubeconfigContent {
  readonly url: string
  /** PEM. Undefined: clients already trust the operator's certificate. */
  readonly authority: string | undefined
  readonly user: {
    readonly name: string
    readonly credential: { readonly token: string } | { readonly certificate: string; readonly key: string }
  }
}

const inBase64 = (text: string): string => Buffer.from(text).toString('base64')

export type Kubeconfig = ReturnType<typeof kubeconfigOf>

export function kubeconfigOf({ url, authority, user: { name, credential } }: KubeconfigContent) {
  const cluster = {
    server: url,
    ...(authority === undefined ? {} : { 'certificate-authority-data': inBase64(authority) }),
  }
  const user =
    'token' in credential
      ? { token: credential.token }
      : { 'client-certificate-data': inBase64(credential.certificate), 'client-key-data': inBase64(credential.key) }
  return {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: NAME, cluster }],
    users: [{ name, user }],
    contexts: [{ name: NAME, context: { cluster: NAME, user: name } }],
    'current-context': NAME,
  }
}

/** Writes JSON, which is valid YAML and needs no library. */
export function writeKubeconfig(file: string, kubeconfig: Kubeconfig): void {
  writePrivateFile(file, `${JSON.stringify(kubeconfig, undefined, 2)}\n`)
}

/** The URL at which this machine reaches a server that listens on the host and port. */
export function localUrl(host: string, port: number): string {
  const reachable = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host
  return `https://${isIPv6(reachable) ? `[${reachable}]` : reachable}:${port}`
}
