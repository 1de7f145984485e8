import { setImmediate } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import type { TracedRequest } from '../../../src/lib/tracing.ts'
import { openTracing, type RunningTracing } from '../../../src/telemetry/tracing.ts'

const TRACE = '0af7651916cd43dd8448eb211c80319c'
const PARENT = 'b7ad6b7169203331'
const REQUEST: TracedRequest = {
  name: 'GET',
  since: 0,
  attributes: {},
  traceparent: undefined,
  tracestate: undefined,
  isTrusted: true,
}

/** No request is chosen: there is nobody whom spans could be sent to. */
async function open(): Promise<RunningTracing & AsyncDisposable> {
  const settings = { url: 'http://127.0.0.1:1', protocol: 'grpc', samplingRatePerMillion: 0, version: 'test' } as const
  const tracing = await openTracing(settings)
  return Object.assign(tracing, { [Symbol.asyncDispose]: () => tracing.close() })
}

describe('a trace', () => {
  it('is handed on while its request is under way, chosen or not', async () => {
    await using tracing = await open()
    expect(tracing.headers()).toEqual({})
    const span = tracing.begin({ ...REQUEST, traceparent: `00-${TRACE}-${PARENT}-00`, tracestate: 'a=b' })
    await span.run(async () => {
      await setImmediate()
      const { traceparent, tracestate } = tracing.headers()
      expect(traceparent).toMatch(new RegExp(`^00-${TRACE}-[0-9a-f]{16}-00$`))
      expect(traceparent).not.toContain(PARENT)
      expect(tracestate).toBe('a=b')
      span.end(200)
      await setImmediate()
      expect(tracing.headers()).toEqual({})
    })
  })

  it.each([
    ['nothing', undefined, false],
    ['a traceparent', `00-${TRACE}-${PARENT}-01`, true],
    ['one of a later version, with more behind it', `01-${TRACE}-${PARENT}-01-more`, true],
    ['more than the first version has', `00-${TRACE}-${PARENT}-01-more`, false],
    ['a version that cannot be', `ff-${TRACE}-${PARENT}-01`, false],
    ['zeros', `00-${'0'.repeat(32)}-${PARENT}-01`, false],
    ['capital letters', `00-${TRACE.toUpperCase()}-${PARENT}-01`, false],
    ['anything', 'x'.repeat(100_000), false],
  ])('begins with %s', async (_, traceparent, isTheirs) => {
    await using tracing = await open()
    // What is chosen elsewhere would be sent: it is not ended here.
    const span = tracing.begin({ ...REQUEST, traceparent })
    await span.run(() => expect(tracing.headers()['traceparent']?.includes(TRACE)).toBe(isTheirs))
  })

  it('changes nothing of what a step comes to', async () => {
    await using tracing = await open()
    const step = { name: 'step', attributes: {} }
    expect(tracing.step(step, () => 1)).toBe(1)
    await expect(tracing.step(step, async () => Promise.reject(new Error('no')))).rejects.toThrow('no')
    expect(() =>
      tracing.step(step, () => {
        throw new Error('at once')
      }),
    ).toThrow('at once')
  })
})
