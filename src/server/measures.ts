// Everything that the rooms count, made before them and shown by `/metrics`; and what is only looked up when somebody asks.
import { AdmissionMeasures } from '../admission/measures.ts'
import { AuthMeasures } from '../auth/measures.ts'
import type { TypeLoad, WatchCache } from '../cache/cache.ts'
import { CacheMeasures } from '../cache/measures.ts'
import { QueueMeasures } from '../controllers/queue-measures.ts'
import { WatchMeasures } from '../handlers/watch-measures.ts'
import { HttpMeasures } from '../http/measures.ts'
import { type Count, counterFamily, type Family, gaugeFamily } from '../lib/measure.ts'
import { OutgoingMeasures } from '../lib/outgoing-measures.ts'
import type { ResourceTable } from '../registry/registry.ts'
import { EncryptionMeasures } from '../store/encryption/encryption.ts'
import { StoreMeasures } from '../store/measures.ts'
import { typeName } from './gone-series.ts'

export class ServerMeasures {
  readonly admission = new AdmissionMeasures()
  readonly auth = new AuthMeasures()
  readonly cache = new CacheMeasures()
  readonly encryption = new EncryptionMeasures()
  readonly http = new HttpMeasures()
  readonly outgoing = new OutgoingMeasures()
  readonly queues = new QueueMeasures()
  readonly store = new StoreMeasures()
  readonly watch = new WatchMeasures()

  /** Series may be gone that were found before. */
  forgetFound(): void {
    this.cache.forgetFound()
    this.store.forgetFound()
  }

  all(): readonly Family[] {
    // Those of `http` are shown with the requests.
    const { admission, auth, cache, encryption, outgoing, queues, store, watch } = this
    const rooms = [admission, auth, cache, encryption, outgoing, queues, store, watch]
    return [...rooms.flatMap((room) => room.all()), ...elsewhere()]
  }
}

/** Names that dashboards ask for and that nothing here has a number for yet. */
function elsewhere(): readonly Family[] {
  const counter = (name: string, help: string, ...labels: readonly string[]): Family<Count> =>
    counterFamily({ name, help, labels })
  return [
    counter('apiserver_stream_translator_requests_total', 'Streams passed on in another protocol.', 'code'),
    counter('apiserver_stream_tunnel_requests_total', 'Streams passed on as they are.', 'code'),
  ]
}

export interface StockParts {
  readonly table: () => ResourceTable
  readonly cache: WatchCache
}

/** How much there is, type by type; the caller’s list of types is the bound of the labels. */
export function stockFamilies({ table, cache }: StockParts): readonly Family[] {
  const eachType = (family: Family<Count>, tell: (type: StockedType) => void): void => {
    family.clear()
    const seen = new Set<string>()
    for (const { stored } of table().all()) {
      if (seen.has(stored.storagePrefix)) continue
      seen.add(stored.storagePrefix)
      const load = cache.load(stored)
      if (load !== undefined) tell({ group: stored.group, resource: stored.resource, load })
    }
  }
  const of = (name: string, help: string, read: (load: TypeLoad, revision: number) => number): Family<Count> =>
    gaugeFamily({
      name,
      help,
      labels: ['group', 'resource'],
      refresh: (family) => {
        const { revision } = cache.status()
        eachType(family, ({ group, resource, load }) => {
          family.of(group, resource).value = read(load, revision)
        })
      },
    })
  return [
    gaugeFamily({
      name: 'apiserver_storage_objects',
      help: 'Objects stored.',
      labels: ['resource'],
      refresh: (family) =>
        eachType(family, ({ group, resource, load }) => {
          family.of(typeName(group, resource)).value = load.objects
        }),
    }),
    of('apiserver_resource_objects', 'Objects stored.', ({ objects }) => objects),
    of('apiserver_resource_size_estimate_bytes', 'Bytes stored.', ({ bytes }) => bytes),
    of('apiserver_watch_cache_resource_version', 'How far the cache has come.', (_load, revision) => revision),
    of('watch_cache_capacity', 'How many changes of a type are remembered at most.', () => cache.capacity),
  ]
}

interface StockedType {
  readonly group: string
  readonly resource: string
  readonly load: TypeLoad
}

/** What `/metrics/slis` tells of the health checks (P-246). */
export class HealthMeasures {
  readonly #now = gaugeFamily({
    name: 'kubernetes_healthcheck',
    help: '1 where the check last found all well, 0 where it did not.',
    labels: ['name', 'type'],
  })
  readonly #all = counterFamily({
    name: 'kubernetes_healthchecks_total',
    help: 'Checks, and what they found.',
    labels: ['name', 'type', 'status'],
  })

  all(): readonly Family[] {
    return [this.#now, this.#all]
  }

  note(type: string, name: string, isFine: boolean): void {
    this.#now.of(name, type).value = isFine ? 1 : 0
    this.#all.of(name, type, isFine ? 'success' : 'error').value++
  }
}
