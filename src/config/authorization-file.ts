// The operator's AuthorizationConfiguration (P-173). Read strictly: a misspelt word would let somebody do what they must not.
import path from 'node:path'
import { asMap, mapOrEmpty, mapsInPlace, textOrEmpty } from '../api/members.ts'
import type { Value, ValueMap } from '../api/value.ts'
import { own } from '../api/value.ts'
import { parseDuration } from '../lib/duration.ts'
import { compileCondition } from './match-conditions.ts'

export const AUTHORIZATION_MODES = ['Node', 'RBAC', 'Webhook', 'ABAC', 'AlwaysAllow', 'AlwaysDeny'] as const
export type AuthorizationMode = (typeof AUTHORIZATION_MODES)[number]

export type Decider =
  | { readonly kind: 'mode'; readonly mode: Exclude<AuthorizationMode, 'Webhook'>; readonly name: string }
  | { readonly kind: 'webhook'; readonly name: string; readonly webhook: AuthorizationWebhook }

export interface AuthorizationWebhook {
  /** A kubeconfig; undefined: the server that this one runs on as a pod. */
  readonly kubeconfigFile: string | undefined
  /** How the kubeconfig is called in messages. */
  readonly source: string
  readonly version: 'v1' | 'v1beta1'
  readonly timeoutMs: number
  readonly allowedMs: number
  readonly refusedMs: number
  readonly onFailure: 'no-opinion' | 'deny'
  readonly conditions: readonly string[]
}

const GROUP = 'apiserver.config.k8s.io'
const VERSIONS: readonly string[] = ['v1', 'v1beta1', 'v1alpha1'].map((version) => `${GROUP}/${version}`)
const MODES: readonly string[] = ['AlwaysAllow', 'AlwaysDeny', 'ABAC', 'Webhook', 'RBAC', 'Node']
const MAX_CONDITIONS = 64
const MAX_TIMEOUT_MS = 30_000
const SUBDOMAIN = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/

/** Throws an `Error` with every fault. */
export function readAuthorizationFile(document: Value): readonly Decider[] {
  const faults: string[] = []
  const root = asMap(document)
  if (own(root, 'kind') !== 'AuthorizationConfiguration' || !VERSIONS.includes(textOrEmpty(root, 'apiVersion'))) {
    throw new Error(`must be an AuthorizationConfiguration of ${VERSIONS[0]}`)
  }
  const reader = new Reader(faults)
  reader.only(root, ['apiVersion', 'kind', 'authorizers'], '')
  const deciders = mapsInPlace(root, 'authorizers').map((entry, i) => reader.decider(entry, `authorizers[${i}]`))
  if (deciders.length === 0) faults.push('authorizers: Required value: at least one authorization mode must be defined')
  reader.checkRepeats(deciders)
  if (faults.length > 0) throw new Error(faults.join('; '))
  return deciders
}

class Reader {
  readonly #faults: string[]

  constructor(faults: string[]) {
    this.#faults = faults
  }

  only(map: ValueMap, known: readonly string[], at: string): void {
    for (const name of Object.keys(map)) {
      if (!known.includes(name)) this.#faults.push(`unknown field "${at === '' ? name : `${at}.${name}`}"`)
    }
  }

  decider(entry: ValueMap, at: string): Decider {
    this.only(entry, ['type', 'name', 'webhook'], at)
    const [type, name, webhook] = [textOrEmpty(entry, 'type'), textOrEmpty(entry, 'name'), own(entry, 'webhook')]
    if (type === '') this.#add(`${at}.type`, 'Required value')
    else if (!MODES.includes(type)) this.#unsupported(`${at}.type`, type, MODES)
    if (name === '') this.#add(`${at}.name`, 'Required value')
    else if (!SUBDOMAIN.test(name) || name.length > 253) {
      this.#add(`${at}.name`, `Invalid value: ${JSON.stringify(name)}: authorizer name is invalid`)
    }
    if (type !== 'Webhook') {
      if (webhook !== undefined) this.#add(`${at}.webhook`, 'Invalid value: may only be specified when type=Webhook')
      return { kind: 'mode', mode: type as Exclude<AuthorizationMode, 'Webhook'>, name }
    }
    if (webhook === undefined) this.#add(`${at}.webhook`, 'Required value: required when type=Webhook')
    return { kind: 'webhook', name, webhook: this.#webhook(asMap(webhook), `${at}.webhook`) }
  }

  checkRepeats(deciders: readonly Decider[]): void {
    const [modes, names] = [new Set<string>(), new Set<string>()]
    for (const [i, decider] of deciders.entries()) {
      if (decider.kind === 'mode') {
        if (modes.has(decider.mode)) this.#add(`authorizers[${i}].type`, `Duplicate value: "${decider.mode}"`)
        modes.add(decider.mode)
      }
      if (decider.name !== '' && names.has(decider.name)) {
        this.#add(`authorizers[${i}].name`, `Duplicate value: "${decider.name}"`)
      }
      names.add(decider.name)
    }
  }

  #webhook(webhook: ValueMap, at: string): AuthorizationWebhook {
    this.only(webhook, WEBHOOK_FIELDS, at)
    const conditions = mapsInPlace(webhook, 'matchConditions').map((condition) => textOrEmpty(condition, 'expression'))
    this.#conditions(conditions, webhook, at)
    const failure = this.#choice(webhook, 'failurePolicy', ['NoOpinion', 'Deny'], at)
    const version = this.#choice(webhook, 'subjectAccessReviewVersion', ['v1', 'v1beta1'], at)
    const timeoutMs = this.#duration(webhook, 'timeout', at)
    if (timeoutMs > MAX_TIMEOUT_MS) this.#add(`${at}.timeout`, 'Invalid value: must be <= 30s')
    return {
      kubeconfigFile: this.#connection(mapOrEmpty(webhook, 'connectionInfo'), `${at}.connectionInfo`),
      source: `${at}.connectionInfo.kubeConfigFile`,
      version: version === 'v1' ? 'v1' : 'v1beta1',
      timeoutMs,
      allowedMs: this.#kept(webhook, ['cacheAuthorizedRequests', 'authorizedTTL', 300_000], at),
      refusedMs: this.#kept(webhook, ['cacheUnauthorizedRequests', 'unauthorizedTTL', 30_000], at),
      onFailure: failure === 'Deny' ? 'deny' : 'no-opinion',
      conditions,
    }
  }

