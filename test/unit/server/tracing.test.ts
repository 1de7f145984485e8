import { describe, expect, it } from 'vitest'
import { ADMIT_ALL } from '../../../src/admission/admission.ts'
import { allowAll } from '../../../src/auth/authorizer.ts'
import { openMemory } from '../../../src/kv/embedded/memory.ts'
import {
  startTracing,
  tracedAuthorizer,
  tracedFlowControl,
  tracedKv,
  tracedRegistry,
} from '../../../src/server/tracing.ts'
import { openKvStore } from '../../../src/store/kv-store.ts'

describe('where nothing is traced', () => {
  it('nothing is wrapped', async () => {
    expect(await startTracing(undefined)).toBeUndefined()
    const kv = openMemory()
    const store = openKvStore({ kv })
    const registry = { store, dryRunStore: store, admission: ADMIT_ALL }
    const authorizer = allowAll()
    const control = { enter: () => ({ kind: 'rejected', headers: {}, retryAfterSeconds: 1 }) as const }
    expect(tracedKv(kv, undefined)).toBe(kv)
    expect(tracedRegistry(registry, undefined)).toBe(registry)
    expect(tracedAuthorizer(authorizer, undefined)).toBe(authorizer)
    expect(tracedFlowControl(control, undefined)).toBe(control)
    await kv.close()
  })
})

describe('where the packages are missing', () => {
  it('it is said which to install', async () => {
    const settings = { url: 'http://localhost:4317', protocol: 'grpc', samplingRatePerMillion: 0 } as const
    const missing = (): Promise<never> => Promise.reject(new Error('not found'))
    await expect(startTracing(settings, missing)).rejects.toThrow(
      '--tracing-config-file needs packages: npm install @opentelemetry/api @opentelemetry/resources @opentelemetry/sdk-trace @opentelemetry/exporter-trace-otlp-grpc (not found)',
    )
  })
})
