import { ANONYMOUS } from '../../../src/auth/user.ts'
import { describe, expect, it } from 'vitest'
import type { FinishedRequest } from '../../../src/http/listener.ts'
import { HttpMeasures } from '../../../src/http/measures.ts'
import { gateStates, parseFeatureGates } from '../../../src/config/feature-gates.ts'
import { type Count, counter, type Family, gauge } from '../../../src/lib/measure.ts'
import { type Metrics, type MetricsOptions, openMetrics } from '../../../src/telemetry/metrics.ts'
import { versionInfo } from '../../../src/telemetry/version.ts'
import { dice } from '../../corpora/dice.ts'
import { fakeRequest } from '../http/fake-request.ts'

function open(changes: Partial<MetricsOptions> = {}): Metrics {
  return openMetrics({
    version: versionInfo(),
    gates: gateStates(parseFeatureGates('WatchList=false', '')),
    isServed: ({ resource }) => resource === 'pods',
    isDeprecated: () => false,
    http: new HttpMeasures(),
    types: { version: () => 0, isServed: () => true, isKnown: () => true },
    families: [],
    slis: [],
    onForgotten: () => {},
    storageSize: () => Promise.resolve(undefined),
    ...changes,
  })
}

async function piecesOf(metrics: Metrics): Promise<readonly Buffer[]> {
  const pieces: Buffer[] = []
  for await (const piece of metrics.render()) pieces.push(piece)
  return pieces
}

async function textOf(metrics: Metrics): Promise<string> {
  return (await piecesOf(metrics)).join('')
}

function finishedAs(request: FinishedRequest['request'], more: Partial<FinishedRequest> = {}): FinishedRequest {
  return { request, user: ANONYMOUS, isAuthorized: true, status: 200, sentBytes: 1, milliseconds: 1, ...more }
}

function finished(line: string, status = 200): FinishedRequest {
  return finishedAs(fakeRequest(line), { status, sentBytes: 500, milliseconds: 30 })
}

