// The encryption configuration, read from the operator's file. Secrets never appear in a message (P-444).
import { DocumentFaults } from '../../api/document-faults.ts'
import { type FieldError, invalid, required } from '../../api/field-error.ts'
import { FieldPath } from '../../api/field-path.ts'
import { own, type Value, type ValueMap } from '../../api/value.ts'
import { asMap, mapOrAbsent, mapOrEmpty, mapsInPlace, textOrEmpty, textsInPlace } from '../../api/members.ts'
import { parseDuration } from '../../lib/duration.ts'

export interface EncryptionConfig {
  readonly entries: readonly EncryptionEntry[]
}

export interface EncryptionEntry {
  readonly resources: readonly string[]
  /** The first provider encrypts. Never empty. */
  readonly providers: readonly ProviderConfig[]
}

export type ProviderConfig =
  | { readonly kind: 'identity' }
  | { readonly kind: 'aesgcm' | 'aescbc' | 'secretbox'; readonly keys: readonly KeyConfig[] }
  | KmsConfig

export interface KeyConfig {
  readonly name: string
  readonly secret: Buffer
}

export interface KmsConfig {
  readonly kind: 'kms'
  readonly name: string
  /** Such as `unix:///run/plugin.sock`. */
  readonly endpoint: string
  readonly timeoutMs: number
}

const KINDS = ['aescbc', 'aesgcm', 'identity', 'kms', 'secretbox'] as const
const KEY_BYTES: Readonly<Record<'aesgcm' | 'aescbc' | 'secretbox', readonly number[]>> = {
  aesgcm: [16, 24, 32],
  aescbc: [16, 24, 32],
  secretbox: [32],
}
const DEFAULT_TIMEOUT = '3s'
/** Objects are stored under these names, but no served resource has them. */
const NOT_SERVED: readonly string[] = ['apiserveripinfo', 'serviceipallocations', 'servicenodeportallocations']

/** Throws an `Error` with every fault. */
export function readEncryptionConfig(document: Value): EncryptionConfig {
  const reader = new ConfigReader()
  const config = reader.read(document)
  if (reader.all.length > 0) throw new Error(reader.all.join('; '))
  return config
}

class ConfigReader extends DocumentFaults {
  readonly #kmsNames = new Set<string>()

