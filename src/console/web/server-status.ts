// Parses the status pages of the server for display.

export interface Check {
  readonly name: string
  readonly isFine: boolean
}

/** Each line is a check: `[+]ping ok`. */
export function readChecks(text: string): readonly Check[] {
  return [...text.matchAll(/^\[([+-])\](\S+)/gm)].map(([, sign, name]) => ({ name: name ?? '', isFine: sign === '+' }))
}

interface Level {
  readonly name: string
  readonly counts: readonly number[]
}

const COUNTS = ['Executing', 'Waiting', 'Dispatched', 'Rejected', 'Timedout'].map((name) => `${name}Requests`)

/** The priority levels of a dump, with the counts of all workers together. Commas separate the cells, and end each line. */
export function readLevels(text: string): readonly Level[] {
  const [titles = [], ...rows] = text
    .trim()
    .split('\n')
    .map((line) => line.split(',').map((cell) => cell.trim()))
  const cellOf = (row: readonly string[], title: string): string => row[titles.indexOf(title)] ?? ''
  const byName = Map.groupBy(rows, (row) => cellOf(row, 'PriorityLevelName'))
  return [...byName].map(([name, own]) => ({
    name,
    counts: COUNTS.map((title) => own.reduce((sum, row) => sum + Number(cellOf(row, title)), 0)),
  }))
}

export interface LoadStep {
  readonly at: number
  readonly requests: number
  readonly failures: number
  readonly totalMs: number
  readonly slowestMs: number
  readonly memoryBytes: number
  readonly lagMs: number
}

export interface Load {
  readonly stepMs: number
  readonly storageBytes?: number
  /** The newest revision. */
  readonly revision: number
  /** Absent: another server compacts the storage. */
  readonly compaction?: Compaction
  readonly steps: readonly LoadStep[]
}

export interface Compaction {
  readonly intervalMs: number
  /** The history before this revision is compacted. */
  readonly revision?: number
  readonly lastRoundAt?: number
  readonly problem?: string
}

/** `1,200 revisions kept, since 4000` */
export function historyText({ revision, compaction }: Pick<Load, 'revision' | 'compaction'>): string {
  if (compaction === undefined) return 'not compacted by this server'
  const { revision: compacted } = compaction
  if (compacted === undefined) return 'nothing compacted yet'
  return `${Math.max(0, revision - compacted).toLocaleString('en')} revisions kept, since ${compacted}`
}

/** The interval, the last round and the last failure. */
export function compactionText({ intervalMs, lastRoundAt, problem }: Compaction, now: number): string {
  const minutes = Math.round(intervalMs / 6000) / 10
  const last = lastRoundAt === undefined ? '' : `, last ${Math.round((now - lastRoundAt) / 1000)} s ago`
  return `every ${minutes} min${last}${problem === undefined ? '' : `, failed: ${problem}`}`
}

/** A line of a chart. */
export interface LoadLine {
  readonly label: string
  /** The name of a colour variable. */
  readonly colour: string
  /** Null: there was nothing to measure. */
  readonly value: (step: LoadStep, seconds: number) => number | null
}

export interface LoadChart {
  readonly title: string
  readonly unit: string
  readonly lines: readonly LoadLine[]
}

export const CHARTS: readonly LoadChart[] = [
  {
    title: 'Requests',
    unit: '/s',
    lines: [
      { label: 'all', colour: 'owner-0', value: ({ requests }, seconds) => requests / seconds },
      { label: 'failed', colour: 'bad', value: ({ failures }, seconds) => failures / seconds },
    ],
  },
  {
    title: 'Latency',
    unit: 'ms',
    lines: [
      {
        label: 'mean',
        colour: 'owner-1',
        value: ({ totalMs, requests }) => (requests === 0 ? null : totalMs / requests),
      },
      { label: 'slowest', colour: 'owner-3', value: ({ slowestMs, requests }) => (requests === 0 ? null : slowestMs) },
    ],
  },
  {
    title: 'Event-loop lag',
    unit: 'ms',
    lines: [{ label: 'longest', colour: 'owner-4', value: ({ lagMs }) => lagMs }],
  },
  {
    title: 'Memory',
    unit: 'MiB',
    lines: [{ label: 'resident', colour: 'owner-2', value: ({ memoryBytes }) => memoryBytes / 2 ** 20 }],
  },
]

/** The times in seconds, then the values of each line. The last step is not complete. */
export function seriesOf({ stepMs, steps }: Load, lines: readonly LoadLine[]): readonly (readonly (number | null)[])[] {
  const whole = steps.slice(0, -1)
  return [
    whole.map(({ at }) => at / 1000),
    ...lines.map(({ value }) => whole.map((step) => value(step, stepMs / 1000))),
  ]
}

const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB'] as const

export function bytesText(bytes: number): string {
  const unit = bytes < 1 ? 0 : Math.min(Math.floor(Math.log2(bytes) / 10), UNITS.length - 1)
  const number = bytes / 1024 ** unit
  return `${unit === 0 || number >= 100 ? Math.round(number) : number.toFixed(1)} ${UNITS[unit] ?? ''}`
}
