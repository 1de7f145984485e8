// `quarterdeck store serve`: serves a store by etcd's API. Flags have the names of etcd's flags.
import { once } from 'node:events'
import { existsSync, lstatSync } from 'node:fs'
import path from 'node:path'
import { defaultDataDirectory, type Environment } from '../config/config.ts'
import { readAuthorities, readTextFile } from '../config/files.ts'
import { ReloadRequests } from '../config/reload-requests.ts'
import { managementConfig } from '../config/management-config.ts'
import { integer, pair } from '../config/setting-reader.ts'
import type { Setting } from '../config/settings.ts'
import { reasonOf, StartError, usageError } from '../config/start-error.ts'
import { openEmbedded } from '../kv/embedded/embedded.ts'
import { openMemory } from '../kv/embedded/memory.ts'
import { KvError } from '../kv/kv.ts'
import { type ServedEtcd, serveEtcd, type ServeEtcdOptions } from '../kv/serve/serve.ts'
import type { Log } from '../lib/log.ts'
import { reloadCertificates } from '../config/certificate-reload.ts'
import { logStyle, openLog } from '../telemetry/logger.ts'
import { openManagements } from '../telemetry/management/listeners.ts'
import { keepSpace } from '../server/storage.ts'
import { programVersion } from '../telemetry/version.ts'
import { readCommandLine, subcommandIn } from './command-flags.ts'
import { complain, outliveReaders, print } from './output.ts'
import { stopSignal } from './stop-signal.ts'

const TLS_FLAGS = ['cert-file', 'key-file', 'trusted-ca-file'] as const

type Flags = ReturnType<typeof readCommandLine<'store serve'>>['read']
type Address = ServeEtcdOptions['address']
type Tls = NonNullable<ServeEtcdOptions['tls']>

export async function runStore(args: readonly string[], environment: Environment): Promise<number> {
  outliveReaders()
  const { words, rest } = subcommandIn('store', args)
  if (words !== 'store serve') throw usageError('the only command of store is serve; see quarterdeck store --help')
  const { read } = readCommandLine(words, rest)
  const { address, isSecure } = addressOf(read.required('listen-client-urls'))
  const stray = isSecure ? undefined : read.given(TLS_FLAGS)[0]
  if (stray !== undefined) throw usageError(`${stray.replace(/=.*/, '')} requires an https: URL`)
  const isDurable = !read.switch('in-memory')
  const stop = stopSignal()
  const tls = isSecure ? readTls(read) : undefined
  const managed = managementConfig(read)
  if (managed?.clientCaFile !== undefined && !isSecure)
    throw usageError(
      '--management-client-ca-file requires an https: URL, whose certificate --management-address serves',
    )
  const directory = path.join(read.directory('data-dir') ?? defaultDataDirectory(environment), 'store')
  const log = openLog('info', logStyle(undefined))
  await using management = await openManagements(managed === undefined ? [] : [managed], log)
  const kv = await openStore(read, isDurable ? directory : undefined, stop)
  let served: ServedEtcd
  try {
    const onFault = (error: unknown): void => log.error({ err: error }, 'a call failed with an internal error')
    served = await serveEtcd({ kv, address, tls, onFault })
  } catch (error) {
    await kv.close()
    const reason = address.kind === 'unix' ? socketFault(address.path) : undefined
    throw new StartError(`cannot listen on ${read.text('listen-client-urls')}: ${reason ?? reasonOf(error)}`, {
      cause: error,
    })
  }
  const where = isDurable ? directory : 'in memory'
  let serving = tls
  if (managed !== undefined) {
    const { storePages } = await import('./store-pages.ts')
    const parts = { kv, url: served.url, certificate: () => serving?.certificate, isStopping: () => stop.aborted, log }
    management.show({ answer: storePages(parts), serving: () => serving })
  }
  const manage = management.urls.map((url) => `  manage  ${url}/readyz\n`).join('')
  print(`quarterdeck ${programVersion()} serves its store on ${served.url}\n  data  ${where}\n${manage}`)
  if (tls !== undefined && tls.clientCa === undefined) {
    complain(
      `quarterdeck: warning: every client that reaches ${served.url} can read and write the whole store: give --trusted-ca-file to demand client certificates\n`,
    )
  }
  const looking = isDurable
    ? keepSpace({ storage: { kind: 'embedded', directory, keptBytes: 0 }, kv, log }, stop)
    : undefined
  const use = (renewed: Tls): void => {
    served.renew(renewed)
    serving = renewed
  }
  if (tls !== undefined) void reloadTls({ read, current: tls, use, log }, stop)
  if (!stop.aborted) await once(stop, 'abort')
  log.info({}, 'shutting down')
  await looking
  await served.close()
  await kv.close()
  return 0
}

