// The interface of encryption at rest, between an object's bytes and what the kv holds. The key is authenticated data, so that
// bytes that were moved to another key cannot be decrypted.

export type Opened =
  | {
      readonly kind: 'plain'
      readonly bytes: Buffer
      /** It opens, but it would be written differently now (an older key): rewritten with the next update, even one without a change. */
      readonly stale: boolean
    }
  /** `problem` may be shown to clients. */
  | { readonly kind: 'sealed'; readonly problem: string }

/** Takes a promise only where it has to ask someone, so that a list of plain objects does not wait for each of them. */
export interface Transformer {
  fromStorage(value: Buffer, key: string): Opened | Promise<Opened>
  toStorage(bytes: Buffer, key: string): Buffer | Promise<Buffer>
}

const ENCRYPTED_PREFIX = Buffer.from('k8s:enc:')

/** Objects as they are. What looks encrypted is refused and not taken for an object. */
export const identityTransformer: Transformer = {
  fromStorage: (value) =>
    value.subarray(0, ENCRYPTED_PREFIX.length).equals(ENCRYPTED_PREFIX)
      ? { kind: 'sealed', problem: 'identity transformer tried to read encrypted data' }
      : { kind: 'plain', bytes: value, stale: false },
  toStorage: (bytes) => bytes,
}
