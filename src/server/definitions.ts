// Custom resources: the table of served resources, updated by an informer on the definitions, and their OpenAPI documents.
import type { ApiLevel } from '../api/level.ts'
import type { GroupVersionKind, GroupVersionResource } from '../api/object.ts'
import type { WatchCache } from '../cache/cache.ts'
import { canonicalJson, plainJson } from '../codec/json-encode.ts'
import { parseJsonDocument } from '../codec/json-parse.ts'
import { OpenApiDocuments, type OpenApiOptions } from '../codec/openapi-documents.ts'
import { servedResource } from '../registry/served-resource.ts'
import { type Distribution, type Family, histogram } from '../lib/measure.ts'
import type { ReviewFunction } from '../outgoing/webhook-client.ts'
import {
  type BuiltInTable,
  type ConversionParts,
  type ConvertByWebhook,
  conversionFunction,
  conversionWebhook,
  DefinitionTable,
  RENAME_VERSION,
  type SharedDefinitions,
} from '../kinds/kinds.ts'
import type { BuiltInGroup } from '../schema/built-in-resources.ts'
import type { RuleMeasures } from '../schema/custom/custom.ts'
import { customOpenApiPart } from '../schema/openapi-custom.ts'
import type { OpenApiPart } from '../schema/openapi-model.ts'
import { builtInOpenApiParts, builtInTypeSchemas } from '../schema/openapi-parts.ts'
import type { SchemaTable } from '../schema/table.ts'
import { ServedObject } from '../registry/served-store.ts'
import type { ObjectKey, WriteResult } from '../store/store.ts'
import { runInformer } from '../controllers/informer.ts'

/** The time that a request waits for a kind that was just defined (D30). */
const PATIENCE_MS = 1_000

export interface Definitions {
  readonly table: DefinitionTable
  /** Keeps the table up to date until the signal fires. */
  readonly follow: (signal: AbortSignal) => Promise<void>
  /** Resolves when every definition that is stored has been applied. */
  readonly loaded: Promise<void>
  /** Call this after each write of this server. A written definition is then known at once. */
  readonly onWritten: (key: ObjectKey, result: WriteResult) => void
  readonly awaitResource: (resource: GroupVersionResource, signal: AbortSignal) => Promise<void>
  readonly documents: () => OpenApiDocuments
  /** Adds a function that converts the objects of a kind, in place of its definition's conversion. Returns a function to remove it. */
  readonly addFunction: (of: ConvertedKind, answer: ReviewFunction) => () => void
  readonly measures: readonly Family[]
}

type ConvertedKind = Pick<GroupVersionKind, 'group' | 'kind'>

export interface DefinitionsOptions {
  readonly schema: SchemaTable
  readonly builtIn: BuiltInTable
  /** The discovery data of the built-in resources. */
  readonly groups: readonly BuiltInGroup[]
  readonly cache: WatchCache
  readonly documents: OpenApiOptions
  /** The calls of conversion webhooks. */
  readonly calls: Pick<ConversionParts, 'caller' | 'locate'>
  readonly rules: RuleMeasures
  /** The definitions of the server whose state this server starts from. */
  readonly shared: SharedDefinitions | undefined
}

