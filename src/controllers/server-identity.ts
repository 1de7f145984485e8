// The identity lease of this server in kube-system, named after its host and renewed; expired leases of other servers are
// deleted (P-460).
import { createHash } from 'node:crypto'
import { mapOrEmpty, numberOrAbsent, textOrAbsent } from '../api/members.ts'
import { metaText } from '../api/object-members.ts'
import type { ApiObject } from '../api/object.ts'
import type { StoredObject } from '../api/read.ts'
import { parseLabelSelector } from '../api/selector-text.ts'
import { systemRandom } from '../lib/random.ts'
import { pause } from '../lib/pause.ts'
import type { Resource, WriteContext } from '../registry/registry.ts'
import { updateObject } from '../registry/update.ts'
import type { Controller, ControllerParts } from './controllers.ts'
import { servedResource } from '../registry/served-resource.ts'
import { deleteOne, newObject, serverContext, succeeds } from './writes.ts'

const NAMESPACE = 'kube-system'
const LABEL = 'apiserver.kubernetes.io/identity'
const COMPONENT = 'kube-apiserver'
const DURATION_SECONDS = 3600
const RENEW_MS = 10_000
/** The namespace is created by another controller. */
const WAIT_FOR_NAMESPACE_MS = 200
const COLLECT_MS = 3_600_000

/** The same after a restart, another one on every host. */
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

/** As much of the name as a label can hold. */
function labelOf(hostname: string): string {
  return hostname.slice(0, 63).replace(/[^A-Za-z0-9]+$/, '')
}

export function serverIdentity(parts: ControllerParts, hostname: string): Controller {
  const { clock } = parts
  return {
    name: 'server-identity',
    async run(signal) {
      const lease = new IdentityLease(parts, hostname, signal)
      let collectAt = clock.now()
      let isRenewed: boolean
      do {
        isRenewed = await lease.renew()
        if (!isRenewed || clock.now() < collectAt) continue
        await lease.collect()
        collectAt = clock.now() + COLLECT_MS
      } while (await pause(clock, isRenewed ? RENEW_MS : WAIT_FOR_NAMESPACE_MS, signal))
    },
  }
}

class IdentityLease {
  readonly #parts: ControllerParts
  readonly #leases: Resource
  readonly #labels: Readonly<Record<string, string>>
  readonly #name: string
  readonly #holder: string
  readonly #signal: AbortSignal

  constructor(parts: ControllerParts, hostname: string, signal: AbortSignal) {
    this.#parts = parts
    this.#leases = servedResource(parts.resources(), 'leases', 'coordination.k8s.io')
    this.#labels = { [LABEL]: COMPONENT, 'kubernetes.io/hostname': labelOf(hostname) }
    this.#name = identityOf(hostname)
    this.#holder = `${this.#name}_${(parts.random ?? systemRandom).uuid()}`
    this.#signal = signal
  }

  #context(): WriteContext {
    return serverContext(this.#parts, NAMESPACE, this.#signal)
  }

  /** False: the namespace does not exist yet. */
  async renew(): Promise<boolean> {
    const renewTime = new Date(this.#parts.clock.now()).toISOString().replace('Z', '000Z')
    const spec = { holderIdentity: this.#holder, leaseDurationSeconds: DURATION_SECONDS, renewTime }
    const fresh = newObject(this.#leases, { name: this.#name, namespace: NAMESPACE, labels: this.#labels }, { spec })
    const wanted = (live: ApiObject | undefined): ApiObject => (live === undefined ? fresh : { ...live, spec })
    const request = { name: this.#name, subresource: '', tracksFields: false, absent: 'put', uid: '', wanted } as const
    return succeeds(updateObject(this.#parts.registry, this.#leases, request, this.#context()), 'NotFound', 'Forbidden')
  }

  /** Deletes the leases that have expired. */
  async collect(): Promise<void> {
    const page = await this.#parts.registry.store.list(
      {
        resource: this.#leases.stored,
        namespace: NAMESPACE,
        at: { kind: 'latest' },
        selection: { labels: parseLabelSelector(`${LABEL}=${COMPONENT}`) },
        skipUnreadable: true,
      },
      this.#signal,
    )
    for await (const batch of page.batches) {
      for (const stored of batch) if (this.#hasExpired(stored)) await this.#remove(stored)
    }
  }

  #hasExpired(stored: StoredObject): boolean {
    const spec = mapOrEmpty(stored.object(), 'spec')
    const [renewed, seconds] = [textOrAbsent(spec, 'renewTime'), numberOrAbsent(spec, 'leaseDurationSeconds')]
    if (renewed === undefined || seconds === undefined) return true
    return Date.parse(renewed) + seconds * 1000 < this.#parts.clock.now()
  }

  async #remove(stored: StoredObject): Promise<void> {
    const resourceVersion = metaText(stored.object(), 'resourceVersion')
    const deletion = deleteOne(this.#parts, this.#leases, { name: stored.name, resourceVersion }, this.#context())
    await succeeds(deletion, 'NotFound', 'Conflict')
  }
}
