// Merges the OpenAPI 2.0 document of an aggregated server into ours (P-390): the paths of its group, and the definitions to which they
// refer. A definition that differs from our definition of the same name is renamed.
import { asMap, mapOrEmpty } from '../api/members.ts'
import { equalValues, isList, isMap, own, setOwn, type Value, type ValueMap } from '../api/value.ts'
import { sorted } from './openapi-types.ts'

const DEFINITIONS = '#/definitions/'

/** Our document with the paths of the remote document that begin with the prefix. A malformed remote document adds nothing. */
export function withRemoteDocument(document: ValueMap, remote: Value, prefix: string): ValueMap {
  const paths = Object.entries(mapOrEmpty(asMap(remote), 'paths')).filter(
    ([path]) => path === prefix || path.startsWith(`${prefix}/`),
  )
  const known = mapOrEmpty(asMap(document), 'definitions')
  const theirs = mapOrEmpty(asMap(remote), 'definitions')
  const names = new Map<string, string>()
  const added = new Map<string, Value>()
  for (const name of namesIn(Object.fromEntries(paths), theirs)) {
    const definition = own(theirs, name) ?? null
    const taken = own(known, name)
    if (taken !== undefined && equalValues(taken, definition)) continue
    const free = taken === undefined ? name : freeName(name, (other) => Object.hasOwn(known, other) || added.has(other))
    if (free !== name) names.set(name, free)
    added.set(free, definition)
  }
  const renamed = (value: Value): Value => (names.size === 0 ? value : withNames(value, names))
  return {
    ...document,
    paths: sorted([
      ...Object.entries(mapOrEmpty(asMap(document), 'paths')),
      ...paths.map(([path, item]) => [path, renamed(item)] as const),
    ]),
    definitions: sorted([...Object.entries(known), ...[...added].map(([name, one]) => [name, renamed(one)] as const)]),
  }
}

/** The definitions to which the value refers, directly or through others. */
function namesIn(start: Value, definitions: ValueMap): ReadonlySet<string> {
  const found = new Set<string>()
  const open: Value[] = [start]
  for (let value = open.pop(); value !== undefined; value = open.pop()) {
    if (isList(value)) for (const item of value) open.push(item)
    if (!isMap(value)) continue
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
