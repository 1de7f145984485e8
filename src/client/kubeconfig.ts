// From a kubeconfig, or what a pod is given, to how a server is reached.
import { existsSync, readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import path from 'node:path'
import { givenMembers } from '../lib/given-members.ts'
import { jsYaml } from '../lib/late-packages.ts'
import { reasonOf } from '../lib/system-reason.ts'
import type { CredentialOptions, ExecConfig } from './credentials.ts'
import type { Transport } from './transport.ts'

/** How a server is reached, and as whom. */
export interface ConnectionOptions extends CredentialOptions {
  /** `https://host:port`, also with a path; `http:` is for a proxy on the same machine. */
  readonly url: string
  /** The authority of the server's certificate, as PEM; absent: those that Node trusts. */
  readonly ca?: string | undefined
  /** The name in the server's certificate, where it is not the host of the URL. */
  readonly serverName?: string
  /** Do not check who answers. Only for experiments. */
  readonly insecureSkipTlsVerify?: boolean
  /** The user to impersonate; the server checks the right to do so. */
  readonly impersonate?: Impersonation
  /** What requests are sent by, with the credentials among their headers; absent: connections to the URL. */
  readonly transport?: Transport
}

/** The user whose rights a request has, in the place of its sender's. */
export interface Impersonation {
  readonly user: string
  readonly groups?: readonly string[]
}

/** A kubeconfig (`kind: Config`) as far as it is read. */
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
}

interface Source {
  readonly config: Kubeconfig
  /** What relative paths in it are relative to. */
  readonly folder: string
}

const IN_POD = '/var/run/secrets/kubernetes.io/serviceaccount'

/**
 * The connection of the current context, or of the one named. `kubeconfig` is a file's path, the text of one (YAML or JSON) or its content.
 * Throws an error that says what is missing in it.
 */
export function readKubeconfig(kubeconfig: string | Kubeconfig, context?: string): ConnectionOptions {
  return connectionOf([sourceOf(kubeconfig)], context)
}

/** What kubectl would use: the files of KUBECONFIG, or what a pod is given, or `~/.kube/config`. */
export function defaultConnection(context?: string): ConnectionOptions {
  const { KUBECONFIG: named = '', KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port } = process.env
  const files = named.split(path.delimiter).filter((file) => file !== '' && existsSync(file))
  if (files.length > 0) return connectionOf(files.map(sourceOf), context)
  if (host !== undefined && port !== undefined && existsSync(`${IN_POD}/token`)) {
    const url = `https://${host.includes(':') ? `[${host}]` : host}:${port}`
    return { url, ca: readText(`${IN_POD}/ca.crt`, 'the CA bundle of the pod'), tokenFile: `${IN_POD}/token` }
  }
  const file = path.join(homedir(), '.kube/config')
  if (existsSync(file)) return connectionOf([sourceOf(file)], context)
  throw new Error('no server to connect to: say url or kubeconfig, set KUBECONFIG, or have a ~/.kube/config')
}

function sourceOf(kubeconfig: string | Kubeconfig): Source {
  if (typeof kubeconfig !== 'string') return { config: kubeconfig, folder: '.' }
  if (/^\s*\{|\n/.test(kubeconfig)) return { config: parse(kubeconfig), folder: '.' }
  return { config: parse(readText(kubeconfig, 'the kubeconfig')), folder: path.dirname(kubeconfig) }
}

function parse(text: string): Kubeconfig {
  try {
    return (text.trimStart().startsWith('{') ? JSON.parse(text) : jsYaml().load(text)) as Kubeconfig
  } catch (cause) {
    throw new Error(`the kubeconfig is neither YAML nor JSON: ${(cause as Error).message}`, { cause })
  }
}

/** Of several files the first that has a name counts, as with kubectl. */
function connectionOf(sources: readonly Source[], wanted: string | undefined): ConnectionOptions {
  const current = wanted ?? sources.map(({ config }) => config['current-context'] ?? '').find((name) => name !== '')
  if (current === undefined) throw new Error('the kubeconfig has no current-context: say which context to use')
  const context = find(sources, 'context', ({ contexts }) => contexts, current).entry.context
  const { entry, folder } = find(sources, 'cluster', ({ clusters }) => clusters, context.cluster)
  const user = context.user === undefined ? undefined : find(sources, 'user', ({ users }) => users, context.user)
  return { ...serverOf(entry.cluster, folder), ...(user === undefined ? {} : userOf(user.entry.user, user.folder)) }
}

function find<T extends { readonly name: string }>(
  sources: readonly Source[],
  what: string,
  entriesOf: (config: Kubeconfig) => readonly T[] | null | undefined,
  name: string,
): { readonly entry: T; readonly folder: string } {
  for (const { config, folder } of sources) {
    const entry = entriesOf(config)?.find((one) => one.name === name)
    if (entry !== undefined) return { entry, folder }
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
  // Without it the request would have the rights of the client itself.
  if (groups !== undefined && as === undefined) throw new Error('the kubeconfig has as-groups without as')
  const unread = (['as-uid', 'as-user-extra'] as const).find((name) => user[name] !== undefined)
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

/** One with a slash is relative to the file, as other paths are; others are looked for in PATH. */
function commandOf(command: string, folder: string): string {
  return command.includes('/') ? path.resolve(folder, command) : command
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
