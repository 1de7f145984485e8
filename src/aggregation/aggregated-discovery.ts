// What another server says that a version of its group holds, as our own discovery tells of it (P-389).
import type { AggregatedService } from '../outgoing/aggregated-service.ts'
import { isList, isMap, own, type Value, type ValueMap } from '../api/value.ts'
import { answerValue } from '../outgoing/answer.ts'
import type { OutgoingCaller, OutgoingTarget } from '../outgoing/call.ts'
import { OutgoingCallError } from '../outgoing/failure.ts'
import type { DiscoveryGroup } from '../registry/discovery.ts'

type Resources = DiscoveryGroup['versions'][number]['resources']

export type ReadAggregatedDiscovery = (service: AggregatedService, signal: AbortSignal) => Promise<Resources>

const TIMEOUT_MS = 5_000
const MAX_BYTES = 16 * 1024 * 1024
/** Whom the other server is asked by. */
export const asOurselves = { 'x-remote-user': 'system:kube-aggregator', 'x-remote-group': 'system:masters' } as const

/** Asks as the server itself. Throws with words for people. */
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
  const entries = isMap(list) ? own(list, 'resources') : undefined
  const all = isList(entries) ? entries.filter(isMap) : []
  const main = all.filter((entry) => !textIn(entry, 'name').includes('/'))
  return main.map((entry) => {
    const plural = textIn(entry, 'name')
    return {
      ...kindOf(service, entry),
      plural,
      singular: textIn(entry, 'singularName'),
      namespaced: own(entry, 'namespaced') === true,
      shortNames: textsIn(entry, 'shortNames'),
      categories: textsIn(entry, 'categories'),
      verbs: textsIn(entry, 'verbs'),
      storageVersionHash: undefined,
      subresources: all
        .filter((below) => textIn(below, 'name').startsWith(`${plural}/`))
        .map((below) => ({
          ...kindOf(service, below),
          name: textIn(below, 'name').slice(plural.length + 1),
          verbs: textsIn(below, 'verbs'),
        })),
    }
  })
}

function kindOf(
  { group, version }: AggregatedService,
  entry: ValueMap,
): { group: string; version: string; kind: string } {
  return {
    group: textIn(entry, 'group') || group,
    version: textIn(entry, 'version') || version,
    kind: textIn(entry, 'kind'),
  }
}

function textIn(map: ValueMap, name: string): string {
  const value = own(map, name)
  return typeof value === 'string' ? value : ''
}

function textsIn(map: ValueMap, name: string): readonly string[] {
  const value = own(map, name)
  return isList(value) ? value.filter((item) => typeof item === 'string') : []
}
