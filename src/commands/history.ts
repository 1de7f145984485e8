// `quarterdeck history`: prints the versions of an object that a server still has, their writers and their differences, and restores one.
import { jsonText, parseJsonText } from '../api/json-text.ts'
import { textOrEmpty } from '../api/members.ts'
import { type Members, metaText, withMeta } from '../api/object-members.ts'
import { type ApiObject, formatGroupVersion } from '../api/object.ts'
import type { Value, ValueMap } from '../api/value.ts'
import type { ApiAnswer, Client } from '../client/client.ts'
import { integer } from '../config/setting-reader.ts'
import { failureOf, StartError, usageError } from '../config/start-error.ts'
import { tableText } from '../lib/table-text.ts'
import { apiResources, checkScope, collectionPath, findResource, objectPath } from './api-resources.ts'
import { readCommandLine } from './command-flags.ts'
import { changesBetween, type FieldChange } from './object-diff.ts'
import { writerOf } from './object-writer.ts'
import { complain, print } from './output.ts'
import { openClient, type ServerFlags } from './server-flags.ts'

/** The exit code is 1 if the server refuses. */
export async function runHistory(args: readonly string[]): Promise<number> {
  const flags = parse(args)
  try {
    using client = openClient(flags.read, 'quarterdeck-history')
    print(await report(client, flags))
    return 0
  } catch (error) {
    if (error instanceof StartError) throw error
    complain(`quarterdeck history: ${failureOf(error)}\n`)
    return 1
  }
}

interface HistoryFlags {
  readonly read: ServerFlags
  readonly kind: string
  readonly name: string
  readonly namespace: string | undefined
  readonly limit: string
  /** The resourceVersions of the two versions to compare. */
  readonly diff: readonly [string, string] | undefined
  /** The resourceVersion of the version to restore. */
  readonly restore: string | undefined
  /** Whether the restored version is written. False: a dry run. */
  readonly write: boolean
}

function parse(args: readonly string[]): HistoryFlags {
  const { read, operands } = readCommandLine('history', args, { most: 3 })
  const [kind, name, to] = operands
  const from = read.text('diff')
  const wrong = (message: string): StartError => usageError(`${message}; see quarterdeck history --help`)
  if (kind === undefined) throw wrong('give the kind and the name of the object')
  if (name === undefined) throw wrong(`give the name of the object after its kind, ${kind}`)
  if (from === undefined && to !== undefined) throw wrong(`unexpected argument "${to}": only --diff takes a third`)
  if (from !== undefined && to === undefined) throw wrong(`--diff ${from} needs a second version`)
  const limit = String(integer(read.required('limit'), 1, 100))
  const diff = from === undefined || to === undefined ? undefined : ([from, to] as const)
  const namespace = read.isSet('namespace') ? read.text('namespace') : undefined
  const [restore, write] = [read.text('restore'), read.switch('write')]
  return { read, kind, name, namespace, limit, diff, restore, write }
}

async function report(client: Client, flags: HistoryFlags): Promise<string> {
  const resource = findResource(await apiResources(client), flags.kind)
  const { namespace = 'default' } = flags
  checkScope(resource, flags.namespace)
  const path = objectPath(resource, { name: flags.name, namespace })
  // The answer has the versions of all objects that had the name.
  const query = { history: flags.limit, deleted: 'true' }
  const answer = await client.request({ method: 'GET', path, query })
  const { kind, group, version } = resource
  // Items of a list have no kind and apiVersion.
  const versions = versionsIn(answer).map((object) => ({
    ...object,
    kind,
    apiVersion: formatGroupVersion({ group, version }),
  }))
  const find = (version: string): ApiObject => {
    const found = versions.find((object) => versionOf(object) === version)
    if (found === undefined)
      throw new Error(`there is no version ${version}; there are ${versions.map(versionOf).join(', ')}`)
    return found
  }
  if (flags.diff !== undefined) return diffText(find(flags.diff[0]), find(flags.diff[1]))
  const isGone = warningsOf(answer).includes('the object is deleted')
  const current = isGone ? undefined : versions[0]
  if (flags.restore !== undefined) {
    const place = { path, collection: collectionPath(resource, namespace) }
    const made = await restored(client, place, { current, wanted: find(flags.restore), isDryRun: !flags.write })
    const difference = diffText(current ?? { kind, apiVersion: made.apiVersion, metadata: {} }, made)
    return flags.write ? `${difference}Written as version ${versionOf(made)}.\n` : difference
  }
  return `${tableText([TITLES, ...rowsOf(versions, isGone)])}${cutNote(answer)}`
}
const TITLES: readonly string[] = ['VERSION', 'TIME', 'MANAGER', 'OPERATION', 'CHANGED']

