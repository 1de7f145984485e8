import { describe, expect, it } from 'vitest'
import { type HealthCheck, healthRoutes } from '../../../src/handlers/health.ts'
import { routeRequests } from '../../../src/http/router.ts'
import { type Log, SILENT_LOG } from '../../../src/lib/log.ts'
import { ANYBODY, bodyText, fakeRequest } from '../http/fake-request.ts'

const good = (name: string): HealthCheck => ({ name, check: () => {} })
const bad = (name: string, more: Partial<HealthCheck> = {}): HealthCheck => ({
  name,
  check: () => Promise.reject(new Error('the disk is on fire')),
  ...more,
})

async function ask(line: string, checks: readonly HealthCheck[], inGracePeriod = false, log: Log = SILENT_LOG) {
  const handler = routeRequests({
    routes: healthRoutes({
      checks: { healthz: checks, livez: checks, readyz: checks },
      inGracePeriod: () => inGracePeriod,
      log,
    }),
  })
  const response = await handler(fakeRequest(line), ANYBODY)
  return { status: response.status, text: bodyText(response), headers: response.headers }
}

describe.each(['healthz', 'livez', 'readyz'])('/%s', (endpoint) => {
  it('is two letters where all is well (R-330, P-240)', async () => {
    expect(await ask(`GET /${endpoint}`, [good('ping')])).toEqual({
      status: 200,
      text: 'ok',
      headers: { 'content-type': 'text/plain; charset=utf-8', 'x-content-type-options': 'nosniff' },
    })
  })

  it.each(['verbose', 'verbose=', 'verbose=false'])('lists the checks with ?%s (R-331, D12)', async (query) => {
    const { status, text } = await ask(`GET /${endpoint}?${query}`, [good('ping'), good('etcd')])
    expect([status, text]).toEqual([200, '[+]ping ok\n[+]etcd ok\nhealthz check passed\n'])
  })

  it('always lists them where one fails, and keeps the reason to itself (R-332, P-240)', async () => {
    const { status, text } = await ask(`GET /${endpoint}`, [good('ping'), bad('etcd')])
    expect([status, text]).toEqual([500, `[+]ping ok\n[-]etcd failed: reason withheld\n${endpoint} check failed\n`])
  })

  it('tells all reasons in one line of the log, and none where the server only has not started yet', async () => {
    const told: unknown[] = []
    const log = { ...SILENT_LOG, warn: (fields: object) => void told.push(fields) }
    const starting = bad('hook', { startup: true })
    await ask(`GET /${endpoint}`, [good('ping'), starting], false, log)
    expect(told).toEqual([])
    await ask(`GET /${endpoint}`, [bad('etcd'), starting], false, log)
    const reason = 'the disk is on fire'
    expect(told).toEqual([{ endpoint, reasons: { etcd: reason, hook: reason } }])
  })

  it('leaves out what is excluded (R-333, P-241)', async () => {
    const { status, text } = await ask(`GET /${endpoint}?verbose&exclude=etcd`, [good('ping'), bad('etcd')])
    expect([status, text]).toEqual([200, '[+]ping ok\n[+]etcd excluded: ok\nhealthz check passed\n'])
    expect((await ask(`GET /${endpoint}?exclude=etcd`, [bad('etcd')])).text).toBe('ok')
  })

  it('says which exclusions mean nothing (R-333, P-241)', async () => {
    const { text } = await ask(`GET /${endpoint}?verbose&exclude=z&exclude=a&exclude=ping`, [good('ping')])
    expect(text).toBe(
      '[+]ping excluded: ok\nwarn: some health checks cannot be excluded: no matches for "a","z"\nhealthz check passed\n',
    )
  })

  it('has a page for each check, with the reason (R-334, P-242)', async () => {
    expect(await ask(`GET /${endpoint}/ping`, [good('ping')])).toEqual({
      status: 200,
      text: 'ok',
      headers: { 'content-type': 'text/plain; charset=utf-8' },
    })
    const failing = await ask(`GET /${endpoint}/etcd`, [bad('etcd')])
    expect([failing.status, failing.text]).toEqual([500, 'internal server error: the disk is on fire\n'])
    expect((await ask(`GET /${endpoint}/nope`, [good('ping')])).text).toBe('404 page not found\n')
    expect((await ask(`GET /${endpoint}/`, [good('ping')])).status).toBe(404)
  })

  it('answers any method (R-330)', async () => {
    expect((await ask(`POST /${endpoint}`, [good('ping')])).status).toBe(200)
  })
})

describe('the grace period (R-336, P-244)', () => {
  const starting = bad('poststarthook/slow', { startup: true })

  it('is for /livez and what belongs to starting', async () => {
    expect((await ask('GET /livez', [starting], true)).status).toBe(200)
    expect((await ask('GET /livez', [bad('etcd')], true)).status).toBe(500)
    expect((await ask('GET /readyz', [starting], true)).status).toBe(500)
    expect((await ask('GET /livez', [starting], false)).status).toBe(500)
  })
})
