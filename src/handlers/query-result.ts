// The answers of queries without objects: rows of groups, and the plan of a query with its cost.
import { encodeContinue } from '../api/continue-token.ts'
import { ApiError } from '../api/status.ts'
import type { Value, ValueMap } from '../api/value.ts'
import { plainJson } from '../codec/json-encode.ts'
import { header } from '../codec/tables/column.ts'
import type { HttpResponse } from '../http/http.ts'
import type { collectRows, Grouping } from '../registry/query/query.ts'
import type { ListPage } from '../registry/read.ts'
import type { QueryRun } from './query-run.ts'
import { respondInJson, type View } from './respond.ts'

const API_VERSION = 'query.quarterdeck.io/v1'

interface Rows extends Awaited<ReturnType<typeof collectRows>> {
  readonly page: Omit<ListPage, 'batches'>
}

export function respondWithRows(view: View, grouping: Grouping, { rows, groups, page }: Rows): HttpResponse {
  const metadata = metadataOf(page)
  const values = rows.map((row) => groups.valueOf(row))
  const { table } = view
  if (table !== undefined) {
    const document = { kind: 'Table', apiVersion: table.apiVersion, metadata, ...tableOf(grouping, values) }
    return respondInJson(view, 'Table', Buffer.from(plainJson(document)), 200)
  }
  refuseForm(view)
  const result = { kind: 'QueryResult', apiVersion: API_VERSION, metadata, rows: values }
  return respondInJson(view, 'QueryResult', Buffer.from(plainJson(result)), 200)
}

function metadataOf({ revision, next, remaining }: Rows['page']): ValueMap {
  const more = next === undefined ? {} : { continue: encodeContinue(next), remainingItemCount: remaining ?? 0 }
  return { resourceVersion: String(revision), ...more }
}

function tableOf({ by, measures }: Grouping, rows: readonly ValueMap[]): ValueMap {
  const measured = measures.flatMap(({ kind, fields }) => fields.map(({ path }) => ({ kind, name: path.text })))
  const columns = [
    ...by.map(({ path }) => header(path.text, `The field ${path.text}, which the objects have in common.`)),
    header('Count', 'The number of objects.', { type: 'integer' }),
    ...measured.map(({ kind, name }) => header(`${kind} ${name}`, `The ${kind} of ${name}.`)),
  ]
  return {
    columnDefinitions: columns.map((each) => ({ ...each })),
    rows: rows.map((row) => ({
      cells: [
        ...by.map(({ path }) => memberOf(row['group'], path.text)),
        row['count'] ?? 0,
        ...measured.map(({ kind, name }) => memberOf(row[kind], name)),
      ],
      object: null,
    })),
  }
}

function memberOf(map: Value | undefined, name: string): Value {
  return (map as ValueMap)[name] ?? null
}

export function respondWithPlan(view: View, run: QueryRun, matched: number): HttpResponse {
  refuseForm(view)
  const { query, condition, page } = run
  const plan = {
    ...(page.index === undefined ? { scan: 'all' } : { index: page.index }),
    ...(query.where === undefined ? {} : { where: query.where.text }),
    ...(query.order.length === 0 ? {} : { orderBy: query.order.map(({ path }) => path.text) }),
  }
  const cost = {
    // An index can answer without reading the objects.
    objects: Math.max(condition?.looked ?? 0, matched),
    matched,
    failed: condition?.failures ?? 0,
    expression: condition?.cost ?? 0,
  }
  const metadata = { resourceVersion: String(page.revision) }
  const document = { kind: 'QueryPlan', apiVersion: API_VERSION, metadata, plan, cost }
  return respondInJson(view, 'QueryPlan', Buffer.from(plainJson(document)), 200)
}

function refuseForm({ transform }: View): void {
  if (transform === undefined) return
  throw new ApiError('NotAcceptable', `you requested ${transform.as}, but the answer of the query has no objects`)
}
