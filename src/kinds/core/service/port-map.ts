// The bitmap of node ports that kube-apiserver keeps. If it exists, ports are allocated in it, so that kube-apiserver and this server can
// run at the same time. This server never creates the bitmap.
import type { RangeAllocation } from '../../../api/gen/kinds.ts'
import { isKind } from '../../../api/kind-guard.ts'
import type { RegistryParts, Resource } from '../../../registry/registry.ts'

type Store = RegistryParts['store']
type ObjectKey = Parameters<Store['write']>[0]
type StoredItem = Awaited<ReturnType<Store['get']>>['item']

interface MapContext {
  readonly store: Store
  readonly signal: AbortSignal
}

export const PORT_RANGES = Object.freeze({
  group: '',
  resource: 'rangeallocations',
  storagePrefix: 'ranges',
  namespaced: false,
  selectableFields: [],
} satisfies Resource['stored'])

const KEY: ObjectKey = { resource: PORT_RANGES, namespace: '', name: 'servicenodeports' }

/** Undefined: there is no map, or it cannot be read. */
export async function readPortMap({ store, signal }: MapContext): Promise<PortMap | undefined> {
  return portMapIn((await store.get(KEY, { kind: 'latest' }, signal)).item)
}

/**
 * Changes the stored map. `change` is called again after a conflict, and returns the same map if nothing changes. Resolves to the map
 * before the change. Undefined: there is no map.
 */
export async function changePortMap(
  change: (map: PortMap) => PortMap,
  { store, signal }: MapContext,
): Promise<PortMap | undefined> {
  let found: PortMap | undefined
  // Most clusters have no map, and the cache knows that.
  if ((await store.get(KEY, { kind: 'any' }, signal)).item === undefined) return undefined
  await store.write(
    KEY,
    (current) => {
      found = portMapIn(current)
      const changed = found === undefined ? undefined : change(found)
      return changed === undefined || changed === found ? { kind: 'keep' } : { kind: 'put', object: changed.object }
    },
    signal,
  )
  return found
}

function portMapIn(item: StoredItem): PortMap | undefined {
  const object = item?.kind === 'object' ? item.object() : undefined
  if (!isKind(object, 'core_v1.RangeAllocation')) return undefined
  const range = /^(\d+)-(\d+)$/.exec(object.range)
  if (range === null) return undefined
  const bits = Buffer.from(object.data ?? '', 'base64')
  return new PortMap(object, { first: Number(range[1]), last: Number(range[2]) }, bits)
}

/** A state of the map. It never changes. */
export class PortMap {
  readonly #object: RangeAllocation
  readonly #range: { readonly first: number; readonly last: number }
  /** A big-endian number without leading zero bytes. */
  readonly #bits: Buffer

  constructor(object: RangeAllocation, range: { readonly first: number; readonly last: number }, bits: Buffer) {
    this.#object = object
    this.#range = range
    this.#bits = bits
  }

  get object(): RangeAllocation {
    return { ...this.#object, data: this.#bits.toString('base64') }
  }

  /** Whether the port is in the range of the map. */
  covers(port: number): boolean {
    return port >= this.#range.first && port <= this.#range.last
  }

  has(port: number): boolean {
    const bit = port - this.#range.first
    const byte = this.#bits[this.#bits.length - 1 - (bit >> 3)] ?? 0
    return this.covers(port) && ((byte >> (bit & 7)) & 1) === 1
  }

  get ports(): readonly number[] {
    const { first, last } = this.#range
    return Array.from({ length: last - first + 1 }, (_, i) => first + i).filter((port) => this.has(port))
  }

  /** Returns the same map if nothing changes. */
  with(ports: Iterable<number>): PortMap {
    return this.#changed([...ports].filter((port) => this.covers(port) && !this.has(port)))
  }

  without(ports: Iterable<number>): PortMap {
    return this.#changed([...ports].filter((port) => this.has(port)))
  }

  #changed(ports: readonly number[]): PortMap {
    if (ports.length === 0) return this
    const { first, last } = this.#range
    const bits = Buffer.alloc(((last - first) >> 3) + 1)
    this.#bits.copy(bits, bits.length - this.#bits.length)
    for (const port of ports) {
      const bit = port - first
      const at = bits.length - 1 - (bit >> 3)
      bits[at] = (bits[at] ?? 0) ^ (1 << (bit & 7))
    }
    const start = bits.findIndex((byte) => byte !== 0)
    return new PortMap(this.#object, this.#range, start < 0 ? Buffer.alloc(0) : bits.subarray(start))
  }
}
