// Rows of a query with `count`, `groupBy`, `sum`, `min` or `max`: objects with equal values of the group's fields are one row.
import { type PathText, parsePaths, queryFault, valueAt, valuesAt } from '../../api/path-text.ts'
import type { ApiObject } from '../../api/object.ts'
import { ApiError } from '../../api/status.ts'
import type { Value, ValueMap } from '../../api/value.ts'
import { jsonText } from '../../api/json-text.ts'
import { addQuantities, formatQuantity, parseQuantity, type Quantity, quantityOf } from '../../lib/quantity.ts'
import { sortInPieces } from '../../lib/piece-sort.ts'
import type { ObjectShape, Shape } from '../../schema/table.ts'
import { refuseWord, scalarAt, scalarsAt } from './fields.ts'
import { comparableOf, compareSortValues, compareValues, isDescending, type SortValue } from './order.ts'

const MOST_GROUPS = 10_000
/** The limit of the values of all rows. They are written in one turn of the event loop. */
const MOST_VALUES = 100_000
/** The limits of the characters that name a row, and of those of all rows with their figures. */
const MOST_CHARACTERS = 64 * 1024
const MOST_CHARACTERS_OF_ALL = 4 * 1024 * 1024

interface Field {
  readonly path: PathText
  readonly shape: Shape
  readonly comparable: (value: Value | undefined) => SortValue
}

export type Measured = 'sum' | 'min' | 'max'
const MEASURED: readonly Measured[] = ['sum', 'min', 'max']

export interface Grouping {
  readonly by: readonly Field[]
  readonly measures: readonly { readonly kind: Measured; readonly fields: readonly Field[] }[]
  readonly order: readonly RowOrder[]
}

interface RowOrder {
  readonly isDescending: boolean
  readonly valueOf: (row: Row) => SortValue
}

interface Parameters {
  get(name: string): string | null | undefined
}

/** `orderBy` names fields of the group, or `count`. */
export function parseGrouping(parameters: Parameters, kind: ObjectShape): Grouping {
  const fields = (name: string, shapeOf: typeof scalarAt): readonly Field[] => {
    const text = parameters.get(name) ?? ''
    return (text === '' ? [] : parsePaths(name, text)).map((path) => {
      refuseWord(name, path)
      const shape = shapeOf(name, path, kind)
      if (name === 'sum' && !SUMMABLE.has(shape.kind)) {
        throw queryFault(name, path.column, `${path.text} is not a number and not a quantity`)
      }
      return { path, shape, comparable: comparableOf(path, shape) }
    })
  }
  const by = fields('groupBy', scalarAt)
  const measures = MEASURED.map((name) => ({ kind: name, fields: fields(name, scalarsAt) }))
  return { by, measures: measures.filter((one) => one.fields.length > 0), order: rowOrder(parameters, by) }
}

const SUMMABLE: ReadonlySet<Shape['kind']> = new Set(['int32', 'int64', 'number', 'quantity', 'intOrString', 'any'])

function rowOrder(parameters: Parameters, by: readonly Field[]): readonly RowOrder[] {
  const text = parameters.get('orderBy') ?? ''
  return (text === '' ? [] : parsePaths('orderBy', text)).map((path) => {
    const place = by.findIndex((field) => field.path.text === path.text)
    if (path.text === 'count') return { isDescending: isDescending(path), valueOf: ({ count }) => count }
    if (place < 0) throw queryFault('orderBy', path.column, `${path.text} is neither count nor a field of groupBy`)
    return { isDescending: isDescending(path), valueOf: ({ sortValues }) => sortValues[place] }
  })
}

export interface Row {
  /** The values of the group as text. */
  readonly key: string
  readonly group: ValueMap
  readonly sortValues: readonly SortValue[]
  count: number
  readonly totals: readonly (readonly Total[])[]
}

export class Groups {
  readonly #grouping: Grouping
  readonly #rows = new Map<string, Row>()
  readonly #mostRows: number
  #characters = 0

  constructor(grouping: Grouping) {
    this.#grouping = grouping
    const { by, measures } = grouping
    const values = measures.reduce((sum, { fields }) => sum + fields.length, by.length + 1)
    this.#mostRows = Math.min(MOST_GROUPS, Math.floor(MOST_VALUES / values))
    // A count of no objects is a row too.
    if (grouping.by.length === 0) this.#row([])
  }

  /** Whether the query requests fields of objects. */
  get isRead(): boolean {
    return this.#grouping.by.length > 0 || this.#grouping.measures.length > 0
  }

  add(object: ApiObject | undefined): void {
    const { by, measures } = this.#grouping
    const row = this.#row(by.map(({ path }) => (object === undefined ? null : singleAt(object, path))))
    row.count++
    if (object === undefined) return
    for (const [i, { fields }] of measures.entries()) {
      for (const [j, { path }] of fields.entries()) {
        for (const value of valuesAt(object, path.steps)) this.#count(row.totals[i]?.[j]?.add(value) ?? 0)
      }
    }
  }

