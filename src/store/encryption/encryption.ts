// The front door of encryption at rest: a transformer that chooses the provider by resource. Its configuration can be replaced while the
// server runs (P-440 to P-450).
import type { GroupResource } from '../../api/object.ts'
import { ApiError } from '../../api/status.ts'
import { getOrInsert } from '../../lib/map-entries.ts'
import { settle } from '../../lib/maybe-promise.ts'
import type { Opened, Transformer } from '../transformer.ts'
import { aesCbc, aesGcm, secretbox } from './ciphers.ts'
import type { EncryptionConfig, ProviderConfig } from './encryption-config.ts'
import { KmsProvider } from './kms.ts'
import type { KmsPlugin } from './kms-plugin.ts'
import type { EncryptionMeasures } from './measures.ts'
import { cipherProvider, IDENTITY, type Provider, Providers } from './providers.ts'

export type { EncryptionConfig, KmsConfig, ProviderConfig } from './encryption-config.ts'
export { readEncryptionConfig } from './encryption-config.ts'
export { type KmsPlugin, openKmsPlugin } from './kms-plugin.ts'
export { EncryptionMeasures } from './measures.ts'

export interface EncryptionParts {
  /** The resource of a key. Undefined: the key does not belong to an API object, and its value is never encrypted. */
  readonly resourceOf: (key: string) => GroupResource | undefined
  readonly openPlugin: (endpoint: string, timeoutMs: number) => Promise<KmsPlugin>
  readonly now: () => number
  readonly measures: EncryptionMeasures
}

/** A provider with keys in a plugin, which may be unavailable. */
export interface RemoteProvider {
  /** Throws if the plugin is not healthy. */
  check(): void
}

export class Encryption implements Transformer {
  readonly #parts: EncryptionParts
  #rules: Rules

  private constructor(parts: EncryptionParts, rules: Rules) {
    this.#parts = parts
    this.#rules = rules
  }

  /** Does not wait for plugins. Reads of their values wait instead. */
  static async open(config: EncryptionConfig, parts: EncryptionParts): Promise<Encryption> {
    return new Encryption(parts, await Rules.open(config, parts))
  }

  get remote(): readonly RemoteProvider[] {
    return this.#rules.remote
  }

  fromStorage(value: Buffer, key: string): Opened | Promise<Opened> {
    return this.#rules.providersFor(this.#parts.resourceOf(key)).open(value, key)
  }

  /** Throws `ApiError` if there is no usable key. */
  toStorage(bytes: Buffer, key: string): Buffer | Promise<Buffer> {
    const providers = this.#rules.providersFor(this.#parts.resourceOf(key))
    return settle(
      () => providers.seal(bytes, key),
      (sealed) => sealed,
      cannotSeal,
    )
  }

  /** Replaces the configuration. Throws if a plugin is not healthy before the signal fires, and changes nothing then. */
  async replace(config: EncryptionConfig, signal: AbortSignal): Promise<void> {
    const [before, next] = [this.#rules, await Rules.open(config, this.#parts)]
    try {
      for (const provider of next.remote) await provider.ready(signal)
    } catch (error) {
      await next.close()
      throw error
    }
    this.#rules = next
    await before.close()
  }

  async close(): Promise<void> {
    await this.#rules.close()
  }
}

function cannotSeal(error: unknown): never {
  const problem = error instanceof Error ? error.message : String(error)
  throw new ApiError('InternalError', `Internal error occurred: ${problem}`, { cause: error })
}

interface Rule {
  readonly resources: readonly string[]
  readonly providers: readonly Provider[]
}

const PLAIN = new Providers([IDENTITY])

class Rules {
  readonly remote: readonly KmsProvider[]
  readonly #rules: readonly Rule[]
  readonly #measures: EncryptionMeasures
  readonly #known = new Map<string, Providers>()

  private constructor(rules: readonly Rule[], remote: readonly KmsProvider[], measures: EncryptionMeasures) {
    this.#rules = rules
    this.remote = remote
    this.#measures = measures
  }

  static async open(config: EncryptionConfig, parts: EncryptionParts): Promise<Rules> {
    const remote: KmsProvider[] = []
    const rules: Rule[] = []
    for (const { resources, providers } of config.entries) {
      const opened: Provider[] = []
      for (const provider of providers) {
        const made = await openProvider(provider, parts)
        opened.push(...made)
        remote.push(...made.filter((one) => one instanceof KmsProvider))
      }
      rules.push({ resources, providers: opened })
    }
    return new Rules(rules, remote, parts.measures)
  }

  /** The providers of the first entry for the resource. Resources without an entry are not encrypted. */
  providersFor(resource: GroupResource | undefined): Providers {
    if (resource === undefined) return PLAIN
    const name = resource.group === '' ? resource.resource : `${resource.resource}.${resource.group}`
    return getOrInsert(this.#known, name, () => {
      const rule = this.#rules.find(({ resources }) => resources.some((pattern) => covers(pattern, resource, name)))
      const counted = { resource: name, measures: this.#measures }
      return rule === undefined ? PLAIN : new Providers(rule.providers, counted)
    })
  }

  async close(): Promise<void> {
    await Promise.all(this.remote.map((provider) => provider.close()))
  }
}

/** The forms of a pattern: `secrets`, `deployments.apps`, `*.apps`, `*.` for the core group, `*.*` (P-444). */
function covers(pattern: string, { group }: GroupResource, name: string): boolean {
  return pattern === '*.*' || pattern === `*.${group}` || pattern === name
}

async function openProvider(config: ProviderConfig, parts: EncryptionParts): Promise<readonly Provider[]> {
  switch (config.kind) {
    case 'identity':
      return [IDENTITY]
    case 'aesgcm':
      return config.keys.map(({ name, secret }) => cipherProvider('k8s:enc:aesgcm:v1:', name, aesGcm(secret)))
    case 'aescbc':
      return config.keys.map(({ name, secret }) => cipherProvider('k8s:enc:aescbc:v1:', name, aesCbc(secret)))
    case 'secretbox':
      return config.keys.map(({ name, secret }) => cipherProvider('k8s:enc:secretbox:v1:', name, secretbox(secret)))
    case 'kms': {
      const plugin = await parts.openPlugin(config.endpoint, config.timeoutMs)
      return [KmsProvider.start({ name: config.name, plugin, now: parts.now, measures: parts.measures })]
    }
  }
}
