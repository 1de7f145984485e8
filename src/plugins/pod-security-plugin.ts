// PodSecurity: enforces the pod security level of the namespace. Workloads, and namespaces that become stricter than their pods, only
// get warnings (W-479, W-480).
import { setImmediate } from 'node:timers/promises'
import { invalidError } from '../api/invalid-error.ts'
import { isTrue, mapOrAbsent, mapsInPlace, mapsOnly, textOrEmpty } from '../api/members.ts'
import { labelsOf, metaOf, metaText, specOf } from '../api/object-members.ts'
import { type ApiObject, formatGroupResource } from '../api/object.ts'
import type { ValueMap } from '../api/value.ts'
import { equalValues } from '../api/value.ts'
import type { Clock } from '../lib/clock.ts'
import { type MaybePromise, whenKnown } from '../lib/maybe-promise.ts'
import type { AdmissionPlugin, AdmissionRequest } from '../admission/admission.ts'
import { findAnywhere, type ObjectReader, type SampleReader } from '../admission/object-reader.ts'
import { detailOf, reasonOf, violationsOf } from './pod-security/pod-security.ts'
import type { PodSecurityMeasures } from './pod-security-measures.ts'
import type { LevelVersion, Policy } from './pod-security-policy.ts'
import { compareLevels, formatLevel, isSameLevel, MODES, namesMode, policyOf } from './pod-security-policy.ts'
import { forbidden } from '../admission/refusal.ts'

export interface PodSecurityOptions {
  /** For modes that the labels of a namespace do not set. */
  readonly defaults: Policy
  readonly exempt: {
    readonly users: ReadonlySet<string>
    readonly namespaces: ReadonlySet<string>
    readonly runtimeClasses: ReadonlySet<string>
  }
}

export interface PodSecurityParts {
  readonly namespaces: ObjectReader
  readonly pods: SampleReader
  readonly clock: Clock
  readonly measures: PodSecurityMeasures
}

/** Workloads, and the path of their pod template. */
const TEMPLATES: Readonly<Record<string, readonly string[]>> = {
  replicationcontrollers: ['spec', 'template'],
  podtemplates: ['template'],
  'replicasets.apps': ['spec', 'template'],
  'deployments.apps': ['spec', 'template'],
  'statefulsets.apps': ['spec', 'template'],
  'daemonsets.apps': ['spec', 'template'],
  'jobs.batch': ['spec', 'template'],
  'cronjobs.batch': ['spec', 'jobTemplate', 'spec', 'template'],
}

const PREFIX = 'pod-security.kubernetes.io/'
/** Subresources that do not change the spec. */
const HARMLESS: ReadonlySet<string> = new Set([
  'exec',
  'attach',
  'binding',
  'eviction',
  'log',
  'portforward',
  'proxy',
  'status',
])
/** Limits of the check of existing pods when a namespace becomes stricter. */
const MOST_PODS = 3000
const LONGEST_MS = 1000
const PODS_AT_ONCE = 100

export function podSecurity(parts: PodSecurityParts, options: PodSecurityOptions): AdmissionPlugin {
  const plugin = new PodSecurity(parts, options)
  return {
    name: 'PodSecurity',
    resources: ['namespaces', 'pods', ...Object.keys(TEMPLATES)],
    operations: ['CREATE', 'UPDATE'],
    validate(request, signal) {
      const { group, resource } = request.resource
      if (request.object === undefined) return undefined
      if (group === '' && resource === 'namespaces') return plugin.checkNamespace(request, request.object, signal)
      if (group === '' && resource === 'pods') return plugin.checkPod(request, request.object, signal)
      return plugin.checkTemplate(request, request.object, signal)
    },
  }
}

type ReadPolicy = ReturnType<typeof policyOf>

interface Subject {
  readonly metadata: ValueMap
  readonly spec: ValueMap
  readonly policy: Policy
  /** Whether violations are refused, or only warned about. */
  readonly isEnforced: boolean
}

class PodSecurity {
  readonly #parts: PodSecurityParts
  readonly #options: PodSecurityOptions
  /** Parsed policies, by the object of the namespace, which is the same until it changes. */
  readonly #known = new WeakMap<ApiObject, ReadPolicy>()

  constructor(parts: PodSecurityParts, options: PodSecurityOptions) {
    this.#parts = parts
    this.#options = options
  }

  checkPod(request: AdmissionRequest, pod: ApiObject, signal: AbortSignal): MaybePromise<void> {
    const { subresource, operation, oldObject } = request
    if (HARMLESS.has(subresource) || this.#isExempt(request)) return undefined
    return whenKnown(this.#policyFor(request, signal), (policy) => {
      if (MODES.every((mode) => policy[mode].level === 'privileged')) {
        request.annotate(`${PREFIX}enforce-policy`, formatLevel(policy.enforce))
        this.#parts.measures.noteEvaluation('allow', 'enforce', policy.enforce, request)
        return
      }
      if (operation === 'UPDATE' && oldObject !== undefined && !isSignificant(pod, oldObject)) return
      this.#evaluate(request, { metadata: metaOf(pod), spec: specOf(pod), policy, isEnforced: true })
    })
  }

