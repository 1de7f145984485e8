// The call of a webhook for a request, and the version of the objects in it.
import type { ApiObject, GroupVersionKind, GroupVersionResource } from '../../api/object.ts'
import type { Value } from '../../api/value.ts'
import { firstFound } from '../../lib/first-found.ts'
import type { MaybePromise } from '../../lib/maybe-promise.ts'
import type { AdmissionRequest } from '../admission.ts'
import { type ResourceRule, ruleMatches } from '../resource-rules.ts'
import type { Hook } from './hook.ts'

/** A version in which the objects of a request are served. */
export interface ServedKind {
  readonly kind: GroupVersionKind
  readonly resource: GroupVersionResource
  /** Converts a stored object to this version. */
  show(object: ApiObject): MaybePromise<ApiObject>
  /** Converts an object back to the stored version. */
  adopt(object: ApiObject): MaybePromise<ApiObject>
  /**
   * Decodes a document, with defaults and without unknown fields. Throws if it is malformed; in a strict read of a built-in kind, also if it
   * has unknown fields.
   */
  read(document: Value, isStrict?: boolean): ApiObject
  encode(object: ApiObject): string
}

/** All versions of the resource of a request, the requested one first. */
export type ServedKinds = (request: AdmissionRequest) => readonly ServedKind[]

export interface Invocation {
  readonly hook: Hook
  readonly as: ServedKind
  readonly object: ApiObject | undefined
  readonly oldObject: ApiObject | undefined
}

/**
 * The version in which the webhook gets the objects: the requested version if a rule matches it, otherwise the first equivalent version
 * that a rule matches, in the order of the rules.
 */
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
  return firstFound(rules, (rule) => others.find(({ resource }) => ruleMatches(rule, request, resource)))
}
