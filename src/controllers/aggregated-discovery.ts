// Reads the discovery document of an aggregated API server for our own discovery (P-389).
import { asMap, isTrue, mapsOnly, textOrEmpty, textsOnly } from '../api/members.ts'
import type { AggregatedService } from '../kinds/kinds.ts'
import type { Value, ValueMap } from '../api/value.ts'
import { answerValue } from '../outgoing/answer.ts'
import type { OutgoingCaller, OutgoingTarget } from '../outgoing/call.ts'
import { OutgoingCallError } from '../outgoing/failure.ts'
import type { DiscoveryGroup } from '../registry/discovery.ts'

type Resources = DiscoveryGroup['versions'][number]['resources']

export type ReadAggregatedDiscovery = (service: AggregatedService, signal: AbortSignal) => Promise<Resources>

const TIMEOUT_MS = 5_000
/** Parsing the answer takes one turn of the event loop. */
const MAX_BYTES = 1024 * 1024
/** The user of the calls that read documents of other servers. */
export const asOurselves = { 'x-remote-user': 'system:kube-aggregator', 'x-remote-group': 'system:masters' } as const

/** Calls the other server as this server itself. Throws an error with a message for users. */
export function aggregatedDiscoveryReader(
  caller: OutgoingCaller,
  targetOf: (service: AggregatedService) => OutgoingTarget,
): ReadAggregatedDiscovery {
  return async (service, signal) => {
    const target = targetOf(service)
    const url = `${target.url}apis/${service.group}/${service.version}`
    const call = { userAgent: 'kube-apiserver', timeoutMs: TIMEOUT_MS, tellTimeout: false, maxAnswerBytes: MAX_BYTES }
    try {
      const answer = await caller.call({ ...target, url, headers: asOurselves }, call, signal)
      if (answer.status < 200 || answer.status > 299) {
        throw new OutgoingCallError('answer', `bad status from ${url}: ${answer.status}`)
      }
      return resourcesOf(service, answerValue(answer) as Value)
    } catch (error) {
      if (!(error instanceof OutgoingCallError)) throw error
      throw new Error(`failing or missing response from ${url}: ${error.message}`, { cause: error })
    }
  }
}

function resourcesOf(service: AggregatedService, list: Value): Resources {
  const all = mapsOnly(asMap(list), 'resources')
  const byPlural = Map.groupBy(all, (entry) => textOrEmpty(entry, 'name').split('/', 1)[0] ?? '')
  return [...byPlural].flatMap(([plural, entries]) => {
    const main = entries.find((entry) => textOrEmpty(entry, 'name') === plural)
    if (main === undefined) return []
    return {
      ...kindOf(service, main),
      plural,
      singular: textOrEmpty(main, 'singularName'),
      namespaced: isTrue(main, 'namespaced'),
      shortNames: textsOnly(main, 'shortNames'),
      categories: textsOnly(main, 'categories'),
      verbs: textsOnly(main, 'verbs'),
      storageVersionHash: undefined,
      subresources: entries
        .filter((below) => textOrEmpty(below, 'name') !== plural)
        .map((below) => ({
          ...kindOf(service, below),
          name: textOrEmpty(below, 'name').slice(plural.length + 1),
          verbs: textsOnly(below, 'verbs'),
        })),
    }
  })
}

function kindOf(
  { group, version }: AggregatedService,
  entry: ValueMap,
): { group: string; version: string; kind: string } {
  return {
    group: textOrEmpty(entry, 'group') || group,
    version: textOrEmpty(entry, 'version') || version,
    kind: textOrEmpty(entry, 'kind'),
  }
}
