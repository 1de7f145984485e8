import { describe, expect, it } from 'vitest'
import type { FinishedRequest } from '../../../src/http/listener.ts'
import { HttpMeasures } from '../../../src/http/measures.ts'
import { parseFeatureGates } from '../../../src/server/feature-gates.ts'
import { openMetrics } from '../../../src/server/metrics.ts'
import { versionInfo } from '../../../src/server/version.ts'
import { fakeRequest } from '../http/fake-request.ts'

function open() {
  return openMetrics({
    version: versionInfo(),
    gates: parseFeatureGates('WatchList=false', ''),
    isServed: ({ resource }) => resource === 'pods',
    isDeprecated: () => false,
    http: new HttpMeasures(),
    families: [],
    storageBytes: () => Promise.resolve(undefined),
  })
}

function finished(line: string, status = 200): FinishedRequest {
  return { request: fakeRequest(line), status, sentBytes: 500, milliseconds: 30 }
}

async function seriesOf(lines: readonly string[], name: string): Promise<string[]> {
  const metrics = open()
  for (const line of lines) metrics.observe(finished(line))
  return (await metrics.render()).split('\n').filter((text) => text.startsWith(`${name}{`))
}

describe('what is counted', () => {
  it.each([
    ['GET /api/v1/pods', 'verb="LIST"', 'scope="cluster"'],
    ['GET /api/v1/namespaces/n/pods', 'verb="LIST"', 'scope="namespace"'],
    ['GET /api/v1/namespaces/n/pods/p', 'verb="GET"', 'scope="resource"'],
    ['GET /api/v1/pods?watch', 'verb="WATCH"', 'scope="cluster"'],
    ['GET /api/v1/namespaces/n/pods/p/log', 'verb="CONNECT"', 'subresource="log"'],
    ['PATCH /api/v1/namespaces/n/pods/p?dryRun=All', 'verb="PATCH"', 'dry_run="All"'],
    ['DELETE /api/v1/namespaces/n/pods', 'verb="DELETECOLLECTION"', 'code="200"'],
    ['GET /livez', 'verb="GET"', 'subresource="/livez"'],
    ['GET /openapi/v3', 'verb="GET"', 'subresource="openapi/v3"'],
    ['GET /apis', 'verb="GET"', 'subresource="apis"'],
  ])('%s', async (line, ...labels) => {
    const [series, ...more] = await seriesOf([line], 'apiserver_request_total')
    expect(more).toEqual([])
    for (const label of labels) expect(series).toContain(label)
    expect(series).toMatch(/ 1$/)
  })

  it('never has labels that callers make up', async () => {
    const invented = Array.from({ length: 100 }, (_, i) => `GET /apis/g${i}/v1/things${i}`)
    expect(await seriesOf([...invented, 'GET /nope', 'FOO /livez'], 'apiserver_request_total')).toEqual([
      expect.stringContaining('verb="other"'),
    ])
  })

  it('calls an apply one', async () => {
    const metrics = open()
    const request = fakeRequest('PATCH /api/v1/namespaces/n/pods/p', {
      headers: { 'content-type': 'application/apply-patch+yaml' },
    })
    metrics.observe({ request, status: 200, sentBytes: 1, milliseconds: 1 })
    expect(await metrics.render()).toMatch(/apiserver_request_total\{verb="APPLY"/)
  })

  it('tells what is under way, and the most of it in the last second', async () => {
    const metrics = open()
    const [watch, list, write] = ['GET /api/v1/pods?watch', 'GET /api/v1/pods', 'POST /api/v1/namespaces/n/pods'].map(
      (line) => fakeRequest(line),
    )
    for (const request of [watch!, list!, write!]) metrics.begin(request)
    for (const request of [list!, write!]) metrics.observe({ request, status: 200, sentBytes: 1, milliseconds: 1 })
    const text = await metrics.render()
    expect(text).toMatch(/^apiserver_longrunning_requests\{verb="WATCH",.*resource="pods".* 1$/m)
    expect(text).toContain('apiserver_current_inflight_requests{request_kind="readOnly"} 1')
    expect(text).toContain('apiserver_current_inflight_requests{request_kind="mutating"} 1')
    metrics.observe({ request: watch!, status: 200, sentBytes: 1, milliseconds: 1 })
    expect(await metrics.render()).not.toContain('apiserver_longrunning_requests{')
  })

  it('has the reference’s buckets', async () => {
    const buckets = await seriesOf(['GET /api/v1/pods'], 'apiserver_request_duration_seconds_bucket')
    expect(buckets).toHaveLength(24)
    expect(buckets[1]).toMatch(/le="0.025".* 0$/)
    expect(buckets[2]).toMatch(/le="0.05".* 1$/)
  })

  it('tells the build, the gates and the process', async () => {
    const text = await open().render()
    expect(text).toMatch(/kubernetes_build_info\{major="1",minor="36"/)
    expect(text).toContain('kubernetes_feature_enabled{name="WatchList",stage="BETA"} 0')
    expect(text).toMatch(/^process_cpu_seconds_total \d/m)
    expect(text).toMatch(/^process_resident_memory_bytes \d{7,}/m)
  })

  it('is forgotten when asked to', async () => {
    const metrics = open()
    metrics.observe(finished('GET /api/v1/pods'))
    metrics.reset()
    expect(await metrics.render()).not.toContain('apiserver_request_total{')
  })
})