  checkTemplate(request: AdmissionRequest, object: ApiObject, signal: AbortSignal): MaybePromise<void> {
    if (request.subresource !== '' || this.#isExempt(request)) return undefined
    const template = partAt(object, TEMPLATES[formatGroupResource(request.resource)] ?? [])
    if (template === undefined) return undefined
    return whenKnown(this.#policyFor(request, signal), (policy) => {
      if (policy.warn.level === 'privileged' && policy.audit.level === 'privileged') return
      this.#evaluate(request, { metadata: metaOf(template), spec: specOf(template), policy, isEnforced: false })
    })
  }

  async checkNamespace(request: AdmissionRequest, namespace: ApiObject, signal: AbortSignal): Promise<void> {
    if (request.subresource !== '') return
    const { defaults } = this.#options
    const name = metaText(namespace, 'name')
    const { policy, faults } = policyOf(labelsOf(namespace), defaults)
    const before = request.oldObject === undefined ? undefined : policyOf(labelsOf(request.oldObject), defaults)
    if (faults.length > 0 && (before === undefined || !equalValues(fieldsOf(faults), fieldsOf(before.faults)))) {
      throw invalidError({ group: '', kind: 'Namespace' }, name, faults)
    }
    if (before !== undefined && !becomesStricter(before.policy.enforce, policy.enforce)) return
    if (this.#options.exempt.namespaces.has(name)) return this.#warnExempt(request, namespace, policy)
    if (before === undefined) return
    for (const warning of await this.#podWarnings(name, policy.enforce, signal)) request.warn(warning)
  }

  #isExempt(request: AdmissionRequest): boolean {
    const { namespaces, users } = this.#options.exempt
    const why = namespaces.has(request.namespace) ? 'namespace' : users.has(request.user.name) ? 'user' : undefined
    if (why === undefined) return false
    this.#noteExempt(request, why)
    return true
  }

  #noteExempt(request: AdmissionRequest, why: string): void {
    request.annotate(`${PREFIX}exempt`, why)
    this.#parts.measures.noteExemption(request)
  }

  #policyFor(request: AdmissionRequest, signal: AbortSignal): MaybePromise<Policy> {
    return whenKnown(findAnywhere(this.#parts.namespaces, ['', request.namespace], signal), (namespace) =>
      this.#policyOf(request, namespace),
    )
  }

