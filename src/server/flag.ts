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

export interface Flag {
  readonly name: string
  readonly kind: FlagKind
  readonly group: FlagGroup
  /** In the words of the command line; absent: not set. */
  readonly fallback?: string
  /** What stands for the value in the manual, where the kind does not say it. */
  readonly placeholder?: string
  readonly help: string
}

export type FlagGroup = 'Storage' | 'Serving' | 'Who may do what' | 'Life cycle' | 'Audit' | 'Cluster' | 'Running it'
