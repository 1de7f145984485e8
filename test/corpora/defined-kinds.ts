// Custom kinds for tests that need some and do not care what is in them.
import { expect } from 'vitest'
import type { OwnedKind, Requests } from './owned-objects.ts'

export const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'

export interface DefinedKind extends OwnedKind {
  readonly group: string
  /** Of the definition. */
  readonly name: string
}

/** `things.first.example.com` in version v1. */
export function definedKind(group: string, namespaced = true, version = 'v1'): DefinedKind {
  const plural = 'things'
  return { group, name: `${plural}.${group}`, apiVersion: `${group}/${version}`, kind: 'Thing', plural, namespaced }
}

export interface DefinitionOptions {
  /** The objects are stored in the first. */
  readonly versions?: readonly string[]
  /** Those of them that are not served. */
  readonly unserved?: readonly string[]
  readonly conversion?: object
  /** Of the object, in every version. */
  readonly properties?: object
}

export function definitionOf({ group, name, kind, plural, namespaced }: DefinedKind, options: DefinitionOptions = {}) {
  const { versions = ['v1'], unserved = [], conversion, properties = { size: { type: 'integer' } } } = options
  const schema = { openAPIV3Schema: { type: 'object', properties } }
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name },
    spec: {
      group,
      scope: namespaced ? 'Namespaced' : 'Cluster',
      names: { plural, kind },
      versions: versions.map((version, index) => ({
        name: version,
        served: !unserved.includes(version),
        storage: index === 0,
        schema,
      })),
      ...(conversion === undefined ? {} : { conversion }),
    },
  }
}

/** Resolves when it is established. */
export async function define(server: Requests, kind: DefinedKind, options: DefinitionOptions = {}): Promise<void> {
  await server.must(DEFINITIONS, { method: 'POST', body: definitionOf(kind, options) })
  await expect.poll(() => isEstablished(server, kind), { message: `${kind.name} is established` }).toBe(true)
}

export async function redefine(server: Requests, kind: DefinedKind, options: DefinitionOptions): Promise<void> {
  const { spec } = definitionOf(kind, options)
  const headers = { 'content-type': 'application/merge-patch+json' }
  await server.must(`${DEFINITIONS}/${kind.name}`, { method: 'PATCH', headers, body: { spec } })
}

/** Resolves when it is gone, and its objects with it. */
export async function undefine(server: Requests, kind: DefinedKind): Promise<void> {
  await server.must(`${DEFINITIONS}/${kind.name}`, { method: 'DELETE' })
  const status = async (): Promise<number> => (await server.request(`${DEFINITIONS}/${kind.name}`)).status
  await expect.poll(status, { message: `${kind.name} goes` }).toBe(404)
}

interface Established {
  readonly status?: { readonly conditions?: readonly { readonly type: string; readonly status: string }[] }
}

async function isEstablished(server: Requests, kind: DefinedKind): Promise<boolean> {
  const { status } = (await server.must(`${DEFINITIONS}/${kind.name}`)) as Established
  return status?.conditions?.some((one) => one.type === 'Established' && one.status === 'True') === true
}
