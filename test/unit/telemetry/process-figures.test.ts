import { expect, it } from 'vitest'
import { exposition } from '../../../src/telemetry/exposition.ts'
import { type DefaultMetric, familyOf, PROCESS_FIGURES } from '../../../src/telemetry/process-figures.ts'

async function textOf(families: Parameters<typeof exposition>[0]): Promise<string> {
  let text = ''
  for await (const piece of exposition(families)) text += piece.toString()
  return text
}

it('what prom-client measures is written as our own families are', async () => {
  const text = await textOf(PROCESS_FIGURES)
  for (const name of [
    'process_cpu_seconds_total',
    'process_resident_memory_bytes',
    'nodejs_eventloop_lag_p99_seconds',
    'nodejs_active_handles_total',
  ]) {
    expect(text).toContain(`# TYPE ${name} `)
  }
  expect(text).toMatch(/^nodejs_heap_space_size_used_bytes\{space="old"\} \d+$/m)
  expect(text).toContain('# TYPE nodejs_gc_duration_seconds histogram')
})

it('several readers at a time all see the figures', async () => {
  const figure = PROCESS_FIGURES.filter(({ name }) => name === 'nodejs_heap_space_size_used_bytes')
  for (const text of await Promise.all([textOf(figure), textOf(figure), textOf(figure)]))
    expect(text.match(/space="old"/g)).toHaveLength(1)
})

it('a histogram is counted between its bounds', async () => {
  const labels = { kind: 'minor' }
  const metric: DefaultMetric = {
    name: 'gc',
    help: 'h',
    type: 'histogram',
    labelNames: ['kind'],
    upperBounds: [0.1, 1],
    get: () =>
      Promise.resolve({
        values: [
          ...[
            ['0.1', 2],
            ['1', 3],
            ['+Inf', 7],
          ].map(([le, value]) => ({ value: value as number, labels: { ...labels, le: le! }, metricName: 'gc_bucket' })),
          { value: 9.5, labels, metricName: 'gc_sum' },
          { value: 7, labels, metricName: 'gc_count' },
        ],
      }),
  }
  expect(await textOf([familyOf(metric)])).toBe(
    '# HELP gc h\n# TYPE gc histogram\ngc_bucket{kind="minor",le="0.1"} 2\ngc_bucket{kind="minor",le="1"} 3\ngc_bucket{kind="minor",le="+Inf"} 7\ngc_sum{kind="minor"} 9.5\ngc_count{kind="minor"} 7\n\n',
  )
})

it('a lag without a sample is not told', async () => {
  const lag = (value: number): DefaultMetric => ({
    name: 'nodejs_eventloop_lag_min_seconds',
    help: 'h',
    type: 'gauge',
    labelNames: [],
    get: () => Promise.resolve({ values: [{ value, labels: {} }] }),
  })
  for (const value of [Number.NaN, 9_223_372_036])
    expect(await textOf([familyOf(lag(value))])).not.toMatch(/_seconds [\dN]/)
  expect(await textOf([familyOf(lag(0.02))])).toContain('_seconds 0.02\n')
})
