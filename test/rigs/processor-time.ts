// Whether hostile input is dealt with in time, by the processor time that it takes: a busy machine does not matter. A slow one
// does not matter either: what takes long is held against a quarter of itself, which work in proportion takes a quarter for.
import { Majority } from './majority.ts'

const SIZE = 100_000
const AT_ONCE_MS = 50
const RUNS = 4
/** In proportion it would be four, squared sixteen. */
const MAX_GROWTH = 8

/** A sentence of what is wrong; empty where the input is dealt with at once, or in proportion to its length. */
export function tooSlow(input: Buffer, run: (input: Buffer) => void): string {
  return outOfProportion(input.length, (size) => run(size === input.length ? input : input.subarray(0, size)))
}

/** A sentence of what is wrong; empty where the work is done at once, or in proportion to its size. */
export function outOfProportion(size: number, work: (size: number) => void): string {
  // A machine may become half as fast between the one and the other.
  const tries = new Majority(3)
  while (!tries.isDecided) tries.add(faultOf(size, work))
  return tries.faults.join('; ')
}

function faultOf(size: number, work: (size: number) => void): string | undefined {
  const whole = leastTime(() => work(size))
  if (whole <= AT_ONCE_MS) return undefined
  const quarter = leastTime(() => work(Math.ceil(size / 4)))
  if (whole <= MAX_GROWTH * quarter) return undefined
  return `${whole.toFixed(1)} ms for ${size}, and ${quarter.toFixed(1)} ms for a quarter of it`
}

/** A text again and again, 100 KB in all or as much as is said. */
export function repeated(text: string, size: number = SIZE): Buffer {
  return Buffer.from(text.repeat(Math.ceil(size / text.length)).slice(0, size))
}

/** Of this thread. */
export function processorMilliseconds(work: () => void): number {
  const before = process.threadCpuUsage()
  work()
  const { user, system } = process.threadCpuUsage(before)
  return (user + system) / 1000
}

/** With the time of the whole process, so that a server in it counts. */
export async function processTimed<T>(
  work: () => Promise<T>,
): Promise<{ readonly result: T; readonly milliseconds: number }> {
  const before = process.cpuUsage()
  const result = await work()
  const { user, system } = process.cpuUsage(before)
  return { result, milliseconds: (user + system) / 1000 }
}

/** The best of a few runs, so that compilation and garbage do not count. */
export function leastTime(work: () => void): number {
  let least = Number.POSITIVE_INFINITY
  for (let i = 0; i < RUNS && least > AT_ONCE_MS; i++) least = Math.min(least, processorMilliseconds(work))
  return least
}
