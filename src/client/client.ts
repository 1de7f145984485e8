// The door of `quarterdeck/client`: a typed client of any Kubernetes API, with informers and leader election. It imports no server code.
import { type Clock, programClock } from '../lib/clock.ts'
import { checkOptions, checkValue, type OptionTypes } from '../lib/known-options.ts'
import { Discovery } from './discovery.ts'
import { Endpoint, pathPart } from './endpoint.ts'
import * as k8s from './gen/k8s.ts'
import type { Kind } from './kind.ts'
import {
  type ConnectionOptions,
  defaultConnection,
  type Impersonation,
  type Kubeconfig,
  readKubeconfig,
} from './kubeconfig.ts'
import { LeaderElection, type LeaderElectionOptions } from './leader-election.ts'
import type { WriteOptions } from './endpoint.ts'
import type { KubernetesObject } from './objects.ts'
import { type ApiAnswer, type ApiRequest, checkRequest, type RequestLimits, Requests } from './requests.ts'
import { Resource } from './resource.ts'
import { sendTransaction, type TransactionAnswer, type TransactionOperation } from './transaction.ts'
import { NEVER } from './waiting.ts'

export { type Clock, programClock as systemClock }
export type { ExecConfig } from './credentials.ts'
export type { ApplyOptions, CallOptions, PatchOptions, PatchType, WriteOptions } from './endpoint.ts'
export { ApiStatusError, ConnectionError, type ConnectionPhase, hasReason, WatchExpiredError } from './errors.ts'
export {
  type ControllerClient,
  type ControllerOptions,
  type Deletion,
  type Followed,
  type ObjectName,
  type Reconciliation,
  type ReconcileResult,
  runController,
  type Watched,
} from './controller.ts'
export type { EventHandler } from './handler-queue.ts'
export { Informer, type InformerOptions, type Registration } from './informer.ts'
export type { Kind } from './kind.ts'
export type { ConnectionOptions, Kubeconfig } from './kubeconfig.ts'
export { type LeaderElectionOptions, LeadershipLostError } from './leader-election.ts'
export type { Indexers } from './object-store.ts'
export type { CustomObject, KubernetesObject, List, Stored } from './objects.ts'
export type { ConditionPatch, Finalizer, ObjectWrites, StatusPatch } from './reconciled-object.ts'
export { setCondition, type StatusCondition } from './status-condition.ts'
export type { Condition, Fields, Grouping, QueryRow, Selected } from './query.ts'
export type { ApiAnswer, ApiRequest, RequestLimits } from './requests.ts'
export {
  type DeleteOptions,
  type ListOptions,
  Resource,
  type Selection,
  Subresource,
  type WatchOptions,
} from './resource.ts'
export type {
  TransactionAnswer,
  TransactionObject,
  TransactionOperation,
  TransactionResult,
  TransactionTarget,
  TransactionVerb,
} from './transaction.ts'
export type { AnswerBody, ClientCertificate, IncomingAnswer, OutgoingRequest, Transport } from './transport.ts'
export type { Bookmark, WatchEvent } from './watch.ts'
export { TerminalError } from './work-queue.ts'
/** The built-in kinds. Each is a value and the type of its objects (`k8s.Pod`). The types of fields are there too (`k8s.Container`). */
export { k8s }

/** A kubeconfig and one of its contexts. */
export interface KubeconfigOptions {
  /** The path of a kubeconfig, its text (YAML or JSON), or the parsed kubeconfig. */
  readonly kubeconfig: string | Kubeconfig
  /** Absent: the current context. */
  readonly context?: string
  /** The user to impersonate; the server checks the right to do so. Absent: the user in the kubeconfig's `as`, if any. */
  readonly impersonate?: Impersonation
}

/** A URL with credentials, or a kubeconfig. Default: the files of KUBECONFIG, else the service account of a pod, else `~/.kube/config`. */
export type ClientOptions = RequestLimits &
  ClockOptions &
  (ConnectionOptions | KubeconfigOptions | Omit<KubeconfigOptions, 'kubeconfig'>)

interface ClockOptions {
  /**
   * The clock of informers, watches and leader election. With the clock of a test's server (`server.clock`), a test moves their time too.
   * Retries wait by this clock or by the system's, whichever is first. Timeouts of requests go by the system's. Default: the system's.
   */
  readonly clock?: Clock
}

