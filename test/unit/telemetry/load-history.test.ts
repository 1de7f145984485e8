import { setImmediate as turn } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { ANONYMOUS } from '../../../src/auth/user.ts'
import { NOT_AUDITED } from '../../../src/http/http.ts'
import { LoadHistory, type LoadStep } from '../../../src/telemetry/load-history.ts'
import { ManualClock } from '../../fakes/manual-clock.ts'
import { bodyText, fakeRequest } from '../http/fake-request.ts'

const CALLER = { user: ANONYMOUS, audit: NOT_AUDITED }

async function stepsOf(load: LoadHistory): Promise<readonly LoadStep[]> {
  const answer = await load.handler(fakeRequest('GET /debug/load'), CALLER)
  const { steps, ...told } = JSON.parse(bodyText(answer)) as { steps: LoadStep[] }
  expect(told).toEqual({ stepMs: 10_000, storageBytes: 4096, revision: 12, compaction: { revision: 5 } })
  return steps
}

it('keeps the load of an hour in steps, without what streams', async () => {
  const clock = new ManualClock()
  let others: readonly (readonly LoadStep[])[] = []
  const delays = { max: 0, enable: () => true, disable: () => true, reset: () => void (delays.max = 0) }
  const load = new LoadHistory({
    clock,
    delays,
    storageBytes: async () => 4096,
    revision: () => 12,
    compaction: async () => ({ revision: 5 }),
    others: async () => others,
  })
  const closing = new AbortController()
  const running = load.run(closing.signal)
  const nextStep = async (): Promise<void> => {
    clock.advance(10_000)
    await turn()
  }
  const end = (line: string, status: number, milliseconds: number): void =>
    load.observe({
      request: fakeRequest(line),
      user: ANONYMOUS,
      isAuthorized: true,
      status,
      sentBytes: 0,
      milliseconds,
    })
  delays.max = 95e6
  end('GET /api/v1/pods', 200, 10)
  end('GET /api/v1/pods/x', 500, 30)
  end('GET /api/v1/pods?watch=1', 200, 60_000)
  await nextStep()
  end('GET /version', 200, 5)
  const [first, second, ...more] = await stepsOf(load)
  expect(first).toMatchObject({ requests: 2, failures: 1, totalMs: 40, slowestMs: 30, lagMs: 75 })
  expect(first?.memoryBytes).toBeGreaterThan(1e6)
  expect(second).toMatchObject({ requests: 1, failures: 0, totalMs: 5, slowestMs: 5, lagMs: 0 })
  expect(more).toEqual([])
  const ofAnother = { at: 7, requests: 3, failures: 1, totalMs: 60, slowestMs: 50, memoryBytes: 1000, lagMs: 8 }
  others = [[ofAnother]]
  const [alone, together] = await stepsOf(load)
  expect(alone).toEqual(first)
  expect(together).toMatchObject({ at: second!.at, requests: 4, failures: 1, totalMs: 65, slowestMs: 50, lagMs: 8 })
  others = [[ofAnother, ofAnother, ofAnother]]
  expect((await stepsOf(load)).map(({ requests }) => requests)).toEqual([3, 5, 4])
  others = []
  for (let step = 0; step < 400; step++) await nextStep()
  expect(await stepsOf(load)).toHaveLength(361)
  closing.abort()
  await running
})
