import { describe, expect, it } from 'vitest'
import { WebhookMeasures } from '../../../../src/admission/webhook/webhook.ts'

function seriesOf(measures: WebhookMeasures): readonly string[] {
  return measures.all().flatMap((family) => [...family.all()].map(({ values }) => `${family.name} ${values.join()}`))
}

function call(measures: WebhookMeasures, name: string, code = 200): void {
  measures.called({ name, type: 'admit', operation: 'CREATE', milliseconds: 1, code, rejected: false })
  measures.rejected({ name, type: 'admit', operation: 'CREATE', errorType: 'no_error', code })
  measures.failedOpen(name, 'admit')
}

describe('what is counted of webhooks', () => {
  it('is forgotten when they are not configured any more, and makes room for others', () => {
    const measures = new WebhookMeasures()
    for (let i = 0; i < 2_000; i++) {
      measures.configured(new Set([`hook-${i}`]))
      call(measures, `hook-${i}`)
    }
    const series = seriesOf(measures)
    expect(series).toHaveLength(4)
    expect(series.every((one) => one.includes('hook-1999'))).toBe(true)
  })

  it('is bounded where names and codes are made up', () => {
    const measures = new WebhookMeasures()
    for (let i = 0; i < 20_000; i++) call(measures, `hook-${i}`, i * 1.5 - 100)
    for (const family of measures.all()) expect(family.size).toBeLessThanOrEqual(5_000)
    const codes = new Set(seriesOf(measures).flatMap((one) => /rejection_count .*,(.*)$/.exec(one)?.[1] ?? []))
    for (const code of codes) expect(code).toMatch(/^([0-5]?\d?\d|600)$/)
  })
})
