// `quarterdeck init`: a folder with a configuration and everything that it names, for one server or for several replicas.
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { isIP } from 'node:net'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { configTemplate, type TemplateValues } from '../config/config-template.ts'
import { reasonOf, StartError, usageError } from '../config/start-error.ts'
import { makeReplicaFiles, PROXY_NAME } from './replica-files.ts'

const FLAGS = {
  hosts: { type: 'string', default: '' },
  url: { type: 'string' },
  'etcd-servers': { type: 'string' },
} as const

/** Resolves with the exit code. */
export async function runInit(args: readonly string[]): Promise<number> {
  const { folder, hosts, url, etcdServers } = readArguments(args)
  const configFile = path.join(folder, 'quarterdeck.yaml')
  // Its keys may be in use by other replicas: nothing is made anew behind their backs.
  if (existsSync(configFile))
    throw new StartError(`${configFile} exists already: move it away, or choose another folder`)
  const pki = path.join(folder, 'pki')
  try {
    mkdirSync(pki, { recursive: true, mode: 0o700 })
    makeReplicaFiles({ folder: pki, names: namesOf(hosts), url, kubeconfigFile: path.join(folder, 'admin.kubeconfig') })
    writeFileSync(configFile, configTemplate(settingsFor({ folder, pki, hosts, etcdServers })), { mode: 0o600 })
  } catch (error) {
    throw new StartError(`cannot write to ${folder}: ${reasonOf(error)}`, { cause: error })
  }
  process.stdout.write(farewell({ folder, configFile, hosts, etcdServers }))
  return 0
}

interface InitArguments {
  readonly folder: string
  readonly hosts: readonly string[]
  readonly url: string
  readonly etcdServers: string | undefined
}

function readArguments(args: readonly string[]): InitArguments {
  const { values, positionals } = parsed(args)
  const [folder] = positionals
  if (folder === undefined || positionals.length > 1) throw usageError('give one folder; see quarterdeck init --help')
  const hosts = values.hosts.split(',').filter((host) => host !== '')
  const url = values.url ?? `https://${inUrl(hosts[0] ?? '127.0.0.1')}:6443`
  if (URL.parse(url)?.protocol !== 'https:') throw usageError(`--url must be an https: URL, not ${url}`)
  return { folder: path.resolve(folder), hosts, url, etcdServers: values['etcd-servers'] }
}

function parsed(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options: FLAGS, strict: true, allowPositionals: true })
  } catch (error) {
    throw usageError(`${reasonOf(error)}; see quarterdeck init --help`)
  }
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
