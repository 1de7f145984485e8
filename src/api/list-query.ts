// Parses the options of a get, list or watch. Pure functions turn query parameters into the cases of the specification's resourceVersion
// tables. Faults are in the reference's words and order. Invalid combinations are 400 (D3, D27).
import { decodeContinue } from './continue-token.ts'
import { forbidden, notSupported, quoted } from './field-error.ts'
import type { FieldError } from './field-error.ts'
import { FieldPath } from './field-path.ts'
import { invalidError } from './invalid-error.ts'
import { parseInt64 } from './json-number.ts'
import type { ListAt, ReadAt, WatchStart } from './read.ts'
import { parseFieldSelector } from './selector-fields.ts'
import type { SelectableFields } from './selector-fields.ts'
import { parseLabelSelector } from './selector-text.ts'
import { exactField } from './selector.ts'
import { parseShardSelector, type ShardSelector } from './shard-selector.ts'
import type { FieldSelector, LabelSelector } from './selector.ts'
import { ApiError } from './status.ts'

/** `get` returns the first value of a parameter. Null or undefined: not given. `URLSearchParams` fits this interface. */
interface QueryParameters {
  get(name: string): string | null | undefined
}

export interface ListQuery {
  readonly labels: LabelSelector
  /** The field names are those of the storage version. */
  readonly fields: FieldSelector
  readonly shard?: ShardSelector | undefined
  readonly at: ListAt
  /** The largest number of items (D28). Absent: no limit. */
  readonly limit: number | undefined
}

export interface WatchQuery {
  readonly labels: LabelSelector
  readonly fields: FieldSelector
  readonly shard?: ShardSelector | undefined
  readonly start: WatchStart
  readonly bookmarks: boolean
  /** Absent: the server chooses. Negative: the watch is already over. */
  readonly timeoutSeconds: number | undefined
}

const LIST_OPTIONS = { group: 'meta.k8s.io', kind: 'ListOptions' } as const

const LATEST = Object.freeze({ kind: 'latest' }) satisfies ReadAt
const ANY = Object.freeze({ kind: 'any' }) satisfies ReadAt

/** Parses the query of a get. Other parameters of lists are ignored. */
export function parseGetQuery(query: QueryParameters): Exclude<ReadAt, { readonly kind: 'exact' }> {
  return notOlderThan(parseVersion(query.get('resourceVersion') ?? '', 'invalid resource version: '))
}

export interface ListRules {
  readonly selectable: SelectableFields
  /** Without shards, the server ignores `shardSelector`. */
  readonly hasShards: boolean
}

/**
 * Parses the query of a list, or of the deletion of a collection. `watch` has no effect. `digest`: the digest of the query parameters, such
 * as `where`. A `continue` token is valid only for the query that it came from. Throws `ApiError` `BadRequest`.
 */
export function parseListQuery(
  query: QueryParameters,
  { selectable, hasShards }: ListRules,
  digest?: string,
): ListQuery {
  const options = readOptions(query)
  refuse(listFaults(options))
  const fields = selectable.resolve(options.fields)
  const limit = options.limit !== undefined && options.limit > 0 ? options.limit : undefined
  return { labels: options.labels, fields, shard: shardOf(query, hasShards), at: listAt(options, limit, digest), limit }
}

/**
 * Parses the query of a watch. `name` comes from the path of an old-style watch of one object. Under a path that begins with `watch/`,
 * options follow the rules of lists unless the query asks for a watch. Throws `ApiError` `BadRequest`.
 */
export function parseWatchQuery(
  query: QueryParameters,
  { selectable, hasShards }: ListRules,
  name?: string,
): WatchQuery {
  const options = readOptions(query)
  refuse(options.watch ? watchFaults(options) : listFaults(options))
  const fields = namedFields(selectable.resolve(options.fields), name)
  const { labels, bookmarks, timeoutSeconds } = options
  return { labels, fields, shard: shardOf(query, hasShards), start: watchStart(options), bookmarks, timeoutSeconds }
}

function shardOf(query: QueryParameters, hasShards: boolean): ShardSelector | undefined {
  return hasShards ? parseShardSelector(query.get('shardSelector') ?? '') : undefined
}

function refuse(faults: readonly FieldError[]): void {
  if (faults.length > 0) throw invalidError(LIST_OPTIONS, '', faults, 'BadRequest')
}

/** Whether the query asks for a watch. Every value of `watch` except `0` and `false` does, even the empty value. */
export function asksForWatch(query: QueryParameters): boolean {
  return booleanOf(query, 'watch') ?? false
}

type Options = Readonly<ReturnType<typeof readOptions>>

/** The parameters of the query, each read as its own type. */
function readOptions(query: QueryParameters) {
  const timeoutSeconds = integerOf(query, 'timeoutSeconds')
  const limit = integerOf(query, 'limit')
  return {
    labels: parseLabelSelector(query.get('labelSelector') ?? ''),
    fields: parseFieldSelector(query.get('fieldSelector') ?? ''),
    watch: asksForWatch(query),
    bookmarks: booleanOf(query, 'allowWatchBookmarks') ?? false,
    version: query.get('resourceVersion') ?? '',
    match: query.get('resourceVersionMatch') ?? '',
    timeoutSeconds: timeoutSeconds === 0 ? undefined : timeoutSeconds,
    limit,
    continue: query.get('continue') ?? '',
    sendInitialEvents: booleanOf(query, 'sendInitialEvents'),
  }
}

function booleanOf(query: QueryParameters, name: string): boolean | undefined {
  const text = query.get(name)
  return text === null || text === undefined ? undefined : text !== '0' && text.toLowerCase() !== 'false'
}

