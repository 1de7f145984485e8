// A webhook that is to be called about a request, and the version that the objects are shown to it in.
import type { ApiObject, GroupVersionKind, GroupVersionResource } from '../../api/object.ts'
import type { Value } from '../../api/value.ts'
import type { MaybePromise } from '../../lib/maybe-promise.ts'
import type { AdmissionRequest } from '../admission.ts'
import { type ResourceRule, ruleMatches } from '../resource-rules.ts'
import type { Hook } from './hook.ts'

/** A version that the objects of a request are served in. */
export interface ServedKind {
  readonly kind: GroupVersionKind
  readonly resource: GroupVersionResource
  /** An object as it is stored, in this version. */
  show(object: ApiObject): MaybePromise<ApiObject>
  /** The other way round. */
  adopt(object: ApiObject): MaybePromise<ApiObject>
  /** A document as an object of this version: with defaults, without what the kind does not know. Throws. */
  read(document: Value): ApiObject
  encode(object: ApiObject): string
}

/** All versions of what a request is about; the one that was asked for first. */
export type ServedKinds = (request: AdmissionRequest) => readonly ServedKind[]

/** A webhook that is to be called, with the objects as it is shown them. */
export interface Invocation {
  readonly hook: Hook
  readonly as: ServedKind
  readonly object: ApiObject | undefined
  readonly oldObject: ApiObject | undefined
}

/** The version that was asked for where a rule names it, otherwise the first equivalent one that the earliest rule names. */
export function versionFor(
  { rules, wantsEquivalent }: { readonly rules: readonly ResourceRule[]; readonly wantsEquivalent: boolean },
  request: AdmissionRequest,
  served: () => readonly ServedKind[],
): ServedKind | undefined {
  if (rules.length === 0) return undefined
  const isNamed = rules.some((rule) => ruleMatches(rule, request, request.requestResource))
  if (!isNamed && !wantsEquivalent) return undefined
  const [asked, ...others] = served()
  if (isNamed) return asked
  for (const rule of rules) {
    const found = others.find(({ resource }) => ruleMatches(rule, request, resource))
    if (found !== undefined) return found
  }
  return undefined
}
