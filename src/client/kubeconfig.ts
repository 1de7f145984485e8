// Finds the URL and the credentials of a server in a kubeconfig, or in the files of a pod.
import { existsSync, readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import path from 'node:path'
import { givenMembers } from '../lib/given-members.ts'
import { checkValue, isRecord } from '../lib/known-options.ts'
import { jsYaml } from '../lib/late-packages.ts'
import { reasonOf } from '../lib/system-reason.ts'
import type { CredentialOptions, ExecConfig } from './credentials.ts'
import type { Transport } from './transport.ts'

/** The address of the server and the credentials of the client. */
export interface ConnectionOptions extends CredentialOptions {
  /** `https://host:port`, or with a path. `http:` is for a proxy on the same machine. */
  readonly url: string
  /** The authority of the server's certificate, as PEM. Default: the authorities that Node trusts. */
  readonly ca?: string | undefined
  /** The name in the server's certificate, if it is not the host of the URL. */
  readonly serverName?: string
  /** Do not check the server's certificate. Only for experiments. */
  readonly insecureSkipTlsVerify?: boolean
  /** The user to impersonate; the server checks the right to do so. */
  readonly impersonate?: Impersonation
  /** Sends the requests, with the credentials in their headers. Default: connections to the URL. */
  readonly transport?: Transport
}

/** The user whose rights a request has instead of the client's own. */
export interface Impersonation {
  readonly user: string
  readonly groups?: readonly string[]
}

/** The parts of a kubeconfig (`kind: Config`) that the client reads. */
export interface Kubeconfig {
  readonly 'current-context'?: string
  readonly clusters?: readonly { readonly name: string; readonly cluster: KubeconfigCluster }[] | null
  readonly contexts?: readonly { readonly name: string; readonly context: KubeconfigContext }[] | null
  readonly users?: readonly { readonly name: string; readonly user: KubeconfigUser }[] | null
}

export interface KubeconfigCluster {
  readonly server: string
  readonly 'certificate-authority'?: string
  readonly 'certificate-authority-data'?: string
  readonly 'tls-server-name'?: string
  readonly 'insecure-skip-tls-verify'?: boolean
  readonly 'proxy-url'?: string
}

export interface KubeconfigContext {
  readonly cluster: string
  readonly user?: string
  readonly namespace?: string
}

export interface KubeconfigUser {
  readonly token?: string
  readonly tokenFile?: string
  readonly 'client-certificate'?: string
  readonly 'client-certificate-data'?: string
  readonly 'client-key'?: string
  readonly 'client-key-data'?: string
  readonly exec?: ExecConfig
  readonly as?: string
  readonly 'as-groups'?: readonly string[]
  readonly 'as-uid'?: unknown
  readonly 'as-user-extra'?: unknown
  readonly 'auth-provider'?: unknown
  readonly username?: unknown
  readonly password?: unknown
}

interface Sections {
  readonly context: KubeconfigContext
  readonly cluster: KubeconfigCluster
  readonly user: KubeconfigUser
}

interface Source {
  readonly config: Kubeconfig
  /** The base of relative paths. */
  readonly folder: string
}

const IN_POD = '/var/run/secrets/kubernetes.io/serviceaccount'

/** The connection of a context. Default: the current context. `kubeconfig` is a path, a text (YAML or JSON) or a parsed kubeconfig. */
export function readKubeconfig(kubeconfig: string | Kubeconfig, context?: string): ConnectionOptions {
  return connectionOf([sourceOf(kubeconfig)], context)
}

/** The connection from the files of KUBECONFIG, else from the service account of a pod, else from `~/.kube/config`. */
export function defaultConnection(context?: string): ConnectionOptions {
  const { KUBECONFIG: named = '', KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port } = process.env
  const listed = named.split(path.delimiter).filter((file) => file !== '')
  const files = listed.filter((file) => existsSync(file))
  if (files.length > 0) return connectionOf(files.map(sourceOf), context)
  // Another kubeconfig could lead to another server.
  if (listed.length > 0) throw new Error(`KUBECONFIG names no file that exists: ${named}`)
  if (context === undefined && host !== undefined && port !== undefined && existsSync(`${IN_POD}/token`)) {
    const url = `https://${host.includes(':') ? `[${host}]` : host}:${port}`
    return { url, ca: readText(`${IN_POD}/ca.crt`, 'the CA bundle of the pod'), tokenFile: `${IN_POD}/token` }
  }
  const file = path.join(homedir(), '.kube/config')
  if (existsSync(file)) return connectionOf([sourceOf(file)], context)
  throw new Error('no server to connect to: give url or kubeconfig, set KUBECONFIG, or have a ~/.kube/config')
}

function sourceOf(kubeconfig: string | Kubeconfig): Source {
  if (typeof kubeconfig !== 'string') return { config: kubeconfig, folder: '.' }
  if (/^\s*\{|\n/.test(kubeconfig)) return { config: parse(kubeconfig), folder: '.' }
  return { config: parse(readText(kubeconfig, 'the kubeconfig')), folder: path.dirname(kubeconfig) }
}

function parse(text: string): Kubeconfig {
  let config: unknown
  try {
    config = text.trimStart().startsWith('{') ? JSON.parse(text) : jsYaml().load(text)
  } catch (cause) {
    throw new Error(`the kubeconfig is neither YAML nor JSON: ${(cause as Error).message}`, { cause })
  }
  checkValue('new Client', 'content of the kubeconfig', config, 'object')
  return config as Kubeconfig
}

/** As in kubectl, the first file with an entry of that name counts. */
function connectionOf(sources: readonly Source[], wanted: string | undefined): ConnectionOptions {
  const current = wanted ?? sources.map(({ config }) => config['current-context'] ?? '').find((name) => name !== '')
  if (current === undefined) throw new Error('the kubeconfig has no current-context: give the context to use')
  const { found: context } = find(sources, 'context', current)
  const cluster = find(sources, 'cluster', context.cluster)
  const user = context.user === undefined ? undefined : find(sources, 'user', context.user)
  return { ...serverOf(cluster.found, cluster.folder), ...(user === undefined ? {} : userOf(user.found, user.folder)) }
}

function find<W extends keyof Sections>(sources: readonly Source[], what: W, name: string) {
  for (const { config, folder } of sources) {
    const entries: unknown = config[`${what}s`] ?? []
    checkValue('the kubeconfig', `${what}s`, entries, 'list')
    const entry = (entries as readonly unknown[]).find((one) => isRecord(one) && one['name'] === name)
    if (!isRecord(entry)) continue
    const found = entry[what] ?? {}
    checkValue('the kubeconfig', `${what} "${name}"`, found, 'object')
    return { found: found as Sections[W], folder }
  }
  throw new Error(`the kubeconfig has no ${what} named "${name}"`)
}

function serverOf(cluster: KubeconfigCluster, folder: string): ConnectionOptions {
  if (cluster['proxy-url'] !== undefined) throw new Error('the kubeconfig has a proxy-url, which is not supported')
  return givenMembers({
    url: cluster.server,
    ca: contentOf(cluster['certificate-authority-data'], cluster['certificate-authority'], folder),
    serverName: cluster['tls-server-name'],
    insecureSkipTlsVerify: cluster['insecure-skip-tls-verify'],
  })
}

function userOf(user: KubeconfigUser, folder: string): Partial<ConnectionOptions> {
  if (user['auth-provider'] !== undefined) {
    throw new Error('the kubeconfig has an auth-provider, which no version of Kubernetes supports any more: use exec')
  }
  const { token, tokenFile, exec, as, 'as-groups': groups } = user
  // Without a user the request would have the rights of the client itself.
  if (groups !== undefined && as === undefined) throw new Error('the kubeconfig has as-groups without as')
  const unread = (['as-uid', 'as-user-extra', 'username', 'password'] as const).find((name) => user[name] !== undefined)
  if (unread !== undefined) throw new Error(`the kubeconfig has ${unread}, which is not supported`)
  const clientCertificate = contentOf(user['client-certificate-data'], user['client-certificate'], folder)
  const clientKey = contentOf(user['client-key-data'], user['client-key'], folder)
  return givenMembers({
    token,
    tokenFile: tokenFile === undefined ? undefined : path.resolve(folder, tokenFile),
    clientCertificate,
    clientKey,
    exec: exec === undefined ? undefined : { ...exec, command: commandOf(exec.command, folder) },
    impersonate: as === undefined ? undefined : givenMembers({ user: as, groups }),
  })
}

/** A command with a slash is a path relative to the kubeconfig. Other commands are found in PATH. */
function commandOf(command: string, folder: string): string {
  return /\//.test(command) ? path.resolve(folder, command) : command
}

/** The data wins over the file, as in kubectl. */
function contentOf(data: string | undefined, file: string | undefined, folder: string): string | undefined {
  if (data !== undefined && data !== '') return Buffer.from(data, 'base64').toString()
  return file === undefined || file === ''
    ? undefined
    : readText(path.resolve(folder, file), 'a file of the kubeconfig,')
}

function readText(file: string, what: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (cause) {
    throw new Error(`${what} ${file} cannot be read: ${reasonOf(cause)}`, { cause })
  }
}
