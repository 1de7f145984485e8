// The AuthorizationConfiguration (P-173).
import path from 'node:path'
import { DocumentFaults } from '../api/document-faults.ts'
import { asMap, mapOrEmpty, mapsInPlace, textOrEmpty } from '../api/members.ts'
import type { Value, ValueMap } from '../api/value.ts'
import { own } from '../api/value.ts'
import { isSubdomain } from '../auth/user.ts'
import { parseDuration } from '../lib/duration.ts'
import { compileCondition } from './config-expressions.ts'

export const AUTHORIZATION_MODES = ['Node', 'RBAC', 'Webhook', 'ABAC', 'AlwaysAllow', 'AlwaysDeny'] as const
export type AuthorizationMode = (typeof AUTHORIZATION_MODES)[number]

export type AuthorizerConfig =
  | { readonly kind: 'mode'; readonly mode: Exclude<AuthorizationMode, 'Webhook'>; readonly name: string }
  | { readonly kind: 'webhook'; readonly name: string; readonly webhook: AuthorizationWebhook }

export interface AuthorizationWebhook {
  /** A kubeconfig. Undefined: the API server of the cluster in which this server runs as a pod. */
  readonly kubeconfigFile: string | undefined
  /** The name of the kubeconfig in messages. */
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

/** Throws an `Error` with every fault. */
export function readAuthorizationFile(document: Value): readonly AuthorizerConfig[] {
  const root = asMap(document)
  if (own(root, 'kind') !== 'AuthorizationConfiguration' || !VERSIONS.includes(textOrEmpty(root, 'apiVersion'))) {
    throw new Error(`must be an AuthorizationConfiguration of ${VERSIONS[0]}`)
  }
  const reader = new Reader()
  reader.checkFields(root, ['apiVersion', 'kind', 'authorizers'], '')
  const authorizers = mapsInPlace(root, 'authorizers').map((entry, i) => reader.authorizer(entry, `authorizers[${i}]`))
  if (authorizers.length === 0)
    reader.add('authorizers', 'Required value: at least one authorization mode must be defined')
  reader.checkRepeats(authorizers)
  if (reader.all.length > 0) throw new Error(reader.all.join('; '))
  return authorizers
}

class Reader extends DocumentFaults {
  authorizer(entry: ValueMap, at: string): AuthorizerConfig {
    this.checkFields(entry, ['type', 'name', 'webhook'], at)
    const [type, name, webhook] = [textOrEmpty(entry, 'type'), textOrEmpty(entry, 'name'), own(entry, 'webhook')]
    if (type === '') this.add(`${at}.type`, 'Required value')
    else if (!MODES.includes(type)) this.unsupported(`${at}.type`, type, MODES)
    if (name === '') this.add(`${at}.name`, 'Required value')
    else if (!isSubdomain(name)) {
      this.invalid(`${at}.name`, name, 'authorizer name is invalid')
    }
    if (type !== 'Webhook') {
      if (webhook !== undefined) this.add(`${at}.webhook`, 'Invalid value: may only be specified when type=Webhook')
      return { kind: 'mode', mode: type as Exclude<AuthorizationMode, 'Webhook'>, name }
    }
    if (webhook === undefined) this.add(`${at}.webhook`, 'Required value: required when type=Webhook')
    return { kind: 'webhook', name, webhook: this.#webhook(asMap(webhook), `${at}.webhook`) }
  }

  checkRepeats(authorizers: readonly AuthorizerConfig[]): void {
    const [modes, names] = [new Set<string>(), new Set<string>()]
    for (const [i, authorizer] of authorizers.entries()) {
      if (authorizer.kind === 'mode') {
        if (modes.has(authorizer.mode)) this.duplicate(`authorizers[${i}].type`, authorizer.mode)
        modes.add(authorizer.mode)
      }
      if (authorizer.name !== '' && names.has(authorizer.name)) {
        this.duplicate(`authorizers[${i}].name`, authorizer.name)
      }
      names.add(authorizer.name)
    }
  }

  #webhook(webhook: ValueMap, at: string): AuthorizationWebhook {
    this.checkFields(webhook, WEBHOOK_FIELDS, at)
    const conditions = mapsInPlace(webhook, 'matchConditions').map((condition) => textOrEmpty(condition, 'expression'))
    this.#conditions(conditions, webhook, at)
    const failure = this.#choice(webhook, 'failurePolicy', ['NoOpinion', 'Deny'], at)
    const version = this.#choice(webhook, 'subjectAccessReviewVersion', ['v1', 'v1beta1'], at)
    const timeoutMs = this.#duration(webhook, 'timeout', at)
    if (timeoutMs > MAX_TIMEOUT_MS) this.add(`${at}.timeout`, 'Invalid value: must be <= 30s')
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
      this.unsupported(`${at}.matchConditionSubjectAccessReviewVersion`, version, ['v1'])
    } else if (version === '' && conditions.length > 0) {
      this.add(
        `${at}.matchConditionSubjectAccessReviewVersion`,
        'Required value: required if match conditions are specified',
      )
    }
    if (conditions.length > MAX_CONDITIONS) {
      this.add(`${at}.matchConditions`, `Too many: ${conditions.length}: must have at most ${MAX_CONDITIONS} items`)
    }
    const seen = new Set<string>()
    for (const [i, expression] of conditions.slice(0, MAX_CONDITIONS).entries()) {
      const place = `${at}.matchConditions[${i}].expression`
      const compiled = expression.trim() === '' ? undefined : compileCondition(expression)
      if (compiled === undefined) this.add(place, 'Required value')
      else if (compiled.kind === 'problem') this.invalid(place, expression, compiled.problem)
      else if (seen.has(expression)) this.duplicate(place, expression)
      seen.add(expression)
    }
  }

  #connection(info: ValueMap, at: string): string | undefined {
    this.checkFields(info, ['type', 'kubeConfigFile'], at)
    const [type, file] = [textOrEmpty(info, 'type'), textOrEmpty(info, 'kubeConfigFile')]
    switch (type) {
      case '':
        this.add(`${at}.type`, 'Required value')
        return undefined
      case 'InClusterConfig':
        if (file !== '') this.add(`${at}.kubeConfigFile`, 'Invalid value: can only be set when type=KubeConfigFile')
        return undefined
      case 'KubeConfigFile':
        if (file === '') this.add(`${at}.kubeConfigFile`, 'Required value')
        else if (!path.isAbsolute(file)) {
          this.invalid(`${at}.kubeConfigFile`, file, 'must be an absolute path')
        }
        return file
      default:
        this.unsupported(`${at}.type`, type, ['InClusterConfig', 'KubeConfigFile'])
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
    if (text === '') this.add(`${at}.${field}`, 'Required value')
    else if (!parsed.ok || parsed.nanoseconds <= 0n) {
      this.invalid(`${at}.${field}`, text, 'must be > 0s')
    }
    return parsed.ok ? Number(parsed.nanoseconds) / 1e6 : 0
  }

  #choice(webhook: ValueMap, field: string, known: readonly string[], at: string): string {
    const text = textOrEmpty(webhook, field)
    if (text === '') this.add(`${at}.${field}`, 'Required value')
    else if (!known.includes(text)) this.unsupported(`${at}.${field}`, text, known)
    return text
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
