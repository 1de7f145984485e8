// Includes the OpenAPI documents of other servers in our own (P-390). Version 2 has one document for all groups, so the documents of the
// other servers are read and joined. Version 3 has a document for each version of a group. There the list is ours, and a client's request
// for a document of another server is passed on.
import { parseJsonText } from '../api/json-text.ts'
import { createHash } from 'node:crypto'
import { asMap, mapOrEmpty, textOrEmpty } from '../api/members.ts'
import type { AggregatedService } from '../kinds/kinds.ts'
import type { Value, ValueMap } from '../api/value.ts'
import { OpenApiDocument, type OpenApiDocuments } from '../codec/openapi-documents.ts'
import { answerValue } from '../outgoing/answer.ts'
import type { OutgoingCaller, OutgoingTarget } from '../outgoing/call.ts'
import { OutgoingCallError } from '../outgoing/failure.ts'
import { withRemoteDocument } from '../schema/openapi-merge.ts'
import { asOurselves } from './aggregated-discovery.ts'

/** The documents of one version of another server's group, as far as it has them. */
export interface AggregatedDocuments {
  readonly service: AggregatedService
  /** The path of the document of version 3, as the other server names it. Undefined: it has none. */
  readonly v3Address: string | undefined
  readonly v2: { readonly tag: string; readonly document: Value } | undefined
}

export type ReadAggregatedDocuments = (
  service: AggregatedService,
  before: AggregatedDocuments | undefined,
  signal: AbortSignal,
) => Promise<AggregatedDocuments>

const TIMEOUT_MS = 10_000
/** Parsing a document takes one turn of the event loop, and the document stays in memory. */
const MAX_BYTES = 4 * 1024 * 1024

/** Never throws for faults of the other server. An unreadable document counts as absent. */
export function aggregatedDocumentsReader(
  caller: OutgoingCaller,
  targetOf: (service: AggregatedService) => OutgoingTarget,
): ReadAggregatedDocuments {
  const call = { userAgent: 'kube-apiserver', timeoutMs: TIMEOUT_MS, tellTimeout: false, maxAnswerBytes: MAX_BYTES }
  return async (service, before, signal) => {
    const target = targetOf(service)
    const at = (path: string, headers: Readonly<Record<string, string>> = {}): OutgoingTarget => ({
      ...target,
      url: `${target.url}${path}`,
      headers: { ...asOurselves, accept: 'application/json', ...headers },
    })
    const orNothing = <T>(reading: Promise<T>): Promise<T | undefined> =>
      reading.catch((error: unknown) => {
        if (error instanceof OutgoingCallError) return undefined
        throw error
      })
    const index = caller
      .call(at('openapi/v3'), call, signal)
      .then((answer) => addressIn(answerValue(answer, parseJsonText), service))
    const known = before?.v2
    const tags: Record<string, string> = known === undefined ? {} : { 'if-none-match': known.tag }
    const joined = caller.call(at('openapi/v2', tags), call, signal).then((answer) => {
      if (answer.status === 304 && known !== undefined) return known
      const document = answerValue(answer, parseJsonText) as Value
      const tag = answer.headers.etag ?? `"${createHash('sha256').update(answer.body).digest('hex')}"`
      return { tag, document }
    })
    const [v3Address, v2] = await Promise.all([orNothing(index), orNothing(joined)])
    return { service, v3Address, v2 }
  }
}

/** The path of the document, relative to the server. Undefined for any other address, which would lead clients elsewhere. */
function addressIn(index: unknown, { group, version }: AggregatedService): string | undefined {
  const key = `apis/${group}/${version}`
  const entry = mapOrEmpty(mapOrEmpty(asMap(index as Value), 'paths'), key)
  const address = textOrEmpty(entry, 'serverRelativeURL')
  return address.startsWith(`/openapi/v3/${key}`) ? address : undefined
}

export type PublishedDocuments = Pick<OpenApiDocuments, 'v2' | 'v3' | 'v3Index'>

/** Our documents and those of other servers. */
export function publishedDocuments(ours: OpenApiDocuments, theirs: readonly AggregatedDocuments[]): PublishedDocuments {
  const merged = theirs.filter(({ v2 }) => v2 !== undefined)
  const listed = theirs.filter(({ v3Address }) => v3Address !== undefined)
  return {
    v2: merged.length === 0 ? ours.v2 : joinedDocument(ours.v2, merged),
    v3: (key) => ours.v3(key),
    v3Index: () => {
      const { paths } = ours.v3Index()
      const more = listed.map(({ service: { group, version }, v3Address = '' }): readonly [string, Value] => [
        `apis/${group}/${version}`,
        { serverRelativeURL: v3Address },
      ])
      const all = [...Object.entries(paths as ValueMap), ...more]
      return { paths: Object.fromEntries(all.sort(([a], [b]) => (a < b ? -1 : 1))) }
    },
  }
}

function joinedDocument(ours: OpenApiDocument, theirs: readonly AggregatedDocuments[]): OpenApiDocument {
  const hash = createHash('sha512').update(ours.hash)
  for (const { service, v2 } of theirs) hash.update(`\n${service.name} ${v2?.tag}`)
  function* build(): Generator<void, ValueMap> {
    let document = yield* ours.source.build()
    for (const { service, v2 } of theirs) {
      const prefix = `/apis/${service.group}/${service.version}`
      document = yield* withRemoteDocument(document, v2?.document ?? null, prefix)
    }
    return document
  }
  return new OpenApiDocument(hash.digest('hex').toUpperCase(), { ...ours.source, build })
}
