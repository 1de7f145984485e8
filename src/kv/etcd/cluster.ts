// Presents the members of a cluster as one server. It prefers a member that works, leaves a member that fails, and holds the auth token.
// Reads are retried until their deadline. Invariant: a call is sent only over an open connection, so a call that fails before it gets a
// connection has certainly done nothing.
import { setTimeout as delay } from 'node:timers/promises'
import { Backoff } from '../../lib/backoff.ts'
import { CancelledError, throwIfCancelled } from '../../lib/errors.ts'
import { Slots } from '../../lib/slots.ts'
import { type GrpcCall, STATUS_UNAVAILABLE } from '../../wire/grpc-call.ts'
import { AUTHENTICATE, type Header, RANGE, STATUS } from '../gen/rpc.ts'
import { KvError, type Revision } from '../kv.ts'
import type { Given, Rpc } from '../rpc.ts'
import type { Dial, EtcdTls } from './dialer.ts'
import { type CallHeaders, callHeaders, Endpoint, LATE_MS, RECONNECT, type Metadata } from './endpoint.ts'
import { failure, judge, RpcError, type Verdict } from './verdict.ts'

export interface ClusterOptions {
  readonly endpoints: readonly string[]
  /**
   * All keys begin with this prefix, which ends in `/`. The client touches no other keys, so permissions for the prefix are enough. But
   * newer versions of etcd let only `root` compact.
   */
  readonly prefix: string
  readonly tls?: EtcdTls
  /** Absent: the client uses sockets. */
  readonly dial?: Dial | undefined
  readonly user?: { readonly name: string; readonly password: string }
  /** Returns the additional headers of a call. Called for each call. */
  readonly metadata?: (() => Metadata) | undefined
}

/** The signal and the time limits of a caller: for one attempt, and for all attempts together, by `performance.now()`. */
export interface Call {
  readonly attemptMs: number
  readonly deadline: number
  readonly signal: AbortSignal
}

/** Called for every failed attempt, before the cluster reacts to the failure. If it throws, the call ends. */
export type OnFailure = (error: RpcError, verdict: Verdict) => void

/**
 * More concurrent calls do not make etcd faster, they only make each call slower. In the end all calls would time out, and would be looked
 * up and repeated.
 */
const CALLS_AT_A_TIME = 256

/** A preferred member has this time to connect. Then another connected member is used. */
const PREFERENCE_MS = 300
const CONNECT_SLICE_MS = 250

/** The timeout of logins and of calls for the status. */
const OWN_CALL_MS = 5_000

/** The interval at which a member with late calls is probed. */
const PROBE_MS = 200

/** A member without a leader for this many probes in a row is cut off from the others: an election takes less time. */
const PROBES_WITHOUT_LEADER = 10

/** The largest number of logins in a row, if etcd accepts the password but refuses the token that it has returned. */
const LOGINS_IN_A_ROW = 3

export class Cluster {
  readonly endpoints: readonly Endpoint[]
  /** The open watches and range streams. Each adds and removes itself. */
  readonly watches = new Set<{ stop(): void }>()
  readonly #user: ClusterOptions['user']
  readonly #metadata: ClusterOptions['metadata']
  /** The version of each member. Members are upgraded one by one, while this server runs. */
  readonly #versions = new Map<Endpoint, string>()
  readonly #slots = new Slots(CALLS_AT_A_TIME)
  #preferred = 0
  #headers: CallHeaders = callHeaders(undefined)
  #login: Promise<boolean> | undefined
  #closed = false
  #newestSeen: Revision = 0
  /** The newest raft term in any response to a call so far. */
  #term = 0
  readonly #probeKey: string
  readonly #probes = new Map<Endpoint, Promise<number | undefined>>()

  constructor(options: ClusterOptions) {
    if (options.endpoints.length === 0) throw new KvError('unavailable', 'no etcd endpoints configured')
    const isAlone = options.endpoints.length === 1
    this.endpoints = options.endpoints.map((url) => new Endpoint(url, options.tls, isAlone, options.dial))
    this.#probeKey = options.prefix
    this.#user = options.user
    this.#metadata = options.metadata
  }

  /** A new object after each login. */
  get headers(): CallHeaders {
    return this.#headers
  }

  /** The newest revision in any response so far. */
  get newestSeen(): Revision {
    return this.#newestSeen
  }

  noteRevision(revision: Revision): void {
    if (revision > this.#newestSeen) this.#newestSeen = revision
  }

  /** Whether all members with a known version report progress correctly. */
  get answersProgressRight(): boolean {
    return this.#versions.size > 0 && [...this.#versions.values()].every(answersProgressRight)
  }

  /** Asks a member for its version. If the member does not answer, its last known version stays. */
  async learnVersion(endpoint: Endpoint): Promise<void> {
    const options = { timeoutMs: OWN_CALL_MS, headers: this.#headers, signal: AbortSignal.timeout(OWN_CALL_MS) }
    await endpoint.unary(STATUS, {}, options).then(
      ({ version }) => this.#versions.set(endpoint, version),
      () => undefined,
    )
  }

  throwIfClosed(): void {
    if (this.#closed) throw new KvError('closed', 'the etcd client is closed')
  }

  /** From now on calls are refused. Open calls continue. */
  refuse(): void {
    this.#closed = true
  }

  close(): void {
    this.#closed = true
    for (const endpoint of this.endpoints) endpoint.close()
  }

  /**
   * Resolves with a connected member. Throws `unavailable` if no member is connected by `deadline`. Without `deadline` there is no limit.
   */
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
        throw new KvError('unavailable', `no etcd endpoint is reachable: ${names}`)
      }
      await this.#stateChange(Math.min(CONNECT_SLICE_MS, (deadline ?? Infinity) - now), signal)
      throwIfCancelled(signal)
      this.throwIfClosed()
    }
  }

