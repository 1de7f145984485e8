// Cluster IPs and node ports belong to one service at a time. A write claims an address or port by creating a record with its name. The
// store lets only one of two writers create the record, so replicas need no lock. A loop releases claims that a crash leaves behind
// (`controllers/service-ip-repair.ts`). If kube-apiserver has a bitmap of ports, ports are claimed in the bitmap.
import type { ParentReference } from '../../../api/gen/kinds.ts'
import { isKind } from '../../../api/kind-guard.ts'
import { labelsOf, specOf } from '../../../api/object-members.ts'
import type { ApiObject } from '../../../api/object.ts'
import type { StoredObject } from '../../../api/read.ts'
import { own, type ValueMap } from '../../../api/value.ts'
import { type Random, systemRandom } from '../../../lib/random.ts'
import type { RegistryParts, Resource } from '../../../registry/registry.ts'
import { addressAt, type AddressRange } from './address-range.ts'
import type { ServiceMeasures } from './measures.ts'
import { changePortMap, type PortMap, readPortMap } from './port-map.ts'

type Store = RegistryParts['store']
type StoredResource = Resource['stored']
type ObjectKey = Parameters<Store['write']>[0]

export interface Owner {
  readonly namespace: string
  readonly name: string
}

export interface PortRange {
  readonly first: number
  readonly last: number
}

export interface ServiceNetwork {
  /** The ranges of addresses: one for each family, the default family first. */
  readonly ranges: readonly AddressRange[]
  readonly nodePorts: PortRange
  readonly measures: ServiceMeasures
}

/** The store for claims, and the time of new claims. */
export interface ClaimContext {
  readonly store: Store
  readonly now: string
  /** Absent: the random numbers of the system. */
  readonly random?: Random | undefined
  readonly signal: AbortSignal
}

/** The stored form of claims of addresses, or of ports. */
export interface ClaimType {
  readonly resource: StoredResource
  record(name: string, owner: Owner, moment: Pick<ClaimContext, 'now' | 'random'>): ApiObject
  ownerOf(record: ApiObject): Owner
  /** The names are ports. kube-apiserver may have a bitmap of them. */
  readonly isMapped?: true
}

export const DEFAULT_NODE_PORTS: PortRange = { first: 30_000, last: 32_767 }
const FAMILY = 'ipaddress.kubernetes.io/ip-family'
const MANAGED_BY = 'ipaddress.kubernetes.io/managed-by'
const ALLOCATOR = 'ipallocator.k8s.io'

/** The managed fields of objects that the server creates in its own name. */
const ADDRESS_OWNER = { manager: 'kube-apiserver', operation: 'Update', apiVersion: 'networking.k8s.io/v1' } as const

const ADDRESS_FIELDS: ValueMap = {
  'f:metadata': { 'f:labels': { '.': {}, [`f:${FAMILY}`]: {}, [`f:${MANAGED_BY}`]: {} } },
  'f:spec': { 'f:parentRef': { '.': {}, 'f:name': {}, 'f:namespace': {}, 'f:resource': {} } },
}

/** Addresses are claimed by IPAddress objects, which the API shows (W-544). */
export function addressClaims(addresses: Resource): ClaimType {
  return {
    resource: addresses.stored,
    record: (name, owner, { now, random = systemRandom }) => ({
      kind: 'IPAddress',
      apiVersion: 'networking.k8s.io/v1',
      metadata: {
        name,
        uid: random.uuid(),
        creationTimestamp: now,
        labels: { [FAMILY]: name.includes(':') ? 'IPv6' : 'IPv4', [MANAGED_BY]: ALLOCATOR },
        managedFields: [{ ...ADDRESS_OWNER, time: now, fieldsType: 'FieldsV1', fieldsV1: ADDRESS_FIELDS }],
      },
      spec: { parentRef: { resource: 'services', ...owner } },
    }),
    ownerOf: (record) => ownerIn(isKind(record, 'networking.k8s.io_v1.IPAddress') ? record.spec.parentRef : undefined),
  }
}

/** Whether the address was allocated by an API server, and not created by a user. */
export function isOurs(record: ApiObject): boolean {
  return own(labelsOf(record), MANAGED_BY) === ALLOCATOR
}

/** Ports are claimed by records that the API does not show. */
export const NODE_PORTS: StoredResource = {
  group: '',
  resource: 'servicenodeports',
  storagePrefix: 'ranges/servicenodeports',
  namespaced: false,
  selectableFields: [],
}

export const PORT_CLAIMS: ClaimType = {
  resource: NODE_PORTS,
  record: (name, owner, { now }) => ({
    kind: 'ServiceNodePort',
    apiVersion: 'v1',
    metadata: { name, creationTimestamp: now },
    spec: { service: { ...owner } },
  }),
  ownerOf: (record) => ownerIn(specOf(record)['service'] as Owner | undefined),
  isMapped: true,
}

function ownerIn(reference: ParentReference | null | undefined): Owner {
  return { namespace: reference?.namespace ?? '', name: reference?.name ?? '' }
}

function keyIn(type: ClaimType, name: string): ObjectKey {
  return { resource: type.resource, namespace: '', name }
}

