// The parameters of operations. Query parameters are the fields of the options kinds. Their descriptions are in this file.
import { givenMembers } from '../lib/given-members.ts'
import { builtInType } from './built-in-compiled.ts'
import type { OpenApiParameter } from './openapi-model.ts'

export const PRETTY: OpenApiParameter = {
  name: 'pretty',
  in: 'query',
  description: 'Whether the answer is indented for people. By default only for browsers and command-line HTTP tools.',
  type: 'string',
}

export const NAMESPACE: OpenApiParameter = {
  name: 'namespace',
  in: 'path',
  description: 'The namespace of the object.',
  type: 'string',
}

export const PROXY_PATH: OpenApiParameter = {
  name: 'path',
  in: 'path',
  description: 'The path of the proxied request.',
  type: 'string',
}

export function nameParameter(kind: string): OpenApiParameter {
  return { name: 'name', in: 'path', description: `The name of the ${kind}.`, type: 'string' }
}

const TEXTS: Readonly<Record<string, string>> = {
  allowWatchBookmarks: 'Whether a watch may contain bookmarks, which tell how far the watch has come.',
  continue: 'The start of the next page of a list, as given in the previous page.',
  dryRun: 'All: do everything, but do not store the result.',
  fieldManager: 'The name under which the changed fields are owned.',
  fieldSelector: 'Selects objects by their fields.',
  fieldValidation: 'The treatment of unknown and repeated fields: Ignore, Warn or Strict.',
  force: 'Take over the fields that other managers own. For apply patches only.',
  gracePeriodSeconds: 'The time until the object is deleted. 0: it is deleted at once.',
  ignoreStoreReadErrorWithClusterBreakingPotential:
    'Delete an object even if it cannot be read. Nothing is cleaned up.',
  labelSelector: 'Selects objects by their labels.',
  limit: 'The largest number of objects on a page.',
  orphanDependents: 'Deprecated: see propagationPolicy.',
  propagationPolicy: 'The treatment of dependent objects: Orphan, Background or Foreground.',
  resourceVersion: 'The version to read, or the version from which a watch begins.',
  resourceVersionMatch: 'The meaning of resourceVersion: NotOlderThan or Exact.',
  sendInitialEvents: 'Whether a watch begins with the existing objects.',
  shardSelector: 'Selects a share of the objects.',
  timeoutSeconds: 'The longest time for a list or a watch.',
  watch: 'Whether changes are sent as they happen, instead of a list.',
}

/** The query parameters for the scalar fields of an options kind. */
export function optionParameters(stem: string, kind: string): readonly OpenApiParameter[] {
  return (builtInType(stem, kind)?.fields ?? []).flatMap(([name, , fieldType]): OpenApiParameter[] => {
    // A list is a repeated parameter.
    const type = PARAMETER_TYPES.get(fieldType.replace('[]', ''))
    return type === undefined ? [] : [givenMembers({ name, in: 'query' as const, description: TEXTS[name], type })]
  })
}

const PARAMETER_TYPES: ReadonlyMap<string, OpenApiParameter['type']> = new Map([
  ['string', 'string'],
  ['bool', 'boolean'],
  ['int32', 'integer'],
  ['int64', 'integer'],
])
