// What a scale run is limited to, from the environment. Absent, everything runs: an hour and twenty gigabytes of memory.

export interface Settings {
  /** Config maps, one size after the other. */
  readonly sizes: readonly number[]
  readonly pods: readonly number[]
  readonly watchers: readonly number[]
  readonly definitions: readonly number[]
  readonly nodes: readonly number[]
  /** Undefined: all. */
  readonly scenarios: readonly string[] | undefined
  /** Whether kube-apiserver takes its turns, where it is built. */
  readonly withReference: boolean
  readonly rounds: number
}

export function readSettings(environment: NodeJS.ProcessEnv = process.env): Settings {
  return {
    sizes: numbers(environment['SIZES'], [10_000, 100_000, 1_000_000]),
    pods: numbers(environment['PODS'], [10_000, 100_000]),
    watchers: numbers(environment['WATCHERS'], [1_000, 10_000]),
    definitions: numbers(environment['DEFINITIONS'], [100, 1_000]),
    nodes: numbers(environment['NODES'], [1_000, 5_000]),
    scenarios: environment['SCENARIOS']?.split(',').map((name) => name.trim()),
    withReference: environment['REFERENCE'] !== 'off',
    rounds: Number(environment['ROUNDS'] ?? 3),
  }
}

/** From the least to the most: what is there for one size is used for the next. */
function numbers(text: string | undefined, standard: readonly number[]): readonly number[] {
  if (text === undefined || text.trim() === '') return standard
  const read = text.split(',').map(Number)
  if (!read.every((size) => Number.isSafeInteger(size) && size > 0)) throw new Error(`no list of sizes: ${text}`)
  return read.toSorted((a, b) => a - b)
}