/** Claims an address or port. False: it is taken. */
export async function claim(type: ClaimType, name: string, owner: Owner, context: ClaimContext): Promise<boolean> {
  const found = await changeMap(type, name, (map, port) => map.with([port]), context)
  if (found !== undefined) return !found.has(Number(name))
  const record = type.record(name, owner, context)
  const result = await context.store.write(
    keyIn(type, name),
    (current) => (current === undefined ? { kind: 'put', object: record } : { kind: 'keep' }),
    context.signal,
  )
  return result.kind === 'put'
}

/** Releases an address or port, unless it belongs to another service by now. */
export async function release(type: ClaimType, name: string, owner: Owner, context: ClaimContext): Promise<void> {
  await changeMap(type, name, (map, port) => map.without([port]), context)
  await context.store.write(
    keyIn(type, name),
    (current) => {
      if (current?.kind !== 'object') return { kind: 'keep' }
      const has = type.ownerOf(current.object())
      return has.name === owner.name && has.namespace === owner.namespace ? { kind: 'remove' } : { kind: 'keep' }
    },
    context.signal,
  )
}

/** Changes the bitmap of ports, and returns the bitmap before the change. Undefined: no bitmap covers the port. */
async function changeMap(
  type: ClaimType,
  name: string,
  change: (map: PortMap, port: number) => PortMap,
  context: ClaimContext,
): Promise<PortMap | undefined> {
  if (type.isMapped !== true) return undefined
  const port = Number(name)
  const found = await changePortMap((map) => change(map, port), context)
  return found?.covers(port) === true ? found : undefined
}

export async function isClaimed(type: ClaimType, name: string, context: ClaimContext): Promise<boolean> {
  const { store, signal } = context
  const map = type.isMapped === true ? await readPortMap(context) : undefined
  if (map?.covers(Number(name)) === true) return map.has(Number(name))
  return (await store.get(keyIn(type, name), { kind: 'latest' }, signal)).item !== undefined
}

/** The numbers to allocate from: their ranges, the preferred range first, and their names. */
interface Choice {
  readonly ranges: readonly (readonly [first: bigint, last: bigint])[]
  readonly nameOf: (number: bigint) => string
}

export function addressChoice(range: AddressRange): Choice {
  const { first, last, dynamicFrom } = range
  const ranges: (readonly [bigint, bigint])[] = [[dynamicFrom, last]]
  if (dynamicFrom > first) ranges.push([first, dynamicFrom - 1n])
  return { ranges, nameOf: (offset) => addressAt(range, offset) }
}

export function portChoice({ first, last }: PortRange): Choice {
  return { ranges: [[BigInt(first), BigInt(last)]], nameOf: String }
}

const RANDOM_TRIES = 8
const ROUNDS = 16

/** Claims any free address or port. Undefined: none is free. */
export async function claimAny(
  type: ClaimType,
  choice: Choice,
  owner: Owner,
  context: ClaimContext,
): Promise<string | undefined> {
  const preferred = choice.ranges[0]!
  for (let i = 0; i < RANDOM_TRIES; i++) {
    const name = choice.nameOf(randomWithin(preferred, context.random))
    if (await claim(type, name, owner, context)) return name
  }
  // The range is nearly full, so look for a free name. If another writer takes that name first, look again.
  for (let round = 0; round < ROUNDS; round++) {
    const name = firstFree(choice, await claimedNames(type, context), context.random)
    if (name === undefined) return undefined
    if (await claim(type, name, owner, context)) return name
  }
  return undefined
}

async function claimedNames(type: ClaimType, context: ClaimContext): Promise<ReadonlySet<string>> {
  const map = type.isMapped === true ? await readPortMap(context) : undefined
  if (map !== undefined) return new Set(map.ports.map(String))
  return new Set((await readAll(type.resource, context)).map(({ name }) => name))
}

export async function readAll(
  resource: StoredResource,
  { store, signal }: ClaimContext,
): Promise<readonly StoredObject[]> {
  const page = await store.list({ resource, at: { kind: 'latest' }, skipUnreadable: true }, signal)
  const items: StoredObject[] = []
  for await (const batch of page.batches) items.push(...batch)
  return items
}

function firstFree({ ranges, nameOf }: Choice, taken: ReadonlySet<string>, random?: Random): string | undefined {
  for (const [first, last] of ranges) {
    const start = randomWithin([first, last], random)
    const size = last - first + 1n
    // If n names are taken, n + 1 steps are enough to find a free name.
    const steps = size < BigInt(taken.size + 1) ? size : BigInt(taken.size + 1)
    for (let step = 0n; step < steps; step++) {
      const name = nameOf(first + ((start - first + step) % size))
      if (!taken.has(name)) return name
    }
  }
  return undefined
}

const MAX_RANDOM = 2 ** 47

function randomWithin([first, last]: readonly [bigint, bigint], random = systemRandom): bigint {
  const size = last - first + 1n
  return first + BigInt(random.below(size > BigInt(MAX_RANDOM) ? MAX_RANDOM : Number(size)))
}
