// What tests stand on: the tools that say whether something is slow, or over.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { expect, it, onTestFinished } from 'vitest'
import config from '../../.config/vitest.config.ts'
import { expectNoStall } from '../rigs/longest-stall.ts'
import { Majority } from '../rigs/majority.ts'
import { outOfProportion } from '../rigs/processor-time.ts'
import { isRunning } from '../rigs/running-process.ts'

/** Keeps the processor busy. */
function work(milliseconds: number): void {
  const before = process.threadCpuUsage()
  for (;;) {
    const { user, system } = process.threadCpuUsage(before)
    if (user + system >= milliseconds * 1000) return
  }
}

it.each([
  ['good', 'good', 3, 2, []],
  ['bad', 'good', 3, 3, []],
  ['bad', 'bad', 3, 2, ['1', '2']],
  ['bad', 'bad', 5, 5, []],
] as const)('most tries decide: %s, %s, then good, of %i', (first, second, most, made, faults) => {
  const tries = new Majority(most)
  let count = 0
  for (const fate of [first, second, ...Array<'good'>(9).fill('good')]) {
    if (tries.isDecided) break
    tries.add(fate === 'good' ? undefined : String(++count))
    if (fate === 'good') count++
  }
  expect([count, tries.faults]).toEqual([made, faults])
})

it('work that takes sixteen times as long for four times as much is out of proportion, though one try is good', () => {
  expect(outOfProportion(40, (size) => work(size ** 2 / 20))).toMatch(/ms for 40, and/)
  expect(outOfProportion(40, (size) => work(size * 2))).toBe('')
  // The first time that the quarter is measured it takes as long as the whole.
  let quarters = 0
  const lucky = (size: number): void => work(size === 40 || quarters++ < 4 ? 80 : 5)
  expect(outOfProportion(40, lucky)).toMatch(/ms for 40, and/)
})

it('a stall is found where one try of five has none', async () => {
  const stalls = [0, 100_000, 100_000, 100_000, 100_000]
  await expect(expectNoStall(async () => stalls.shift()!)).rejects.toThrow('of')
  const fewer = [100_000, 0, 100_000, 0, 0]
  await expectNoStall(async () => fewer.shift()!)
})

it('a process that has ended and was not reaped does not run', async () => {
  // The shell leaves its child to a program that reaps none.
  const script = `"$0" -e 0 & echo $!; exec "$0" -e 'setInterval(() => {}, 1000)'`
  const parent = spawn('sh', ['-c', script, process.execPath], { stdio: ['ignore', 'pipe', 'inherit'] })
  onTestFinished(async () => {
    parent.kill('SIGKILL')
    await once(parent, 'exit')
  })
  const [line] = (await once(createInterface({ input: parent.stdout }), 'line')) as [string]
  await expect.poll(() => isRunning(Number(line))).toBe(false)
  expect(isRunning(parent.pid!)).toBe(true)
  expect(() => process.kill(Number(line), 0)).not.toThrow()
})

interface Project {
  readonly test: {
    readonly name: string
    readonly maxWorkers?: number
    readonly fileParallelism?: boolean
    readonly sequence?: { readonly groupOrder: number }
  }
}

it('projects of one group say how many workers they have, and say the same: vitest refuses others', () => {
  const projects = (config.test!.projects as unknown as readonly Project[]).map(({ test }) => test)
  const together = projects.filter(({ fileParallelism = true }) => fileParallelism)
  const groups = Map.groupBy(together, ({ sequence }) => sequence?.groupOrder ?? 0)
  expect(new Set(groups.keys())).toEqual(new Set([0, 1]))
  for (const [order, group] of groups) {
    const workers = new Set(group.map(({ maxWorkers }) => maxWorkers))
    expect(workers, `group ${order}`).not.toContain(undefined)
    expect([...workers], `group ${order}`).toHaveLength(1)
  }
})
