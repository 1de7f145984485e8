// The state of a server that keeps everything in memory. It can be taken at any moment. Later the server can return to it, or
// another server can start from it.
import { setImmediate } from 'node:timers/promises'
import type { SigningKeys } from '../auth/signing-keys.ts'
import type { SharedContents } from '../cache/cache.ts'
import type { KeptFunction, KeptFunctions } from '../extensions/kept-functions.ts'
import type { MemoryKv, MemorySnapshot } from '../kv/embedded/memory.ts'
import type { DiscoveryGroup } from '../registry/discovery.ts'
import type { SchemaTable } from '../schema/table.ts'
import type { LateService } from './late-service.ts'
import type { SharedKinds } from './objects.ts'
import type { ServingFiles } from '../config/serving-files.ts'

/** The identity by which clients know a server. */
export interface Authority {
  readonly serving: ServingFiles
  readonly adminToken: string
  /** The keys of service accounts. */
  readonly keys: SigningKeys
}

/** Everything that another server needs to continue from a server's state. It never changes, and servers share its memory. */
export interface ServerState {
  readonly stored: MemorySnapshot
  readonly cached: SharedContents | undefined
  readonly authority: Authority
  readonly schema: SchemaTable
  /** The kinds were made with `schema`, at the revision of `stored` or an earlier one. */
  readonly kinds: SharedKinds | undefined
  readonly functions: readonly KeptFunction[]
  readonly advertisedAddress: string | undefined
  /** The served groups. */
  readonly groups: readonly DiscoveryGroup[]
}

export interface Past {
  /** The state now. The cost is linear in the number of types. */
  state(): ServerState
  /** Writes the differences to the state. Resolves when this server has handled all of these writes. */
  restore(state: ServerState): Promise<void>
}

export interface PastParts extends Authority {
  readonly schema: SchemaTable
  readonly memory?: MemoryKv
  readonly service: LateService
  readonly functions: KeptFunctions
  readonly advertisedAddress: string | undefined
  /** The state that this server itself was started from. */
  readonly from: ServerState | undefined
}

/** The number of changes that an informer handles in one turn of the event loop. A few turns pass before the first change. */
const TOLD_AT_ONCE = 500
const FIRST_TURNS = 8

/** Undefined if the storage is not in memory. */
export function pastOf(parts: PastParts): Past | undefined {
  const { memory, service, from, functions, schema, advertisedAddress, serving, adminToken, keys } = parts
  if (memory === undefined) return undefined
  return {
    state: () => ({
      stored: memory.snapshot(),
      // A state that was cached at an earlier revision is enough: the changes since are in the history.
      cached: service.current === undefined ? from?.cached : service.current.api.cache.share(),
      authority: { serving, adminToken, keys },
      schema,
      kinds: service.current?.api.sharedKinds() ?? from?.kinds,
      functions: functions.all(),
      advertisedAddress,
      groups: service.current?.api.groups() ?? from?.groups ?? [],
    }),
    async restore({ stored }) {
      const changes = memory.restore(stored)
      if (service.current === undefined || changes === 0) return
      await service.current.api.cache.caughtUp(new AbortController().signal)
      for (let turns = FIRST_TURNS + changes / TOLD_AT_ONCE; turns > 0; turns--) await setImmediate()
    },
  }
}