const SERVER = { ca: 'text?', serverName: 'text?', insecureSkipTlsVerify: 'boolean?', transport: 'transport?' } as const
const CERTIFICATE = { clientCertificate: 'text?', clientKey: 'text?' } as const
const CREDENTIALS = { token: 'text?', tokenFile: 'text?', ...CERTIFICATE, exec: 'object?' } as const
const LIMITS = { timeoutMs: 'duration?', retries: 'count?', pingIntervalMs: 'interval?', userAgent: 'text?' } as const
/** If one of these options is undefined, the client might reach another server or act as another user. */
const WHERE = { url: 'text', kubeconfig: 'text|object', context: 'text', impersonate: 'object' } as const
const OPTIONS: OptionTypes<ClientOptions> = { ...WHERE, ...SERVER, ...CREDENTIALS, ...LIMITS, clock: 'clock?' }

/**
 * A client of one server. It uses one connection if the server speaks HTTP/2. It connects with the first request, and again after a
 * connection breaks. An idle connection keeps no process alive.
 */
export class Client implements Disposable {
  readonly #requests: Requests
  readonly #discovery: Discovery

  /** Throws for a kubeconfig that cannot be read or is incomplete, and for unknown options. */
  constructor(options: ClientOptions = {}) {
    checkOptions('new Client', options, OPTIONS)
    this.#requests = new Requests(connectionOf(options), options, options.clock)
    this.#discovery = new Discovery(this.#requests)
  }

  /** The clock of informers, watches, leader election and controllers. */
  get clock(): Clock {
    return this.#requests.clock
  }

  /** The objects of a kind in all namespaces: `client.resource(k8s.Pod)` or `client.resource<Widget>({ group, version, plural })`. */
  resource<T extends KubernetesObject, Sent extends KubernetesObject = T>(kind: Kind<T, Sent>): Resource<T, Sent> {
    const { group, version, plural, kind: name } = kind ?? {}
    if (plural === undefined && name === undefined)
      throw new TypeError('client.resource: give the plural of the resource, or its kind')
    const named = plural === undefined ? { kind: name } : { plural }
    for (const [what, part] of Object.entries({ group: group === '' ? 'core' : group, version, ...named })) {
      pathPart('client.resource', what, part)
    }
    return new Resource(new Endpoint(this.#requests, this.#discovery, kind))
  }

  /**
   * Sends any request: `client.request({ method: 'GET', path: '/version' })`. Throws `ApiStatusError` for a status of 400 or more,
   * `ConnectionError` if there is no answer, and the signal's reason if the signal fires.
   */
  async request(request: ApiRequest): Promise<ApiAnswer> {
    checkRequest(request)
    return this.#requests.send(request)
  }

  /**
   * Carries out all operations in one revision, or none of them. Only Quarterdeck has transactions. Throws `ApiStatusError` if an operation
   * is refused: `status.details.causes` has the place of the first refused operation, such as `operations[2]`.
   */
  async transaction(operations: readonly TransactionOperation[], options?: WriteOptions): Promise<TransactionAnswer> {
    return sendTransaction(this.#requests, operations, options)
  }

  /**
   * Waits until this candidate leads, runs `lead`, releases the lease and resolves to the result of `lead`. The signal of `lead` fires with
   * the caller's signal and when the lease is lost. If the lease is lost, the promise rejects with `LeadershipLostError`.
   */
  async runAsLeader<R>(options: LeaderElectionOptions, lead: (signal: AbortSignal) => Promise<R>): Promise<R> {
    checkValue('runAsLeader', 'function', lead, 'function')
    const election = new LeaderElection(this.resource(k8s.Lease), { clock: this.#requests.clock, ...options })
    return election.run(lead, options.signal ?? NEVER)
  }

  /** All requests and watches fail from now on. Stop informers first. */
  close(): void {
    this.#requests.close()
  }

  [Symbol.dispose](): void {
    this.close()
  }
}

function connectionOf(options: ClientOptions): ConnectionOptions {
  if ('url' in options) {
    refuseBeside(options, 'url', ['kubeconfig', 'context'])
    return options
  }
  refuseBeside(options, 'kubeconfig', Object.keys({ ...SERVER, ...CREDENTIALS }))
  const { context, impersonate } = options
  const found = 'kubeconfig' in options ? readKubeconfig(options.kubeconfig, context) : defaultConnection(context)
  checkOptions('the kubeconfig', found, OPTIONS)
  return impersonate === undefined ? found : { ...found, impersonate }
}

/**
 * Throws for an option that has no effect together with `chosen`. Otherwise the caller could reach another server, or have other rights.
 */
function refuseBeside(options: object, chosen: string, others: readonly string[]): void {
  const other = others.find((name) => name in options)
  if (other !== undefined) throw new TypeError(`new Client: "${other}" has no effect beside a ${chosen}: leave one out`)
}
