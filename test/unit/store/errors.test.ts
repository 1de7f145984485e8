import { describe, expect, it } from 'vitest'
import { ApiError, statusOf } from '../../../src/api/status.ts'
import { KvError, type KvErrorCode } from '../../../src/kv/kv.ts'
import { translate, unreadableObjects } from '../../../src/store/errors.ts'

const pods = { group: '', resource: 'pods' }
const deployments = { group: 'apps', resource: 'deployments' }

describe('what the storage says, to a client (R-013, R-029, R-102, D23)', () => {
  const rows: Record<KvErrorCode, { code: number; reason: string; message: string }> = {
    compacted: { code: 410, reason: 'Expired', message: 'The resourceVersion for the provided list is too old.' },
    future: { code: 504, reason: 'Timeout', message: 'Timeout: Too large resource version: 9' },
    unavailable: {
      code: 500,
      reason: 'ServerTimeout',
      message: 'The list operation against deployments.apps could not be completed at this time, please try again.',
    },
    unknown: { code: 504, reason: 'Timeout', message: 'Timeout: the write may or may not have been applied' },
    full: { code: 500, reason: 'InternalError', message: 'Internal error occurred: the storage is out of space' },
    'too-large': {
      code: 413,
      reason: 'RequestEntityTooLarge',
      message: 'Request entity too large: the storage does not take an object of this size',
    },
    denied: {
      code: 500,
      reason: 'InternalError',
      message: 'Internal error occurred: the storage denied access to the server',
    },
    corrupt: { code: 500, reason: 'InternalError', message: 'Internal error occurred: the storage is corrupt' },
    closed: { code: 503, reason: 'ServiceUnavailable', message: 'apiserver is shutting down' },
  }
  it.each(Object.entries(rows))('%s', (code, wanted) => {
    const error = new KvError(code as KvErrorCode, 'key /registry/secrets/d/a: detail')
    const told = translate(error, { verb: 'list', resource: deployments, revision: 9 })
    expect(told).toBeInstanceOf(ApiError)
    expect(told).toMatchObject(wanted)
    expect(JSON.stringify(statusOf(told as ApiError))).not.toContain('/registry')
  })

  it('is a reason to try again in two seconds where the storage is away', () => {
    const told = translate(new KvError('unavailable', ''), { verb: 'get', resource: deployments })
    expect((told as ApiError).details).toEqual({
      name: 'get',
      group: 'apps',
      kind: 'deployments',
      retryAfterSeconds: 2,
    })
  })

  it('speaks of the watch where it was one', () => {
    const told = translate(new KvError('compacted', ''), { verb: 'watch', resource: pods })
    expect(told).toMatchObject({ reason: 'Expired', message: 'The resourceVersion for the provided watch is too old.' })
  })

  it('leaves everything else alone', () => {
    const error = new Error('x')
    expect(translate(error, { verb: 'get', resource: pods })).toBe(error)
  })

  it('names at most a hundred objects that cannot be read (R-028, W-354)', () => {
    const items = Array.from({ length: 150 }, (_, i) => ({
      kind: 'unreadable' as const,
      namespace: '',
      name: `n${i}`,
      revision: 1,
      problem: 'p',
    }))
    const causes = unreadableObjects(pods, 'list', items).details?.causes ?? []
    expect(causes).toHaveLength(101)
    expect(causes.at(-1)).toEqual({ reason: 'FieldValueTooMany', message: 'too many errors, the list is truncated' })
  })
})
