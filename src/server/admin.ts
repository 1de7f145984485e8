// The administrator: a token made at the first start, and the kubeconfig that kubectl reaches the server with. Both are
// readable by their owner alone.
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { isIPv6 } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { User } from '../api/user.ts'
import { MASTERS } from '../auth/user.ts'
import { readOwnFile, writePrivateFile } from '../config/files.ts'

export const ADMIN: User = { name: 'admin', uid: 'admin', groups: [MASTERS], extra: {} }

/** The token kept in the directory, or a new one; without a directory always a new one. */
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

export interface KubeconfigPlace {
  readonly file: string
  /** Removes what was only there for as long as the server runs. */
  readonly remove: () => void
}

/** Where it was asked for, else in the data directory, else in a directory of its own that goes with the server. */
export function kubeconfigPlace(asked: string | undefined, dataDirectory: string | undefined): KubeconfigPlace {
  if (asked !== undefined) return { file: asked, remove: () => {} }
  if (dataDirectory !== undefined) return { file: path.join(dataDirectory, 'admin.kubeconfig'), remove: () => {} }
  const directory = mkdtempSync(path.join(tmpdir(), 'quarterdeck-'))
  return {
    file: path.join(directory, 'admin.kubeconfig'),
    remove: () => rmSync(directory, { recursive: true, force: true }),
  }
}

export interface KubeconfigContent {
  readonly url: string
  /** PEM; undefined where the operator brought a certificate that clients trust on their own account. */
  readonly authority: string | undefined
  readonly user: { readonly token: string } | { readonly certificate: string; readonly key: string }
}

const inBase64 = (text: string): string => Buffer.from(text).toString('base64')

export function writeKubeconfig(file: string, { url, authority, user }: KubeconfigContent): void {
  const credential =
    'token' in user
      ? { token: user.token }
      : { 'client-certificate-data': inBase64(user.certificate), 'client-key-data': inBase64(user.key) }
  const cluster = {
    server: url,
    ...(authority === undefined ? {} : { 'certificate-authority-data': inBase64(authority) }),
  }
  const content = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'quarterdeck', cluster }],
    users: [{ name: 'admin', user: credential }],
    contexts: [{ name: 'quarterdeck', context: { cluster: 'quarterdeck', user: 'admin' } }],
    'current-context': 'quarterdeck',
  }
  // JSON is YAML, and needs no library to be written.
  writePrivateFile(file, `${JSON.stringify(content, undefined, 2)}\n`)
}

/** How this machine reaches a server that listens there. */
export function localUrl(host: string, port: number): string {
  const reachable = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host
  return `https://${isIPv6(reachable) ? `[${reachable}]` : reachable}:${port}`
}
