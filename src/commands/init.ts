// `quarterdeck init`: makes a folder with a configuration and all files that it names, for one server or for several replicas.
import { lstatSync, writeFileSync } from 'node:fs'
import { isIP } from 'node:net'
import path from 'node:path'
import { readConfig } from '../config/config.ts'
import { configTemplate, type TemplateValues } from '../config/config-template.ts'
import { directoryPath } from '../config/setting-reader.ts'
import { reasonOf, StartError, usageError } from '../config/start-error.ts'
import { makeDirectory } from '../lib/make-directory.ts'
import { readCommandLine } from './command-flags.ts'
import { print } from './output.ts'
import { makeReplicaFiles, PROXY_NAME } from './replica-files.ts'

export async function runInit(args: readonly string[]): Promise<number> {
  const { folder, hosts, url, etcdServers } = readArguments(args)
  const [configFile, pki, kubeconfigFile] = ['quarterdeck.yaml', 'pki', 'admin.kubeconfig'].map((name) =>
    path.join(folder, name),
  ) as [string, string, string]
  const settings = settingsFor({ folder, pki, hosts, etcdServers })
  // The server will check the settings in the same way.
  await readConfig(
    Object.entries(settings).map(([name, text]) => `--${name}=${text}`),
    {},
  )
  try {
    // Other replicas may use the keys in the folder, so the command replaces no file.
    const there = [configFile, pki, kubeconfigFile].find((file) => lstatSync(file, { throwIfNoEntry: false }))
    if (there !== undefined) throw new StartError(`${there} exists already: move it away, or choose another folder`)
    makeDirectory(pki, 0o700)
    makeReplicaFiles({ folder: pki, names: namesOf(hosts), url, kubeconfigFile })
    writeFileSync(configFile, configTemplate(settings), { mode: 0o600, flag: 'wx' })
  } catch (error) {
    if (error instanceof StartError) throw error
    throw new StartError(`cannot write to ${folder}: ${reasonOf(error)}`, { cause: error })
  }
  print(farewell({ folder, configFile, hosts, etcdServers }))
  return 0
}

/** The first label may be a star, as in certificates. */
const HOST_NAME = /^(?:\*\.)?[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?(?:\.[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?)*\.?$/i

interface InitArguments {
  readonly folder: string
  readonly hosts: readonly string[]
  readonly url: string
  readonly etcdServers: string | undefined
}

function readArguments(args: readonly string[]): InitArguments {
  const wanted = 'give one folder'
  const { read, operands } = readCommandLine('init', args, { least: 1, most: 1, wanted })
  const [folder = ''] = operands
  const hosts = read.list('hosts')
  const wrong = hosts.find((host) => isIP(host) === 0 && !isHostName(host))
  if (wrong !== undefined) throw usageError(`--hosts: "${wrong}" is neither a host name nor an IP address`)
  const url = read.text('url') ?? `https://${inUrl(hosts.find((host) => !host.startsWith('*')) ?? '127.0.0.1')}:6443`
  if (!/^https:\/\/[^/?#@\\\s]+(?:\/[^?#\\\s]*)?$/.test(url) || URL.parse(url) === null)
    throw usageError(`--url must be an https: URL without a user, a query or a fragment, not ${url}`)
  return { folder: directoryPath({ text: folder, source: 'DIR' }), hosts, url, etcdServers: read.text('etcd-servers') }
}

/** Clients read a name whose last label is a number as an IP address. */
function isHostName(host: string): boolean {
  const name = host.replace(/^\*\./, '').toLowerCase()
  return HOST_NAME.test(host) && URL.parse(`https://${name}`)?.hostname === name
}

function inUrl(host: string): string {
  return isIP(host) === 6 ? `[${host}]` : host
}

function namesOf(hosts: readonly string[]): { readonly dns: string[]; readonly addresses: string[] } {
  const { addresses = [], dns = [] } = Object.groupBy(hosts, (host) => (isIP(host) === 0 ? 'dns' : 'addresses'))
  return { dns, addresses }
}

interface Settled {
  readonly folder: string
  readonly pki: string
  readonly hosts: readonly string[]
  readonly etcdServers: string | undefined
}

function settingsFor({ folder, pki, hosts, etcdServers }: Settled): TemplateValues {
  const inPki = (name: string): string => path.join(pki, name)
  return {
    'data-dir': path.join(folder, 'data'),
    'tls-cert-file': inPki('api.crt'),
    'tls-private-key-file': inPki('api.key'),
    'client-ca-file': inPki('client-ca.crt'),
    'requestheader-client-ca-file': inPki('proxy-ca.crt'),
    'requestheader-allowed-names': PROXY_NAME,
    'proxy-client-cert-file': inPki('proxy.crt'),
    'proxy-client-key-file': inPki('proxy.key'),
    'peer-ca-file': inPki('api-ca.crt'),
    'service-account-signing-key-file': inPki('service-account.key'),
    'encryption-provider-config': inPki('encryption.yaml'),
    ...(hosts.length === 0 ? {} : { 'bind-address': '0.0.0.0' }),
    ...(etcdServers === undefined ? {} : { 'etcd-servers': etcdServers }),
  }
}

type Made = Pick<Settled, 'folder' | 'hosts' | 'etcdServers'> & { readonly configFile: string }

function farewell({ folder, configFile, hosts, etcdServers }: Made): string {
  const shared = etcdServers === undefined ? [] : [`replicas  copy ${folder} to each of them, to the same path`]
  const reached = hosts.length === 0 ? ['reached   from this machine only; name others with --hosts'] : []
  return (
    [
      `made ${folder}`,
      `start     quarterdeck serve --config ${configFile}`,
      `kubectl   kubectl --kubeconfig ${path.join(folder, 'admin.kubeconfig')} get namespaces`,
      ...shared,
      ...reached,
      '',
    ]
      .join('\n  ')
      .trimEnd() + '\n'
  )
}