  #stateChange(limitMs: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const settle = (): void => {
        signal.removeEventListener('abort', settle)
        resolve()
      }
      signal.addEventListener('abort', settle)
      for (const endpoint of this.endpoints) endpoint.onChange(limitMs, settle)
    })
  }

  distrust(endpoint: Endpoint): void {
    if (this.endpoints[this.#preferred] === endpoint) this.#preferred = (this.#preferred + 1) % this.endpoints.length
  }

  /**
   * Retries until there is an answer. Throws `KvError` if a retry is useless or the deadline has passed, and `CancelledError` when the
   * signal fires. For a call that must not be repeated, `onFailure` throws.
   */
  async call<Request, Response extends { readonly header: Header }>(
    rpc: Rpc<Request, Response>,
    request: Given<Request>,
    { attemptMs, deadline, signal }: Call,
    onFailure?: OnFailure,
  ): Promise<Response> {
    const backoff = new Backoff(RECONNECT)
    for (let logins = 0; ; ) {
      const endpoint = await this.connected(deadline, signal)
      await this.#slots.take(signal)
      const headers = this.#headers
      try {
        // The connection may be gone by now. A call must not begin after its deadline.
        const timeoutMs = Math.min(attemptMs, deadline - performance.now())
        if (!endpoint.isReady && timeoutMs > 0) continue
        if (timeoutMs <= 0) throw new KvError('unavailable', 'too many concurrent requests to etcd')
        const metadata = this.#metadata?.()
        const term = this.#term
        const onLate = (late: GrpcCall): void => void this.#attend(late, endpoint, term)
        const response = await endpoint.unary(rpc, request, { timeoutMs, headers, signal, metadata, onLate })
        this.noteRevision(response.header.revision)
        this.#term = Math.max(this.#term, response.header.raftTerm)
        return response
      } catch (error) {
        if (!(error instanceof RpcError)) throw error
        const verdict = judge(error)
        onFailure?.(error, verdict)
        const mayLogIn = verdict.kind === 'authenticate' && this.#user !== undefined && ++logins < LOGINS_IN_A_ROW
        if (performance.now() >= deadline || (verdict.kind !== 'again' && !mayLogIn)) throw failure(error, verdict)
        if (mayLogIn && (await this.login(headers))) continue
        this.distrust(endpoint)
      } finally {
        this.#slots.give()
      }
      await backoff.wait(signal)
    }
  }

  /**
   * Ends a late call that was sent in `term` and will get no answer. A member forgets the proposals that it sent to a lost leader, but
   * still waits for them. A linearizable read through the same member shows whether an answer can still come. If the read has a later term,
   * the member has applied all remaining proposals of earlier terms, and has answered the calls of those terms.
   */
  async #attend(late: GrpcCall, endpoint: Endpoint, term: number): Promise<void> {
    for (let leaderless = 0; leaderless < PROBES_WITHOUT_LEADER; ) {
      endpoint.check()
      const probed = await this.#probe(endpoint)
      await delay(PROBE_MS)
      if (late.hasEnded) return
      if (probed !== undefined && probed > term) break
      leaderless = probed === 0 ? leaderless + 1 : 0
    }
    late.cancel(STATUS_UNAVAILABLE, 'the leader of etcd has changed')
  }

  /**
   * The raft term of the member, by a read. 0: the member has no leader. Undefined: the read failed otherwise. Concurrent calls share a
   * probe.
   */
  #probe(endpoint: Endpoint): Promise<number | undefined> {
    const known = this.#probes.get(endpoint)
    if (known !== undefined) return known
    const options = { timeoutMs: LATE_MS, headers: this.#headers, signal: AbortSignal.timeout(OWN_CALL_MS) }
    const probing = endpoint
      .unary(RANGE, { key: this.#probeKey }, options)
      .then(
        ({ header }) => header.raftTerm,
        (error: Error) => (error.message === 'etcdserver: no leader' ? 0 : undefined),
      )
      .finally(() => this.#probes.delete(endpoint))
    this.#probes.set(endpoint, probing)
    return probing
  }

  /**
   * Gets a new token, unless the current headers are already newer than `stale`. Concurrent logins share one attempt. False: etcd could not
   * be reached. Throws `denied` if etcd refuses the credentials.
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
      // The login succeeds if etcd does not need the name and the password.
      if (error.message === 'etcdserver: authentication is not enabled') return true
      const verdict = judge(error)
      if (verdict.kind === 'again') return false
      throw failure(error, verdict)
    }
  }
}

/**
 * The first patches that answer progress requests correctly. Before, the reported progress could be ahead of events that were still to
 * come, so that a client lost these events. 3.6 never had this fault.
 */
const PROGRESS_SINCE: Readonly<Record<string, number>> = Object.freeze({ '3.4': 31, '3.5': 13 })

/** Whether this version answers progress requests correctly. False if the version cannot be parsed. */
export function answersProgressRight(version: string): boolean {
  const match = /^(\d+)\.(\d+)\.(\d+)(-.*)?$/.exec(version)
  if (match === null) return false
  const [major, minor, patch] = match.slice(1, 4).map(Number) as [number, number, number]
  if (major !== 3 || minor > 5) return major >= 3
  const since = PROGRESS_SINCE[`${major}.${minor}`]
  return since !== undefined && patch >= since
}