export function openDefinitions({ schema, builtIn, groups, cache, ...more }: DefinitionsOptions): Definitions {
  const calls = { ...more.calls, encode: plainJson, parse: (bytes: Buffer) => parseJsonDocument(bytes).value }
  const resource = servedResource(builtIn, 'customresourcedefinitions', 'apiextensions.k8s.io')
  const durations = conversionDurations()
  const functions = new Map<string, ReviewFunction>()
  const table = new DefinitionTable({
    schema,
    builtIn,
    known: builtIn.groups,
    groups,
    encode: canonicalJson,
    rules: more.rules,
    shared: more.shared,
    serve: (stored, object, type) => new ServedObject(stored, object, type),
    converter: ({ name, group, names: { kind }, webhook }) => {
      const answer = functions.get(keyOf({ group, kind }))
      if (answer !== undefined) return timed(conversionFunction(calls.encode, answer), durations, name)
      return webhook === undefined ? RENAME_VERSION : timed(conversionWebhook(calls, webhook), durations, name)
    },
    onRetired: (forms, isGone) => cache.retire(forms, isGone),
  })
  const loaded = Promise.withResolvers<void>()
  return {
    table,
    loaded: loaded.promise,
    follow: (signal) =>
      runInformer(
        cache,
        resource,
        {
          onPresent: (object) => table.put(object),
          onGone: ({ name, revision }) => table.remove(name, revision),
          onSynced: loaded.resolve,
        },
        signal,
      ),
    onWritten: ({ resource: written, name }, result) => {
      if (written !== resource.stored) return
      if (result.kind === 'put') table.put(result.object)
      else if (result.kind === 'removed') table.remove(name, result.object.revision)
    },
    awaitResource: async (wanted, signal) => {
      const key = { resource: resource.stored, namespace: '', name: `${wanted.resource}.${wanted.group}` }
      const { item } = await cache.get(key, { kind: 'latest' }, signal)
      if (item?.kind !== 'object') return
      table.put(item)
      const until = performance.now() + PATIENCE_MS
      while (table.isAboutToBeServed(wanted) && performance.now() < until && !signal.aborted) {
        await table.changed(until - performance.now())
      }
    },
    documents: openDocuments(table, { groups, level: schema.level }, more.documents),
    addFunction: (of, answer) => {
      const key = keyOf(of)
      functions.set(key, answer)
      table.reconvert(of)
      return () => {
        // Another function may have replaced this one.
        if (functions.get(key) !== answer) return
        functions.delete(key)
        table.reconvert(of)
      }
    },
    measures: [durations],
  }
}

function keyOf({ group, kind }: ConvertedKind): string {
  return `${group}/${kind}`
}

function conversionDurations(): Family<Distribution> {
  return histogram('apiserver_crd_conversion_webhook_duration_seconds', 'Conversion webhook latency in seconds.', {
    labels: ['crd_name', 'from_version', 'to_version', 'succeeded'],
    most: 5_000,
    bounds: Array.from({ length: 15 }, (_, i) => 0.001 * 2 ** i),
  })
}

function timed(convert: ConvertByWebhook, durations: Family<Distribution>, definition: string): ConvertByWebhook {
  return async (objects, to, signal) => {
    const from = objects.find(({ apiVersion }) => apiVersion !== to)?.apiVersion
    if (from === undefined) return objects
    const started = performance.now()
    let succeeded = false
    try {
      const converted = await convert(objects, to, signal)
      succeeded = true
      return converted
    } finally {
      const labels = [definition, versionIn(from), versionIn(to), String(succeeded)]
      durations.of(...labels).observe((performance.now() - started) / 1_000)
    }
  }
}

function versionIn(apiVersion: string): string {
  return apiVersion.slice(apiVersion.indexOf('/') + 1)
}

/** Returns a function that makes the documents on demand. It makes the parts of custom groups again if definitions have changed. */
function openDocuments(
  table: DefinitionTable,
  { groups, level }: { readonly groups: readonly BuiltInGroup[]; readonly level: ApiLevel },
  options: OpenApiOptions,
): () => OpenApiDocuments {
  let made: OpenApiDocuments | undefined
  let version = -1
  let custom: ReadonlySet<string> = new Set()
  return () => {
    made ??= new OpenApiDocuments(options, builtInOpenApiParts(level, groups))
    if (version === table.version) return made
    version = table.version
    const types = builtInTypeSchemas(level)
    const parts = table.published().map(({ gv, resources }) => customOpenApiPart(gv, resources, types))
    made = made.replace((part: OpenApiPart) => custom.has(part.key), parts)
    custom = new Set(parts.map(({ key }) => key))
    return made
  }
}
