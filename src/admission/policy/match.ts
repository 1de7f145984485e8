// Whether a policy or a binding matches a request, by rules, names and labels (W-507). Cheap checks come first.
import { mapsOnly, textOrEmpty, textsOnly } from '../../api/members.ts'
import type { ApiObject } from '../../api/object.ts'
import type { LabelSelector } from '../../api/selector.ts'
import type { ValueMap } from '../../api/value.ts'
import type { AdmissionRequest } from '../admission.ts'
import { namespaceMatches, objectMatches, selectorIn } from '../request-selectors.ts'
import { mayName, readRule, type ResourceRule } from '../resource-rules.ts'
import { type ServedKind, versionFor } from '../webhook/webhook.ts'

interface NamedRule {
  readonly rule: ResourceRule
  /** The names of objects. Empty: all names. */
  readonly names: readonly string[]
}

export interface MatchResources {
  readonly rules: readonly NamedRule[]
  readonly excluded: readonly NamedRule[]
  /** `matchPolicy: Equivalent`: other versions of the resources match too. */
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

export interface MatchParts {
  /** The versions of the resource, the requested one first. */
  readonly served: () => readonly ServedKind[]
  readonly namespace: () => Promise<ApiObject>
}

/** A cheap check without I/O. False: the request does not match. */
export function mayMatch(match: MatchResources, request: AdmissionRequest): boolean {
  if (match.rules.length > 0 && !match.rules.some(({ rule }) => mayName(rule, request, request.requestResource)))
    return false
  return objectMatches(match.objectSelector, request)
}

/** The version of the resource that matches. Undefined: no version matches. Throws if this cannot be determined. */
export async function matchedKind(
  match: MatchResources,
  request: AdmissionRequest,
  parts: MatchParts,
): Promise<ServedKind | undefined> {
  if (!mayMatch(match, request)) return undefined
  const named = (rules: readonly NamedRule[]): ServedKind | undefined => {
    const meant = rules.filter(({ names }) => names.length === 0 || names.includes(request.name))
    const { wantsEquivalent } = match
    return versionFor({ rules: meant.map(({ rule }) => rule), wantsEquivalent }, request, parts.served)
  }
  const as = match.rules.length === 0 ? parts.served()[0] : named(match.rules)
  if (as === undefined || named(match.excluded) !== undefined) return undefined
  return (await namespaceMatches(match.namespaceSelector, request, parts.namespace)) ? as : undefined
}