  #policyOf(request: AdmissionRequest, found: ApiObject | undefined): Policy {
    const { policy, faults } = this.#read(found)
    if (faults.length > 0) {
      this.#parts.measures.noteError(request)
      const texts = fieldsOf(faults)
      const listed = texts.length === 1 ? texts[0]! : `[${texts.join(', ')}]`
      request.annotate(`${PREFIX}error`, `Failed to parse policy: ${listed}`)
    }
    return policy
  }

  #read(namespace: ApiObject | undefined): ReadPolicy {
    const { defaults } = this.#options
    if (namespace === undefined) return policyOf({}, defaults)
    let known = this.#known.get(namespace)
    if (known === undefined) this.#known.set(namespace, (known = policyOf(labelsOf(namespace), defaults)))
    return known
  }

  #evaluate(request: AdmissionRequest, { metadata, spec, policy, isEnforced }: Subject): void {
    if (this.#hasExemptRuntime(spec)) {
      this.#noteExempt(request, 'runtimeClass')
      return
    }
    const { enforce, audit, warn } = policy
    const { measures } = this.#parts
    const violations = (level: LevelVersion): string => detailOf(violationsOf(level, metadata, spec))
    const refused = isEnforced ? violations(enforce) : ''
    if (isEnforced) {
      request.annotate(`${PREFIX}enforce-policy`, formatLevel(enforce))
      measures.noteEvaluation(refused === '' ? 'allow' : 'deny', 'enforce', enforce, request)
    }
    const audited = isEnforced && isSameLevel(audit, enforce) ? refused : violations(audit)
    if (audited !== '') {
      request.annotate(`${PREFIX}audit-violations`, `would violate PodSecurity "${formatLevel(audit)}": ${audited}`)
      measures.noteEvaluation('deny', 'audit', audit, request)
    }
    if (refused !== '') throw forbidden(request, `violates PodSecurity "${formatLevel(enforce)}": ${refused}`)
    const warned = isSameLevel(warn, audit) ? audited : violations(warn)
    if (warned === '') return
    request.warn(`would violate PodSecurity "${formatLevel(warn)}": ${warned}`)
    measures.noteEvaluation('deny', 'warn', warn, request)
  }

  #hasExemptRuntime(spec: ValueMap): boolean {
    const name = textOrEmpty(spec, 'runtimeClassName')
    return name !== '' && this.#options.exempt.runtimeClasses.has(name)
  }

  #warnExempt(request: AdmissionRequest, namespace: ApiObject, policy: Policy): void {
    const { defaults } = this.#options
    if (MODES.every((mode) => policy[mode].level === 'privileged')) return
    if (MODES.every((mode) => isSameLevel(policy[mode], defaults[mode]))) return
    const labels = labelsOf(namespace)
    const named = MODES.filter((mode) => policy[mode].level !== 'privileged' && namesMode(labels, mode))
    const text = named.map((mode) => `${mode}=${formatLevel(policy[mode])}`).join(', ')
    const name = JSON.stringify(metaText(namespace, 'name'))
    request.warn(`namespace ${name} is exempt from Pod Security, and the policy (${text}) will be ignored`)
  }

  /** Warnings about existing pods that violate the new level. */
  async #podWarnings(namespace: string, enforce: LevelVersion, signal: AbortSignal): Promise<readonly string[]> {
    const deadline = this.#parts.clock.now() + LONGEST_MS
    const { objects, total } = await this.#parts.pods.listSome(namespace, MOST_PODS, signal)
    const pods = onePerControllerFirst(objects.filter((pod) => !this.#hasExemptRuntime(specOf(pod))))
    const skipped = objects.length - pods.length
    const byReason = new Map<string, string[]>()
    let checked = 0
    for (const pod of pods) {
      if (checked > 0 && checked % PODS_AT_ONCE === 0) {
        await setImmediate()
        if (this.#parts.clock.now() > deadline || signal.aborted) break
      }
      checked++
      const reason = reasonOf(violationsOf(enforce, metaOf(pod), specOf(pod)))
      if (reason === '') continue
      const names = byReason.get(reason)
      if (names === undefined) byReason.set(reason, [metaText(pod, 'name')])
      else names.push(metaText(pod, 'name'))
    }
    const eligible = total - skipped
    const partly = `new PodSecurity enforce level only checked against the first ${checked} of ${eligible} existing pods`
    const warnings = checked < eligible ? [partly] : []
    if (byReason.size === 0) return warnings
    const where = `existing pods in namespace ${JSON.stringify(namespace)}`
    warnings.push(`${where} violate the new PodSecurity enforce level "${formatLevel(enforce)}"`)
    return [...warnings, ...[...byReason].map(([reason, names]) => `${podNames(names)}: ${reason}`).toSorted()]
  }
}

function fieldsOf(faults: readonly { readonly field: string; readonly message: string }[]): readonly string[] {
  return faults.map(({ field, message }) => `${field}: ${message}`)
}

function becomesStricter(before: LevelVersion, after: LevelVersion): boolean {
  if (isSameLevel(before, after) || after.level === 'privileged') return false
  return before.minor !== after.minor || compareLevels(after.level, before.level) > 0
}

function podNames(names: readonly string[]): string {
  const first = names.toSorted()[0] ?? ''
  if (names.length === 1) return first
  return `${first} (and ${names.length === 2 ? '1 other pod' : `${names.length - 1} other pods`})`
}

/** One pod of each controller first: its other pods are alike. */
function onePerControllerFirst(pods: readonly ApiObject[]): readonly ApiObject[] {
  const seen = new Set<string>()
  const [first, rest]: [ApiObject[], ApiObject[]] = [[], []]
  for (const pod of pods) {
    const owners = mapsOnly(metaOf(pod), 'ownerReferences')
    const controller = owners.find((owner) => isTrue(owner, 'controller'))
    const uid = controller === undefined ? '' : textOrEmpty(controller, 'uid')
    if (controller !== undefined && seen.has(uid)) rest.push(pod)
    else first.push(pod)
    if (controller !== undefined) seen.add(uid)
  }
  return [...first, ...rest]
}

function partAt(object: ValueMap, path: readonly string[]): ValueMap | undefined {
  let part: ValueMap | undefined = object
  for (const name of path) part = part === undefined ? undefined : mapOrAbsent(part, name)
  return part
}

/** Whether an update changes images or containers. */
function isSignificant(pod: ApiObject, before: ApiObject): boolean {
  const [spec, old] = [specOf(pod), specOf(before)]
  for (const list of ['containers', 'initContainers']) {
    const [now, then] = [mapsInPlace(spec, list), mapsInPlace(old, list)]
    if (now.length !== then.length) return true
    if (now.some((container, i) => textOrEmpty(container, 'image') !== textOrEmpty(then[i] ?? {}, 'image'))) return true
  }
  const imagesOf = (part: ValueMap): readonly (readonly [string, string])[] =>
    mapsOnly(part, 'ephemeralContainers').map((each) => [textOrEmpty(each, 'name'), textOrEmpty(each, 'image')])
  const known = new Map(imagesOf(old))
  return imagesOf(spec).some(([name, image]) => known.get(name) !== image)
}
