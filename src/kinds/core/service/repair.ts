// Claims of services made true again: what nobody has is given back, what somebody has and nobody claimed is claimed. Only
// claims that are older than any request can be are given back: a younger one may belong to a service on its way.
import { textsOnly } from '../../../api/members.ts'
import { metaText, specOf } from '../../../api/object-members.ts'
import type { ApiObject } from '../../../api/object.ts'
import type { StoredObject } from '../../../api/read.ts'
import type { ValueMap } from '../../../api/value.ts'
import type { RegistryParts, Resource, ResourceTable } from '../../../registry/registry.ts'
import { canonicalAddress, familyOf } from './address-range.ts'
import { addressBook, claim, type ClaimBook, type ClaimContext, isOurs, type Owner, PORT_BOOK } from './claims.ts'
import type { ServiceMeasures } from './measures.ts'
import { changePortMap, type PortMap, readPortMap } from './port-map.ts'
import { nodePortsOf } from './reservation.ts'

const OLD_ENOUGH_MS = 5 * 60_000

interface ClaimParts {
  readonly registry: RegistryParts
  readonly resources: ResourceTable
  readonly now: string
  readonly signal: AbortSignal
}

export interface RepairParts extends ClaimParts {
  readonly measures: ServiceMeasures
}

export interface Repaired {
  readonly givenBack: readonly string[]
  readonly claimed: readonly string[]
}

/** What services have is claimed: what another server gave to them is not given to others. */
export async function claimWhatServicesHave(parts: ClaimParts): Promise<readonly string[]> {
  const claimed: string[] = []
  for (const sort of sortsOfClaims(parts)) claimed.push(...(await claimUsed(sort, await usedBy(sort, parts), parts)))
  return claimed
}

/** `leaks` counts the rounds in which a port stood in another server's map and no service had it; the next round is to know it. */
export async function repairServiceClaims(
  parts: RepairParts,
  leaks: Map<number, number> = new Map(),
): Promise<Repaired> {
  const all: Repaired[] = []
  for (const sort of sortsOfClaims(parts)) {
    const { repairs, errors } = measuresOf(sort, parts.measures)
    try {
      const repaired = await repairSort(sort, leaks, parts)
      repairs.of('leak').value += repaired.givenBack.length
      repairs.of('repair').value += repaired.claimed.length
      all.push(repaired)
    } catch (error) {
      errors.of().value++
      throw error
    }
  }
  return {
    givenBack: all.flatMap(({ givenBack }) => givenBack),
    claimed: all.flatMap(({ claimed }) => claimed),
  }
}

function measuresOf({ book }: SortOfClaims, measures: ServiceMeasures) {
  return book === PORT_BOOK
    ? { repairs: measures.portRepairs, errors: measures.portRepairErrors }
    : { repairs: measures.addressRepairs, errors: measures.addressRepairErrors }
}

async function repairSort(sort: SortOfClaims, leaks: Map<number, number>, parts: ClaimParts): Promise<Repaired> {
  const givenBack: string[] = []
  // Claims are read before services: one that is there and old has had its service stored long ago, or never will.
  const claims = await readAll(sort.book.resource, parts)
  const map = sort.book.isMapped === true ? await readPortMap(contextOf(parts)) : undefined
  const used = await usedBy(sort, parts)
  for (const stored of claims) {
    const isNeeded = used.has(stored.name) && map?.covers(Number(stored.name)) !== true
    if (isNeeded || !isForgotten(sort.book, stored.object(), parts.now)) continue
    if (await giveBack(sort.book, stored, contextOf(parts))) givenBack.push(stored.name)
  }
  givenBack.push(...(await clearLeaks(map, { used, leaks }, parts)))
  return { givenBack, claimed: await claimUsed(sort, used, parts) }
}

/** What is claimed in one book, and where services have it. */
interface SortOfClaims {
  readonly services: Resource
  readonly book: ClaimBook
  readonly namesOf: (spec: ValueMap) => readonly string[]
}

function sortsOfClaims({ resources }: ClaimParts): readonly SortOfClaims[] {
  const addresses = resources.find({ group: 'networking.k8s.io', version: 'v1', resource: 'ipaddresses' })
  const services = resources.find({ group: '', version: 'v1', resource: 'services' })
  if (addresses === undefined || services === undefined) return []
  return [
    { services, book: addressBook(addresses), namesOf: addressesOf },
    { services, book: PORT_BOOK, namesOf: (spec) => nodePortsOf(spec).map(({ name }) => name) },
  ]
}

function contextOf({ registry, now, signal }: ClaimParts): ClaimContext {
  return { store: registry.store, now, signal }
}

type Used = ReadonlyMap<string, Owner>

async function usedBy({ services, namesOf }: SortOfClaims, parts: ClaimParts): Promise<Used> {
  const used = new Map<string, Owner>()
  for (const service of await readAll(services.stored, parts)) {
    const owner = { namespace: service.namespace, name: service.name }
    for (const name of namesOf(specOf(service.object()))) used.set(name, owner)
  }
  return used
}

async function claimUsed({ book }: SortOfClaims, used: Used, parts: ClaimParts): Promise<readonly string[]> {
  const context = contextOf(parts)
  const claims = new Set((await readAll(book.resource, parts)).map(({ name }) => name))
  const map = book.isMapped === true ? await changePortMap((found) => found.with(numbers(used)), context) : undefined
  const claimed: string[] = []
  for (const [name, owner] of used) {
    if (map?.covers(Number(name)) === true) {
      if (!map.has(Number(name))) claimed.push(name)
    } else if (!claims.has(name) && (await claim(book, name, owner, context))) claimed.push(name)
  }
  return claimed
}

/** A service may be on its way that has claimed a port; what nobody has in so many rounds is nobody's. */
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

function numbers(used: Used): readonly number[] {
  return [...used.keys()].map(Number)
}

function addressesOf(spec: ValueMap): readonly string[] {
  // What is no address at all was stored by somebody whom nobody checked.
  return textsOnly(spec, 'clusterIPs')
    .filter((address) => familyOf(address) !== undefined)
    .map(canonicalAddress)
}

async function readAll(resource: ClaimBook['resource'], parts: ClaimParts): Promise<readonly StoredObject[]> {
  const request = { resource, at: { kind: 'latest' }, skipUnreadable: true } as const
  const page = await parts.registry.store.list(request, parts.signal)
  const items: StoredObject[] = []
  for await (const batch of page.batches) items.push(...batch)
  return items
}

function isForgotten(book: ClaimBook, record: ApiObject, now: string): boolean {
  if (book !== PORT_BOOK && !isOurs(record)) return false
  const since = Date.parse(metaText(record, 'creationTimestamp'))
  return Date.parse(now) - since > OLD_ENOUGH_MS
}

/** Only if it is still the very claim that was looked at. */
async function giveBack(book: ClaimBook, seen: StoredObject, context: ClaimContext): Promise<boolean> {
  const result = await context.store.write(
    { resource: book.resource, namespace: '', name: seen.name },
    (current) => (current?.revision === seen.revision ? { kind: 'remove' } : { kind: 'keep' }),
    context.signal,
  )
  return result.kind === 'removed'
}
