import { describe, expect, it } from 'vitest'
import { counter, type Family, gauge, histogram } from '../../../src/lib/measure.ts'
import { exposition } from '../../../src/telemetry/exposition.ts'
import { familiesOf, PastCounts, snapshotOf } from '../../../src/telemetry/worker-metrics.ts'

/** What a worker counts, each by so much. */
function workerWith(count: number): readonly Family[] {
  const requests = counter('apiserver_request_total', 'Requests.', ['verb'])
  requests.of('GET').value = count
  const seconds = histogram('apiserver_request_duration_seconds', 'Durations.', { bounds: [1, 10] })
  seconds.of().observe(count)
  const connections = gauge('quarterdeck_connections', 'Open client connections.')
  connections.of().value = count
  const objects = gauge('apiserver_storage_objects', 'Objects stored.', ['resource'])
  objects.of('pods').value = 100 + count
  const turn = gauge('quarterdeck_longest_turn_seconds', 'Longest turn.')
  turn.of().value = count / 10
  const memory = gauge('process_resident_memory_bytes', 'Memory.')
  memory.of().value = count * 1000
  return [requests, seconds, connections, objects, turn, memory]
}

async function linesOf(families: readonly Family[]): Promise<readonly string[]> {
  let text = ''
  for await (const piece of exposition(families)) text += piece.toString()
  return text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
}

/** As it arrives in another process. */
async function sent(families: readonly Family[]): Promise<Awaited<ReturnType<typeof snapshotOf>>> {
  return JSON.parse(JSON.stringify(await snapshotOf(families))) as Awaited<ReturnType<typeof snapshotOf>>
}

describe('the metrics of several workers', () => {
  it('are added up, told once where all know the same, and named where they are of a process', async () => {
    const snapshots = [
      { worker: '1', families: await sent(workerWith(2)) },
      { worker: '2', families: await sent(workerWith(5)) },
    ]
    expect(await linesOf(familiesOf(workerWith(0), snapshots))).toEqual([
      'apiserver_request_total{verb="GET"} 7',
      'apiserver_request_duration_seconds_bucket{le="1"} 0',
      'apiserver_request_duration_seconds_bucket{le="10"} 2',
      'apiserver_request_duration_seconds_bucket{le="+Inf"} 2',
      'apiserver_request_duration_seconds_sum 7',
      'apiserver_request_duration_seconds_count 2',
      'quarterdeck_connections 7',
      'apiserver_storage_objects{resource="pods"} 105',
      'quarterdeck_longest_turn_seconds 0.5',
      'process_resident_memory_bytes{worker="1"} 2000',
      'process_resident_memory_bytes{worker="2"} 5000',
    ])
  })

  it('have what those had counted that are gone, and nothing else of them', async () => {
    const past = new PastCounts()
    past.add(await sent(workerWith(2)))
    past.add(await sent(workerWith(3)))
    const snapshots = [{ worker: '1', families: await sent(workerWith(1)) }, past.snapshot()]
    const lines = await linesOf(familiesOf(workerWith(0), snapshots))
    expect(lines).toContain('apiserver_request_total{verb="GET"} 6')
    expect(lines).toContain('apiserver_request_duration_seconds_count 3')
    expect(lines).toContain('quarterdeck_connections 1')
    expect(lines.filter((line) => line.startsWith('process_'))).toEqual([
      'process_resident_memory_bytes{worker="1"} 1000',
    ])
  })

  it('leave out what a worker of another version counts by other labels or bounds', async () => {
    const others = counter('apiserver_request_total', 'Requests.', ['verb', 'code'])
    others.of('GET', '200').value = 9
    const seconds = histogram('apiserver_request_duration_seconds', 'Durations.', { bounds: [1] })
    seconds.of().observe(9)
    const snapshots = [
      { worker: '1', families: await sent(workerWith(1)) },
      { worker: '2', families: await sent([others, seconds]) },
    ]
    const lines = await linesOf(familiesOf(workerWith(0), snapshots))
    expect(lines).toContain('apiserver_request_total{verb="GET"} 1')
    expect(lines).toContain('apiserver_request_duration_seconds_sum 1')
  })
})
