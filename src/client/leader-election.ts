// Leader election over a Lease, as in client-go: one process leads at a time. Invariant: the leader stops before another may begin, as long
// as clocks run at the same speed. The time of day on other machines does not matter.
import { type Clock, programClock } from '../lib/clock.ts'
import { checkOptions, type OptionTypes } from '../lib/known-options.ts'
import { ConnectionError, hasReason } from './errors.ts'
import type { Lease, LeaseSpec } from './gen/k8s.ts'
import type { Stored } from './objects.ts'
import type { Resource } from './resource.ts'
import { Steps, within } from './waiting.ts'
import { isPassing } from './watch.ts'

/** The lease and the candidate. */
export interface LeaderElectionOptions {
  readonly namespace: string
  readonly name: string
  /** A unique name of this candidate, such as the name of its pod. */
  readonly identity: string
  /** The time that other candidates wait after the last renewal that they saw. Default: 15 seconds. */
  readonly leaseDurationMs?: number
  /** The time after which a leader that cannot renew gives up. Default: 10 seconds. Must be less than `leaseDurationMs`. */
  readonly renewDeadlineMs?: number
  /** The interval at which candidates try to take the lease, and at which the leader renews it. Default: 2 seconds. */
  readonly retryPeriodMs?: number
  /** Default: the client's. If a test moves it by a day, the leader renews its lease as often as in a day. */
  readonly clock?: Clock
  readonly signal?: AbortSignal
  /** Called when there is a new leader, even if it is this candidate. */
  readonly onNewLeader?: (identity: string) => void
}

const LEASE = { namespace: 'text', name: 'text', identity: 'text' } as const
const TIMES = { leaseDurationMs: 'interval?', renewDeadlineMs: 'interval?', retryPeriodMs: 'interval?' } as const
const REST = { clock: 'clock?', signal: 'signal?', onNewLeader: 'function?' } as const
const OPTIONS: OptionTypes<LeaderElectionOptions> = { ...LEASE, ...TIMES, ...REST }

/** The leader could not renew the lease in time, so another may lead. Most programs exit and start again as a candidate. */
export class LeadershipLostError extends Error {
  override readonly name = 'LeadershipLostError'
}

export class LeaderElection {
  readonly #leases: Resource<Lease>
  readonly #options: LeaderElectionOptions
  readonly #clock: Clock
  readonly #steps: Steps
  readonly #leaseDurationMs: number
  readonly #renewDeadlineMs: number
  readonly #retryPeriodMs: number
  /** The last version that was read. */
  #lease: Stored<Lease> | undefined
  /** The time when that version was first read. */
  #seenAt = 0
  /** The outcome of the last write is unknown. */
  #isInDoubt = false

  constructor(leases: Resource<Lease>, options: LeaderElectionOptions) {
    checkOptions('runAsLeader', options, OPTIONS)
    // A lease without a holder is free, so two candidates without an identity would lead at the same time.
    const { namespace, name, identity } = options
    checkOptions('runAsLeader', { namespace, name, identity }, LEASE)
    this.#leases = leases.inNamespace(options.namespace)
    this.#options = options
    this.#clock = options.clock ?? programClock
    this.#steps = new Steps(this.#clock)
    this.#leaseDurationMs = options.leaseDurationMs ?? 15_000
    this.#renewDeadlineMs = options.renewDeadlineMs ?? 10_000
    this.#retryPeriodMs = options.retryPeriodMs ?? 2000
    if (this.#renewDeadlineMs >= this.#leaseDurationMs) {
      throw new RangeError('renewDeadlineMs must be less than leaseDurationMs: a leader stops before another begins')
    }
  }

  /** See `Client.runAsLeader`. */
  async run<R>(lead: (signal: AbortSignal) => Promise<R>, signal: AbortSignal): Promise<R> {
    try {
      await this.#acquire(signal)
      return await this.#lead(lead, signal)
    } finally {
      this.#steps.end()
    }
  }

  async #acquire(signal: AbortSignal): Promise<void> {
    const { chance = Math.random } = this.#clock
    while (!(await this.#hold(signal, this.#renewDeadlineMs))) {
      // A random wait separates candidates that began together.
      await this.#steps.wait(this.#retryPeriodMs * (1 + chance() / 5), signal)
    }
  }