  read(document: Value): EncryptionConfig {
    const root = asMap(document)
    if (own(root, 'kind') !== 'EncryptionConfiguration' || own(root, 'apiVersion') !== 'apiserver.config.k8s.io/v1') {
      this.all.push('must be an EncryptionConfiguration of apiserver.config.k8s.io/v1')
      return { entries: [] }
    }
    this.checkFields(root, ['apiVersion', 'kind', 'resources'], '')
    const at = FieldPath.root('resources')
    const entries = mapsInPlace(root, 'resources')
    if (entries.length === 0) this.#add(required(at, 'at least one resources is required'))
    const read = entries.map((entry, i) => this.#entry(entry, at.index(i)))
    this.#checkMasked(read, at)
    return { entries: read }
  }

  #entry(entry: ValueMap, at: FieldPath): EncryptionEntry {
    this.checkFields(entry, ['resources', 'providers'], at.toString())
    const resources = textsInPlace(entry, 'resources')
    const providers = mapsInPlace(entry, 'providers')
    const [inResources, inProviders] = [at.child('resources'), at.child('providers')]
    if (resources.length === 0) this.#add(required(inResources, `at least one ${inResources.toString()} is required`))
    if (providers.length === 0) this.#add(required(inProviders, `at least one ${inProviders.toString()} is required`))
    this.#checkOverlap(resources, inResources)
    for (const [i, name] of resources.entries()) {
      const fault = nameFault(name)
      if (fault !== undefined) this.#add(invalid(inResources.index(i), name, fault))
    }
    return { resources, providers: providers.flatMap((provider, i) => this.#provider(provider, inProviders.index(i))) }
  }

  #checkOverlap(resources: readonly string[], at: FieldPath): void {
    if (new Set(resources).size < resources.length) {
      this.#add(invalid(at, [...resources], 'the same resource cannot be specified multiple times'))
    }
    const isMasked = resources.some((one, i) =>
      resources.some((other, j) => i !== j && one !== other && masks(one, other)),
    )
    if (!isMasked) return
    const detail =
      "using overlapping resources such as 'secrets' and '*.' in the same resource list is not allowed as they will be masked"
    this.#add(invalid(at, [...resources], detail))
  }

  /** Reports each entry that an earlier entry masks. */
  #checkMasked(entries: readonly EncryptionEntry[], at: FieldPath): void {
    for (const [i, { resources }] of entries.entries()) {
      for (const [j, name] of resources.entries()) {
        const before = entries.slice(0, i).flatMap((entry) => entry.resources)
        const hiding = before.find((earlier) => earlier !== name && masks(earlier, name))
        if (hiding === undefined) continue
        this.#add(
          invalid(at.index(i).child('resources').index(j), name, `resource is masked by earlier rule "${hiding}"`),
        )
      }
    }
  }

  #provider(provider: ValueMap, at: FieldPath): readonly ProviderConfig[] {
    this.checkFields(provider, KINDS, at.toString())
    const [kind, ...more] = KINDS.filter((name) => mapOrAbsent(provider, name) !== undefined)
    if (kind === undefined) {
      const detail = 'provider does not contain any of the expected providers: KMS, AESGCM, AESCBC, Secretbox, Identity'
      this.add(at.toString(), detail)
      return []
    }
    if (more.length > 0) {
      const detail = 'more than one provider specified in a single element, should split into different list elements'
      this.add(at.toString(), detail)
      return []
    }
    const content = mapOrEmpty(provider, kind)
    if (kind === 'identity') return [{ kind }]
    if (kind === 'kms') return [this.#kms(content, at.child('kms'))]
    return [{ kind, keys: this.#keys(content, at.child(kind).child('keys'), KEY_BYTES[kind]) }]
  }

  #keys(content: ValueMap, at: FieldPath, lengths: readonly number[]): readonly KeyConfig[] {
    const keys = mapsInPlace(content, 'keys')
    if (keys.length === 0) this.#add(required(at, 'at least one keys is required'))
    return keys.map((key, i) => {
      const [name, text] = [textOrEmpty(key, 'name'), textOrEmpty(key, 'secret')]
      const here = at.index(i)
      if (name === '') this.#add(required(here.child('name'), 'name is a mandatory field for a key'))
      if (text === '') this.#add(required(here.child('secret'), 'secret is a mandatory field for a key'))
      else this.#checkSecret(text, here.child('secret'), lengths)
      return { name, secret: Buffer.from(text, 'base64') }
    })
  }

  #checkSecret(text: string, at: FieldPath, lengths: readonly number[]): void {
    const secret = Buffer.from(text, 'base64')
    if (!/^[A-Za-z0-9+/]+={0,2}$/.test(text) || text.length % 4 !== 0) {
      this.#add(invalid(at, 'REDACTED', 'secrets must be base64 encoded'))
    } else if (!lengths.includes(secret.length)) {
      const expected = `expected one of [${lengths.join(' ')}]`
      this.#add(invalid(at, 'REDACTED', `secret is not of the expected length, got ${secret.length}, ${expected}`))
    }
  }

  #kms(content: ValueMap, at: FieldPath): KmsConfig {
    this.checkFields(content, ['apiVersion', 'name', 'endpoint', 'timeout', 'cachesize'], at.toString())
    const [name, endpoint] = [textOrEmpty(content, 'name'), textOrEmpty(content, 'endpoint')]
    const version = textOrEmpty(content, 'apiVersion')
    if (version === '' || version === 'v1') {
      this.#add(invalid(at.child('apiVersion'), version, 'KMSv1 is deprecated and not served. Use KMSv2 instead'))
    } else if (version !== 'v2') {
      const detail = `unsupported apiVersion ${version} for KMS provider, only v1 and v2 are supported`
      this.#add(invalid(at.child('apiVersion'), version, detail))
    }
    if (own(content, 'cachesize') !== undefined) {
      this.#add(invalid(at.child('cachesize'), own(content, 'cachesize'), 'cachesize is not supported in v2'))
    }
    this.#checkKmsName(name, at.child('name'))
    if (endpoint === '') this.#add(invalid(at.child('endpoint'), '', 'endpoint is a mandatory field for a kms'))
    else if (!endpoint.startsWith('unix://')) {
      const [scheme = ''] = endpoint.split(':')
      const detail = `unsupported scheme ${JSON.stringify(scheme)} for KMS provider, only unix is supported`
      this.#add(invalid(at.child('endpoint'), endpoint, detail))
    }
    const given = textOrEmpty(content, 'timeout')
    const timeout = parseDuration(given === '' ? DEFAULT_TIMEOUT : given)
    const timeoutMs = timeout.ok ? Number(timeout.nanoseconds) / 1e6 : 0
    if (timeoutMs <= 0) this.#add(invalid(at.child('timeout'), given, 'timeout should be a positive value'))
    return { kind: 'kms', name, endpoint, timeoutMs }
  }

  #checkKmsName(name: string, at: FieldPath): void {
    if (name === '') this.#add(required(at, 'name is a mandatory field for a provider'))
    if (name.includes(':')) this.#add(invalid(at, name, `invalid KMS provider name ${name}, must not contain ':'`))
    if (this.#kmsNames.has(name)) {
      this.#add(invalid(at, name, `duplicate KMS provider name ${name}, names must be unique`))
    }
    this.#kmsNames.add(name)
  }

  #add({ field, message }: FieldError): void {
    this.add(field, message)
  }
}

function nameFault(name: string): string | undefined {
  if (name.toLowerCase() !== name) return 'resource name should not contain capital letters'
  if (name === '*') {
    return "use '*.' to encrypt all the resources from core API group or *.* to encrypt all resources"
  }
  if (NOT_SERVED.includes(name)) return 'resources which do not have REST API/s cannot be encrypted'
  const group = groupOf(name)
  if (group === 'events.k8s.io') {
    return "'*.events.k8s.io' objects are stored using the 'events' API group in etcd. Use 'events' instead in the config file"
  }
  if (group === 'extensions') return "'extensions' group has been removed and cannot be used for encryption"
  if (group === '*' && name !== '*.*') return 'encrypting the same resource across groups is not supported'
  return undefined
}

function groupOf(name: string): string {
  const dot = name.indexOf('.')
  return dot === -1 ? '' : name.slice(dot + 1)
}

/** Whether the pattern covers every resource of the name. */
function masks(pattern: string, name: string): boolean {
  return pattern === '*.*' || (pattern.startsWith('*.') && groupOf(pattern) === groupOf(name))
}
