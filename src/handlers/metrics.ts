// /metrics, in the text format of Prometheus.
import type { Handler } from '../http/http.ts'
import { plainText } from '../http/responses.ts'

export interface MetricsSource {
  readonly render: () => AsyncIterable<Buffer>
  readonly reset: () => void
}

const TEXT_FORM = 'text/plain; version=0.0.4; charset=utf-8; escaping=underscores'

export function showMetrics({ render, reset }: MetricsSource): Handler {
  const startedAt = String(Math.floor(performance.timeOrigin / 1000))
  return (request) => {
    if (request.method === 'DELETE') {
      reset()
      return plainText(200, 'metrics reset\n')
    }
    const headers = { 'content-type': TEXT_FORM, 'process-start-time-unix': startedAt }
    return { status: 200, headers, body: { kind: 'pieces', pieces: render(), compress: true } }
  }
}