  #conditions(conditions: readonly string[], webhook: ValueMap, at: string): void {
    const version = textOrEmpty(webhook, 'matchConditionSubjectAccessReviewVersion')
    if (version !== '' && version !== 'v1') {
      this.#unsupported(`${at}.matchConditionSubjectAccessReviewVersion`, version, ['v1'])
    } else if (version === '' && conditions.length > 0) {
      this.#add(
        `${at}.matchConditionSubjectAccessReviewVersion`,
        'Required value: required if match conditions are specified',
      )
    }
    if (conditions.length > MAX_CONDITIONS) {
      this.#add(`${at}.matchConditions`, `Too many: ${conditions.length}: must have at most ${MAX_CONDITIONS} items`)
    }
    const seen = new Set<string>()
    for (const [i, expression] of conditions.slice(0, MAX_CONDITIONS).entries()) {
      const place = `${at}.matchConditions[${i}].expression`
      const compiled = expression.trim() === '' ? undefined : compileCondition(expression)
      if (compiled === undefined) this.#add(place, 'Required value')
      else if (compiled.kind === 'problem')
        this.#add(place, `Invalid value: ${JSON.stringify(expression)}: ${compiled.problem}`)
      else if (seen.has(expression)) this.#add(place, `Duplicate value: ${JSON.stringify(expression)}`)
      seen.add(expression)
    }
  }

  #connection(info: ValueMap, at: string): string | undefined {
    this.only(info, ['type', 'kubeConfigFile'], at)
    const [type, file] = [textOrEmpty(info, 'type'), textOrEmpty(info, 'kubeConfigFile')]
    switch (type) {
      case '':
        this.#add(`${at}.type`, 'Required value')
        return undefined
      case 'InClusterConfig':
        if (file !== '') this.#add(`${at}.kubeConfigFile`, 'Invalid value: can only be set when type=KubeConfigFile')
        return undefined
      case 'KubeConfigFile':
        if (file === '') this.#add(`${at}.kubeConfigFile`, 'Required value')
        else if (!path.isAbsolute(file)) {
          this.#add(`${at}.kubeConfigFile`, `Invalid value: ${JSON.stringify(file)}: must be an absolute path`)
        }
        return file
      default:
        this.#unsupported(`${at}.type`, type, ['InClusterConfig', 'KubeConfigFile'])
        return undefined
    }
  }

  #kept(webhook: ValueMap, [flag, field, fallback]: readonly [string, string, number], at: string): number {
    if (own(webhook, flag) === false) return 0
    return own(webhook, field) === undefined ? fallback : this.#duration(webhook, field, at)
  }

  #duration(webhook: ValueMap, field: string, at: string): number {
    const text = textOrEmpty(webhook, field)
    const parsed = parseDuration(text)
    if (text === '') this.#add(`${at}.${field}`, 'Required value')
    else if (!parsed.ok || parsed.nanoseconds <= 0n) {
      this.#add(`${at}.${field}`, `Invalid value: ${JSON.stringify(text)}: must be > 0s`)
    }
    return parsed.ok ? Number(parsed.nanoseconds) / 1e6 : 0
  }

  #choice(webhook: ValueMap, field: string, known: readonly string[], at: string): string {
    const text = textOrEmpty(webhook, field)
    if (text === '') this.#add(`${at}.${field}`, 'Required value')
    else if (!known.includes(text)) this.#unsupported(`${at}.${field}`, text, known)
    return text
  }

  #unsupported(at: string, text: string, known: readonly string[]): void {
    const supported = known.map((each) => JSON.stringify(each)).join(', ')
    this.#add(at, `Unsupported value: ${JSON.stringify(text)}: supported values: ${supported}`)
  }

  #add(at: string, fault: string): void {
    this.#faults.push(`${at}: ${fault}`)
  }
}

const WEBHOOK_FIELDS: readonly string[] = [
  'authorizedTTL',
  'cacheAuthorizedRequests',
  'unauthorizedTTL',
  'cacheUnauthorizedRequests',
  'timeout',
  'subjectAccessReviewVersion',
  'matchConditionSubjectAccessReviewVersion',
  'failurePolicy',
  'connectionInfo',
  'matchConditions',
]
