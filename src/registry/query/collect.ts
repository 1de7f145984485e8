// The answer of a query from the objects of a list, collected in turns of the event loop: objects in the requested order, or rows of
// groups.
import type { ApiObject } from '../../api/object.ts'
import type { StoredObject } from '../../api/read.ts'
import { ApiError } from '../../api/status.ts'
import { sortInPieces } from '../../lib/piece-sort.ts'
import { compareStrings } from '../../lib/text-order.ts'
import { runInTurns, type Turns } from '../../lib/turns.ts'
import type { ListPage } from '../../store/store.ts'
import { type Grouping, Groups, type Row } from './groups.ts'
import { compareSortValues, type OrderTerm, type SortValue, sortValuesOf } from './order.ts'

export interface Collecting {
  readonly page: ListPage
  readonly objectOf: (stored: StoredObject) => ApiObject
  readonly turns: Turns | undefined
  /** Called after other work had its turn. */
  readonly resume: () => void
}

/** A page of an answer that is ordered as a whole. */
export interface Cut {
  readonly skip: number
  readonly limit: number | undefined
}

/** The limit of memory for objects outside of the cache, and for the values to order by. */
const MOST_BYTES = 64 * 1024 * 1024

interface Entry {
  readonly object: StoredObject
  readonly values: readonly SortValue[]
}

/** Collects the objects in the given order. Without terms, the objects keep the order of the list. */
export async function collectObjects(given: Collecting, order: readonly OrderTerm[]): Promise<readonly StoredObject[]> {
  const found: Entry[] = []
  let bytes = 0
  await forEach(given, (object) => {
    const values = order.length === 0 ? NONE : sortValuesOf(order, given.objectOf(object))
    bytes += sizeOf(values) + (object.key === undefined ? object.bytes.length : 0)
    if (bytes > MOST_BYTES) throw tooLarge()
    found.push({ object, values })
  })
  if (order.length === 0) return found.map(({ object }) => object)
  const compare = (a: Entry, b: Entry): number =>
    compareSortValues(order, a.values, b.values) || comparePlaces(a.object, b.object)
  const sorted = await inTurns(sortInPieces(found, compare), given)
  return sorted.map(({ object }) => object)
}

export interface CollectedRows {
  readonly rows: readonly Row[]
  readonly groups: Groups
}

export async function collectRows(given: Collecting, grouping: Grouping): Promise<CollectedRows> {
  const groups = new Groups(grouping)
  await forEach(given, (object) => groups.add(groups.isRead ? given.objectOf(object) : undefined))
  return { rows: await inTurns(groups.rows(), given), groups }
}

const NONE: readonly SortValue[] = []

async function forEach({ page, turns, resume }: Collecting, take: (object: StoredObject) => void): Promise<void> {
  for await (const batch of page.batches) {
    for (const object of batch) {
      if (turns?.isOver === true) {
        await turns.next()
        resume()
      }
      take(object)
    }
  }
}

function inTurns<T>(steps: Generator<undefined, T>, { turns, resume }: Collecting): T | Promise<T> {
  if (turns === undefined) {
    for (;;) {
      const step = steps.next()
      if (step.done === true) return step.value
    }
  }
  return runInTurns(steps, turns).then((result) => {
    resume()
    return result
  })
}

/** The order of a plain list. */
function comparePlaces(a: StoredObject, b: StoredObject): number {
  if (a.key !== undefined && b.key !== undefined) return compareStrings(a.key, b.key)
  return compareStrings(`${a.namespace}/${a.name}`, `${b.namespace}/${b.name}`)
}

function sizeOf(values: readonly SortValue[]): number {
  return values.reduce<number>((sum, value) => sum + (typeof value === 'string' ? value.length * 2 : 16), 0)
}

function tooLarge(): ApiError {
  const limit = `${MOST_BYTES / 1024 / 1024} MB`
  return new ApiError(
    'BadRequest',
    `the query would take more than ${limit} of memory; ask for fewer objects with where or a selector`,
  )
}
