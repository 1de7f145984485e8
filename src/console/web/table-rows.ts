// The rows of a live table, their order and their filter. This file needs no browser. A change that does not move a row touches only this
// row.

export interface Column {
  readonly name: string
  readonly type: string
  readonly format?: string
  readonly description?: string
  /** Above 0: shown only if there is room. */
  readonly priority: number
}

export interface Metadata {
  readonly uid?: string
  readonly name: string
  readonly namespace?: string
  readonly creationTimestamp?: string
  readonly resourceVersion?: string
  readonly deletionTimestamp?: string
}

/** A table as the server sends it. */
export interface TableDocument {
  readonly columnDefinitions?: readonly Column[]
  readonly metadata?: {
    readonly resourceVersion?: string
    readonly continue?: string
    readonly remainingItemCount?: number
  }
  readonly rows: readonly { readonly cells: readonly unknown[]; readonly object: { readonly metadata: Metadata } }[]
}

export interface Row {
  readonly key: string
  readonly uid: string | undefined
  readonly namespace: string
  readonly name: string
  readonly created: string
  readonly isGoing: boolean
  readonly cells: readonly unknown[]
  /** The time of the last change of the row while the table was open, in milliseconds. 0: the row has not changed. */
  readonly changedAt: number
}

export interface Order {
  /** Undefined: by namespace and name. */
  readonly column: number | undefined
  readonly descending: boolean
}

export const BY_NAME: Order = { column: undefined, descending: false }

export function rowsOf(document: TableDocument, changedAt: number): readonly Row[] {
  return document.rows.map(({ cells, object: { metadata } }) => ({
    uid: metadata.uid,
    key: metadata.uid ?? `${metadata.namespace ?? ''}/${metadata.name}`,
    namespace: metadata.namespace ?? '',
    name: metadata.name,
    created: metadata.creationTimestamp ?? '',
    isGoing: metadata.deletionTimestamp !== undefined,
    cells,
    changedAt,
  }))
}

export class TableRows {
  readonly #rows = new Map<string, Row>()
  #order = BY_NAME
  #filter = ''
  #isTime = false
  #shown: readonly string[] | undefined

  get size(): number {
    return this.#rows.size
  }

  /** The keys of the shown rows, in order. The same array until a row comes, goes or moves. */
  get shown(): readonly string[] {
    this.#shown ??= [...this.#rows.values()]
      .filter((row) => this.#passes(row))
      .sort((a, b) => this.#compare(a, b))
      .map(({ key }) => key)
    return this.#shown
  }

  get(key: string): Row | undefined {
    return this.#rows.get(key)
  }

  [Symbol.iterator](): Iterator<Row> {
    return this.#rows.values()
  }

  clear(): void {
    this.#rows.clear()
    this.#shown = undefined
  }

  put(row: Row): void {
    const before = this.#rows.get(row.key)
    this.#rows.set(row.key, row)
    if (before === undefined || this.#compare(before, row) !== 0) this.#shown = undefined
  }

  remove(key: string): void {
    if (this.#rows.delete(key)) this.#shown = undefined
  }

  /** `isTime`: the column has ages, which are ordered by the times of creation. */
  sortBy(order: Order, isTime: boolean): void {
    this.#order = order
    this.#isTime = isTime
    this.#shown = undefined
  }

  /** Shows only rows whose `namespace/name` contains the text. */
  filterBy(text: string): void {
    this.#filter = text.trim().toLowerCase()
    this.#shown = undefined
  }

  #passes({ namespace, name }: Row): boolean {
    return this.#filter === '' || `${namespace}/${name}`.toLowerCase().includes(this.#filter)
  }

  #compare(a: Row, b: Row): number {
    const { column, descending } = this.#order
    const byColumn =
      column === undefined
        ? 0
        : this.#isTime
          ? compareTexts(b.created, a.created)
          : compareCells(a.cells[column], b.cells[column])
    const order = byColumn === 0 ? compareTexts(a.namespace, b.namespace) || compareTexts(a.name, b.name) : byColumn
    return descending ? -order : order
  }
}

function compareTexts(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

/** Compares numbers by value, also within texts: `1/1` comes before `10/10`. */
function compareCells(a: unknown, b: unknown): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b
  return COLLATOR.compare(cellText(a), cellText(b))
}

const COLLATOR = new Intl.Collator('en', { numeric: true })

export function cellText(cell: unknown): string {
  if (cell === null || cell === undefined) return ''
  return typeof cell === 'string' ? cell : JSON.stringify(cell)
}

/** Whether the column is the age of the object, which grows while the table is open. */
export function isAge({ name }: Column): boolean {
  return name === 'Age'
}

/** The age in kubectl's form: `45s`, `3m20s`, `5h`, `12d`. */
export function ageText(created: string, now: number): string {
  const seconds = Math.max(0, Math.floor((now - Date.parse(created)) / 1000))
  if (Number.isNaN(seconds)) return ''
  const [minutes, hours, days] = [Math.floor(seconds / 60), Math.floor(seconds / 3600), Math.floor(seconds / 86_400)]
  if (seconds < 120) return `${seconds}s`
  if (minutes < 10) return withRest(minutes, 'm', seconds % 60, 's')
  if (minutes < 180) return `${minutes}m`
  if (hours < 8) return withRest(hours, 'h', minutes % 60, 'm')
  if (hours < 48) return `${hours}h`
  if (days < 8) return withRest(days, 'd', hours % 24, 'h')
  return days < 730 ? `${days}d` : withRest(Math.floor(days / 365), 'y', days % 365, 'd')
}

function withRest(whole: number, unit: string, rest: number, restUnit: string): string {
  return rest === 0 ? `${whole}${unit}` : `${whole}${unit}${rest}${restUnit}`
}
