// The members of a cluster as one: keeps to a member that works, moves on from one that does not, carries the token. Reads are
// tried again until their time is up. Invariant: a call is sent only over a connection that stands, so that what fails before
// that is known to have done nothing.
import { Backoff } from '../../lib/backoff.ts'
import { CancelledError, throwIfCancelled } from '../../lib/errors.ts'
import { KvError } from '../kv.ts'
import { type CallHeaders, callHeaders, Endpoint, type EtcdTls } from './endpoint.ts'
import { AUTHENTICATE, type Method, STATUS } from './messages.ts'
import { failure, judge, RpcError, type Verdict } from './verdict.ts'
import { answersProgressRight } from './version.ts'

export interface ClusterOptions {
  readonly endpoints: readonly string[]
  readonly tls?: EtcdTls
  readonly user?: { readonly name: string; readonly password: string }
}

/** How long a call may take: one try of it, and all tries together. */
export interface Patience {
  readonly attemptMs: number
  readonly totalMs: number
}

export const RECONNECT = Object.freeze({ firstMs: 100, longestMs: 2_000 })

/** A member that we would rather use gets this long to connect before we take one that is there already. */
const PREFERENCE_MS = 300
const CONNECT_SLICE_MS = 250
/** For the small calls that we make for ourselves. */
const OWN_CALL_MS = 5_000

/** Tried at most this often in a row with a new token each: etcd takes our password, but not what it gave us for it. */
const LOGINS_IN_A_ROW = 3

export class Cluster {
  readonly endpoints: readonly Endpoint[]
  /** Those that are being followed now; each keeps itself in here. */
  readonly watches = new Set<{ stop(): void }>()
  readonly #user: ClusterOptions['user']
  /** Members are upgraded one after the other, and while we run. */
  readonly #versions = new Map<Endpoint, string>()
  #preferred = 0
  #headers: CallHeaders = callHeaders(undefined)
  #login: Promise<boolean> | undefined
  #closed = false

  constructor(options: ClusterOptions) {
    if (options.endpoints.length === 0) throw new KvError('unavailable', 'no etcd endpoint was given')
    this.endpoints = options.endpoints.map((url) => new Endpoint(url, options.tls))
    this.#user = options.user
  }

  /** The headers to send now: they change when we log in. */
  get headers(): CallHeaders {
    return this.#headers
  }

  /** Whether all members that we know of can be trusted with it. */
  get answersProgressRight(): boolean {
    return this.#versions.size > 0 && [...this.#versions.values()].every(answersProgressRight)
  }