function integerOf(query: QueryParameters, name: string): number | undefined {
  const text = query.get(name)
  if (text === null || text === undefined) return undefined
  const number = integerParameter(text)
  return Number(BigInt.asIntN(54, number) === number ? number : number < 0n ? -1n : BigInt(Number.MAX_SAFE_INTEGER))
}

/** Reads a whole number of 64 bits. Throws `ApiError` `BadRequest`, even for an empty value. */
export function integerParameter(text: string): bigint {
  const number = parseInt64(text)
  if (number !== undefined) return number
  throw new ApiError('BadRequest', `strconv.ParseInt: ${numberFault(text, /^[+-]?[0-9]+$/)}`)
}

function numberFault(text: string, digits: RegExp): string {
  return `parsing ${quoted(text)}: ${digits.test(text) ? 'value out of range' : 'invalid syntax'}`
}

/** A resource version. `revision` is 0 if the version is unset or `0`. */
interface Version {
  readonly unset: boolean
  readonly revision: number
}

const MAX_UINT64 = (1n << 64n) - 1n

function parseVersion(text: string, prefix: string): Version {
  if (text === '') return { unset: true, revision: 0 }
  const digits = /^[0-9]+$/
  // Leading zeros are allowed. Without them, a number of 64 bits has at most 20 digits.
  const significant = text.replace(/^0+(?=[0-9])/, '')
  if (!digits.test(text) || significant.length > 20 || BigInt(significant) > MAX_UINT64) {
    const fault = `resourceVersion: Invalid value: ${quoted(text)}: strconv.ParseUint: `
    throw new ApiError('BadRequest', `${prefix}${fault}${numberFault(text, digits)}`)
  }
  return { unset: false, revision: Number(significant) }
}

/** The row that three tables share: get, list without `resourceVersionMatch`, and list with `NotOlderThan`. */
function notOlderThan(version: Version): Exclude<ReadAt, { readonly kind: 'exact' }> {
  if (version.unset) return LATEST
  return version.revision === 0 ? ANY : { kind: 'notOlderThan', revision: version.revision }
}

function listAt(options: Options, limit: number | undefined, digest: string | undefined): ListAt {
  if (options.continue !== '') {
    const position = decodeContinue(options.continue)
    if (position.query !== digest) {
      throw new ApiError('BadRequest', 'invalid continue token: it belongs to a list with another query')
    }
    if (options.version === '' || options.version === '0') return { kind: 'continuation', position }
    throw new ApiError('BadRequest', 'specifying resource version is not allowed when using continue')
  }
  const version = parseVersion(options.version, 'invalid resource version: ')
  const exact = options.match === 'Exact' || (options.match === '' && limit !== undefined)
  return exact && version.revision > 0 ? { kind: 'exact', revision: version.revision } : notOlderThan(version)
}

function watchStart(options: Options): WatchStart {
  const version = parseVersion(options.version, '')
  const at = notOlderThan(version)
  if (options.sendInitialEvents ?? version.revision === 0) return { kind: 'state', at }
  return at.kind === 'notOlderThan' ? { kind: 'after', revision: at.revision } : { kind: 'changes', at }
}

/** A name in the path and a selector must name the same object. */
function namedFields(fields: FieldSelector, name: string | undefined): FieldSelector {
  if (name === undefined) return fields
  if (fields.terms.length === 0) return { terms: [{ field: 'metadata.name', operator: '=', value: name }] }
  if (exactField(fields, 'metadata.name') === name) return fields
  throw new ApiError('BadRequest', "fieldSelector metadata.name doesn't match requested name")
}

function listFaults(options: Options): readonly FieldError[] {
  const { match, version } = options
  const faults: FieldError[] = []
  if (match !== '') {
    if (version === '')
      faults.push(forbidden(MATCH, 'resourceVersionMatch is forbidden unless resourceVersion is provided'))
    if (options.continue !== '') faults.push(MATCH_WITH_CONTINUE)
    if (match !== 'Exact' && match !== 'NotOlderThan')
      faults.push(notSupported(MATCH, match, ['Exact', 'NotOlderThan', '']))
    if (match === 'Exact' && /^0+$/.test(version)) {
      faults.push(forbidden(MATCH, 'resourceVersionMatch "exact" is forbidden for resourceVersion "0"'))
    }
  }
  if (options.sendInitialEvents !== undefined) {
    faults.push(forbidden(FieldPath.root('sendInitialEvents'), 'sendInitialEvents is forbidden for list'))
  }
  return faults
}

function watchFaults(options: Options): readonly FieldError[] {
  const { match, version } = options
  const stated = options.sendInitialEvents !== undefined
  const faults: FieldError[] = []
  if (stated && match !== 'NotOlderThan') {
    faults.push(forbidden(MATCH, 'sendInitialEvents requires setting resourceVersionMatch to NotOlderThan'))
  }
  if (match !== '' && !stated) {
    faults.push(forbidden(MATCH, 'resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided'))
  }
  if (match !== '' && match !== 'NotOlderThan') faults.push(notSupported(MATCH, match, ['NotOlderThan']))
  // A watch without a version, or from `0`, implies initial events, and so a match.
  const implied = !stated && (version === '' || version === '0')
  if (options.continue !== '' && (match !== '' || implied)) faults.push(MATCH_WITH_CONTINUE)
  return faults
}

const MATCH = FieldPath.root('resourceVersionMatch')
const MATCH_WITH_CONTINUE = forbidden(MATCH, 'resourceVersionMatch is forbidden when continue is provided')
