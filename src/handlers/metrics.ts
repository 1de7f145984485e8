// /metrics: what the server counts, in the text form of Prometheus.
import { gzipSync } from 'node:zlib'
import type { Handler } from '../http/http.ts'
import { bytesOf, plainText } from '../http/responses.ts'

export interface MetricsSource {
  /** Everything counted so far, in the text form. */
  readonly render: () => Promise<string>
  readonly reset: () => void
}

const TEXT_FORM = 'text/plain; version=0.0.4; charset=utf-8; escaping=underscores'

export function showMetrics({ render, reset }: MetricsSource): Handler {
  const startedAt = String(Math.floor(performance.timeOrigin / 1000))
  return async (request) => {
    if (request.method === 'DELETE') {
      reset()
      return plainText(200, 'metrics reset\n')
    }
    const text = Buffer.from(await render())
    const headers = { 'process-start-time-unix': startedAt }
    const accepted = request.headers['accept-encoding']
    const packed = typeof accepted === 'string' && /(^|,)\s*gzip\s*(;|,|$)/.test(accepted)
    if (!packed) return bytesOf(TEXT_FORM, text, headers)
    return bytesOf(TEXT_FORM, gzipSync(text, { level: 1 }), { ...headers, 'content-encoding': 'gzip' })
  }
}
