// Measuring a round, and the table of the results.

export interface Measured {
  readonly perSecond: number
  /** Processor time of this process for one operation. */
  readonly cpuMicros: number
}

/** Callers that call one after the other until the time is over, each at least once; `call` says how many operations it was. */
export async function measure(
  callers: number,
  forMs: number,
  call: (caller: number) => Promise<number | void>,
): Promise<Measured> {
  const began = performance.now()
  const cpu = process.cpuUsage()
  let operations = 0
  const caller = async (_: unknown, index: number): Promise<void> => {
    do {
      const done = (await call(index)) ?? 1
      operations += done
    } while (performance.now() - began < forMs)
  }
  await Promise.all(Array.from({ length: callers }, caller))
  const seconds = (performance.now() - began) / 1_000
  const { user, system } = process.cpuUsage(cpu)
  return { perSecond: operations / seconds, cpuMicros: (user + system) / operations }
}

/** The round in the middle, by speed. */
export function median(rounds: readonly Measured[]): Measured {
  return rounds.toSorted((a, b) => a.perSecond - b.perSecond)[Math.floor(rounds.length / 2)]!
}

/** One row an operation; from the second column on with how many times as fast as the first it is. */
export function printTable(
  names: readonly string[],
  rows: readonly { readonly operation: string; readonly cells: readonly Measured[] }[],
): void {
  const lines = [
    ['a second · processor time each', ...names],
    ...rows.map(({ operation, cells }) => [operation, ...cells.map((cell) => show(cell, cells[0]!))]),
  ]
  const widths = lines[0]!.map((_, column) => Math.max(...lines.map((line) => line[column]!.length)))
  for (const line of lines) {
    process.stdout.write(`${line.map((cell, column) => cell.padEnd(widths[column]!)).join('  ')}\n`)
  }
}

function show({ perSecond, cpuMicros }: Measured, first: Measured): string {
  const speed = `${Math.round(perSecond).toLocaleString('en')} · ${cpuMicros.toPrecision(3)} µs`
  if (first.perSecond === perSecond) return speed
  return `${speed} (×${(perSecond / first.perSecond).toPrecision(2)}, ×${(cpuMicros / first.cpuMicros).toPrecision(2)})`
}
