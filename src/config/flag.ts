// What a flag is: a row of the table in `flags.ts`.

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
  /** Has commas of its own: what is given several times stands apart by semicolons. */
  | 'pairs'

export interface Flag {
  readonly name: string
  readonly kind: FlagKind
  readonly group: FlagGroup
  /** In the words of the command line; absent: not set. */
  readonly fallback?: string
  /** What stands for the value in the manual, where the kind does not say it. */
  readonly placeholder?: string
  readonly help: string
  /** Absent where it does something. */
  readonly idle?: IdleFlag
}

/** A flag of the reference server's that changes nothing here. */
export interface IdleFlag {
  /** The values that mean what is the case anyway. */
  readonly asItIs: readonly string[]
  readonly otherwise: 'told' | 'refused'
}

export type FlagGroup =
  | 'Storage'
  | 'Serving'
  | 'Who may do what'
  | 'Life cycle'
  | 'Audit'
  | 'Cluster'
  | 'Running it'
  | 'Without effect'
