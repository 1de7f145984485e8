// What the killed process writes, step by step: known beforehand, so that whoever looks at the store afterwards can tell what
// each key may hold.

export const WRITERS = 12

export function keyOf(round: string | number, writer: number): string {
  return `/round-${round}/key-${writer}`
}

/** Every fifth step takes the key away. */
export function isDelete(step: number): boolean {
  return step % 5 === 4
}

const SIZES: readonly number[] = [30, 400, 5_000, 30, 30, 60_000, 400, 17_000, 30, 30, 700_000]

export function valueOf(key: string, step: number): Buffer {
  const writer = Number(key.split('-').at(-1))
  const size = SIZES[(step + writer) % SIZES.length]!
  return Buffer.alloc(size, `${key}#${step};`)
}

/** The step whose value this is; absent: it is no such value as a whole. */
export function stepOf(key: string, value: Buffer): number | undefined {
  const step = Number(/#(\d+);/.exec(value.toString('latin1', 0, 100))?.[1] ?? Number.NaN)
  return Number.isNaN(step) || !valueOf(key, step).equals(value) ? undefined : step
}
