// The door of `quarterdeck/client`: a typed client of any Kubernetes API, with informers and leader election. It needs nothing of the server.
import { type Clock, programClock } from '../lib/clock.ts'
import { checkOptions, checkPresent, type OptionNames } from '../lib/known-options.ts'
import { Discovery } from './discovery.ts'
import { CALL, Endpoint, pathPart } from './endpoint.ts'
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
import type { KubernetesObject } from './objects.ts'
import { type ApiAnswer, type ApiRequest, type RequestLimits, Requests } from './requests.ts'
import { Resource } from './resource.ts'
import { NEVER } from './waiting.ts'

export { type Clock, programClock as systemClock }
export type { ExecConfig } from './credentials.ts'
export type { ApplyOptions, CallOptions, PatchOptions, PatchType, WriteOptions } from './endpoint.ts'
export { ApiStatusError, ConnectionError, type ConnectionPhase, hasReason, WatchExpiredError } from './errors.ts'
export type { EventHandler } from './handler-queue.ts'
export { Informer, type InformerOptions, type Registration } from './informer.ts'
export type { Kind } from './kind.ts'
export type { ConnectionOptions, Kubeconfig } from './kubeconfig.ts'
export { type LeaderElectionOptions, LeadershipLostError } from './leader-election.ts'
export type { Indexers } from './object-store.ts'
export type { CustomObject, KubernetesObject, List, Stored } from './objects.ts'
export type { ApiAnswer, ApiRequest, RequestLimits } from './requests.ts'
export {
  type DeleteOptions,
  type ListOptions,
  Resource,
  type Selection,
  Subresource,
  type WatchOptions,
} from './resource.ts'
export type { AnswerBody, ClientCertificate, IncomingAnswer, OutgoingRequest, Transport } from './transport.ts'
export type { Bookmark, WatchEvent } from './watch.ts'
/** The kinds of the server, each as a value and as the type of its objects (`k8s.Pod`), and the types of their fields (`k8s.Container`). */
export { k8s }

/** A kubeconfig, and which of its contexts. */
export interface KubeconfigOptions {
  /** The path of a file, the text of one (YAML or JSON), or its content. */
  readonly kubeconfig: string | Kubeconfig
  /** Absent: the current one. */
  readonly context?: string
  /** The user to impersonate; the server checks the right to do so. Absent: the user in the kubeconfig's `as`, if any. */
  readonly impersonate?: Impersonation
}

/**
 * Where the server is, and who asks: told outright, or by a kubeconfig. With neither, what kubectl would use: KUBECONFIG, what a pod is
 * given, or `~/.kube/config`.
 */
export type ClientOptions = RequestLimits &
  ClockOptions &
  (ConnectionOptions | KubeconfigOptions | Omit<KubeconfigOptions, 'kubeconfig'>)

/** By which time. */
interface ClockOptions {
  /**
   * What informers, watches and leader election go by: that of a server in a test (`server.clock`), so that moving it moves them too. What
   * is tried again is so after as long by the system's clock at the latest; requests may take as long by that alone. Absent: the system's.
   */
  readonly clock?: Clock
}

const SERVER: OptionNames<ClientOptions> = ['ca', 'serverName', 'insecureSkipTlsVerify', 'transport']
const CREDENTIALS: OptionNames<ClientOptions> = ['token', 'tokenFile', 'clientCertificate', 'clientKey', 'exec']
const LIMITS: OptionNames<ClientOptions> = ['timeoutMs', 'retries', 'pingIntervalMs', 'userAgent', 'clock']
const CLIENT_OPTIONS: OptionNames<ClientOptions> = [
  ...(['url', 'kubeconfig', 'context', 'impersonate'] as const),
  ...SERVER,
  ...CREDENTIALS,
  ...LIMITS,
]
const REQUEST: OptionNames<ApiRequest> = [...CALL, 'method', 'path', 'query', 'headers', 'body', 'contentType']

/**
 * Speaks to one server, over one connection where that speaks HTTP/2. It connects with the first request, and again when a connection
 * breaks; one that is idle keeps no process alive.
 */
export class Client implements Disposable {
  readonly #requests: Requests
  readonly #discovery: Discovery

  /** Throws where a kubeconfig cannot be read or lacks something, and for options that do not exist. */
  constructor(options: ClientOptions = {}) {
    checkOptions('new Client', options, CLIENT_OPTIONS)
    this.#requests = new Requests(connectionOf(options), options, options.clock)
    this.#discovery = new Discovery(this.#requests)
  }

  /**
   * The objects of a kind: `client.resource(k8s.Pod)`, or `client.resource<Widget>({ group, version, plural })`. In all namespaces, until
   * `inNamespace` says which.
   */
  resource<T extends KubernetesObject, Sent extends KubernetesObject = T>(kind: Kind<T, Sent>): Resource<T, Sent> {
    const { group, version, plural, kind: name } = kind ?? {}
    if (plural === undefined && name === undefined) throw new TypeError('say the plural of the resource, or its kind')
    const named = plural === undefined ? { kind: name } : { plural }
    for (const [what, part] of Object.entries({ group: group === '' ? 'core' : group, version, ...named })) {
      pathPart('client.resource', what, part)
    }
    return new Resource(new Endpoint(this.#requests, this.#discovery, kind))
  }

  /**
   * Any request of the API: `client.request({ method: 'GET', path: '/version' })`. Throws `ApiStatusError` for an answer of 400 and more,
   * `ConnectionError` where there is none, and the reason of the signal where that fires.
   */
  async request(request: ApiRequest): Promise<ApiAnswer> {
    checkOptions('client.request', request, REQUEST)
    return this.#requests.send(request)
  }

  /**
   * Waits until this candidate leads, then runs `lead`, and resolves to what that does; the lease is then free for the next. The signal
   * that `lead` is given fires when it must end: with the caller's signal, or because the lease is lost, which rejects with
   * `LeadershipLostError`.
   */
  async runAsLeader<R>(options: LeaderElectionOptions, lead: (signal: AbortSignal) => Promise<R>): Promise<R> {
    const election = new LeaderElection(this.resource(k8s.Lease), { clock: this.#requests.clock, ...options })
    return election.run(lead, options.signal ?? NEVER)
  }

  /** Requests and watches in flight fail, and so does every later one. Stop informers first. */
  close(): void {
    this.#requests.close()
  }

  [Symbol.dispose](): void {
    this.close()
  }
}

/** An option that is there and undefined is an error: without it the client might reach another server, or act as another user. */
function connectionOf(options: ClientOptions): ConnectionOptions {
  for (const [name, value] of Object.entries(options)) {
    if (['url', 'kubeconfig', 'context', 'impersonate'].includes(name)) checkPresent('new Client', name, value)
  }
  if ('url' in options) {
    refuseBeside(options, 'url', ['kubeconfig', 'context'])
    return options
  }
  refuseBeside(options, 'kubeconfig', [...SERVER, ...CREDENTIALS])
  const { context, impersonate } = options
  const found = 'kubeconfig' in options ? readKubeconfig(options.kubeconfig, context) : defaultConnection(context)
  return impersonate === undefined ? found : { ...found, impersonate }
}

/** Throws for an option that would have no effect: without it the request could reach another server, or have other rights. */
function refuseBeside(options: object, chosen: string, others: readonly string[]): void {
  const other = others.find((name) => name in options)
  if (other !== undefined) throw new TypeError(`new Client: "${other}" has no effect beside a ${chosen}: leave one out`)
}