  async #lead<R>(lead: (signal: AbortSignal) => Promise<R>, signal: AbortSignal): Promise<R> {
    const over = new AbortController()
    const lost = new AbortController()
    const renewing = this.#renew(over.signal).catch((error: unknown) => {
      if (over.signal.aborted) return
      const isLost = error instanceof LeadershipLostError
      lost.abort(isLost ? error : new LeadershipLostError('the lease can no longer be renewed', { cause: error }))
      // The step ends here, so that a clock that a test moves does not wait for the end of `lead`.
      this.#steps.end()
    })
    try {
      const result = await lead(AbortSignal.any([signal, lost.signal]))
      lost.signal.throwIfAborted()
      return result
    } catch (error) {
      throw lost.signal.aborted ? lost.signal.reason : error
    } finally {
      over.abort()
      await renewing
      if (!lost.signal.aborted) await this.#release()
    }
  }

  /** Renews until the signal fires. Throws if the lease is lost. */
  async #renew(signal: AbortSignal): Promise<void> {
    for (let renewedAt = this.#clock.now(); ; ) {
      const deadline = renewedAt + this.#renewDeadlineMs
      const leftMs = deadline - this.#clock.now()
      if (leftMs <= 0) throw new LeadershipLostError(`the lease was not renewed within ${this.#renewDeadlineMs} ms`)
      await this.#steps.wait(Math.min(this.#retryPeriodMs, leftMs), signal)
      const startedAt = this.#clock.now()
      if (await this.#hold(signal, Math.max(1, deadline - startedAt))) renewedAt = startedAt
      else if (!this.#isMine()) throw new LeadershipLostError(`${this.#lease?.spec?.holderIdentity} holds the lease`)
    }
  }

  /** Takes or renews the lease if it is free or already held by this candidate. Returns whether it did so. Throws permanent errors only. */
  async #hold(signal: AbortSignal, timeoutMs: number): Promise<boolean> {
    const { name } = this.#options
    const late = (): Error => new ConnectionError('sent', `lease ${name}: no answer within ${timeoutMs} ms`)
    try {
      return await within({ clock: this.#clock, timeoutMs, signal, late }, (ends) => this.#take(ends))
    } catch (error) {
      signal.throwIfAborted()
      if (!isPassing(error)) throw error
      return false
    }
  }

  async #take(signal: AbortSignal): Promise<boolean> {
    const { name } = this.#options
    // The leader knows what it wrote. Other candidates read the lease.
    const looks = !this.#isMine() || this.#isInDoubt
    this.#isInDoubt = true
    try {
      if (looks) this.#saw(await this.#leases.get(name, { signal }))
      if (!this.#isFree()) return false
      this.#saw(await this.#leases.update({ ...this.#lease!, spec: this.#spec() }, { signal }))
      this.#isInDoubt = false
      return true
    } catch (error) {
      if (hasReason(error, 'NotFound')) return this.#create(signal)
      if (!hasReason(error, 'Conflict')) throw error
      return false
    }
  }

  async #create(signal: AbortSignal): Promise<boolean> {
    this.#lease = undefined
    const { name, namespace } = this.#options
    try {
      this.#saw(await this.#leases.create({ metadata: { name, namespace }, spec: this.#spec() }, { signal }))
      this.#isInDoubt = false
      return true
    } catch (error) {
      if (hasReason(error, 'AlreadyExists')) return false
      throw error
    }
  }

  #saw(lease: Stored<Lease>): void {
    if (lease.metadata.resourceVersion === this.#lease?.metadata.resourceVersion) return
    const [before, now] = [this.#lease?.spec?.holderIdentity ?? '', lease.spec?.holderIdentity ?? '']
    this.#lease = lease
    this.#seenAt = this.#clock.now()
    if (now !== '' && now !== before) this.#options.onNewLeader?.(now)
  }

  #isMine(): boolean {
    return this.#lease?.spec?.holderIdentity === this.#options.identity
  }

  #isFree(): boolean {
    const { holderIdentity = '', leaseDurationSeconds = 0 } = this.#lease?.spec ?? {}
    return holderIdentity === '' || this.#isMine() || this.#clock.now() > this.#seenAt + leaseDurationSeconds * 1000
  }

  #spec(): LeaseSpec {
    const now = new Date(this.#clock.timeOfDay()).toISOString().replace('Z', '000Z')
    const { acquireTime = now, leaseTransitions = 0 } = this.#lease?.spec ?? {}
    const isNew = this.#lease !== undefined && !this.#isMine()
    return {
      holderIdentity: this.#options.identity,
      leaseDurationSeconds: Math.ceil(this.#leaseDurationMs / 1000),
      acquireTime: isNew ? now : acquireTime,
      renewTime: now,
      leaseTransitions: isNew ? leaseTransitions + 1 : leaseTransitions,
    }
  }

  /** Frees the lease, so that the next leader need not wait. If this fails, candidates wait as after a crash. */
  async #release(): Promise<void> {
    const options = { timeoutMs: this.#renewDeadlineMs }
    try {
      if (this.#isInDoubt) this.#saw(await this.#leases.get(this.#options.name, options))
      if (!this.#isMine()) return
      const spec = { ...this.#spec(), holderIdentity: '', leaseDurationSeconds: 1 }
      await this.#leases.update({ ...this.#lease!, spec }, options)
    } catch {
      // The lease expires.
    }
  }
}
