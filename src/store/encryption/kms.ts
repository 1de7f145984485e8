// Encrypts values with a seed that a KMS v2 plugin wraps. A seed is used until the plugin reports another key ID. The seed encrypts for
// three minutes after the plugin was last healthy, so that a revoked key is not used for long (P-450).
import { hash, randomBytes, randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { BoundedMap } from '../../lib/bounded-map.ts'
import { cancellable } from '../../lib/cancellable.ts'
import { messageOf } from '../../lib/errors.ts'
import { aesGcm, type Cipher, seededGcm } from './ciphers.ts'
import { KmsError, type KmsPlugin, type Wrapped } from './kms-plugin.ts'
import type { EncryptionMeasures } from './measures.ts'
import type { OpenedValue, Provider } from './providers.ts'
import { bytesOf, mapOf, numberOf, readFields, textOf, writeMessage } from './kms-messages.ts'

export interface KmsOptions {
  readonly name: string
  readonly plugin: KmsPlugin
  readonly now: () => number
  readonly measures: EncryptionMeasures
  readonly pollMs?: number
}

const POLL_MS = 60_000
const POLL_UNWELL_MS = 10_000
const POLL_UNTIL_READY_MS = 1_000
const SEALS_FOR_MS = 180_000
const SEED_BYTES = 32
const MAX_KEY_ID_BYTES = 1024
const MAX_WRAPPED_BYTES = 1024
/** The largest number of unwrapped seeds in memory. There is one for each key and each start of a server that has written values. */
const REMEMBERED = 4_096
const RETRIES = 5
const RETRY_MS = 1_000

/** The use of a wrapped secret. */
const AS_KEY = 0
const AS_SEED = 1

interface Seed {
  readonly cipher: Cipher
  readonly wrapped: Wrapped
  readonly sealsUntilMs: number
}

export class KmsProvider implements Provider {
  readonly name: string
  readonly label: string
  readonly prefix: Buffer
  readonly #options: KmsOptions
  readonly #ciphers = new BoundedMap<string, Cipher>(REMEMBERED)
  readonly #unwrapping = new Map<string, Promise<Cipher>>()
  readonly #life = new AbortController()
  #polling: Promise<void> = Promise.resolve()
  readonly #isReady = Promise.withResolvers<void>()
  #seed: Seed | undefined
  #problem: string | undefined = 'the plugin has not answered yet'

  private constructor(options: KmsOptions) {
    this.name = options.name
    this.label = `k8s:enc:kms:v2:${options.name}:`
    this.prefix = Buffer.from(this.label)
    this.#options = { ...options, plugin: options.measures.timed(options.name, options.plugin) }
  }

  /** Makes a provider that polls the plugin until `close`. */
  static start(options: KmsOptions): KmsProvider {
    const provider = new KmsProvider(options)
    provider.#polling = provider.#poll()
    return provider
  }

  /** Resolves when the plugin was healthy once. Throws the plugin's fault if the signal fires first. */
  async ready(signal: AbortSignal): Promise<void> {
    await cancellable(this.#isReady.promise, signal).catch(() => undefined)
    if (this.#seed === undefined) throw new Error(`KMS provider ${this.name}: ${this.#problem}`)
  }

  check(): void {
    if (this.#problem !== undefined) throw new Error(this.#problem)
  }

  /** Waits for pending unwraps. */
  async close(): Promise<void> {
    this.#life.abort()
    this.#isReady.resolve()
    await this.#polling
    await Promise.allSettled(this.#unwrapping.values())
    this.#options.plugin.close()
  }

  seal(bytes: Buffer, key: string): Buffer | Promise<Buffer> {
    const seed = this.#seed
    if (seed !== undefined) return this.#sealWith(seed, bytes, key)
    return this.#isReady.promise.then(() => {
      if (this.#seed === undefined) throw new Error('the KMS provider has no encryption key')
      return this.#sealWith(this.#seed, bytes, key)
    })
  }

  #sealWith(seed: Seed, bytes: Buffer, key: string): Buffer {
    const now = this.#options.now()
    if (now > seed.sealsUntilMs) {
      const digest = hash('sha256', seed.wrapped.keyId)
      const [end, current] = [seed.sealsUntilMs, now].map((ms) => `${new Date(ms).toISOString().slice(0, 19)}Z`)
      throw new Error(
        `encryptedDEKSource with keyID hash "sha256:${digest}" expired at ${end} (current time is ${current})`,
      )
    }
    const { keyId, ciphertext, annotations } = seed.wrapped
    const sealed = seed.cipher.seal(bytes, key)
    this.#options.measures.noteKeyUse('to_storage', this.name, keyId)
    return writeMessage(sealed, keyId, ciphertext, annotations, AS_SEED)
  }

  open(value: Buffer, key: string): OpenedValue | Promise<OpenedValue> {
    const fields = readFields(value)
    const wrapped: Wrapped = { ciphertext: bytesOf(fields, 3), keyId: textOf(fields, 2), annotations: mapOf(fields, 4) }
    const [sealed, use] = [bytesOf(fields, 1), numberOf(fields, 5)]
    if (sealed.length === 0) throw new Error('encrypted data is empty')
    if (use !== AS_KEY && use !== AS_SEED) throw new Error(`unknown encryptedDEKSourceType: ${use}`)
    checkWrapped(wrapped)
    const opened = (cipher: Cipher): OpenedValue => {
      const bytes = cipher.open(sealed, key)
      this.#options.measures.noteKeyUse('from_storage', this.name, wrapped.keyId)
      return { bytes, stale: use !== AS_SEED || wrapped.keyId !== this.#seed?.wrapped.keyId }
    }
    const id = identityOf(wrapped, use)
    const known = this.#ciphers.get(id)
    return known === undefined ? this.#unwrapped(id, wrapped, use).then(opened) : opened(known)
  }

  /** Concurrent callers share one call for each secret. */
  #unwrapped(id: string, wrapped: Wrapped, use: number): Promise<Cipher> {
    const underWay = this.#unwrapping.get(id)
    if (underWay !== undefined) return underWay
    this.#options.measures.cacheMisses.of().value++
    const asked = this.#unwrap(wrapped, use).then((cipher) => {
      this.#remember(id, cipher)
      return cipher
    })
    this.#unwrapping.set(id, asked)
    const forget = (): void => void this.#unwrapping.delete(id)
    asked.then(forget, forget)
    return asked
  }

  /** Retries: a plugin that is absent for a moment must not make objects look damaged. */
  async #unwrap(wrapped: Wrapped, use: number): Promise<Cipher> {
    await this.#isReady.promise
    for (let attempt = 1; ; attempt++) {
      try {
        const secret = await this.#options.plugin.unwrap(wrapped, randomUUID())
        return use === AS_SEED ? seededGcm(seedOf(secret)) : aesGcm(keyOf(secret))
      } catch (error) {
        const mayRetry = error instanceof KmsError && error.isTransient && attempt < RETRIES
        if (!mayRetry || this.#life.signal.aborted) {
          throw new Error(`failed to decrypt DEK, error: ${messageOf(error)}`, { cause: error })
        }
        await this.#pause(RETRY_MS)
      }
    }
  }

  async #poll(): Promise<void> {
    const wellMs = this.#options.pollMs ?? POLL_MS
    const unwellMs = (): number => (this.#seed === undefined ? POLL_UNTIL_READY_MS : POLL_UNWELL_MS)
    do await this.#refresh()
    while (await this.#pause(this.#problem === undefined ? wellMs : Math.min(wellMs, unwellMs())))
  }

  async #pause(ms: number): Promise<boolean> {
    try {
      await sleep(ms, undefined, { signal: this.#life.signal, ref: false })
      return true
    } catch {
      return false
    }
  }

  /** Asks the plugin for its status. After a failure, `check` throws at once, and encryption throws when the seed has expired. */
  async #refresh(): Promise<void> {
    try {
      const asked = this.#options.now()
      const { version, healthz, keyId } = await this.#options.plugin.status()
      if (version !== 'v2' && version !== 'v2beta1') {
        throw new Error(`expected KMSv2 API version v2, got ${JSON.stringify(version)}`)
      }
      if (healthz !== 'ok') throw new Error(`got unexpected healthz status: ${healthz}`)
      this.#checkKeyId(keyId)
      const current = this.#seed?.wrapped.keyId === keyId ? this.#seed : await this.#newSeed(keyId)
      this.#seed = { ...current, sealsUntilMs: asked + SEALS_FOR_MS }
      this.#problem = undefined
      this.#isReady.resolve()
    } catch (error) {
      this.#problem = messageOf(error)
    }
  }

  async #newSeed(keyId: string): Promise<Seed> {
    const { plugin, measures } = this.#options
    const began = performance.now()
    try {
      const secret = randomBytes(SEED_BYTES)
      const wrapped = await plugin.wrap(secret, randomUUID())
      checkWrapped(wrapped)
      if (wrapped.keyId !== keyId) throw new Error('the KMS plugin changed its key between two calls')
      const cipher = seededGcm(secret)
      this.#remember(identityOf(wrapped, AS_SEED), cipher)
      measures.keysMade.of().observe((performance.now() - began) / 1000)
      return { cipher, wrapped, sealsUntilMs: 0 }
    } catch (error) {
      measures.keysFailed.of().value++
      throw error
    }
  }

  #checkKeyId(keyId: string): void {
    const { measures } = this.#options
    const problem = keyId === '' ? 'empty' : Buffer.byteLength(keyId) > MAX_KEY_ID_BYTES ? 'too_long' : undefined
    if (problem === undefined) return measures.noteKeySeen(this.name, keyId)
    measures.badKeyIds.of(this.name, problem).value++
    throw new Error('invalid KMSv2 key ID')
  }

  #remember(id: string, cipher: Cipher): void {
    this.#ciphers.set(id, cipher)
    this.#options.measures.cachedKeys.of(this.name).value = this.#ciphers.size
  }
}

function checkWrapped({ ciphertext, keyId }: Wrapped): void {
  if (ciphertext.length === 0) throw new Error('encrypted DEK source is empty')
  if (ciphertext.length > MAX_WRAPPED_BYTES) throw new Error(`encrypted DEK source is ${ciphertext.length} bytes`)
  if (keyId === '' || Buffer.byteLength(keyId) > MAX_KEY_ID_BYTES) throw new Error('invalid KMSv2 key ID')
}

function seedOf(secret: Buffer): Buffer {
  if (secret.length < SEED_BYTES) throw new Error(`invalid seed length ${secret.length} used for key generation`)
  return secret
}

function keyOf(secret: Buffer): Buffer {
  if (![16, 24, 32].includes(secret.length)) throw new Error(`crypto/aes: invalid key size ${secret.length}`)
  return secret
}

function identityOf({ ciphertext, keyId, annotations }: Wrapped, use: number): string {
  return hash('sha256', writeMessage(ciphertext, keyId, annotations, use), 'base64')
}
