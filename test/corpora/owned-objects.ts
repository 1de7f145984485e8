// Objects that own one another, of built-in kinds and of kinds that the test defines, on a server that is spoken to as clients do.
import { expect } from 'vitest'
import type { OpenServer } from '../rigs/running-server.ts'

export interface OwnedKind {
  readonly apiVersion: string
  readonly kind: string
  readonly plural: string
  readonly namespaced: boolean
  /** What an object of it needs beside its metadata. */
  readonly content?: object
}

export const CONFIG_MAP: OwnedKind = { apiVersion: 'v1', kind: 'ConfigMap', plural: 'configmaps', namespaced: true }

export interface OwnedObject {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: {
    readonly name: string
    readonly namespace?: string
    readonly uid: string
    readonly deletionTimestamp?: string
    readonly finalizers?: readonly string[]
    readonly ownerReferences?: readonly OwnerReference[]
  }
}

export interface OwnerReference {
  readonly apiVersion: string
  readonly kind: string
  readonly name: string
  readonly uid: string
  readonly blockOwnerDeletion?: boolean
}

export type Propagation = 'Background' | 'Foreground' | 'Orphan'

export function ownedBy(
  { apiVersion, kind, metadata }: OwnedObject,
  more: Partial<OwnerReference> = {},
): OwnerReference {
  return { apiVersion, kind, name: metadata.name, uid: metadata.uid, ...more }
}

/** What is sent to the server goes through here; a reference server will do as well as ours. */
export type Requests = Pick<OpenServer, 'request' | 'must'>

export class OwnedObjects {
  readonly #server: Requests
  readonly #namespace: string

  constructor(server: Requests, namespace = 'default') {
    this.#server = server
    this.#namespace = namespace
  }

  async make(kind: OwnedKind, name: string, metadata: object = {}): Promise<OwnedObject> {
    const { apiVersion, content } = kind
    const body = { apiVersion, kind: kind.kind, metadata: { name, ...metadata }, ...content }
    return (await this.#server.must(this.#path(kind), { method: 'POST', body })) as unknown as OwnedObject
  }

  async remove(kind: OwnedKind, name: string, propagationPolicy?: Propagation): Promise<void> {
    const options = propagationPolicy === undefined ? '' : `?propagationPolicy=${propagationPolicy}`
    await this.#server.must(`${this.#path(kind)}/${name}${options}`, { method: 'DELETE' })
  }

  async patch(kind: OwnedKind, name: string, metadata: object): Promise<void> {
    const headers = { 'content-type': 'application/merge-patch+json' }
    await this.#server.must(`${this.#path(kind)}/${name}`, { method: 'PATCH', headers, body: { metadata } })
  }

  async find(kind: OwnedKind, name: string): Promise<OwnedObject | undefined> {
    const answer = await this.#server.request(`${this.#path(kind)}/${name}`)
    if (answer.status === 404) return undefined
    if (answer.status !== 200) throw new Error(`${kind.kind} ${name}: ${answer.status} ${answer.body}`)
    return answer.json() as unknown as OwnedObject
  }

  async list(kind: OwnedKind): Promise<readonly OwnedObject[]> {
    const { items } = await this.#server.must(this.#path(kind))
    return (items as readonly OwnedObject[]).map((item) => ({ ...item, apiVersion: kind.apiVersion, kind: kind.kind }))
  }

  /** Resolves when there is no such object. */
  async gone(kind: OwnedKind, name: string): Promise<void> {
    await expect.poll(() => this.find(kind, name), { message: `${kind.kind} ${name} goes` }).toBeUndefined()
  }

  /** Resolves when the object has no owners, or these. */
  async ownedOnlyBy(kind: OwnedKind, name: string, owners: readonly string[]): Promise<void> {
    const names = async (): Promise<unknown> =>
      (await this.find(kind, name))?.metadata.ownerReferences?.map((reference) => reference.name) ?? []
    await expect.poll(names, { message: `owners of ${kind.kind} ${name}` }).toEqual(owners)
  }

  #path({ apiVersion, plural, namespaced }: OwnedKind): string {
    const root = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`
    return namespaced ? `${root}/namespaces/${this.#namespace}/${plural}` : `${root}/${plural}`
  }
}

export type Generations = readonly [top: OwnedKind, below: OwnedKind]

/** An owner, a dependent that holds it, and a dependent of that one. */
export async function makeFamily(objects: OwnedObjects, [top, below]: Generations): Promise<void> {
  const owner = await objects.make(top, 'owner')
  const blocking = { blockOwnerDeletion: true }
  const dependent = await objects.make(below, 'dependent', { ownerReferences: [ownedBy(owner, blocking)] })
  await objects.make(below, 'last', { ownerReferences: [ownedBy(dependent, blocking)] })
}

/** The owner is deleted; the others go, or are let go and then deleted themselves. */
export async function endFamily(objects: OwnedObjects, [top, below]: Generations, policy: Propagation): Promise<void> {
  await objects.remove(top, 'owner', policy)
  await objects.gone(top, 'owner')
  if (policy === 'Orphan') {
    await objects.ownedOnlyBy(below, 'dependent', [])
    await objects.remove(below, 'dependent')
  }
  await objects.gone(below, 'dependent')
  await objects.gone(below, 'last')
}
