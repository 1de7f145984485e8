// What a server of this API says that it serves: discovery, OpenAPI documents, columns and gates, as lines that two servers can be
// compared by.
import type { OpenServer } from './running-server.ts'

type Json = null | boolean | number | string | readonly Json[] | JsonObject
interface JsonObject {
  readonly [name: string]: Json
}

/** Each fact by its name: `definition io.k8s.api.core.v1.Pod spec`. */
export type Facts = ReadonlyMap<string, string>

export async function servedFacts(server: OpenServer): Promise<Facts> {
  const facts = new Map<string, string>()
  await addResources(server, facts)
  await addDefinitions(server, facts)
  await addSchemas(server, facts)
  const { body } = await server.request('/metrics')
  for (const [, name = '', stage = '', enabled = ''] of body.matchAll(GATE))
    facts.set(`gate ${name}`, `${stage} ${enabled}`)
  return facts
}

const GATE = /^kubernetes_feature_enabled\{name="(\w+)",stage="(\w*)"\} (\d)/gm

/** What the first has otherwise than the second, a line each. */
export function differingFacts(theirs: Facts, ours: Facts): readonly string[] {
  const names = [...new Set([...theirs.keys(), ...ours.keys()])].sort()
  return names.flatMap((name) => {
    const [wanted, found] = [theirs.get(name), ours.get(name)]
    if (wanted === found) return []
    if (found === undefined) return [`${name}: missing, expected ${wanted ?? ''}`]
    return [wanted === undefined ? `${name}: not expected` : `${name}: expected ${wanted}, came ${found}`]
  })
}

interface ListedResource extends JsonObject {
  readonly name: string
  readonly verbs: readonly string[]
}

async function addResources(server: OpenServer, facts: Map<string, string>): Promise<void> {
  const { groups } = (await server.must('/apis')) as {
    groups: readonly (JsonObject & { versions: readonly { groupVersion: string }[] })[]
  }
  const roots = ['/api/v1']
  for (const { name, versions, preferredVersion } of groups) {
    facts.set(`group ${name as string}`, JSON.stringify([versions, preferredVersion]))
    roots.push(...versions.map(({ groupVersion }) => `/apis/${groupVersion}`))
  }
  for (const root of roots) {
    const { resources } = (await server.must(root)) as { resources: readonly ListedResource[] }
    for (const resource of resources) {
      facts.set(`resource ${root}/${resource.name}`, JSON.stringify(sorted(resource)))
      if (resource.verbs.includes('list')) await addColumns(server, `${root}/${resource.name}`, facts)
    }
  }
  const aggregated = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList'
  for (const root of ['/api', '/apis']) {
    const { items } = (await server.must(root, { headers: { accept: aggregated } })) as { items: readonly JsonObject[] }
    for (const item of items) {
      const { name = '' } = item['metadata'] as { name?: string }
      for (const version of item['versions'] as readonly JsonObject[])
        facts.set(`aggregated ${name}/${version['version'] as string}`, JSON.stringify(sorted(version)))
    }
  }
}

async function addColumns(server: OpenServer, path: string, facts: Map<string, string>): Promise<void> {
  const accept = 'application/json;as=Table;v=v1;g=meta.k8s.io'
  const { columnDefinitions = [] } = (await server.must(`${path}?limit=1`, { headers: { accept } })) as {
    columnDefinitions?: readonly JsonObject[]
  }
  for (const [i, { description: _, ...column }] of columnDefinitions.entries())
    facts.set(`column ${path} ${i}`, JSON.stringify(sorted(column)))
}

async function addDefinitions(server: OpenServer, facts: Map<string, string>): Promise<void> {
  const { definitions, paths } = (await server.must('/openapi/v2')) as { definitions: JsonObject; paths: JsonObject }
  for (const [name, definition] of Object.entries(definitions)) addSchema(`definition ${name}`, definition, facts)
  addOperations('operation', paths, facts)
}

async function addSchemas(server: OpenServer, facts: Map<string, string>): Promise<void> {
  const { paths } = (await server.must('/openapi/v3')) as { paths: Record<string, { serverRelativeURL: string }> }
  for (const [path, { serverRelativeURL }] of Object.entries(paths)) {
    facts.set(`document ${path}`, '')
    const document = (await server.must(serverRelativeURL)) as {
      components?: { schemas?: JsonObject }
      paths?: JsonObject
    }
    addOperations(`operation of ${path}`, document.paths ?? {}, facts)
    for (const [name, schema] of Object.entries(document.components?.schemas ?? {}))
      addSchema(`schema ${path} ${name}`, schema, facts)
  }
}

function addSchema(name: string, schema: Json, facts: Map<string, string>): void {
  const { properties = {}, ...rest } = schema as JsonObject
  facts.set(name, JSON.stringify(undescribed(rest)))
  for (const [field, property] of Object.entries(properties as JsonObject))
    facts.set(`${name} ${field}`, JSON.stringify(undescribed(property)))
}

const ACTION = 'x-kubernetes-action'
const KIND = 'x-kubernetes-group-version-kind'

/** What each does, without its parameters and answers. */
function addOperations(kind: string, paths: JsonObject, facts: Map<string, string>): void {
  for (const [path, item] of Object.entries(paths)) {
    for (const [method, operation] of Object.entries(item as JsonObject)) {
      const { operationId = '', tags = [], ...more } = operation as JsonObject
      const told = [operationId, tags, more[ACTION] ?? '', more[KIND] ?? '']
      if (method !== 'parameters') facts.set(`${kind} ${method} ${path}`, JSON.stringify(told.map(undescribed)))
    }
  }
}

/** Without what people read; members and parameters in the order of their names. */
function undescribed(value: Json): Json {
  if (Array.isArray(value)) {
    const items = (value as readonly Json[]).map(undescribed)
    return items.every(isNamed) ? items.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1)) : items
  }
  if (!isMap(value)) return value
  const kept = Object.entries(value).filter(([name, member]) => name !== 'description' || typeof member !== 'string')
  return sorted(Object.fromEntries(kept.map(([name, member]) => [name, undescribed(member)])))
}

function isNamed(value: Json): boolean {
  return isMap(value) && ('name' in value || '$ref' in value)
}

function isMap(value: Json): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function sorted(value: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
}
