// The metadata that the server sets on create, and keeps on update.
import { metaOf, metaText, withMeta } from '../api/object-members.ts'
import { numberOf } from '../api/json-number.ts'
import type { ApiObject } from '../api/object.ts'
import { own, type ValueMap } from '../api/value.ts'
import { nameSuffix, type Random, systemRandom } from '../lib/random.ts'
import type { Resource, WriteContext } from './registry.ts'

/** As a double: an integer beyond 2^53 is rounded. */
export function metaNumber(object: ValueMap, field: 'generation' | 'deletionGracePeriodSeconds'): number | undefined {
  const value = metaOf(object)[field]
  return value === undefined ? undefined : Number(value)
}

const LAST_GENERATION = 2n ** 63n - 1n

/** The next generation of a stored object. The largest int64 stays. */
export function nextGeneration(stored: ValueMap): number | bigint {
  const generation = BigInt(metaOf(stored).generation ?? 0)
  return numberOf(String(generation < LAST_GENERATION ? generation + 1n : generation)) ?? 0
}

/** Whether the gate of the generation, if it has one, is on. */
export function countsGenerations({ strategy }: Resource, { gates }: Pick<WriteContext, 'gates'>): boolean {
  const { generationGate: gate } = strategy
  return gate === undefined || gates.has(gate)
}

export function finalizersOf(object: ValueMap): readonly string[] {
  return metaOf(object).finalizers ?? []
}

export function isTerminating(object: ValueMap): boolean {
  return metaText(object, 'deletionTimestamp') !== ''
}

/** The object with a member of another object, or without the member if the other has none. */
export function withMemberOf<T extends ApiObject>(object: T, other: ValueMap, name: string): T {
  const value = own(other, name)
  if (value !== undefined) return { ...object, [name]: value }
  const { [name]: _, ...rest } = object
  return rest as unknown as T
}

type Moment = Pick<WriteContext, 'now' | 'random'>

const NOT_OF_NEW_ONES = Object.freeze({
  deletionTimestamp: undefined,
  deletionGracePeriodSeconds: undefined,
  selfLink: undefined,
  resourceVersion: undefined,
})

/** Replaces members that clients may not set on a new object. */
export function metaForCreate(object: ApiObject, { now, random = systemRandom }: Moment): ApiObject {
  const metadata = { ...metaOf(object), uid: random.uuid(), creationTimestamp: now }
  const made = { ...object, metadata }
  const isClean = Object.keys(NOT_OF_NEW_ONES).every((name) => !Object.hasOwn(metadata, name))
  return isClean ? made : withMeta(made, NOT_OF_NEW_ONES)
}

/**
 * Restores the members that updates cannot change, and the stored resourceVersion. Validation refuses a new deletion timestamp, so it stays
 * here.
 */
export function metaForUpdate(object: ApiObject, stored: ApiObject): ApiObject {
  const old = metaOf(stored)
  const terminating = isTerminating(stored)
  const grace = metaOf(object).deletionGracePeriodSeconds
  return withMeta(object, {
    uid: metaText(object, 'uid') === '' ? old.uid : metaOf(object).uid,
    creationTimestamp: old.creationTimestamp,
    generation: old.generation,
    resourceVersion: old.resourceVersion,
    ...(terminating ? { deletionTimestamp: old.deletionTimestamp } : {}),
    ...(terminating && grace === undefined ? { deletionGracePeriodSeconds: old.deletionGracePeriodSeconds } : {}),
    selfLink: undefined,
  })
}

const MAX_PREFIX_BYTES = 58

/** A name that begins with the prefix. A long prefix is cut, so that the name fits a label (W-044, W-045). */
export function generateName(prefix: string, random: Random = systemRandom): string {
  const base =
    Buffer.byteLength(prefix) <= MAX_PREFIX_BYTES
      ? prefix
      : Buffer.from(prefix).subarray(0, MAX_PREFIX_BYTES).toString()
  return base + nameSuffix(random)
}

const OWNER_FIELDS = ['apiVersion', 'kind', 'name', 'uid', 'controller', 'blockOwnerDeletion'] as const
const DUPLICATE_OWNERS = '.metadata.ownerReferences contains duplicate entries'
const DUPLICATE_OWNERS_END =
  'API server dedups owner references in 1.20+, and may reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed:'

/** Keeps the first of several equal owner references, and warns if it removed any (W-084). */
export function withUniqueOwners(
  object: ApiObject,
  when: '' | ' after mutating admission happens',
  warn: (text: string) => void,
): ApiObject {
  const { ownerReferences: owners = [] } = metaOf(object)
  if (owners.length < 2) return object
  const seen = new Set<string>()
  const repeated = new Set<string>()
  const unique = owners.filter((owner) => {
    const identity = JSON.stringify(OWNER_FIELDS.map((field) => owner[field]))
    if (!seen.has(identity)) return seen.add(identity)
    repeated.add(owner.uid)
    return false
  })
  if (repeated.size === 0) return object
  warn(`${DUPLICATE_OWNERS}${when}; ${DUPLICATE_OWNERS_END} ${[...repeated].join(', ')}`)
  return withMeta(object, { ownerReferences: unique })
}

export function withManagedFieldsOf(object: ApiObject, other: ApiObject): ApiObject {
  const managedFields = metaOf(other).managedFields
  return metaOf(object).managedFields === managedFields ? object : withMeta(object, { managedFields })
}
