// Makes and renews the identity lease of this server in kube-system, which is named after its host. Deletes expired leases of other servers
// (P-460). Replicas find each other by these leases.
import { createHash } from 'node:crypto'
import { isKind } from '../api/kind-guard.ts'
import { annotationsOf, metaText, withMeta } from '../api/object-members.ts'
import type { ApiObject } from '../api/object.ts'
import type { StoredObject } from '../api/read.ts'
import { parseLabelSelector } from '../api/selector-text.ts'
import { entriesOf, own } from '../api/value.ts'
import { systemRandom } from '../lib/random.ts'
import { pause } from '../lib/pause.ts'
import type { Resource, ResourceTable, WriteContext } from '../registry/registry.ts'
import { updateObject } from '../registry/update.ts'
import type { Store } from '../store/store.ts'
import type { Controller, ControllerParts } from './controllers.ts'
import { servedResource } from '../registry/served-resource.ts'
import { deleteOne, newObject, serverContext, succeeds } from './writes.ts'

const NAMESPACE = 'kube-system'
const LABEL = 'apiserver.kubernetes.io/identity'
const COMPONENT = 'kube-apiserver'
const DURATION_SECONDS = 3600
const RENEW_MS = 10_000
/** The pause before the next attempt while the namespace does not exist, or the address is not known. */
const INCOMPLETE_MS = 200
const COLLECT_MS = 3_600_000

/** The name is the same after a restart, and differs between hosts. */
export function identityOf(hostname: string): string {
  const hash = createHash('sha256')
  for (const text of [hostname, COMPONENT]) {
    const bytes = Buffer.from(text)
    const length = Buffer.alloc(2)
    length.writeUInt16BE(bytes.length % 0x10000)
    hash.update(length).update(bytes)
  }
  return `apiserver-${base32(hash.digest().subarray(0, 16))}`
}

const DIGITS = 'abcdefghijklmnopqrstuvwxyz234567'

function base32(bytes: Buffer): string {
  let bits = ''
  for (const byte of bytes) bits += byte.toString(2).padStart(8, '0')
  return bits.replaceAll(/.{1,5}/g, (five) => DIGITS[Number.parseInt(five.padEnd(5, '0'), 2)]!)
}

/** The longest beginning of the name that fits into a label. */
function labelOf(hostname: string): string {
  return hostname.slice(0, 63).replace(/[^A-Za-z0-9]+$/, '')
}

const LEASE = 'coordination.k8s.io_v1.Lease'
/** The annotation with the `host:port` at which other replicas can ask the server. */
const ADDRESS = 'quarterdeck/peer-address'

export interface OwnIdentity {
  readonly hostname: string
  /** `host:port`. Empty until the server listens. Undefined if other replicas cannot ask it. */
  readonly peerAddress: () => string | undefined
}

export interface ServerLease {
  readonly name: string
  /** Undefined: other replicas cannot ask the server. */
  readonly peerAddress: string | undefined
  /** In milliseconds since 1970. */
  readonly renewedAt: number
}

/** The servers that keep a lease on this store, this one included. */
export async function serverLeases(
  { registry, resources }: Pick<ControllerParts, 'registry' | 'resources'>,
  signal: AbortSignal,
): Promise<readonly ServerLease[]> {
  const leases: ServerLease[] = []
  for await (const stored of storedLeases(registry.store, leasesIn(resources()), signal)) {
    const object = stored.object()
    if (!isKind(object, LEASE)) continue
    const renewedAt = Date.parse(object.spec.renewTime ?? '')
    leases.push({ name: stored.name, peerAddress: own(annotationsOf(object), ADDRESS), renewedAt: renewedAt || 0 })
  }
  return leases
}

function leasesIn(resources: ResourceTable): Resource {
  return servedResource(resources, 'leases', 'coordination.k8s.io')
}

async function* storedLeases(store: Store, leases: Resource, signal: AbortSignal): AsyncGenerator<StoredObject> {
  const selection = { labels: parseLabelSelector(`${LABEL}=${COMPONENT}`) }
  const page = await store.list(
    {
      resource: leases.stored,
      namespace: NAMESPACE,
      at: { kind: 'latest' },
      selection,
      skipUnreadable: true,
    },
    signal,
  )
  for await (const batch of page.batches) yield* batch
}

