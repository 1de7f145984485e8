// The names of the parts of the API: kinds, resources, and the common shape of an object.
import type { ValueMap } from './value.ts'

export interface GroupVersion {
  /** Empty for the core group. */
  readonly group: string
  readonly version: string
}

export interface GroupVersionKind extends GroupVersion {
  readonly kind: string
}

export interface GroupVersionResource extends GroupVersion {
  /** The plural, as in paths. */
  readonly resource: string
}

export interface GroupKind {
  readonly group: string
  readonly kind: string
}

export interface GroupResource {
  readonly group: string
  readonly resource: string
}

/** `apps/v1`, or `v1` for the core group: the form of `apiVersion`. */
export function formatGroupVersion(gv: GroupVersion): string {
  return gv.group === '' ? gv.version : `${gv.group}/${gv.version}`
}

/** The parts of an `apiVersion`; undefined if it has more than one slash. */
export function parseGroupVersion(apiVersion: string): GroupVersion | undefined {
  const parts = apiVersion.split('/')
  if (parts.length === 1) return { group: '', version: apiVersion }
  const [group = '', version = ''] = parts
  return parts.length === 2 ? { group, version } : undefined
}

/** `deployments.apps`, or `pods` for the core group: the name of a resource in messages. */
export function formatGroupResource(gr: GroupResource): string {
  return gr.group === '' ? gr.resource : `${gr.resource}.${gr.group}`
}

/** An object of the API in JSON shape. The kind defines the other members. */
export interface ApiObject extends ValueMap {
  readonly kind: string
  readonly apiVersion: string
  readonly metadata: ValueMap
}
