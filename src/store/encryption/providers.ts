// The providers of one entry of the configuration, in order. The first provider encrypts. The prefix of a value selects the provider that
// decrypts it (P-440, P-441). Values of other providers than the first are stale.
import { type MaybePromise, settle } from '../../lib/maybe-promise.ts'
import type { Opened } from '../transformer.ts'
import type { Cipher } from './ciphers.ts'
import type { EncryptionMeasures, TransformationStatus, TransformationType } from './measures.ts'

export interface Provider {
  /** Such as `k8s:enc:aescbc:v1:key1:`. Empty: values are not encrypted. */
  readonly prefix: Buffer
  /** The label in metrics: the prefix without the name of the key, or `identity`. */
  readonly label: string
  /** Returns a promise only if the provider has no key yet. */
  seal(bytes: Buffer, key: string): MaybePromise<Buffer>
  /** Returns a promise only if a plugin must be called. `stale`: the value is encrypted with an older key. */
  open(sealed: Buffer, key: string): OpenedValue | Promise<OpenedValue>
}

export interface OpenedValue {
  readonly bytes: Buffer
  readonly stale: boolean
}

const SEALED = Buffer.from('k8s:enc:')

/** No encryption. Values that look encrypted are refused (P-445). */
export const IDENTITY: Provider = {
  prefix: Buffer.alloc(0),
  label: 'identity',
  seal: (bytes) => bytes,
  open: (value) => {
    if (beginsWith(value, SEALED)) throw new Error('identity transformer tried to read encrypted data')
    return { bytes: value, stale: false }
  },
}

/** `label`: the prefix of values, without the name of the key. */
export function cipherProvider(label: string, keyName: string, cipher: Cipher): Provider {
  return {
    prefix: Buffer.from(`${label}${keyName}:`),
    label,
    seal: (bytes, key) => cipher.seal(bytes, key),
    open: (sealed, key) => ({ bytes: cipher.open(sealed, key), stale: false }),
  }
}

function beginsWith(value: Buffer, prefix: Buffer): boolean {
  return value.length >= prefix.length && value.compare(prefix, 0, prefix.length, 0, prefix.length) === 0
}

export interface Counted {
  readonly resource: string
  readonly measures: EncryptionMeasures
}

export class Providers {
  readonly #providers: readonly Provider[]
  readonly #counted: Counted | undefined

  constructor(providers: readonly Provider[], counted?: Counted) {
    this.#providers = providers
    this.#counted = counted
  }

  seal(bytes: Buffer, key: string): MaybePromise<Buffer> {
    const first = this.#providers[0] ?? IDENTITY
    const { prefix } = first
    const done = this.#begin('to_storage', first)
    const sealed = (value: Buffer): Buffer => {
      done('OK')
      return prefix.length === 0 ? value : Buffer.concat([prefix, value])
    }
    const failed = (error: unknown): never => {
      done('Unknown')
      throw error
    }
    return settle(() => first.seal(bytes, key), sealed, failed)
  }

  open(value: Buffer, key: string): Opened | Promise<Opened> {
    return this.#openFrom(0, [], { value, key })
  }

  /** Tries the providers one after another: two keys may have the same name. */
  #openFrom(at: number, problems: readonly string[], stored: { value: Buffer; key: string }): Opened | Promise<Opened> {
    const provider = this.#providers[at]
    if (provider === undefined) return { kind: 'sealed', problem: problemOf(problems) }
    const { value, key } = stored
    if (!beginsWith(value, provider.prefix)) return this.#openFrom(at + 1, problems, stored)
    const done = this.#begin('from_storage', provider)
    const opened = ({ bytes, stale }: OpenedValue): Opened => {
      done('OK')
      return { kind: 'plain', bytes, stale: stale || at !== 0 }
    }
    const failed = (error: unknown): Opened | Promise<Opened> => {
      const text = error instanceof Error ? error.message : String(error)
      // The error of the identity provider is left out if an earlier provider has failed.
      const isIdentity = provider.prefix.length === 0
      if (!isIdentity) done('Unknown')
      return this.#openFrom(at + 1, isIdentity && problems.length > 0 ? problems : [...problems, text], stored)
    }
    return settle(() => provider.open(value.subarray(provider.prefix.length), key), opened, failed)
  }

  #begin(type: TransformationType, { label: prefix }: Provider): (status: TransformationStatus) => void {
    const counted = this.#counted
    if (counted === undefined) return NOT_COUNTED
    const began = performance.now()
    return (status) => counted.measures.note({ resource: counted.resource, type, prefix, status }, began)
  }
}

const NOT_COUNTED = (): void => {}

function problemOf(problems: readonly string[]): string {
  if (problems.length === 0) return 'no matching prefix found'
  return problems.length === 1 ? problems[0]! : `[${problems.join(', ')}]`
}
