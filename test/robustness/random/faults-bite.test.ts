// Faults of the machine that are made by tricks do what they say: else a run would pass for want of them.
import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { expect, it } from 'vitest'
import { startEtcd } from '../../rigs/etcd-server.ts'
import { findOnPath } from '../../rigs/made-once.ts'
import { tempFolder } from '../../rigs/temp-folder.ts'
import { putProbe } from './etcd-members.ts'
import { endTracer, slowDown } from './faults.ts'
import { MovedClock } from './moved-clock.ts'

const HOUR_SECONDS = 3_600
const TELLS_TIME = 'process.stdin.on("data", () => console.log(Date.now(), performance.now()))'

it('a moved clock jumps there and back while the process runs, and its monotonic clock does not', async ({ skip }) => {
  const clock = await MovedClock.build(await tempFolder(), 'clock')
  if (clock === undefined) return skip('moved clocks are not tested: there is no C compiler')
  const child = spawn(process.execPath, ['-e', TELLS_TIME], { env: { ...process.env, ...clock.environment } })
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const times = async (): Promise<readonly number[]> => {
    child.stdin.write('?')
    return String((await lines.next()).value)
      .split(' ')
      .map(Number)
  }
  const ahead: number[] = []
  const monotonic: number[] = []
  for (const seconds of [0, HOUR_SECONDS, -HOUR_SECONDS, 0]) {
    clock.move(seconds)
    const [time = 0, since = 0] = await times()
    ahead.push(Math.round((time - Date.now()) / 1000 / 60))
    monotonic.push(since)
  }
  child.kill()
  expect(ahead.map((minutes) => minutes + 0)).toEqual([0, 60, -60, 0])
  expect(monotonic).toEqual(monotonic.toSorted((a, b) => a - b))
})

it('a slow disk holds up the writes of etcd, until it is quick again', async ({ skip }) => {
  if ((await findOnPath('strace')) === undefined) return skip('slow disks are not tested: there is no strace')
  await using etcd = await startEtcd()
  const msOfWrite = async (): Promise<number> => {
    const start = performance.now()
    await putProbe(etcd, 60_000)
    return performance.now() - start
  }
  const tracer = slowDown(etcd.pid!, 1_000)
  await expect.poll(msOfWrite).toBeGreaterThan(1_000)
  await endTracer(tracer)
  await expect.poll(msOfWrite).toBeLessThan(1_000)
})