async function seriesOf(lines: readonly string[], name: string): Promise<string[]> {
  const metrics = open()
  for (const line of lines) metrics.observe(finished(line))
  return (await textOf(metrics)).split('\n').filter((text) => text.startsWith(`${name}{`))
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
  ])('%s (P-430, P-481)', async (line, ...labels) => {
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

  it('calls an apply one (P-481)', async () => {
    const metrics = open()
    const request = fakeRequest('PATCH /api/v1/namespaces/n/pods/p', {
      headers: { 'content-type': 'application/apply-patch+yaml' },
    })
    metrics.observe(finishedAs(request))
    expect(await textOf(metrics)).toMatch(/apiserver_request_total\{verb="APPLY"/)
  })

  it('tells what is under way, and the most of it in the last second (P-483)', async () => {
    const metrics = open()
    const [watch, list, write] = ['GET /api/v1/pods?watch', 'GET /api/v1/pods', 'POST /api/v1/namespaces/n/pods'].map(
      (line) => fakeRequest(line),
    )
    for (const request of [watch!, list!, write!]) metrics.begin(request)
    for (const request of [list!, write!]) metrics.observe(finishedAs(request))
    const text = await textOf(metrics)
    expect(text).toMatch(/^apiserver_longrunning_requests\{verb="WATCH",.*resource="pods".* 1$/m)
    expect(text).toContain('apiserver_current_inflight_requests{request_kind="readOnly"} 1')
    expect(text).toContain('apiserver_current_inflight_requests{request_kind="mutating"} 1')
    metrics.observe(finishedAs(watch!))
    expect(await textOf(metrics)).not.toContain('apiserver_longrunning_requests{')
  })

  it('has the reference’s buckets', async () => {
    const buckets = await seriesOf(['GET /api/v1/pods'], 'apiserver_request_duration_seconds_bucket')
    expect(buckets).toHaveLength(24)
    expect(buckets[1]).toMatch(/le="0.025".* 0$/)
    expect(buckets[2]).toMatch(/le="0.05".* 1$/)
  })

  it('tells the build, the gates and the process (P-471)', async () => {
    const text = await textOf(open())
    expect(text).toMatch(/kubernetes_build_info\{major="1",minor="37"/)
    expect(text).toContain('kubernetes_feature_enabled{name="WatchList",stage="BETA"} 0')
    expect(text).toMatch(/^process_cpu_seconds_total \d/m)
    expect(text).toMatch(/^process_resident_memory_bytes \d{7,}/m)
  })

  it('of what is not let in tells the verb and the code alone', async () => {
    const metrics = open()
    for (const line of ['GET /api/v1/namespaces/n/pods/p', 'GET /api/v1/pods', 'PATCH /api/v1/namespaces/n/pods/p']) {
      metrics.observe({ ...finished(line, 403), isAuthorized: false })
    }
    const text = await textOf(metrics)
    const folded = 'group="",version="",resource="",subresource="",scope="",component="",dry_run="",code="403"'
    for (const verb of ['GET', 'LIST', 'PATCH']) expect(text).toContain(`{verb="${verb}",${folded}} 1`)
    expect(text).not.toContain('resource="pods"')
    expect(text).not.toContain('apiserver_request_duration_seconds_count{')
  })

  it('has no more series after 100,000 requests with everything in them made up', async () => {
    const isServed: MetricsOptions['isServed'] = ({ group, version, resource, subresource = 'log' }) =>
      `${group}/${version}/${resource}/${subresource}` === '/v1/pods/log'
    const metrics = open({ isServed })
    const roll = dice(7)
    const word = (known: readonly string[]): string => (roll(3) > 0 ? known[roll(known.length)]! : `x${roll(1e6)}`)
    const ask = (): void => {
      const method = word(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])
      const root = word(['api/v1', 'apis/apps/v1', 'apis/example.com/v1', 'healthz', 'openapi'])
      const path = [root, word(['namespaces']), word(['n']), word(['pods']), word(['p']), word(['log', 'exec'])]
      const line = `${method} /${path.slice(0, 1 + roll(6)).join('/')}?dryRun=${word(['All'])}&watch=${word(['1'])}`
      const headers = { 'user-agent': word(['kubectl']), 'content-type': word(['application/apply-patch+yaml']) }
      const request = fakeRequest(line, { headers })
      const isAuthorized = roll(2) === 0
      metrics.begin(request)
      const [status, sentBytes, milliseconds] = [200 + roll(4) * 100, roll(1e6), roll(1e4)]
      metrics.observe(finishedAs(request, { isAuthorized, status, sentBytes, milliseconds }))
    }
    const linesAfter = async (count: number): Promise<number> => {
      for (let i = 0; i < count; i++) ask()
      return (await textOf(metrics)).split('\n').length
    }
    const before = await linesAfter(50_000)
    expect(await linesAfter(50_000)).toBeLessThan(before * 1.05)
    expect(before).toBeLessThan(10_000)
  })

  it('is forgotten when asked to', async () => {
    const metrics = open()
    metrics.observe(finished('GET /api/v1/pods'))
    metrics.reset()
    expect(await textOf(metrics)).not.toContain('apiserver_request_total{')
  })
})

describe('what is gone', () => {
  const ofType = (labels: readonly string[], ...made: readonly (readonly string[])[]): Family<Count> => {
    const family = counter(`by_${labels.join('_')}`, '', labels)
    for (const values of made) family.of(...values).value++
    return family
  }

  it.each([
    [
      ['group', 'resource'],
      ['example.com', 'pods'],
      ['example.com', 'things'],
    ],
    [
      ['operation', 'group', 'resource'],
      ['get', '', 'pods'],
      ['get', 'example.com', 'things'],
    ],
    [
      ['group', 'version', 'resource'],
      ['', 'v1', 'pods'],
      ['', 'v0', 'pods'],
    ],
    [
      ['resource', 'verb'],
      ['pods', 'x'],
      ['things.example.com', 'x'],
    ],
    [
      ['crd_name', 'succeeded'],
      ['pods.example.com', 'true'],
      ['things.example.com', 'true'],
    ],
    [
      ['verb', 'group', 'version', 'resource'],
      ['GET', '', '', ''],
      ['GET', '', 'v1', 'things'],
    ],
    [
      ['request_operation', 'resource'],
      ['create', 'controller'],
      ['create', 'things.example.com'],
    ],
    [['name'], ['things'], undefined],
  ])('is not told of any more, by %j', async (labels, stays, goes) => {
    let version = 0
    let forgotten = 0
    const families = [ofType(labels, stays, ...(goes === undefined ? [] : [goes]))]
    const types = {
      version: () => version,
      isServed: (place: { resource: string; version: string }) => place.resource === 'pods' && place.version === 'v1',
      isKnown: (name: string) => name.startsWith('pods'),
    }
    const metrics = open({ families, types, onForgotten: () => void forgotten++ })
    const shown = async (): Promise<number> => (await textOf(metrics)).split(`\n${families[0]!.name}{`).length - 1
    expect(await shown()).toBe(goes === undefined ? 1 : 2)
    version++
    expect(await shown()).toBe(1)
    expect([...families[0]!.all()][0]?.values).toEqual(stays)
    expect(forgotten).toBe(1)
  })

  it('is counted anew when it comes again', async () => {
    let version = 0
    let served = true
    const types = { version: () => version, isServed: () => served, isKnown: () => served }
    const metrics = open({ types, isServed: () => served })
    const counted = async (): Promise<string[]> =>
      (await textOf(metrics)).split('\n').filter((line) => line.startsWith('apiserver_request_total{'))
    const request = fakeRequest('GET /apis/example.com/v1/things/a')
    for (let i = 0; i < 3; i++) metrics.observe(finishedAs(request))
    expect(await counted()).toEqual([expect.stringMatching(/ 3$/)])
    served = false
    version++
    expect(await counted()).toEqual([])
    metrics.observe(finishedAs(request, { status: 404 }))
    expect(await counted()).toEqual([])
    served = true
    version++
    metrics.observe(finishedAs(request))
    expect(await counted()).toEqual([expect.stringMatching(/ 1$/)])
  })

  it('is forgotten though nobody ever asks for the numbers', () => {
    let version = 0
    const family = ofType(['group', 'resource'])
    const isKnown = (name: string): boolean => name === `things.g${version}`
    const metrics = open({ families: [family], types: { version: () => version, isServed: () => true, isKnown } })
    for (; version < 1000; version++) {
      family.of(`g${version}`, 'things').value++
      metrics.observe(finished('GET /livez'))
    }
    expect(family.size).toBeLessThan(100)
  })
})

describe('the text', () => {
  it('is written in pieces, with room for others in between', async () => {
    const family = counter('many', '', ['n'])
    for (let i = 0; i < 50_000; i++) family.of(String(i)).value = 1
    let turns = 0
    let isOver = false
    const count = (): void => {
      turns++
      if (!isOver) setImmediate(count)
    }
    count()
    const pieces = await piecesOf(open({ families: [family] }))
    isOver = true
    expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThan(70_000)
    expect(turns).toBeGreaterThanOrEqual(pieces.length - 1)
    expect(pieces.join('').split('\nmany{')).toHaveLength(50_001)
  })

  it('tells of each series once, whoever else asks at the same time', async () => {
    const family = gauge('renewed', '', ['n'], {
      refresh: (renewed) => {
        renewed.clear()
        for (let i = 0; i < 20_000; i++) renewed.of(String(i)).value = i
      },
    })
    const metrics = open({ families: [family] })
    for (const text of await Promise.all([textOf(metrics), textOf(metrics)])) {
      const lines = text.split('\n').filter((line) => line.startsWith('renewed{'))
      expect(new Set(lines).size).toBe(20_000)
      expect(lines).toHaveLength(20_000)
    }
  })

  it('escapes what labels and descriptions may hold', async () => {
    const family = counter('odd', 'a\\b\nc', ['n'])
    family.of('"\\\n').value = 1
    expect(await textOf(open({ families: [family] }))).toContain(
      '# HELP odd a\\\\b\\nc\n# TYPE odd counter\nodd{n="\\"\\\\\\n"} 1\n',
    )
  })
})
