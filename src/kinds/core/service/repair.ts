// The repair of claims. A claim without a service is released, and an unclaimed address or port of a service is claimed. Only claims that
// are older than any running request are released: a younger claim may belong to a service that is about to be stored.
import type { ServiceSpec } from '../../../api/gen/kinds.ts'
import { isKind } from '../../../api/kind-guard.ts'
import { metaText } from '../../../api/object-members.ts'
import type { ApiObject } from '../../../api/object.ts'
import type { StoredObject } from '../../../api/read.ts'
import type { RegistryParts, Resource, ResourceTable } from '../../../registry/registry.ts'
import { canonicalAddress, familyOf } from './address-range.ts'
import {
  addressClaims,
  claim,
  type ClaimType,
  type ClaimContext,
  isOurs,
  type Owner,
  PORT_CLAIMS,
  readAll,
} from './claims.ts'
import type { ServiceMeasures } from './measures.ts'
import { changePortMap, type PortMap, readPortMap } from './port-map.ts'
import { nodePortsOf } from './reservation.ts'

const OLD_ENOUGH_MS = 5 * 60_000

interface ClaimParts extends Omit<ClaimContext, 'store'> {
  readonly registry: RegistryParts
  readonly resources: ResourceTable
}

interface RepairParts extends ClaimParts {
  readonly measures: ServiceMeasures
}

interface Repaired {
  readonly released: readonly string[]
  readonly claimed: readonly string[]
}

/**
 * Claims the addresses and ports of all stored services. So a service from another server does not lose its addresses and ports to a new
 * service.
 */
export async function claimWhatServicesHave(parts: ClaimParts): Promise<readonly string[]> {
  const claimed: string[] = []
  for (const held of heldByServices(parts)) claimed.push(...(await claimUsed(held, await usedBy(held, parts), parts)))
  return claimed
}

/**
 * `leaks` counts for how many rounds a port was in another server's map without a service. The caller passes the same map in the next
 * round.
 */
export async function repairServiceClaims(
  parts: RepairParts,
  leaks: Map<number, number> = new Map(),
): Promise<Repaired> {
  const all: Repaired[] = []
  const { portRepairs, portRepairErrors, addressRepairs, addressRepairErrors } = parts.measures
  for (const held of heldByServices(parts)) {
    const isPorts = held.type === PORT_CLAIMS
    const repairs = isPorts ? portRepairs : addressRepairs
    try {
      const repaired = await repairHeld(held, leaks, parts)
      repairs.of('leak').value += repaired.released.length
      repairs.of('repair').value += repaired.claimed.length
      all.push(repaired)
    } catch (error) {
      const errors = isPorts ? portRepairErrors : addressRepairErrors
      errors.of().value++
      throw error
    }
  }
  return { released: all.flatMap(({ released }) => released), claimed: all.flatMap(({ claimed }) => claimed) }
}

async function repairHeld(held: Held, leaks: Map<number, number>, parts: ClaimParts): Promise<Repaired> {
  const released: string[] = []
  // Claims are read before services: the service of an old claim was stored long ago, or never will be.
  const claims = await readAll(held.type.resource, contextOf(parts))
  const map = held.type.isMapped === true ? await readPortMap(contextOf(parts)) : undefined
  const used = await usedBy(held, parts)
  for (const stored of claims) {
    const isNeeded = used.has(stored.name) && map?.covers(Number(stored.name)) !== true
    if (isNeeded || !isForgotten(held.type, stored.object(), parts.now)) continue
    if (await releaseSeen(held.type, stored, contextOf(parts))) released.push(stored.name)
  }
  released.push(...(await clearLeaks(map, { used, leaks }, parts)))
  return { released, claimed: await claimUsed(held, used, parts) }
}

/** The addresses or ports of services, for one type of claims. */
interface Held {
  readonly services: Resource
  readonly type: ClaimType
  readonly namesOf: (spec: ServiceSpec) => readonly string[]
}

function heldByServices({ resources }: ClaimParts): readonly Held[] {
  const addresses = resources.find({ group: 'networking.k8s.io', version: 'v1', resource: 'ipaddresses' })
  const services = resources.find({ group: '', version: 'v1', resource: 'services' })
  if (addresses === undefined || services === undefined) return []
  return [
    { services, type: addressClaims(addresses), namesOf: addressesOf },
    { services, type: PORT_CLAIMS, namesOf: (spec) => nodePortsOf(spec).map(({ name }) => name) },
  ]
}

function contextOf({ registry, now, random, signal }: ClaimParts): ClaimContext {
  return { store: registry.store, now, random, signal }
}

type Used = ReadonlyMap<string, Owner>

async function usedBy({ services, namesOf }: Held, parts: ClaimParts): Promise<Used> {
  const used = new Map<string, Owner>()
  for (const service of await readAll(services.stored, contextOf(parts))) {
    const owner = { namespace: service.namespace, name: service.name }
    const object = service.object()
    if (isKind(object, 'core_v1.Service')) for (const name of namesOf(object.spec)) used.set(name, owner)
  }
  return used
}

async function claimUsed({ type }: Held, used: Used, parts: ClaimParts): Promise<readonly string[]> {
  const context = contextOf(parts)
  const claims = new Set((await readAll(type.resource, context)).map(({ name }) => name))
  const map =
    type.isMapped === true
      ? await changePortMap((found) => found.with([...used.keys()].map(Number)), context)
      : undefined
  const claimed: string[] = []
  for (const [name, owner] of used) {
    if (map?.covers(Number(name)) === true) {
      if (!map.has(Number(name))) claimed.push(name)
    } else if (!claims.has(name) && (await claim(type, name, owner, context))) claimed.push(name)
  }
  return claimed
}

/** After this many rounds, the service of a claimed port will never be stored. */
const ROUNDS_OF_A_LEAK = 3

async function clearLeaks(
  map: PortMap | undefined,
  { used, leaks }: { readonly used: Used; readonly leaks: Map<number, number> },
  parts: ClaimParts,
): Promise<readonly string[]> {
  if (map === undefined) return []
  const unused = new Set(map.ports.filter((port) => !used.has(String(port))))
  for (const port of leaks.keys()) if (!unused.has(port)) leaks.delete(port)
  for (const port of unused) leaks.set(port, (leaks.get(port) ?? 0) + 1)
  const leaked = [...unused].filter((port) => (leaks.get(port) ?? 0) >= ROUNDS_OF_A_LEAK)
  if (leaked.length === 0) return []
  await changePortMap((found) => found.without(leaked), contextOf(parts))
  for (const port of leaked) leaks.delete(port)
  return leaked.map(String)
}

function addressesOf(spec: ServiceSpec): readonly string[] {
  // Another server may have stored invalid addresses.
  return (spec.clusterIPs ?? []).filter((address) => familyOf(address) !== undefined).map(canonicalAddress)
}

function isForgotten(type: ClaimType, record: ApiObject, now: string): boolean {
  if (type !== PORT_CLAIMS && !isOurs(record)) return false
  const since = Date.parse(metaText(record, 'creationTimestamp'))
  return Date.parse(now) - since > OLD_ENOUGH_MS
}

/** Releases the claim only if it has not changed since it was read. */
async function releaseSeen(type: ClaimType, seen: StoredObject, context: ClaimContext): Promise<boolean> {
  const result = await context.store.write(
    { resource: type.resource, namespace: '', name: seen.name },
    (current) => (current?.revision === seen.revision ? { kind: 'remove' } : { kind: 'keep' }),
    context.signal,
  )
  return result.kind === 'removed'
}
