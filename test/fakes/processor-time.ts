// Whether hostile input is dealt with in time: the processor time of this thread, so that a busy machine does not matter, and
// the best of a few runs, so that compilation and garbage do not.

const SIZE = 100_000
const MAX_MILLISECONDS = 50
const RUNS = 4

/** A sentence of what is wrong; empty where 100 KB take no longer than they may. */
export function tooSlow(input: Buffer, run: (input: Buffer) => void): string {
  let best = Number.POSITIVE_INFINITY
  for (let i = 0; i < RUNS && best > MAX_MILLISECONDS; i++)
    best = Math.min(
      best,
      processorMilliseconds(() => run(input)),
    )
  return best <= MAX_MILLISECONDS ? '' : `${best.toFixed(1)} ms for ${input.length} bytes`
}

/** 100 KB of a text again and again. */
export function repeated(text: string): Buffer {
  return Buffer.from(text.repeat(Math.ceil(SIZE / text.length)).slice(0, SIZE))
}

function processorMilliseconds(work: () => void): number {
  const before = process.threadCpuUsage()
  work()
  const { user, system } = process.threadCpuUsage(before)
  return (user + system) / 1000
}