/** The reason why the socket cannot be opened, if the system's message would be wrong: it names ports and permissions. */
function socketFault(socket: string): string | undefined {
  if (Buffer.byteLength(socket) > 107) return 'the path is longer than 107 bytes'
  if (!existsSync(path.dirname(socket))) return `there is no directory ${path.dirname(socket)}`
  const there = lstatSync(socket, { throwIfNoEntry: false })
  const wrong =
    there?.isSocket() === true ? 'another process listens there' : 'a file of that name exists, and is not a socket'
  return there && wrong
}

function addressOf({ text: url, source }: Setting): { readonly address: Address; readonly isSecure: boolean } {
  if (/^unix:\/\/./.test(url)) {
    return { address: { kind: 'unix', path: path.resolve(url.slice('unix://'.length)) }, isSecure: false }
  }
  const { protocol = '', hostname = '', port = '', pathname = '', search = '', username = '' } = URL.parse(url) ?? {}
  const isWhole = hostname !== '' && pathname === '/' && search === '' && username === ''
  if (!isWhole || (protocol !== 'http:' && protocol !== 'https:')) {
    throw usageError(`${source}: "${url}" is not http://host:port, https://host:port or unix:///path`)
  }
  const host = hostname.replace(/^\[|\]$/g, '')
  if (protocol === 'http:' && !/^(127(\.\d+){3}|::1|localhost)$/.test(host)) {
    throw usageError('without TLS a store is served on a loopback address or a Unix socket only: give an https: URL')
  }
  const defaultPort = protocol === 'http:' ? 80 : 443
  return {
    address: { kind: 'tcp', host, port: port === '' ? defaultPort : Number(port) },
    isSecure: protocol === 'https:',
  }
}

/** Reloads changed certificates until the signal fires, and at a SIGHUP at once. */
function reloadTls(
  from: { readonly read: Flags; readonly current: Tls; readonly use: (tls: Tls) => void; readonly log: Log },
  signal: AbortSignal,
): Promise<void> {
  const { read, current, use, log } = from
  const reloads = new ReloadRequests()
  process.on('SIGHUP', () => reloads.ask())
  const files = TLS_FLAGS.flatMap((name) => read.file(name) ?? [])
  return reloadCertificates({ current, files, read: async () => readTls(read), use, reloads, log }, signal)
}

function readTls(read: Flags): Tls {
  const { certificateFile, keyFile } = pair(read, 'cert-file', 'key-file') ?? {}
  if (certificateFile === undefined || keyFile === undefined) {
    throw usageError('an https: URL needs --cert-file and --key-file')
  }
  return {
    certificate: readTextFile(certificateFile, '--cert-file'),
    key: readTextFile(keyFile, '--key-file'),
    clientCa: readAuthorities(read.file('trusted-ca-file'), '--trusted-ca-file'),
  }
}

async function openStore(
  read: Flags,
  dataDir: string | undefined,
  signal: AbortSignal,
): Promise<ServeEtcdOptions['kv']> {
  const quota = integer(read.required('quota-backend-bytes'), 0, Number.MAX_SAFE_INTEGER)
  if (dataDir === undefined) return openMemory()
  try {
    // For etcd, 0 means its default limit. Here 0 means that only the disk limits the store.
    return await openEmbedded({ dataDir, ...(quota === 0 ? {} : { maxBytes: quota }) }, signal)
  } catch (error) {
    if (error instanceof KvError) throw new StartError(error.message, { cause: error })
    throw error
  }
}
