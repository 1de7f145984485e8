// Merges the OpenAPI 2.0 document of an aggregated server into ours (P-390): the paths of its group, and the definitions to which they
// refer. A definition that differs from our definition of the same name is renamed.
import { asMap, mapOrEmpty } from '../api/members.ts'
import { equalValues, isList, isMap, own, setOwn, type Value, type ValueMap } from '../api/value.ts'
import { sorted } from './openapi-types.ts'

const DEFINITIONS = '#/definitions/'

/**
 * Our document with the paths of the remote document that begin with the prefix. A malformed remote document adds nothing. Yields after
 * every map and every definition.
 */
export function* withRemoteDocument(document: ValueMap, remote: Value, prefix: string): Generator<void, ValueMap> {
  const paths = Object.entries(mapOrEmpty(asMap(remote), 'paths')).filter(
    ([path]) => path === prefix || path.startsWith(`${prefix}/`),
  )
  const known = mapOrEmpty(asMap(document), 'definitions')
  const theirs = mapOrEmpty(asMap(remote), 'definitions')
  const names = new Map<string, string>()
  const added = new Map<string, Value>()
  for (const name of yield* namesIn(Object.fromEntries(paths), theirs)) {
    yield
    const definition = own(theirs, name) ?? null
    const taken = own(known, name)
    if (taken !== undefined && equalValues(taken, definition)) continue
    const free = taken === undefined ? name : freeName(name, (other) => Object.hasOwn(known, other) || added.has(other))
    if (free !== name) names.set(name, free)
    added.set(free, definition)
  }
  return {
    ...document,
    paths: sorted([...Object.entries(mapOrEmpty(asMap(document), 'paths')), ...(yield* renamed(paths, names))]),
    definitions: sorted([...Object.entries(known), ...(yield* renamed(added, names))]),
  }
}

function* renamed(entries: Iterable<Entry>, names: ReadonlyMap<string, string>): Generator<void, readonly Entry[]> {
  const out: Entry[] = []
  for (const [name, value] of entries) {
    yield
    out.push([name, names.size === 0 ? value : withNames(value, names)])
  }
  return out
}

type Entry = readonly [string, Value]

/** The definitions to which the value refers, directly or through others. */
function* namesIn(start: Value, definitions: ValueMap): Generator<void, ReadonlySet<string>> {
  const found = new Set<string>()
  const open: Value[] = [start]
  for (let value = open.pop(); value !== undefined; value = open.pop()) {
    if (isList(value)) for (const item of value) open.push(item)
    if (!isMap(value)) continue
    yield
    const name = referenceOf(value)
    if (name !== undefined && !found.has(name) && Object.hasOwn(definitions, name)) {
      found.add(name)
      open.push(own(definitions, name) ?? null)
    }
    for (const member of Object.values(value)) open.push(member)
  }
  return found
}

function referenceOf(value: ValueMap): string | undefined {
  const reference = own(value, '$ref')
  if (typeof reference !== 'string' || !reference.startsWith(DEFINITIONS)) return undefined
  return reference.slice(DEFINITIONS.length)
}

function freeName(name: string, isTaken: (name: string) => boolean): string {
  for (let i = 2; ; i++) if (!isTaken(`${name}_v${i}`)) return `${name}_v${i}`
}

function withNames(value: Value, names: ReadonlyMap<string, string>): Value {
  if (isList(value)) return value.map((item) => withNames(item, names))
  if (!isMap(value)) return value
  const out: Record<string, Value> = {}
  for (const [key, member] of Object.entries(value)) setOwn(out, key, withNames(member, names))
  const name = names.get(referenceOf(value) ?? '')
  if (name !== undefined) out['$ref'] = `${DEFINITIONS}${name}`
  return out
}
