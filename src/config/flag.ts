// The type of flags, and constructors for the tables of flags.

export type FlagKind =
  | 'text'
  | 'file'
  | 'directory'
  | 'address'
  | 'port'
  | 'count'
  | 'duration'
  | 'list'
  | 'switch'
  | 'gates'
  /** The value contains commas: repeated flags are joined by semicolons. */
  | 'pairs'

export interface Flag {
  readonly name: string
  readonly kind: FlagKind
  /** The heading in the manual. */
  readonly group: string
  /** The default, as on the command line. Absent: not set. */
  readonly fallback?: string | undefined
  /** The name of the value in the manual. Absent: it follows from the kind. */
  readonly placeholder?: string | undefined
  /** One letter: `-o`. */
  readonly short?: string | undefined
  /** The allowed words of the value, or of each item of a list. A count is a number or one of these words. Absent: free text. */
  readonly values?: readonly string[] | undefined
  readonly help: string
  /** Set for flags without effect. */
  readonly ignored?: IgnoredFlag
}

/** A flag of the reference server that changes nothing here. */
export interface IgnoredFlag {
  /** The values that match the fixed behaviour of the server. */
  readonly accepted: readonly string[]
  readonly otherwise: 'warn' | 'reject'
}

export interface Setting {
  readonly text: string
  /** The name in messages: `--secure-port`, `QUARTERDECK_SECURE_PORT`, `secure-port in x.yaml`. */
  readonly source: string
}

export type FlagRow = Omit<Flag, 'name' | 'group'>

/** Makes the flags of a group from rows by name. */
export function flagsOf<Name extends string>(
  group: string,
  rows: Readonly<Record<Name, FlagRow>>,
): readonly (Flag & { readonly name: Name })[] {
  return (Object.entries(rows) as [Name, FlagRow][]).map(([name, row]) => ({ name, group, ...row }))
}

type PlainRow = (help: string, fallback?: string) => FlagRow
type NamedRow = (placeholder: string, help: string, fallback?: string) => FlagRow

function plain(kind: FlagKind): PlainRow {
  return (help, fallback) => ({ kind, help, fallback })
}

function named(kind: FlagKind): NamedRow {
  return (placeholder, help, fallback) => ({ kind, placeholder, help, fallback })
}

export const file = plain('file')
export const directory = plain('directory')
export const address = plain('address')
export const port = plain('port')
export const count = plain('count')
export const duration = plain('duration')
export const gates = plain('gates')
export const text = named('text')
export const list = named('list')
export const pairs = named('pairs')

/** The same row with allowed words. */
export function oneOf(values: readonly string[], row: FlagRow): FlagRow {
  return { ...row, values }
}

/** A switch that is off by default. */
export function off(help: string): FlagRow {
  return { kind: 'switch', help, fallback: 'false' }
}

export function on(help: string): FlagRow {
  return { kind: 'switch', help, fallback: 'true' }
}
