// Claims of services made true again: what nobody has is given back, what somebody has and nobody claimed is claimed. Only
// claims that are older than any request can be are given back: a younger one may belong to a service on its way.
import type { ApiObject } from '../api/object.ts'
import type { StoredObject } from '../api/read.ts'
import type { ValueMap } from '../api/value.ts'
import { metaText } from '../registry/object-meta.ts'
import { canonicalAddress } from './address-range.ts'
import { specOf } from './pod-conditions.ts'
import type { RegistryParts, ResourceTable } from '../registry/registry.ts'
import type { ClaimBook, ClaimContext, Owner } from './service-claims.ts'
import { addressBook, claim, isOurs, PORT_BOOK } from './service-claims.ts'
import { NO_ADDRESS, textsIn } from './service-fields.ts'
import { nodePortsOf } from './service-reservation.ts'

const OLD_ENOUGH_MS = 5 * 60_000

export interface RepairParts {
  readonly registry: RegistryParts
  readonly resources: ResourceTable
  readonly now: string
  readonly signal: AbortSignal
}

export interface Repaired {
  readonly givenBack: readonly string[]
  readonly claimed: readonly string[]
}

export async function repairServiceClaims({ registry, resources, now, signal }: RepairParts): Promise<Repaired> {
  const addresses = resources.find({ group: 'networking.k8s.io', version: 'v1', resource: 'ipaddresses' })
  const services = resources.find({ group: '', version: 'v1', resource: 'services' })
  if (addresses === undefined || services === undefined) return { givenBack: [], claimed: [] }
  const context = { store: registry.store, now, signal }
  const givenBack: string[] = []
  const claimed: string[] = []
  for (const { book, namesOf } of [
    { book: addressBook(addresses), namesOf: addressesOf },
    { book: PORT_BOOK, namesOf: (spec: ValueMap) => nodePortsOf(spec).map(({ name }) => name) },
  ]) {
    // Claims are read before services: one that is there and old has had its service stored long ago, or never will.
    const claims = new Map((await readAll(book.resource, context)).map((stored) => [stored.name, stored]))
    const used = new Map<string, Owner>()
    for (const service of await readAll(services.stored, context)) {
      const owner = { namespace: service.namespace, name: service.name }
      for (const name of namesOf(specOf(service.object()))) used.set(name, owner)
    }
    for (const [name, stored] of claims) {
      if (used.has(name) || !isForgotten(book, stored.object(), now)) continue
      if (await giveBack(book, stored, context)) givenBack.push(name)
    }
    for (const [name, owner] of used) {
      if (!claims.has(name) && (await claim(book, name, owner, context))) claimed.push(name)
    }
  }
  return { givenBack, claimed }
}

function addressesOf(spec: ValueMap): readonly string[] {
  return textsIn(spec, 'clusterIPs')
    .filter((address) => address !== NO_ADDRESS && address !== '')
    .map(canonicalAddress)
}

async function readAll(resource: ClaimBook['resource'], context: ClaimContext): Promise<readonly StoredObject[]> {
  const request = { resource, at: { kind: 'latest' }, skipUnreadable: true } as const
  const page = await context.store.list(request, context.signal)
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
