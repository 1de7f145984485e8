// Refuses a write if a part of an option would have no effect. Without such a part (a selector, a precondition, a dry run), the server
// would do more than the client requested (D36).
import { QUERY_PARAMETERS } from '../api/query-parameters.ts'
import { ApiError } from '../api/status.ts'
import type { Query } from '../http/query.ts'
import { IGNORE_READ_ERRORS } from '../registry/delete-options.ts'

/** The right name of each option, by its lower-case form without separators. */
type Spellings = ReadonlyMap<string, string>

/** All options that decide which objects a DELETE deletes, and how. */
const OF_DELETES: readonly string[] = [
  'labelSelector',
  'fieldSelector',
  'shardSelector',
  'limit',
  'continue',
  'resourceVersion',
  'resourceVersionMatch',
  'uid',
  'dryRun',
  'gracePeriodSeconds',
  'propagationPolicy',
  'orphanDependents',
  IGNORE_READ_ERRORS,
]
const DELETE_PARAMETERS = spellings([...OF_DELETES, ...QUERY_PARAMETERS])
export const WRITE_PARAMETERS = spellings(['dryRun'])
const DELETE_FIELDS = spellings([...OF_DELETES, 'preconditions'])

export function refuseLossyDelete(query: Query): void {
  refuseLossyQuery(query, DELETE_PARAMETERS)
  const ignored = QUERY_PARAMETERS.find((name) => query.has(name))
  if (ignored !== undefined) throw lost(`a DELETE does not select objects by ${ignored}`)
}

/** Without shards, a DELETE of one shard would delete the whole collection. */
export function refuseShards(query: Query): void {
  if (query.has('shardSelector')) throw lost('shardSelector needs the feature gate ShardedListAndWatch')
}

/** `known`: the parameters that must not be lost. */
export function refuseLossyQuery(query: Query, known: Spellings): void {
  if (query.broken !== undefined)
    throw lost(`the part ${JSON.stringify(query.broken.slice(0, LONGEST))} of the query is not a name and a value`)
  for (const name of query.names()) {
    const right = rightName(known, name)
    if (right === undefined) continue
    if (right !== name) throw lost(`the query has no parameter ${JSON.stringify(name)}: did you mean ${right}?`)
    // Only the first value of a parameter counts, but every value of `dryRun` counts.
    if (name !== 'dryRun' && new Set(query.all(name)).size > 1) throw lost(`the query has several values of ${name}`)
    if (name.endsWith('Selector')) checkSelector(name, query.get(name) ?? '')
  }
}

/** `problems`: the fields that the decoder of DeleteOptions has ignored. */
export function refuseLossyFields(problems: readonly string[]): void {
  for (const problem of problems) {
    if (/duplicate|already set/.test(problem)) throw lost(`the DeleteOptions say something twice: ${problem}`)
    const [, field] = /^unknown field "(?:.*\.)?(.+)"$/.exec(problem) ?? []
    const right = field && rightName(DELETE_FIELDS, field)
    if (right !== undefined) throw lost(`the DeleteOptions have an ${problem}: did you mean ${right}?`)
  }
}

/** An empty selector is allowed, and selects everything, like an absent selector. */
function checkSelector(name: string, text: string): void {
  if (text.includes('\0')) throw lost(`the ${name} has a NUL, at which it would end`)
  if (/^[\s,]+$/.test(text)) throw lost(`the ${name} ${JSON.stringify(text.slice(0, LONGEST))} has no requirement`)
}

const LONGEST = 100

function spellings(names: readonly string[]): Spellings {
  return new Map(names.map((name) => [plain(name), name]))
}

function rightName(known: Spellings, name: string): string | undefined {
  return name.length > LONGEST ? undefined : known.get(plain(name))
}

function plain(name: string): string {
  return name.replaceAll(/[-_\s]/g, '').toLowerCase()
}

function lost(message: string): ApiError {
  return new ApiError('BadRequest', message)
}
