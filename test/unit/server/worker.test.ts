import { describe, expect, it } from 'vitest'
import { readConfig } from '../../../src/config/config.ts'
import { shareOf } from '../../../src/server/worker.ts'

describe('what a worker may do', () => {
  it('is its share of what the server may do, and at least that', async () => {
    const flags = {
      'max-requests-inflight': '401',
      'max-mutating-requests-inflight': '200',
      'max-connections': '1000',
      'max-unfinished-bytes': '200000000',
      'audit-log-path': '-',
      'audit-policy-file': '/policy',
      'audit-log-mode': 'batch',
      'audit-log-batch-throttle-enable': 'true',
      'audit-log-batch-throttle-qps': '10',
      'audit-log-batch-throttle-burst': '15',
    }
    const config = await readConfig(
      ['--in-memory', ...Object.entries(flags).map(([name, value]) => `--${name}=${value}`)],
      {},
    )
    expect(shareOf(config, { count: 2 })).toMatchObject({
      maxReads: 201,
      maxWrites: 100,
      maxConnections: 500,
      unfinished: { totalBytes: 100_000_000 },
      audit: { log: { throttle: { perSecond: 5, burst: 8 } } },
    })
  })

  it('has no limit where the server has none', async () => {
    const config = await readConfig(['--in-memory', '--max-requests-inflight=0'], {})
    const share = shareOf(config, { count: 4 })
    expect([share.maxReads, share.storage]).toEqual([0, { kind: 'memory' }])
  })
})
