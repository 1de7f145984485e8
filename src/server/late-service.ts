// Opens the service at the start or with the first request. So a fork of a server exists at once, and costs nothing before its first
// request.
import type { Handler, HttpRequest, HttpResponse } from '../http/http.ts'
import type { ListenerOptions } from '../http/listener.ts'
import { CancelledError } from '../lib/errors.ts'
import type { AnswerPage } from '../telemetry/management/management.ts'
import type { PeerQuestion } from '../workers/peers.ts'
import type { ResourceApi } from './resource-api.ts'

export interface Service extends Pick<ListenerOptions, 'observe'> {
  readonly handler: Handler
  /** Answers a question of another worker of this server. */
  readonly answerPeer: (question: PeerQuestion) => Promise<unknown>
  /** A page of the management address. */
  readonly page: AnswerPage
  readonly api: ResourceApi
  /** Resolves when everything is loaded, and the objects that every client relies on exist. */
  readonly ready: (signal: AbortSignal) => Promise<void>
  /** Never resolves. Rejects if a necessary part of the service has failed for good. */
  readonly failed: Promise<never>
}

/** Defers the closing of its parts to `opened`, so that they close with the service. */
type OpenService = (opened: AsyncDisposableStack) => Service

export class LateService implements AsyncDisposable {
  readonly #openService: OpenService
  readonly #opened = new AsyncDisposableStack()
  readonly #life = new AbortController()
  readonly #failure = Promise.withResolvers<never>()
  /** Undefined until the service may get requests. */
  #service: Service | undefined
  #ready: Promise<Service> | undefined

  constructor(openService: OpenService) {
    this.#openService = openService
    this.#failure.promise.catch(() => {})
  }

  get current(): Service | undefined {
    return this.#service
  }

  get failed(): Promise<never> {
    return this.#failure.promise
  }

  /** Opens the service, which answers requests from now on. Until it is ready, its answers say so. */
  open(): void {
    this.#service = this.#open()
  }

  /** Opens the service if it is not open, and resolves when it is ready. Throws if that fails, or if a part that must run has failed. */
  ready(signal: AbortSignal = this.#life.signal): Promise<Service> {
    this.#ready ??= this.#becomeReady(signal)
    return this.#ready
  }

  /** If the service is not open yet, the request waits until it is ready. */
  readonly handler = (request: HttpRequest): HttpResponse | Promise<HttpResponse> =>
    this.#service === undefined ? this.ready().then(({ handler }) => handler(request)) : this.#service.handler(request)

  async [Symbol.asyncDispose](): Promise<void> {
    this.#life.abort(new CancelledError())
    await this.#ready?.catch(() => {})
    await this.#opened.disposeAsync()
  }

  #open(): Service {
    const service = this.#openService(this.#opened)
    service.failed.catch(this.#failure.reject)
    return service
  }

  async #becomeReady(signal: AbortSignal): Promise<Service> {
    try {
      const service = this.#service ?? this.#open()
      await Promise.race([service.ready(signal), service.failed])
      this.#service = service
      return service
    } catch (error) {
      this.#failure.reject(error)
      throw error
    }
  }
}