export function serverIdentity(parts: ControllerParts, own: OwnIdentity): Controller {
  const { clock } = parts
  return {
    name: 'server-identity',
    async run(signal) {
      const lease = new IdentityLease(parts, own, signal)
      let collectAt = clock.now()
      let isWhole: boolean
      do {
        // The address is read first. If it becomes known during the write, the next write has it.
        isWhole = own.peerAddress() !== ''
        const isRenewed = await lease.renew()
        isWhole &&= isRenewed
        if (!isRenewed || clock.now() < collectAt) continue
        await lease.collect()
        collectAt = clock.now() + COLLECT_MS
      } while (await pause(clock, isWhole ? RENEW_MS : INCOMPLETE_MS, signal))
    },
  }
}

class IdentityLease {
  readonly #parts: ControllerParts
  readonly #leases: Resource
  readonly #labels: Readonly<Record<string, string>>
  readonly #name: string
  readonly #holder: string
  readonly #peerAddress: OwnIdentity['peerAddress']
  readonly #signal: AbortSignal

  constructor(parts: ControllerParts, { hostname, peerAddress }: OwnIdentity, signal: AbortSignal) {
    this.#parts = parts
    this.#leases = leasesIn(parts.resources())
    this.#peerAddress = peerAddress
    this.#labels = { [LABEL]: COMPONENT, 'kubernetes.io/hostname': labelOf(hostname) }
    this.#name = identityOf(hostname)
    this.#holder = `${this.#name}_${(parts.random ?? systemRandom).uuid()}`
    this.#signal = signal
  }

  #context(): WriteContext {
    return serverContext(this.#parts, NAMESPACE, this.#signal)
  }

  /** Resolves to false if the namespace does not exist yet. */
  async renew(): Promise<boolean> {
    const renewTime = new Date(this.#parts.clock.now()).toISOString().replace('Z', '000Z')
    const spec = { holderIdentity: this.#holder, leaseDurationSeconds: DURATION_SECONDS, renewTime }
    const fresh = newObject(this.#leases, { name: this.#name, namespace: NAMESPACE, labels: this.#labels }, { spec })
    const wanted = (live: ApiObject | undefined): ApiObject =>
      this.#withAddress(live === undefined ? fresh : { ...live, spec })
    const request = { name: this.#name, subresource: '', tracksFields: false, absent: 'put', uid: '', wanted } as const
    return succeeds(updateObject(this.#parts.registry, this.#leases, request, this.#context()), 'NotFound', 'Forbidden')
  }

  /** Deletes the leases that have expired. */
  async collect(): Promise<void> {
    const { store } = this.#parts.registry
    for await (const stored of storedLeases(store, this.#leases, this.#signal)) {
      if (this.#hasExpired(stored)) await this.#remove(stored)
    }
  }

  #withAddress(lease: ApiObject): ApiObject {
    const address = this.#peerAddress()
    const others = entriesOf(annotationsOf(lease)).filter(([key]) => key !== ADDRESS)
    const annotations = Object.fromEntries(
      address === undefined || address === '' ? others : [...others, [ADDRESS, address]],
    )
    return withMeta(lease, { annotations: Object.keys(annotations).length === 0 ? undefined : annotations })
  }

  #hasExpired(stored: StoredObject): boolean {
    const lease = stored.object()
    const { renewTime: renewed, leaseDurationSeconds: seconds } = isKind(lease, LEASE) ? lease.spec : {}
    if (renewed === undefined || seconds === undefined) return true
    return Date.parse(renewed) + seconds * 1000 < this.#parts.clock.now()
  }

  async #remove(stored: StoredObject): Promise<void> {
    const resourceVersion = metaText(stored.object(), 'resourceVersion')
    const deletion = deleteOne(this.#parts, this.#leases, { name: stored.name, resourceVersion }, this.#context())
    await succeeds(deletion, 'NotFound', 'Conflict')
  }
}
