// The interface of encryption at rest, between an object's bytes and the stored value. The key is authenticated data, so that
// bytes that were moved to another key cannot be decrypted.

export type Opened =
  | {
      readonly kind: 'plain'
      readonly bytes: Buffer
      /** The value is encrypted with an older key. The next update rewrites it, even an update without a change. */
      readonly stale: boolean
    }
  /** `problem` may be shown to clients. */
  | { readonly kind: 'sealed'; readonly problem: string }

/** Its methods return a promise only if a plugin must be called, so that a list of plain objects does not wait for each of them. */
export interface Transformer {
  fromStorage(value: Buffer, key: string): Opened | Promise<Opened>
  toStorage(bytes: Buffer, key: string): Buffer | Promise<Buffer>
}

const ENCRYPTED_PREFIX = Buffer.from('k8s:enc:')

/** No encryption. Values that look encrypted are refused. */
export const identityTransformer: Transformer = {
  fromStorage: (value) =>
    value.subarray(0, ENCRYPTED_PREFIX.length).equals(ENCRYPTED_PREFIX)
      ? { kind: 'sealed', problem: 'identity transformer tried to read encrypted data' }
      : { kind: 'plain', bytes: value, stale: false },
  toStorage: (bytes) => bytes,
}