  /** Where a member will not tell, it keeps the version that it had. */
  async learnVersion(endpoint: Endpoint): Promise<void> {
    const options = { timeoutMs: OWN_CALL_MS, headers: this.#headers, signal: AbortSignal.timeout(OWN_CALL_MS) }
    await endpoint.unary(STATUS, {}, options).then(
      ({ version }) => this.#versions.set(endpoint, version),
      () => undefined,
    )
  }

  throwIfClosed(): void {
    if (this.#closed) throw new KvError('closed', 'the etcd engine was closed')
  }

  /** Calls under way go on; nothing new begins. */
  refuse(): void {
    this.#closed = true
  }

  close(): void {
    this.#closed = true
    for (const endpoint of this.endpoints) endpoint.close()
  }

  /** A member with a connection that stands. Throws `unavailable` where there is none by `deadline` (absent: waits on). */
  async connected(deadline: number | undefined, signal: AbortSignal): Promise<Endpoint> {
    this.throwIfClosed()
    throwIfCancelled(signal)
    const preferred = this.endpoints[this.#preferred]!
    return preferred.isReady ? preferred : this.#anyConnected(deadline, signal)
  }

  async #anyConnected(deadline: number | undefined, signal: AbortSignal): Promise<Endpoint> {
    const began = performance.now()
    for (;;) {
      const inOrder = this.endpoints.map((_, i) => this.endpoints[(this.#preferred + i) % this.endpoints.length]!)
      const states = inOrder.map((endpoint) => endpoint.connect())
      const ready = states.indexOf('ready')
      const now = performance.now()
      if (ready === 0 || (ready > 0 && (states[0] === 'failing' || now - began > PREFERENCE_MS))) {
        const endpoint = inOrder[ready]!
        this.#preferred = this.endpoints.indexOf(endpoint)
        return endpoint
      }
      if (deadline !== undefined && now >= deadline) {
        const names = this.endpoints.map(({ url }) => url).join(', ')
        throw new KvError('unavailable', `no etcd can be reached at ${names}`)
      }
      await this.#stateChange(Math.min(CONNECT_SLICE_MS, deadline === undefined ? Infinity : deadline - now))
      throwIfCancelled(signal)
      this.throwIfClosed()
    }
  }

  #stateChange(limitMs: number): Promise<void> {
    return new Promise((resolve) => {
      for (const endpoint of this.endpoints) endpoint.onChange(limitMs, resolve)
    })
  }

  /** The next call goes to another member, where there is one. */
  distrust(endpoint: Endpoint): void {
    if (this.endpoints[this.#preferred] === endpoint) this.#preferred = (this.#preferred + 1) % this.endpoints.length
  }

  /**
   * Tries until there is an answer. Throws `KvError` where there is no use in trying or the time is up, and `CancelledError`
   * when the signal fires. Who may not send the same thing twice ends it in `onFailure`.
   */
  async call<Request, Response>(method: Method<Request, Response>, request: Request, how: Call): Promise<Response> {
    const { patience, signal } = how
    const deadline = performance.now() + patience.totalMs
    const backoff = new Backoff(RECONNECT)
    for (let logins = 0; ; ) {
      const endpoint = await this.connected(deadline, signal)
      const timeoutMs = Math.max(1, Math.min(patience.attemptMs, deadline - performance.now()))
      const headers = this.#headers
      try {
        return await endpoint.unary(method, request, { timeoutMs, headers, signal })
      } catch (error) {
        if (!(error instanceof RpcError)) throw error
        const verdict = judge(error)
        how.onFailure?.(error, verdict)
        const inTime = performance.now() < deadline
        if (verdict.kind === 'authenticate' && inTime && this.#user !== undefined && ++logins < LOGINS_IN_A_ROW) {
          if (!(await this.login(headers))) await backoff.wait(signal)
        } else if (verdict.kind === 'again' && inTime) {
          this.distrust(endpoint)
          await backoff.wait(signal)
        } else {
          throw failure(error, verdict)
        }
      }
    }
  }

  /**
   * Gets a new token, unless somebody got one since `stale` was in use; all who wait share one attempt. False: etcd could not
   * be asked. Throws `denied` where it does not know us.
   */
  async login(stale: CallHeaders): Promise<boolean> {
    if (this.#user === undefined || this.#headers !== stale) return true
    this.#login ??= this.#authenticate(this.#user).finally(() => {
      this.#login = undefined
    })
    return this.#login
  }

  async #authenticate(user: { readonly name: string; readonly password: string }): Promise<boolean> {
    try {
      const signal = AbortSignal.timeout(OWN_CALL_MS)
      const endpoint = await this.connected(performance.now() + OWN_CALL_MS, signal)
      const options = { timeoutMs: OWN_CALL_MS, headers: callHeaders(undefined), signal }
      const { token } = await endpoint.unary(AUTHENTICATE, user, options)
      this.#headers = callHeaders(token)
      return true
    } catch (error) {
      if (error instanceof CancelledError) return false
      if (!(error instanceof RpcError)) throw error
      // A name and a password that nobody asks for are no fault.
      if (error.message === 'etcdserver: authentication is not enabled') return true
      const verdict = judge(error)
      if (verdict.kind === 'again') return false
      throw failure(error, verdict)
    }
  }
}

export interface Call {
  readonly patience: Patience
  readonly signal: AbortSignal
  /** Told of every failed attempt before anything is done about it. May throw, which ends the call. */
  readonly onFailure?: (error: RpcError, verdict: Verdict) => void
}
