// Watches the space of the storage. It warns before the space ends, and reports a remedy once when no space is left. If configured, it
// defragments members and disarms the alarm.
import { type Kv, KvError } from '../kv/kv.ts'
import type { Maintenance } from '../kv/maintenance.ts'
import type { Clock } from '../lib/clock.ts'
import type { Log } from '../lib/log.ts'
import { pause } from '../lib/pause.ts'
import { type DefragmentBounds, isFragmented, nextToDefragment, recoverSpace } from './space-recovery.ts'

export interface SpaceKeeperOptions {
  readonly kv: Pick<Kv, 'size' | 'checkHealth'>
  /** Undefined: the store has no members. */
  readonly maintenance: Maintenance | undefined
  /** Undefined: this server does not defragment. */
  readonly bounds: DefragmentBounds | undefined
  readonly clock: Clock
  readonly log: Log
}

const LOOK_EVERY_MS = 10_000
/** The wait after a failed or useless attempt. */
const TRY_AGAIN_MS = 60_000

/** The free share of the quota at which the warning begins, and at which it ends. */
export const LITTLE_SHARE = 0.2
const ENOUGH_SHARE = 0.25

const TO_DO_OF_ETCD =
  'compact etcd (etcdctl compact), defragment its members one by one (etcdctl defrag), then etcdctl alarm disarm; quarterdeck doctor --etcd-servers URL --fix does all three; with --etcd-defrag-free-percent the server does it'
const TO_DO_OF_DISK = 'make room on the disk of the data directory, or delete objects: deletes are still accepted'

type State = 'fine' | 'little' | 'full'

export class SpaceKeeper {
  readonly #options: SpaceKeeperOptions
  #state: State = 'fine'
  /** Set if a defragmentation has not made enough space. Cleared when there is space. */
  #hasDefragmentedInVain = false
  #waitUntil = Number.NEGATIVE_INFINITY
  /** The last reported obstacle to defragmenting. */
  #told: string | undefined

  constructor(options: SpaceKeeperOptions) {
    this.#options = options
  }

  /** Resolves when the signal has fired and all work is done. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock, log } = this.#options
    while (await pause(clock, LOOK_EVERY_MS, signal)) {
      try {
        await this.look(signal)
      } catch (error) {
        if (signal.aborted) return
        // The health checks report a storage that cannot be reached.
        log.debug({ err: error }, 'could not check the space of the storage')
      }
    }
  }

  async look(signal: AbortSignal): Promise<void> {
    await this.#judge(signal)
    const { maintenance, bounds, clock, log } = this.#options
    if (maintenance === undefined || bounds === undefined || clock.now() < this.#waitUntil) return
    try {
      if (this.#state === 'full') await this.#recover(maintenance, signal)
      else await this.#defragment(maintenance, bounds, signal)
    } catch (error) {
      if (signal.aborted) throw error
      this.#waitUntil = clock.now() + TRY_AGAIN_MS
      this.#tellOnce((error as Error).message, () => log.warn({ err: error }, 'could not defragment etcd'))
    }
  }

  async #judge(signal: AbortSignal): Promise<void> {
    const { kv, log, maintenance } = this.#options
    const before = this.#state
    const full = await fullness(kv, signal)
    const size = await kv.size(signal)
    const share = size?.limit === undefined ? 1 : size.limit.availableBytes / Math.max(1, size.limit.quotaBytes)
    const isLittle = share < (before === 'fine' ? LITTLE_SHARE : ENOUGH_SHARE)
    this.#state = full !== undefined ? 'full' : isLittle ? 'little' : 'fine'
    if (this.#state !== 'full') this.#hasDefragmentedInVain = false
    if (this.#state === before) return
    const fields = { bytes: size?.bytes, inUseBytes: size?.inUseBytes, ...size?.limit }
    if (this.#state === 'full') {
      const toDo = maintenance === undefined ? TO_DO_OF_DISK : TO_DO_OF_ETCD
      log.error({ ...fields, reason: full, toDo }, 'storage is out of space; writes are refused')
    } else if (this.#state === 'fine') {
      log.info(fields, 'storage has enough space again')
    } else if (before === 'fine') {
      const toDo = maintenance === undefined ? TO_DO_OF_DISK : 'delete objects, defragment etcd, or raise its quota'
      log.warn({ ...fields, toDo }, 'storage is almost full; writes will be refused when it is')
    } else {
      log.info(fields, 'storage takes writes again, and is almost full')
    }
  }

  async #recover(maintenance: Maintenance, signal: AbortSignal): Promise<void> {
    const { clock, log } = this.#options
    const recovery = await recoverSpace(maintenance, { isFirstTry: !this.#hasDefragmentedInVain }, signal)
    this.#hasDefragmentedInVain = recovery.kind === 'still-full'
    if (recovery.kind !== 'recovered') this.#waitUntil = clock.now() + TRY_AGAIN_MS
    switch (recovery.kind) {
      case 'recovered':
        this.#told = undefined
        log.info({ freedBytes: recovery.freedBytes }, 'etcd was compacted and defragmented, and its alarm disarmed')
        return this.#judge(signal)
      case 'still-full':
        return this.#tellOnce('still-full', () =>
          log.error({}, 'etcd is out of space after compaction and defragmentation; delete objects or raise its quota'),
        )
      case 'unwell':
        return this.#tellOnce(recovery.problem, () =>
          log.warn({ reason: recovery.problem }, 'etcd is not defragmented while a member is not well'),
        )
    }
  }

  async #defragment(maintenance: Maintenance, bounds: DefragmentBounds, signal: AbortSignal): Promise<void> {
    const { log, clock } = this.#options
    const next = nextToDefragment(await maintenance.members(signal), (member) => isFragmented(member, bounds))
    if (next.kind === 'none') {
      this.#told = undefined
      return
    }
    if (next.kind === 'unwell') {
      return this.#tellOnce(next.problem, () =>
        log.warn({ reason: next.problem }, 'etcd is not defragmented while a member is not well'),
      )
    }
    const { member } = next
    const began = clock.now()
    await maintenance.defragment(member, signal)
    const milliseconds = Math.round(clock.now() - began)
    this.#told = undefined
    const { bytes, inUseBytes } = member.size
    log.info({ member: member.url, bytes, inUseBytes, milliseconds }, 'defragmented a member of etcd')
  }

  /** Reports an obstacle once, until it changes or ends. */
  #tellOnce(problem: string, tell: () => void): void {
    if (problem !== this.#told) tell()
    this.#told = problem
  }
}

/** The reason why there is no space. Undefined: there is space. Throws every other fault of the storage. */
async function fullness(kv: Pick<Kv, 'checkHealth'>, signal: AbortSignal): Promise<string | undefined> {
  try {
    await kv.checkHealth(signal)
    return undefined
  } catch (error) {
    if (error instanceof KvError && error.code === 'full') return error.message
    throw error
  }
}
