// `quarterdeck history`: the versions of an object that a server still has, who wrote what, and what differs between two of them.
import { parseArgs } from 'node:util'
import { jsonText, parseJsonText } from '../api/json-text.ts'
import { textOrEmpty } from '../api/members.ts'
import { metaText, withMeta } from '../api/object-members.ts'
import { type ApiObject, formatGroupVersion } from '../api/object.ts'
import type { Value, ValueMap } from '../api/value.ts'
import type { ApiAnswer, Client } from '../client/client.ts'
import { reasonOf, usageError } from '../config/start-error.ts'
import { tableText } from '../lib/table-text.ts'
import { apiResources, findResource, objectPath } from './api-resources.ts'
import { changesBetween, type FieldChange } from './object-diff.ts'
import { writerOf } from './object-writer.ts'
import { openClient, SERVER_FLAGS, type ServerFlags } from './server-flags.ts'

/** Resolves with the exit code: 1 where the server does not tell. */
export async function runHistory(args: readonly string[]): Promise<number> {
  const flags = parse(args)
  try {
    using client = openClient(flags, 'quarterdeck-history')
    process.stdout.write(await report(client, flags))
    return 0
  } catch (error) {
    process.stderr.write(`quarterdeck history: ${reasonOf(error)}\n`)
    return 1
  }
}

interface HistoryFlags extends ServerFlags {
  readonly kind: string
  readonly name: string
  readonly namespace: string
  readonly limit: string
  /** The resourceVersions of two versions. */
  readonly diff: readonly [string, string] | undefined
  /** The resourceVersion of one. */
  readonly restore: string | undefined
}

function parse(args: readonly string[]): HistoryFlags {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        ...SERVER_FLAGS,
        namespace: { type: 'string', short: 'n', default: 'default' },
        limit: { type: 'string', default: '20' },
        diff: { type: 'string' },
        restore: { type: 'string' },
        'dry-run': { type: 'boolean', default: false },
      },
    })
    const { diff: from, restore, 'dry-run': isDryRun, ...rest } = values
    const [kind, name, to, ...more] = positionals
    const isWhole =
      more.length === 0 && (from === undefined) === (to === undefined) && isDryRun === (restore !== undefined)
    if (kind !== undefined && name !== undefined && isWhole) {
      return { ...rest, kind, name, restore, diff: from === undefined || to === undefined ? undefined : [from, to] }
    }
  } catch (error) {
    throw usageError(`${reasonOf(error)}; see quarterdeck history --help`)
  }
  throw usageError(
    'say the kind and the name; two versions for --diff, and --dry-run with --restore; see quarterdeck history --help',
  )
}

async function report(client: Client, flags: HistoryFlags): Promise<string> {
  const resource = findResource(await apiResources(client), flags.kind)
  const path = objectPath(resource, flags)
  const answer = await client.request({ method: 'GET', path, query: { history: flags.limit } })
  const { kind, group, version } = resource
  // Items of a list do not say what they are.
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
  if (flags.restore !== undefined) {
    return diffText(versions[0]!, await restored(client, path, { current: versions[0]!, wanted: find(flags.restore) }))
  }
  return `${tableText([TITLES, ...versions.map(rowOf)])}${cutNote(answer)}`
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

function cutNote({ headers }: ApiAnswer): string {
  return String(headers['warning'] ?? '').includes('compacted') ? 'Older versions are compacted.\n' : ''
}

function rowOf(object: ApiObject, i: number, versions: readonly ApiObject[]): readonly string[] {
  const before = versions[i + 1]
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

/** But for what every write changes. */
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

/** What an update to the old version would store, with everything that the server and its webhooks do to it. */
async function restored(
  client: Client,
  path: string,
  { current, wanted }: { readonly current: ApiObject; readonly wanted: ApiObject },
): Promise<ApiObject> {
  const body = withMeta(wanted, { resourceVersion: versionOf(current), managedFields: undefined })
  const query = { dryRun: 'All', fieldManager: 'quarterdeck-history' }
  const { text } = await client.request({ method: 'PUT', path, query, body: jsonText(body) })
  return parseJsonText(text) as ApiObject
}
