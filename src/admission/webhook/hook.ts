// The configured webhooks, parsed once for every change of their configuration.
import { mapOrEmpty, mapsInPlace, mapsOnly, numberOrAbsent, textOrEmpty, textsOnly } from '../../api/members.ts'
import { metaText } from '../../api/object-members.ts'
import type { ApiObject } from '../../api/object.ts'
import type { LabelSelector } from '../../api/selector.ts'
import type { ValueMap } from '../../api/value.ts'
import { type ResolveService, readWebhookTarget, type ReviewFunction } from '../../outgoing/webhook-client.ts'
import type { OutgoingTarget } from '../../outgoing/call.ts'
import { compareStrings } from '../../lib/text-order.ts'
import type { AdmissionRequest } from '../admission.ts'
import { selectorIn } from '../request-selectors.ts'
import { isAdmissionConfiguration, isReview, readRule, type ResourceRule } from '../resource-rules.ts'
import { type Conditions, readConditions } from './conditions.ts'

export interface Hook {
  readonly configuration: string
  readonly name: string
  /** Identifies the webhook across changes of other configurations. */
  readonly key: string
  readonly rules: readonly ResourceRule[]
  /** `matchPolicy: Equivalent`: other versions of the resources in its rules match too. */
  readonly wantsEquivalent: boolean
  readonly namespaceSelector: LabelSelector
  readonly objectSelector: LabelSelector
  readonly conditions: Conditions | undefined
  readonly sideEffects: string | undefined
  readonly timeoutMs: number
  /** `failurePolicy: Ignore`. */
  readonly failsOpen: boolean
  readonly reinvoked: boolean
  /** Undefined: the webhook accepts no version that is supported here. */
  readonly reviewVersion: ReviewVersion | undefined
  /** The target of the call: a server, or a function. */
  readonly target: OutgoingTarget | ReviewFunction
}

const REVIEW_VERSIONS = ['v1', 'v1beta1'] as const
export type ReviewVersion = (typeof REVIEW_VERSIONS)[number]

const DEFAULT_TIMEOUT_SECONDS = 10

/** The webhooks in the order of their calls: by the name of their configuration, then by their place in it (W-488). */
export class Hooks {
  readonly #targets: TargetParts
  readonly #exemptsReviews: boolean
  readonly #byConfiguration = new Map<string, readonly Hook[]>()
  readonly #functions = new Set<Hook>()
  #added = 0
  /** The webhooks from the operator's files. */
  #static: readonly Hook[] = []
  #all: readonly Hook[] = []

  constructor(targets: TargetParts, exemptsReviews: boolean) {
    this.#targets = targets
    this.#exemptsReviews = exemptsReviews
  }

  /**
   * The webhooks that may be called for a request. For admission configurations, these are only the webhooks from files: a webhook from the
   * API could refuse its own removal.
   */
  for({ requestKind, requestResource }: AdmissionRequest): readonly Hook[] {
    if (this.#exemptsReviews && isReview(requestResource)) return NO_HOOKS
    return isAdmissionConfiguration(requestKind) ? this.#static : this.#all
  }

  /** The list is replaced and never changed, so that a request keeps its list. */
  get all(): readonly Hook[] {
    return this.#all
  }

  names(): readonly string[] {
    return this.#all.map(({ name }) => name)
  }

  put(configuration: ApiObject): void {
    this.#byConfiguration.set(metaText(configuration, 'name'), readHooks(configuration, this.#targets))
    this.#arrange()
  }

  /** Replaces all webhooks from files. */
  setStatic(configurations: readonly ApiObject[]): void {
    const hooks = configurations.flatMap((configuration) => readHooks(configuration, this.#targets))
    this.#static = sorted(hooks.map((hook) => ({ ...hook, key: `file ${hook.key}` })))
    this.#arrange()
  }

  remove(name: string): void {
    this.#byConfiguration.delete(name)
    this.#arrange()
  }

  /**
   * Adds a function that replaces a webhook. The name of the webhook counts as the name of its configuration. Returns a function that
   * removes the webhook. Throws if its conditions are malformed, because they were not checked before.
   */
  add(webhook: ValueMap, target: ReviewFunction): () => void {
    // No webhook of a configuration can have this key.
    const key = `function ${++this.#added}`
    const hook = { ...readHook(webhook, textOrEmpty(webhook, 'name'), target), key }
    if (hook.conditions?.problem !== undefined) throw new TypeError(`${hook.name}: ${hook.conditions.problem}`)
    this.#functions.add(hook)
    this.#arrange()
    return () => {
      this.#functions.delete(hook)
      this.#arrange()
    }
  }

  #arrange(): void {
    const hooks = [...this.#byConfiguration.values()].flat()
    this.#all = [...this.#static, ...sorted([...hooks, ...this.#functions])]
  }
}

const NO_HOOKS: readonly Hook[] = []

function sorted(hooks: readonly Hook[]): readonly Hook[] {
  return hooks.toSorted((a, b) => compareStrings(a.configuration, b.configuration))
}

function readHooks(configuration: ApiObject, targets: TargetParts): readonly Hook[] {
  const name = metaText(configuration, 'name')
  return mapsInPlace(configuration, 'webhooks').map((webhook, index) => {
    const hook = readHook(webhook, name, targetOf(mapOrEmpty(webhook, 'clientConfig'), targets))
    return { ...hook, key: `${name}/${index}/${hook.name}` }
  })
}

export interface TargetParts {
  readonly locate: ResolveService
  /** The configured credentials for the webhooks of a host. */
  readonly credentialsFor: (place: {
    readonly host: string
    readonly port: number
  }) => Pick<OutgoingTarget, 'tls' | 'headers'>
}

/** Credentials are looked up by the host and port of the URL. */
function targetOf(config: ValueMap, { locate, credentialsFor }: TargetParts): OutgoingTarget {
  const target = readWebhookTarget(config, locate)
  if (!URL.canParse(target.url)) return target
  const { hostname: host, port } = new URL(target.url)
  const { tls, headers } = credentialsFor({ host, port: Number(port || 443) })
  return { ...target, tls: { ...target.tls, ...tls }, ...(headers === undefined ? {} : { headers }) }
}

function readHook(hook: ValueMap, configuration: string, target: Hook['target']): Omit<Hook, 'key'> {
  const failsOpen = textOrEmpty(hook, 'failurePolicy') === 'Ignore'
  const conditions = mapsOnly(hook, 'matchConditions')
  const [reviewVersion] = textsOnly(hook, 'admissionReviewVersions').flatMap(
    (wanted) => REVIEW_VERSIONS.find((known) => known === wanted) ?? [],
  )
  return {
    configuration,
    name: textOrEmpty(hook, 'name'),
    rules: mapsOnly(hook, 'rules').map(readRule),
    wantsEquivalent: textOrEmpty(hook, 'matchPolicy') !== 'Exact',
    namespaceSelector: selectorIn(hook, 'namespaceSelector'),
    objectSelector: selectorIn(hook, 'objectSelector'),
    conditions: conditions.length === 0 ? undefined : readConditions(conditions, failsOpen),
    sideEffects: textOrEmpty(hook, 'sideEffects') || undefined,
    timeoutMs: 1000 * (numberOrAbsent(hook, 'timeoutSeconds') ?? DEFAULT_TIMEOUT_SECONDS),
    failsOpen,
    reinvoked: textOrEmpty(hook, 'reinvocationPolicy') === 'IfNeeded',
    reviewVersion,
    target,
  }
}
