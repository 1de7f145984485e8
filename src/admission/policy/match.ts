// Whether a policy or a binding is about a request: by rules, by names, by labels (W-507). What is cheap is asked first.
import { mapsOnly, textOrEmpty, textsOnly } from '../../api/members.ts'
import type { ApiObject } from '../../api/object.ts'
import { labelSelectorOf } from '../../api/selector-text.ts'
import { EVERY_LABEL, type LabelSelector } from '../../api/selector.ts'
import { own, type ValueMap } from '../../api/value.ts'
import type { AdmissionRequest } from '../admission.ts'
import { namespaceMatches, objectMatches } from '../request-selectors.ts'
import { readRule, type ResourceRule, ruleMatches } from '../resource-rules.ts'
import type { ServedKind } from '../webhook/webhook.ts'

interface NamedRule {
  readonly rule: ResourceRule
  /** Empty: all. */
  readonly names: readonly string[]
}

export interface MatchResources {
  readonly rules: readonly NamedRule[]
  readonly excluded: readonly NamedRule[]
  /** Also other versions of what the rules name. */
  readonly wantsEquivalent: boolean
  readonly namespaceSelector: LabelSelector
  readonly objectSelector: LabelSelector
}

export function readMatchResources(match: ValueMap): MatchResources {
  return {
    rules: mapsOnly(match, 'resourceRules').map(readNamedRule),
    excluded: mapsOnly(match, 'excludeResourceRules').map(readNamedRule),
    wantsEquivalent: textOrEmpty(match, 'matchPolicy') !== 'Exact',
    namespaceSelector: selectorIn(match, 'namespaceSelector'),
    objectSelector: selectorIn(match, 'objectSelector'),
  }
}

function readNamedRule(rule: ValueMap): NamedRule {
  return { rule: readRule(rule), names: textsOnly(rule, 'resourceNames') }
}

function selectorIn(match: ValueMap, name: string): LabelSelector {
  const selector = own(match, name)
  return (selector === undefined ? undefined : labelSelectorOf(selector)) ?? EVERY_LABEL
}

export interface MatchParts {
  /** The versions of what the request is about; the one that was asked for first. */
  readonly served: () => readonly ServedKind[]
  readonly namespace: () => Promise<ApiObject>
}

/** By what the request says of itself; false is certain, and costs next to nothing. */
export function mayMatch(match: MatchResources, request: AdmissionRequest): boolean {
  if (match.rules.length > 0 && !match.rules.some(({ rule }) => mayName(rule, request))) return false
  return objectMatches(match.objectSelector, request)
}

/** Other versions of an object have the same resource name, and the same operations are asked about. */
function mayName(
  { operations, resources }: ResourceRule,
  { operation, requestResource, subresource }: AdmissionRequest,
): boolean {
  return (
    (operations.includes('*') || operations.includes(operation)) &&
    resources.some(
      (each) =>
        (each.resource === '*' || each.resource === requestResource.resource) &&
        (each.subresource === '*' || each.subresource === subresource),
    )
  )
}

/** The version that the request is looked at in; undefined where it is not meant. Throws where that cannot be told. */
export async function matchedKind(
  match: MatchResources,
  request: AdmissionRequest,
  parts: MatchParts,
): Promise<ServedKind | undefined> {
  if (!mayMatch(match, request)) return undefined
  const as = match.rules.length === 0 ? parts.served()[0] : versionFor(match, match.rules, { request, parts })
  if (as === undefined || versionFor(match, match.excluded, { request, parts }) !== undefined) return undefined
  return (await namespaceMatches(match.namespaceSelector, request, parts.namespace)) ? as : undefined
}

interface Asked {
  readonly request: AdmissionRequest
  readonly parts: MatchParts
}

function versionFor(
  { wantsEquivalent }: MatchResources,
  rules: readonly NamedRule[],
  { request, parts }: Asked,
): ServedKind | undefined {
  const named = rules.filter(({ names }) => names.length === 0 || names.includes(request.name))
  if (named.length === 0) return undefined
  const exact = named.some(({ rule }) => ruleMatches(rule, request, request.requestResource))
  if (!exact && !wantsEquivalent) return undefined
  const [asked, ...others] = parts.served()
  if (exact) return asked
  for (const { rule } of named) {
    const found = others.find(({ resource }) => ruleMatches(rule, request, resource))
    if (found !== undefined) return found
  }
  return undefined
}
