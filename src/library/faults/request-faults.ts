// Faults of single requests. They strike after authorization, before the server does anything for the request. If several faults match,
// they strike in the order of their injection: delays add up, until a fault ends the request.
import { metaText } from '../../api/object-members.ts'
import { asMap } from '../../api/members.ts'
import type { GroupVersionResource } from '../../api/object.ts'
import { encodingOfBody } from '../../codec/media-type.ts'
import { readDocument } from '../../codec/request-body.ts'
import type { Caller, CallerFilter, CallerHandler, HttpRequest, HttpResponse } from '../../http/http.ts'
import type { ResourceInfo } from '../../http/request-info.ts'
import type { Clock } from '../../lib/clock.ts'
import { CancelledError } from '../../lib/errors.ts'
import type { DiscoveryGroup } from '../../registry/discovery.ts'
import type { Resource } from '../../registry/registry.ts'
import { FAILING_VERBS, failRequest } from './failures.ts'
import { type FailureStatus, FaultError, type FaultVerb, type RequestMatch, type RequestSpec } from './fault-spec.ts'
import type { InjectedFault } from './injected-fault.ts'
import { type Asked, isMatch, type Matcher, matcherOf } from './matching.ts'

export interface RequestFaultsOptions {
  readonly groups: () => readonly DiscoveryGroup[]
  readonly find: (resource: GroupVersionResource) => Resource | undefined
  readonly clock: Clock
  /** Called for every request that meets a fault. */
  readonly onHit: (fault: InjectedFault, request: HttpRequest) => void
}

interface Rule {
  readonly fault: InjectedFault<RequestSpec>
  readonly matcher: Matcher
  /** The fault depends on the name of the object. For a create, this name is in the body. */
  readonly needsName: boolean
  left: number
}

export class RequestFaults {
  readonly #options: RequestFaultsOptions
  /** A change replaces this list by a new one, because held requests iterate over it. */
  #rules: readonly Rule[] = []

  constructor(options: RequestFaultsOptions) {
    this.#options = options
  }

  /** Throws `FaultError` if no request can match the fault. */
  add(fault: InjectedFault<RequestSpec>): void {
    const { spec } = fault
    const { match = {}, times = 1 } = spec
    const verbs = spec.fault === 'fail' ? verbsOf(spec.status, match) : undefined
    const matcher = matcherOf(match, this.#options.groups(), verbs)
    const needsName = matcher.name !== undefined || (spec.fault === 'fail' && spec.status === 409)
    const rule = { fault, matcher, needsName, left: times === 'always' ? Infinity : times }
    this.#rules = [...this.#rules, rule]
    fault.removed.addEventListener('abort', () => this.#drop(rule))
  }

  readonly filter: CallerFilter = (next) => (request, caller) => {
    const { info } = request
    return this.#rules.length === 0 || info.kind !== 'resource'
      ? next(request, caller)
      : this.#meet({ request, info, caller }, next)
  }

  async #meet(
    { request, info, caller }: { request: HttpRequest; info: ResourceInfo; caller: Caller },
    next: CallerHandler,
  ): Promise<HttpResponse> {
    const asked = await this.#askedOf(request, info, caller)
    let isCutAfter = false
    for (const rule of this.#rules) {
      if (!isMatch(rule.matcher, asked) || !this.#take(rule, request)) continue
      const { spec } = rule.fault
      if (spec.fault === 'fail') return failRequest(spec, request, asked)
      if (spec.fault === 'cut' && spec.when === 'after') isCutAfter = true
      else if (spec.fault === 'cut') await hangUp(request)
      else if (spec.fault === 'hold') await rule.fault.wait(request.signal)
      else await rule.fault.wait(request.signal, { clock: this.#options.clock, milliseconds: spec.milliseconds })
    }
    const response = await next(request, caller)
    if (isCutAfter) await hangUp(request, response)
    return response
  }

  /** Whether the fault strikes once more. Counts the hit. */
  #take(rule: Rule, request: HttpRequest): boolean {
    if (rule.left === 0) return false
    if (--rule.left === 0) this.#drop(rule)
    rule.fault.hit()
    this.#options.onHit(rule.fault, request)
    return true
  }

  #drop(rule: Rule): void {
    rule.left = 0
    this.#rules = this.#rules.filter((other) => other !== rule)
  }

  /** The body of a create is only read if a fault depends on it. */
  async #askedOf(request: HttpRequest, info: ResourceInfo, { user }: Caller): Promise<Asked> {
    const asked = { info, user: user.name, name: info.name ?? info.selectedName, generateName: undefined }
    if (info.verb !== 'create' || info.name !== undefined) return asked
    if (!this.#rules.some(({ needsName, matcher }) => needsName && matcher.fits(asked))) return asked
    return { ...asked, ...(await this.#namedIn(request, info)) }
  }

  async #namedIn(request: HttpRequest, info: ResourceInfo): Promise<Pick<Asked, 'name' | 'generateName'>> {
    const kind = this.#options.find(info)?.schema
    if (kind === undefined) return NAMELESS
    const bytes = await request.body.read()
    request.body.putBack(bytes)
    try {
      const contentType = request.headers['content-type'] as string | undefined
      const encoding = encodingOfBody(contentType, { protobuf: kind.hasProtobuf, cbor: true })
      const object = asMap(readDocument(bytes, encoding, kind).value)
      return { name: metaText(object, 'name'), generateName: metaText(object, 'generateName') || undefined }
    } catch {
      // The handler reports the fault of the body.
      return NAMELESS
    }
  }
}

/** The verbs whose requests can get the status. Undefined: all verbs. Throws `FaultError` if `verb` names another one. */
function verbsOf(status: FailureStatus, { verb = [] }: RequestMatch): readonly FaultVerb[] | undefined {
  const verbs = FAILING_VERBS[status]
  const unfit = [verb].flat().find((one) => verbs?.includes(one) === false)
  if (unfit === undefined) return verbs
  throw new FaultError(`a ${unfit} is never answered with ${status}, only ${verbs?.join(', ')}`)
}

const NAMELESS = Object.freeze({ name: undefined, generateName: undefined })

/** Closes the connection, and throws `CancelledError` when the client is gone. */
async function hangUp(request: HttpRequest, response?: HttpResponse): Promise<never> {
  if (response?.body.kind === 'tunnel') response.body.peer.destroy()
  const { signal, remote } = request
  const gone = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
  remote.hangUp()
  if (!signal.aborted) await gone
  throw new CancelledError(signal.reason)
}