  #count(characters: number): void {
    this.#characters += characters
    if (this.#characters > MOST_CHARACTERS_OF_ALL) {
      throw tooMany(`the groups have more than ${MOST_CHARACTERS_OF_ALL} characters together`)
    }
  }

  #row(values: readonly Value[]): Row {
    const length = values.reduce<number>((sum, value) => sum + (typeof value === 'string' ? value.length : 1), 0)
    if (length > MOST_CHARACTERS) {
      throw new ApiError('BadRequest', `groupBy: the values of an object have more than ${MOST_CHARACTERS} characters`)
    }
    const key = jsonText(values)
    const known = this.#rows.get(key)
    if (known !== undefined) return known
    if (this.#rows.size >= this.#mostRows) throw tooMany(`there are more than ${this.#mostRows} groups`)
    this.#count(length)
    const { by, measures } = this.#grouping
    const row: Row = {
      key,
      group: Object.fromEntries(by.map(({ path }, i) => [path.text, values[i] ?? null])),
      sortValues: by.map(({ comparable }, i) => comparable(values[i])),
      count: 0,
      totals: measures.map(({ kind, fields }) => fields.map((field) => totalOf(kind, field))),
    }
    this.#rows.set(key, row)
    return row
  }

  /** The rows, ordered by `orderBy` and then by the values of the group. Sorting yields now and then. */
  *rows(): Generator<undefined, readonly Row[]> {
    const { order, by } = this.#grouping
    for (const { totals } of this.#rows.values()) {
      for (const total of totals.flat()) if (!(total instanceof Extreme)) this.#count(charactersOf(total.value))
    }
    const ascending = by.map(() => ({ isDescending: false }))
    const keyed = [...this.#rows.values()].map((row) => ({ row, keys: order.map(({ valueOf }) => valueOf(row)) }))
    const sorted = yield* sortInPieces(
      keyed,
      (a, b) =>
        compareSortValues(order, a.keys, b.keys) ||
        compareSortValues(ascending, a.row.sortValues, b.row.sortValues) ||
        compareValues(a.row.key, b.row.key),
    )
    return sorted.map(({ row }) => row)
  }

  valueOf(row: Row): ValueMap {
    const { measures } = this.#grouping
    const measured = measures.map(({ kind, fields }, i) => {
      const values = fields.map(({ path }, j) => [path.text, row.totals[i]?.[j]?.value ?? null] as const)
      return [kind, Object.fromEntries(values)] as const
    })
    return { group: row.group, count: row.count, ...Object.fromEntries(measured) }
  }
}

/** Objects and lists are no single values, and count as absent. Fields without a type can have them. */
function singleAt(object: ApiObject, { steps }: PathText): Value {
  const value = valueAt(object, steps) ?? null
  return typeof value === 'object' ? null : value
}

function tooMany(problem: string): ApiError {
  return new ApiError('BadRequest', `groupBy: ${problem}; select objects with where or a selector`)
}

function charactersOf(value: Value): number {
  return typeof value === 'string' ? value.length : 0
}

/** The sum, minimum or maximum of one field, over the objects of a row. */
interface Total {
  /** Returns the number of characters by which the figure grows, if it keeps a text of an object. */
  add(value: Value): number
  readonly value: Value
}

function totalOf(kind: Measured, field: Field): Total {
  if (kind !== 'sum') return new Extreme(field, kind === 'max' ? 1 : -1)
  return field.shape.kind === 'quantity' || field.shape.kind === 'intOrString' ? new Amount() : new Sum()
}

class Extreme implements Total {
  value: Value = null
  readonly #field: Field
  readonly #sign: number
  #known: SortValue

  constructor(field: Field, sign: number) {
    this.#field = field
    this.#sign = sign
  }

  add(value: Value): number {
    const comparable = this.#field.comparable(value)
    if (comparable === undefined) return 0
    if (this.#known !== undefined && compareValues(comparable, this.#known) * this.#sign <= 0) return 0
    const growth = charactersOf(value) - charactersOf(this.value)
    this.#known = comparable
    this.value = value
    return growth
  }
}

/** Integers are added exactly. */
class Sum implements Total {
  #whole = 0n
  #rest = 0

  add(value: Value): number {
    if (typeof value === 'bigint' || (typeof value === 'number' && Number.isInteger(value)))
      this.#whole += BigInt(value)
    else if (typeof value === 'number') this.#rest += value
    return 0
  }

  get value(): Value {
    const whole = Number(this.#whole)
    if (this.#rest !== 0) return whole + this.#rest
    return Number.isSafeInteger(whole) ? whole : this.#whole
  }
}

class Amount implements Total {
  #sum: Quantity = quantityOf(0, 'decimalSI')

  add(value: Value): number {
    if (typeof value === 'object' || typeof value === 'boolean') return 0
    const parsed = parseQuantity(String(value))
    if (parsed.ok) this.#sum = addQuantities(this.#sum, parsed.quantity)
    return 0
  }

  get value(): Value {
    return formatQuantity(this.#sum)
  }
}
