// The parameter objects of a policy (W-505).
import { textOrEmpty } from '../../api/members.ts'
import { labelsOf } from '../../api/object-members.ts'
import { type ApiObject, formatGroupVersion, type GroupVersionKind } from '../../api/object.ts'
import { matchesLabels } from '../../api/selector.ts'
import { findAnywhere, type ObjectReader } from '../object-reader.ts'
import { selectorIn } from '../request-selectors.ts'
import type { Policy, PolicyBinding } from './definition.ts'

/** The objects of a kind, in the version of `paramKind`. */
export interface ParamSource extends ObjectReader {
  readonly namespaced: boolean
}

/** Undefined: the kind does not exist. */
export type ParamSources = (kind: GroupVersionKind) => ParamSource | undefined

/** Thrown if a policy or binding is invalid. The failure policy applies. */
export class ConfigurationError extends Error {}

/** Undefined: the policy takes no parameters. Throws a `ConfigurationError`. */
export function paramSourceOf({ paramKind }: Policy, sources: ParamSources): ParamSource | undefined {
  if (paramKind === undefined) return undefined
  const source = sources(paramKind)
  if (source !== undefined) return source
  const { group, version, kind } = paramKind
  const named = group === '' ? `/${version}` : formatGroupVersion({ group, version })
  throw new ConfigurationError(`failed to find resource referenced by paramKind: '${named}, Kind=${kind}'`)
}

/** The parameters of a binding. One `undefined`: the policy is evaluated without parameters. Throws a `ConfigurationError`. */
export async function paramsFor(
  { paramRef }: PolicyBinding,
  { source, namespace }: { readonly source: ParamSource | undefined; readonly namespace: string },
  signal: AbortSignal,
): Promise<readonly (ApiObject | undefined)[]> {
  if (source === undefined || paramRef === undefined) return [undefined]
  const place = placeOf(source, textOrEmpty(paramRef, 'namespace'), namespace)
  const name = textOrEmpty(paramRef, 'name')
  const found: ApiObject[] = []
  if (name === '') {
    const selector = selectorIn(paramRef, 'selector')
    for (const object of await source.list(place, signal)) {
      if (matchesLabels(selector, labelsOf(object))) found.push(object)
    }
  } else {
    const named = await findAnywhere(source, [place, name], signal)
    if (named !== undefined) found.push(named)
  }
  if (found.length === 0 && textOrEmpty(paramRef, 'parameterNotFoundAction') === 'Deny') {
    throw new ConfigurationError('no params found for policy binding with `Deny` parameterNotFoundAction')
  }
  return found
}

function placeOf({ namespaced }: ParamSource, wanted: string, requestNamespace: string): string {
  if (!namespaced) {
    if (wanted === '') return ''
    throw new ConfigurationError('paramRef.namespace must not be provided for a cluster-scoped `paramKind`')
  }
  const place = wanted === '' ? requestNamespace : wanted
  if (place !== '') return place
  throw new ConfigurationError('cannot use namespaced paramRef in policy binding that matches cluster-scoped resources')
}
