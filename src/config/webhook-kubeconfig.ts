// kubeconfigs of webhooks: the current context names the server and the credentials.
import { dirname, resolve } from 'node:path'
import { asMap, isTrue, mapOrAbsent, mapOrEmpty, mapsOnly, textOrEmpty } from '../api/members.ts'
import { own, type Value, type ValueMap } from '../api/value.ts'
import { parseYaml } from '../codec/yaml-parse.ts'
import type { OutgoingTarget } from '../outgoing/call.ts'
import type { OutgoingTls } from '../outgoing/connections.ts'
import { readFileAs, readTextFile } from './files.ts'

/** `flag` names the flag in the message: `--authentication-token-webhook-config-file`. Throws a `StartError` of one line. */
export function readWebhookKubeconfig(file: string, flag: string): OutgoingTarget {
  return readFileAs(file, flag, (text) => targetOf(parseYaml(Buffer.from(text)).value, dirname(resolve(file))))
}

/** The credentials for a host: the users of a kubeconfig are named after hosts. */
export type CredentialsFor = (place: { readonly host: string; readonly port: number }) => HostCredentials

export type HostCredentials = Pick<OutgoingTarget, 'headers'> & {
  readonly tls?: Pick<OutgoingTls, 'certificate' | 'key'>
}

/** Throws a `StartError` of one line. */
export function readHostCredentials(file: string, what: string): CredentialsFor {
  return readFileAs(file, what, (text) => {
    const config = asMap(parseYaml(Buffer.from(text)).value)
    const folder = dirname(resolve(file))
    const users = new Map(
      mapsOnly(config, 'users').map((entry) => {
        return [textOrEmpty(entry, 'name'), credentialsOf(mapOrEmpty(entry, 'user'), folder)] as const
      }),
    )
    const context = named(config, 'contexts', 'context', textOrEmpty(config, 'current-context')) ?? {}
    return ({ host, port }) => {
      const names = [
        ...namesFor(`${host}:${port}`),
        ...(port === 443 ? namesFor(host) : []),
        '*',
        textOrEmpty(context, 'user'),
      ]
      return users.get(names.find((name) => users.has(name)) ?? '') ?? {}
    }
  })
}

/** `a.b:1`, then `*.b:1`: the most specific name comes first. */
function namesFor(target: string): readonly string[] {
  const steps = target.split('.')
  return [target, ...steps.slice(1).map((_step, i) => `*.${steps.slice(i + 1).join('.')}`)]
}

function credentialsOf(user: ValueMap, folder: string): HostCredentials {
  const headers = credentials(user, folder)
  const tls = clientPair(user, folder)
  return { ...(headers === undefined ? {} : { headers }), ...(tls === undefined ? {} : { tls }) }
}

function clientPair(user: ValueMap, folder: string): { certificate: string; key: string } | undefined {
  const certificate = pem(user, 'client-certificate', folder)
  const key = pem(user, 'client-key', folder)
  if (certificate !== undefined && key !== undefined) return { certificate, key }
  if (certificate === undefined && key === undefined) return undefined
  throw new Error('client-certificate and client-key must be set together')
}

function targetOf(content: Value, folder: string): OutgoingTarget {
  const config = asMap(content)
  const current = textOrEmpty(config, 'current-context')
  const context = named(config, 'contexts', 'context', current)
  if (context === undefined) throw new Error('the context of current-context does not exist')
  const cluster = named(config, 'clusters', 'cluster', textOrEmpty(context, 'cluster'))
  if (cluster === undefined) throw new Error('the cluster of the current context does not exist')
  const user = named(config, 'users', 'user', textOrEmpty(context, 'user')) ?? {}
  const url = textOrEmpty(cluster, 'server').replace(/\/$/, '')
  if (!/^https?:\/\/[^/]/.test(url) || !URL.canParse(url)) throw new Error('the server of the cluster is not a URL')
  const headers = credentials(user, folder)
  return {
    url: new URL(url).pathname === '/' ? `${url}/` : url,
    tls: tlsOf(cluster, user, folder),
    ...(headers === undefined ? {} : { headers }),
  }
}

function tlsOf(cluster: ValueMap, user: ValueMap, folder: string): OutgoingTls {
  const ca = pem(cluster, 'certificate-authority', folder)
  const serverName = textOrEmpty(cluster, 'tls-server-name')
  return {
    ...(ca === undefined ? {} : { ca }),
    ...clientPair(user, folder),
    ...(serverName === '' ? {} : { serverName }),
    ...(isTrue(cluster, 'insecure-skip-tls-verify') ? { insecure: true } : {}),
  }
}

function credentials(user: ValueMap, folder: string): Readonly<Record<string, string>> | undefined {
  const file = textOrEmpty(user, 'tokenFile')
  const token = file === '' ? textOrEmpty(user, 'token') : readTextFile(resolve(folder, file), 'tokenFile').trim()
  if (token !== '') return { authorization: `Bearer ${token}` }
  const name = textOrEmpty(user, 'username')
  if (name === '') return undefined
  return { authorization: `Basic ${Buffer.from(`${name}:${textOrEmpty(user, 'password')}`).toString('base64')}` }
}

/** Data in the file wins over a path. A path is relative to the file. */
function pem(map: ValueMap, name: string, folder: string): string | undefined {
  const data = textOrEmpty(map, `${name}-data`)
  if (data !== '') return Buffer.from(data, 'base64').toString()
  const file = textOrEmpty(map, name)
  return file === '' ? undefined : readTextFile(resolve(folder, file), name)
}

function named(config: ValueMap, list: string, member: string, name: string): ValueMap | undefined {
  const entry = mapsOnly(config, list).find((candidate) => own(candidate, 'name') === name)
  return entry === undefined ? undefined : mapOrAbsent(entry, member)
}
