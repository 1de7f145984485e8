import { describe, expect, it } from 'vitest'
import { WorkerMeasures } from '../../../src/workers/measures.ts'

describe('the time without a full set of workers', () => {
  async function seconds(measures: WorkerMeasures): Promise<number> {
    await measures.incomplete.refresh()
    return measures.incomplete.of().value
  }

  it('runs from when one did not answer until all are ready, and is told while it runs', async () => {
    let now = 10_000
    const measures = new WorkerMeasures(() => now)
    expect(await seconds(measures)).toBe(0)
    now += 5_000
    measures.miss(2_000)
    expect(await seconds(measures)).toBe(2)
    now += 1_000
    expect(await seconds(measures)).toBe(3)
    // A second one, while the first is not back.
    measures.miss(500)
    now += 1_000
    measures.complete()
    now += 9_000
    expect(await seconds(measures)).toBe(4)
    measures.miss(0)
    now += 250
    expect(await seconds(measures)).toBe(4.25)
  })

  it('does not run where nothing was missing', async () => {
    let now = 0
    const measures = new WorkerMeasures(() => now)
    now += 1_000
    measures.complete()
    expect(await seconds(measures)).toBe(0)
  })
})

it('has a series for every cause from the start', () => {
  const causes = Array.from(new WorkerMeasures().restarts.all(), ({ values, series }) => [...values, series.value])
  expect(causes).toEqual([
    ['crash', 0],
    ['out_of_memory', 0],
    ['stall', 0],
    ['reload', 0],
  ])
})
