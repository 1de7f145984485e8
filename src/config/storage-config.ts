// The configuration of the storage: the engine and its options, and encryption.
import path from 'node:path'
import { type CertificatePair, integer, pair, type SettingReader } from './setting-reader.ts'
import type { Setting } from './settings.ts'
import { usageError } from './start-error.ts'

export type StorageConfig = OwnStorageConfig | EtcdConfig

export type OwnStorageConfig = { readonly kind: 'memory' } | EmbeddedConfig

export interface EmbeddedConfig {
  readonly kind: 'embedded'
  readonly directory: string
  /** The store may use this many bytes while history is kept beyond compaction. */
  readonly keptBytes: number
}

export interface EtcdConfig {
  readonly kind: 'etcd'
  readonly endpoints: readonly string[]
  readonly caFile: string | undefined
  readonly client: CertificatePair | undefined
  /** The bounds for defragmenting a member. Undefined: the server never defragments. */
  readonly defragment: { readonly freeShare: number; readonly minBytes: number } | undefined
}

export interface EncryptionFile {
  readonly file: string
  /** Whether changes are reloaded. */
  readonly reload: boolean
}

export interface StoragePlaces {
  readonly inMemory: boolean
  readonly endpoints: readonly string[]
  readonly dataDirectory: string
}

/** Whether `by` overrides the setting. The command line takes precedence over the environment and the file of an image. */
function isOutranked(setting: Setting | undefined, by: Setting): boolean {
  return setting === undefined || (by.source.startsWith('--') && !setting.source.startsWith('--'))
}

/** Throws a `StartError` for contradictory flags. */
export function storageOf(read: SettingReader, { inMemory, endpoints, dataDirectory }: StoragePlaces): StorageConfig {
  if (inMemory && endpoints.length > 0) throw usageError('--in-memory and --etcd-servers are mutually exclusive')
  if (inMemory && !isOutranked(read.optional('data-dir'), read.required('in-memory')))
    throw usageError('--in-memory and --data-dir are mutually exclusive')
  const caFile = read.file('etcd-cafile')
  const client = pair(read, 'etcd-certfile', 'etcd-keyfile')
  const keptBytes = integer(read.required('history-retention'), 0, Number.MAX_SAFE_INTEGER)
  if (keptBytes > 0 && (inMemory || endpoints.length > 0)) {
    throw usageError('--history-retention is for the embedded store in a data directory')
  }
  const freePercent = integer(read.required('etcd-defrag-free-percent'), 0, 99)
  const minBytes = integer(read.required('etcd-defrag-min-bytes'), 0, Number.MAX_SAFE_INTEGER)
  const defragment = freePercent === 0 ? undefined : { freeShare: freePercent / 100, minBytes }
  if (endpoints.length === 0) {
    // If an empty value were accepted, the server would start with an empty store of its own.
    if (read.isSet('etcd-servers')) throw usageError(`${read.required('etcd-servers').source} needs a value`)
    const given = {
      '--etcd-cafile': caFile,
      '--etcd-certfile': client,
      '--etcd-defrag-free-percent': defragment,
    }
    const [stray] = Object.entries(given).find(([, value]) => value !== undefined) ?? []
    if (stray !== undefined) throw usageError(`${stray} requires --etcd-servers`)
    return inMemory ? { kind: 'memory' } : { kind: 'embedded', directory: path.join(dataDirectory, 'store'), keptBytes }
  }
  for (const endpoint of endpoints) {
    const isUrl = /^(?:https?:\/\/[^/\s@]+:\d+\/?|unix:\/\/\/\S*[^/\s])$/.test(endpoint) && URL.canParse(endpoint)
    if (!isUrl) {
      throw usageError(`--etcd-servers: "${endpoint}" is not http://host:port, https://host:port or unix:///path`)
    }
    if (leavesUnsealed(endpoint) && !read.switch('dev')) {
      throw usageError(`--etcd-servers: "${endpoint}" is a remote etcd without TLS; use https, or --dev`)
    }
  }
  return {
    kind: 'etcd',
    endpoints: endpoints.map((endpoint) => endpoint.replace(/\/$/, '')),
    caFile,
    client,
    defragment,
  }
}

/** A remote etcd without TLS (CIS 1.2.26). */
function leavesUnsealed(endpoint: string): boolean {
  return endpoint.startsWith('http:') && !/^http:\/\/(localhost|127(\.\d+){3}|\[::1\]):/.test(endpoint)
}

export function encryptionFile(read: SettingReader): EncryptionFile | undefined {
  const file = read.file('encryption-provider-config')
  const reload = read.switch('encryption-provider-config-automatic-reload')
  if (file !== undefined) return { file, reload }
  if (!reload) return undefined
  throw usageError('--encryption-provider-config-automatic-reload requires --encryption-provider-config')
}

export function storagePrefix({ text, source }: Setting): string {
  const prefix = `/${text.replace(/^\/+|\/+$/g, '')}/`
  if (prefix === '//' || prefix.includes('//') || /[^\x21-\x7e]/.test(prefix)) {
    throw usageError(`${source}: "${text}" is not a path like /registry`)
  }
  return prefix
}
