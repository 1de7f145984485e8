// `quarterdeck store serve`: a store behind etcd's API, for servers and for clients of etcd. Flags that etcd has bear its names.
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { defaultDataDirectory, type Environment } from '../config/config.ts'
import { ReloadRequests } from '../config/reload-requests.ts'
import { reasonOf, StartError, usageError } from '../config/start-error.ts'
import { openEmbedded } from '../kv/embedded/embedded.ts'
import { openMemory } from '../kv/embedded/memory.ts'
import { KvError } from '../kv/kv.ts'
import { type ServedEtcd, serveEtcd, type ServeEtcdOptions } from '../kv/serve/serve.ts'
import type { Log } from '../lib/log.ts'
import { reloadCertificates } from '../server/certificate-reload.ts'
import { openLog } from '../server/logger.ts'
import { keepSpace } from '../server/storage.ts'
import { programVersion } from '../server/version.ts'
import { stopSignal } from './stop-signal.ts'

const FLAGS = {
  'data-dir': { type: 'string' },
  'in-memory': { type: 'boolean' },
  'listen-client-urls': { type: 'string', default: 'http://127.0.0.1:2379' },
  'cert-file': { type: 'string' },
  'key-file': { type: 'string' },
  'trusted-ca-file': { type: 'string' },
  'quota-backend-bytes': { type: 'string' },
} as const

type Flags = ReturnType<typeof readFlags>
type Address = ServeEtcdOptions['address']
type Tls = NonNullable<ServeEtcdOptions['tls']>

/** Resolves with the exit code, when it was told to stop. */
export async function runStore(args: readonly string[], environment: Environment): Promise<number> {
  const [action, ...rest] = args
  if (action !== 'serve') throw usageError('the one thing to do with a store is serve; see quarterdeck store --help')
  const flags = readFlags(rest)
  const { address, isSecure } = addressOf(flags['listen-client-urls'])
  const stop = stopSignal()
  const tls = isSecure ? await readTls(flags) : undefined
  const directory = path.join(path.resolve(flags['data-dir'] ?? defaultDataDirectory(environment)), 'store')
  const kv = await openStore(flags, directory, stop)
  const log = openLog('info')
  let served: ServedEtcd
  try {
    const onFault = (error: unknown): void => log.error({ err: error }, 'a call failed with an internal error')
    served = await serveEtcd({ kv, address, tls, onFault })
  } catch (error) {
    await kv.close()
    throw new StartError(`cannot listen on ${flags['listen-client-urls']}: ${reasonOf(error)}`, { cause: error })
  }
  const where = flags['in-memory'] === true ? 'in memory' : directory
  process.stdout.write(`quarterdeck ${programVersion()} serves its store on ${served.url}\n  data  ${where}\n`)
  const isDurable = flags['in-memory'] !== true
  const looking = isDurable
    ? keepSpace({ storage: { kind: 'embedded', directory, keptBytes: 0 }, kv, log }, stop)
    : undefined
  if (tls !== undefined) void reloadTls({ flags, current: tls, served, log }, stop)
  if (!stop.aborted) await once(stop, 'abort')
  log.info({}, 'shutting down')
  await looking
  await served.close()
  await kv.close()
  return 0
}

function readFlags(args: readonly string[]) {
  try {
    const { values } = parseArgs({ args: [...args], options: FLAGS, strict: true })
    return values
  } catch (error) {
    throw usageError(`${reasonOf(error)}; see quarterdeck store --help`)
  }
}

function addressOf(url: string): { readonly address: Address; readonly isSecure: boolean } {
  if (url.startsWith('unix://')) {
    return { address: { kind: 'unix', path: path.resolve(url.slice('unix://'.length)) }, isSecure: false }
  }
  const { protocol = '', hostname = '', port = '' } = URL.parse(url) ?? {}
  if (protocol !== 'http:' && protocol !== 'https:') {
    throw usageError(`--listen-client-urls must be one http:, https: or unix: URL, not ${url}`)
  }
  const host = hostname.replace(/^\[|\]$/g, '')
  if (protocol === 'http:' && !/^(127\.|::1$|localhost$)/.test(host)) {
    throw usageError('without TLS a store is served on a loopback address or a Unix socket only: give an https: URL')
  }
  const defaultPort = protocol === 'http:' ? 80 : 443
  return {
    address: { kind: 'tcp', host, port: port === '' ? defaultPort : Number(port) },
    isSecure: protocol === 'https:',
  }
}

/** Until the signal fires; at once when a hang-up asks for it. */
function reloadTls(
  from: { readonly flags: Flags; readonly current: Tls; readonly served: ServedEtcd; readonly log: Log },
  signal: AbortSignal,
): Promise<void> {
  const { flags, current, served, log } = from
  const reloads = new ReloadRequests()
  process.on('SIGHUP', () => reloads.ask())
  const given = [flags['cert-file'], flags['key-file'], flags['trusted-ca-file']]
  const files = given.filter((file) => file !== undefined)
  return reloadCertificates(
    { current, files, read: () => readTls(flags), use: (tls) => served.renew(tls), reloads, log },
    signal,
  )
}

async function readTls(flags: Flags): Promise<Tls> {
  const { 'cert-file': certificate, 'key-file': key, 'trusted-ca-file': clientCa } = flags
  if (certificate === undefined || key === undefined) throw usageError('an https: URL needs --cert-file and --key-file')
  return {
    certificate: await readText(certificate),
    key: await readText(key),
    clientCa: clientCa === undefined ? undefined : await readText(clientCa),
  }
}

async function readText(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    throw usageError(`cannot read ${file}: ${reasonOf(error)}`)
  }
}

async function openStore(flags: Flags, dataDir: string, signal: AbortSignal): Promise<ServeEtcdOptions['kv']> {
  const { 'in-memory': inMemory, 'quota-backend-bytes': quota } = flags
  if (quota !== undefined && !/^\d{1,15}$/.test(quota)) throw usageError('--quota-backend-bytes must be a number')
  if (inMemory === true) return openMemory()
  // To etcd 0 is its default, which is a limit; here there is none but the disk.
  const limit = quota === undefined || Number(quota) === 0 ? {} : { maxBytes: Number(quota) }
  try {
    return await openEmbedded({ dataDir, ...limit }, signal)
  } catch (error) {
    if (error instanceof KvError) throw new StartError(error.message, { cause: error })
    throw error
  }
}
