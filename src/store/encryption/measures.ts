// The metrics of encryption at rest and of KMS plugins, under the reference's names. Key IDs are shown as hashes, because an ID may tell
// where a key is kept.
import { hash } from 'node:crypto'
import { counter, gauge, histogram, Measures } from '../../lib/measure.ts'
import { KmsError, type KmsPlugin } from './kms-plugin.ts'

const doubling = (first: number, count: number): readonly number[] =>
  Array.from({ length: count }, (_, i) => first * 2 ** i)

/** The largest number of key IDs. Plugins may rotate their keys often. */
const MOST_KEYS = 100

export type TransformationType = 'from_storage' | 'to_storage'

/** Success or failure, under the names of gRPC statuses. */
export type TransformationStatus = 'OK' | 'Unknown'

export class EncryptionMeasures extends Measures {
  readonly reloads = counter(
    'apiserver_encryption_config_controller_automatic_reloads_total',
    'Reloads of the encryption configuration, by success or failure.',
    ['status', 'apiserver_id_hash'],
  )
  readonly operations = counter(
    'apiserver_storage_transformation_operations_total',
    'Encryption and decryption operations, by transformer prefix.',
    ['resource', 'transformation_type', 'transformer_prefix', 'status'],
  )
  readonly seconds = histogram(
    'apiserver_storage_transformation_duration_seconds',
    'Encryption and decryption latency in seconds.',
    { labels: ['transformation_type', 'transformer_prefix'], bounds: doubling(5e-6, 25) },
  )
  readonly keysMade = histogram(
    'apiserver_storage_data_key_generation_duration_seconds',
    'Data encryption key generation latency in seconds.',
    { bounds: doubling(5e-6, 14) },
  )
  readonly keysFailed = counter(
    'apiserver_storage_data_key_generation_failures_total',
    'Failed data encryption key generations.',
  )
  readonly cacheMisses = counter(
    'apiserver_storage_envelope_transformation_cache_misses_total',
    'Data encryption key cache misses.',
  )
  readonly cachedKeys = gauge(
    'apiserver_envelope_encryption_dek_source_cache_size',
    'Cached data encryption keys, by KMS provider.',
    ['provider_name'],
  )
  readonly plugins = histogram(
    'apiserver_envelope_encryption_kms_operations_latency_seconds',
    'KMS call latency in seconds.',
    { labels: ['provider_name', 'method_name', 'grpc_status_code'], bounds: doubling(0.0001, 14).concat([10, 60]) },
  )
  readonly keyIds = counter(
    'apiserver_envelope_encryption_key_id_hash_total',
    'Encryption and decryption operations, by hash of the key ID.',
    ['transformation_type', 'provider_name', 'key_id_hash', 'apiserver_id_hash'],
    { most: MOST_KEYS },
  )
  readonly keyIdUsed = gauge(
    'apiserver_envelope_encryption_key_id_hash_last_timestamp_seconds',
    'Last use of a key ID in Unix seconds.',
    ['transformation_type', 'provider_name', 'key_id_hash', 'apiserver_id_hash'],
    { most: MOST_KEYS },
  )
  readonly keyIdSeen = gauge(
    'apiserver_envelope_encryption_key_id_hash_status_last_timestamp_seconds',
    'Last time a KMS status call returned a key ID, in Unix seconds.',
    ['provider_name', 'key_id_hash', 'apiserver_id_hash'],
    { most: MOST_KEYS },
  )
  readonly badKeyIds = counter(
    'apiserver_envelope_encryption_invalid_key_id_from_status_total',
    'Invalid key IDs returned by KMS status calls.',
    ['provider_name', 'error'],
  )

  /** `began`: by `performance.now()`. */
  note(done: Transformation, began: number): void {
    const { resource, type, prefix, status } = done
    this.operations.of(resource, type, prefix, status).value++
    this.seconds.of(type, prefix).observe((performance.now() - began) / 1000)
  }

  noteKeyUse(type: TransformationType, provider: string, keyId: string): void {
    const values = [type, provider, `sha256:${hash('sha256', keyId)}`, ''] as const
    this.keyIds.of(...values).value++
    this.keyIdUsed.of(...values).value = Math.floor(Date.now() / 1000)
  }

  noteKeySeen(provider: string, keyId: string): void {
    this.keyIdSeen.of(provider, `sha256:${hash('sha256', keyId)}`, '').value = Math.floor(Date.now() / 1000)
  }

  /** Wraps a plugin so that its calls are timed. */
  timed(provider: string, plugin: KmsPlugin): KmsPlugin {
    const call = async <T>(method: string, run: () => Promise<T>): Promise<T> => {
      const began = performance.now()
      const note = (code: string): void =>
        this.plugins.of(provider, method, code).observe((performance.now() - began) / 1000)
      try {
        const answer = await run()
        note('OK')
        return answer
      } catch (error) {
        note(error instanceof KmsError ? error.code : 'Unknown')
        throw error
      }
    }
    const path = (method: string): string => `/v2.KeyManagementService/${method}`
    return {
      status: () => call(path('Status'), () => plugin.status()),
      wrap: (plaintext, uid) => call(path('Encrypt'), () => plugin.wrap(plaintext, uid)),
      unwrap: (wrapped, uid) => call(path('Decrypt'), () => plugin.unwrap(wrapped, uid)),
      close: () => plugin.close(),
    }
  }
}

export interface Transformation {
  /** Such as `secrets` or `deployments.apps`. */
  readonly resource: string
  readonly type: TransformationType
  readonly prefix: string
  readonly status: TransformationStatus
}