function versionsIn({ text }: ApiAnswer): readonly ApiObject[] {
  const { items } = parseJsonText(text) as ValueMap & { readonly items?: readonly ApiObject[] }
  if (items === undefined)
    throw new Error('the server keeps no history: start it with --feature-gates=ObjectHistory=true')
  return items
}

function versionOf(object: ApiObject): string {
  return metaText(object, 'resourceVersion')
}

function warningsOf({ headers }: ApiAnswer): string {
  return String(headers['warning'] ?? '')
}

function cutNote(answer: ApiAnswer): string {
  return warningsOf(answer).includes('compacted') ? 'Older versions are compacted.\n' : ''
}

/** The row of a deletion comes before the versions of an older object of the same name. */
function rowsOf(versions: readonly ApiObject[], isGone: boolean): readonly (readonly string[])[] {
  return versions.flatMap((object, i) => {
    const newer = versions[i - 1]
    const wasDeleted = newer === undefined ? isGone : !isSame(object, newer)
    const older = versions[i + 1]
    const row = rowOf(object, older !== undefined && isSame(object, older) ? older : undefined)
    return wasDeleted ? [['', '', '', 'Deleted', `uid ${metaText(object, 'uid')}`], row] : [row]
  })
}

function isSame(one: ApiObject, other: ApiObject): boolean {
  return metaText(one, 'uid') === metaText(other, 'uid')
}

function rowOf(object: ApiObject, before: ApiObject | undefined): readonly string[] {
  const changes = before === undefined ? [] : changesOf(before, object)
  const writer = writerOf(object, before, changes)
  return [
    versionOf(object),
    textOrEmpty(writer, 'time'),
    textOrEmpty(writer, 'manager'),
    [textOrEmpty(writer, 'operation'), textOrEmpty(writer, 'subresource')].filter(Boolean).join(' '),
    changes.map(({ field }) => field).join(' '),
  ]
}

/** Leaves out the members that every write changes. */
function changesOf(before: ApiObject, after: ApiObject): readonly FieldChange[] {
  const compared = (object: ApiObject): ApiObject =>
    withMeta(object, { managedFields: undefined, resourceVersion: undefined, generation: undefined })
  return changesBetween(compared(before), compared(after))
}

function diffText(before: ApiObject, after: ApiObject): string {
  const shown = (sign: string, field: string, value: Value | undefined): string =>
    value === undefined ? '' : `${sign} ${field}: ${jsonText(value)}\n`
  const lines = changesOf(before, after).map(
    ({ field, before: old, after: now }) => shown('-', field, old) + shown('+', field, now),
  )
  return lines.length === 0 ? 'Nothing is different.\n' : lines.join('')
}

interface Restoring {
  /** Undefined: the object is deleted. */
  readonly current: ApiObject | undefined
  readonly wanted: ApiObject
  readonly isDryRun: boolean
}

/** Updates the object to the old version, or creates it again, by an ordinary write. The server and its webhooks may change or refuse it. */
async function restored(
  client: Client,
  { path, collection }: { readonly path: string; readonly collection: string },
  { current, wanted, isDryRun }: Restoring,
): Promise<ApiObject> {
  const query = { fieldManager: 'quarterdeck-history', ...(isDryRun ? { dryRun: 'All' } : {}) }
  const body = jsonText(withMeta(wanted, { ...NOT_RESTORED, ...identityOf(current) }))
  const how = current === undefined ? { method: 'POST', path: collection } : { method: 'PUT', path }
  const { text } = await client.request({ ...how, query, body })
  return parseJsonText(text) as ApiObject
}

/** The members that only the server sets. */
const NOT_RESTORED = {
  managedFields: undefined,
  uid: undefined,
  resourceVersion: undefined,
  creationTimestamp: undefined,
  deletionTimestamp: undefined,
  deletionGracePeriodSeconds: undefined,
  generation: undefined,
} as const

/** With these members, the write fails if the object has changed meanwhile. */
function identityOf(current: ApiObject | undefined): Members {
  return current === undefined ? {} : { uid: metaText(current, 'uid'), resourceVersion: versionOf(current) }
}
