// PodSecurity: enforces the pod security level of the namespace. Violations in workloads, or in the existing pods of a namespace that
// becomes stricter, only cause warnings (W-479, W-480).
import { setImmediate } from 'node:timers/promises'
import { invalidError } from '../api/invalid-error.ts'
import type { Namespace, Pod, PodSpec } from '../api/gen/kinds.ts'
import { isKind } from '../api/kind-guard.ts'
import type { ApiObject } from '../api/object.ts'
import { equalValues } from '../api/value.ts'
import type { Clock } from '../lib/clock.ts'
import { addToList, getOrInsert } from '../lib/map-entries.ts'
import { type MaybePromise, whenKnown } from '../lib/maybe-promise.ts'
import type { AdmissionPlugin, AdmissionRequest } from '../admission/admission.ts'
import { findAnywhere, type ObjectReader, type SampleReader } from '../admission/object-reader.ts'
import { detailOf, type PodOrTemplate, reasonOf, violationsOf } from './pod-security/pod-security.ts'
import type { PodSecurityMeasures } from './pod-security-measures.ts'
import type { LevelVersion, Policy } from './pod-security-policy.ts'
import { compareLevels, formatLevel, isSameLevel, MODES, namesMode, policyOf } from './pod-security-policy.ts'
import { forbidden } from '../admission/refusal.ts'

export interface PodSecurityOptions {
  /** The policy for modes that the labels of a namespace do not set. */
  readonly defaults: Policy
  readonly exempt: {
    readonly users: ReadonlySet<string>
    readonly namespaces: ReadonlySet<string>
    readonly runtimeClasses: ReadonlySet<string>
  }
}

export interface PodSecurityParts {
  readonly namespaces: ObjectReader<Namespace>
  readonly pods: SampleReader<Pod>
  readonly clock: Clock
  readonly measures: PodSecurityMeasures
}

const WORKLOADS: readonly string[] = [
  'replicationcontrollers',
  'podtemplates',
  'replicasets.apps',
  'deployments.apps',
  'statefulsets.apps',
  'daemonsets.apps',
  'jobs.batch',
  'cronjobs.batch',
]

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
    resources: ['namespaces', 'pods', ...WORKLOADS],
    operations: ['CREATE', 'UPDATE'],
    validate(request, signal) {
      const { object } = request
      if (isKind(object, 'core_v1.Namespace')) return plugin.checkNamespace(request, object, signal)
      if (isKind(object, 'core_v1.Pod')) return plugin.checkPod(request, object, signal)
      return object && plugin.checkTemplate(request, object, signal)
    },
  }
}

type ReadPolicy = ReturnType<typeof policyOf>

interface Subject {
  readonly pod: PodOrTemplate
  readonly policy: Policy
  /** Whether violations are refused. Otherwise they only cause warnings. */
  readonly isEnforced: boolean
}

class PodSecurity {
  readonly #parts: PodSecurityParts
  readonly #options: PodSecurityOptions
  /** Parsed policies, by the object of the namespace. Reads return the same object until the namespace changes. */
  readonly #known = new WeakMap<Namespace, ReadPolicy>()

  constructor(parts: PodSecurityParts, options: PodSecurityOptions) {
    this.#parts = parts
    this.#options = options
  }

  checkPod(request: AdmissionRequest, pod: Pod, signal: AbortSignal): MaybePromise<void> {
    const { subresource, operation, oldObject } = request
    if (HARMLESS.has(subresource) || this.#isExempt(request)) return undefined
    return whenKnown(this.#policyFor(request, signal), (policy) => {
      if (MODES.every((mode) => policy[mode].level === 'privileged')) {
        request.annotate(`${PREFIX}enforce-policy`, formatLevel(policy.enforce))
        this.#parts.measures.noteEvaluation('allow', 'enforce', policy.enforce, request)
        return
      }
      if (operation === 'UPDATE' && isKind(oldObject, 'core_v1.Pod') && !isSignificant(pod.spec, oldObject.spec)) return
      this.#evaluate(request, { pod, policy, isEnforced: true })
    })
  }

  checkTemplate(request: AdmissionRequest, object: ApiObject, signal: AbortSignal): MaybePromise<void> {
    if (request.subresource !== '' || this.#isExempt(request)) return undefined
    const template = templateOf(object)
    if (template === undefined) return undefined
    return whenKnown(this.#policyFor(request, signal), (policy) => {
      if (policy.warn.level === 'privileged' && policy.audit.level === 'privileged') return
      this.#evaluate(request, { pod: template, policy, isEnforced: false })
    })
  }

  async checkNamespace(request: AdmissionRequest, namespace: Namespace, signal: AbortSignal): Promise<void> {
    if (request.subresource !== '') return
    const { name = '' } = namespace.metadata
    const { policy, faults } = this.#parse(namespace)
    const { oldObject } = request
    const before = isKind(oldObject, 'core_v1.Namespace') ? this.#parse(oldObject) : undefined
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

  #policyOf(request: AdmissionRequest, found: Namespace | undefined): Policy {
    const { policy, faults } = this.#read(found)
    if (faults.length > 0) {
      this.#parts.measures.noteError(request)
      const texts = fieldsOf(faults)
      const listed = texts.length === 1 ? texts[0]! : `[${texts.join(', ')}]`
      request.annotate(`${PREFIX}error`, `Failed to parse policy: ${listed}`)
    }
    return policy
  }

  #read(namespace: Namespace | undefined): ReadPolicy {
    if (namespace === undefined) return policyOf({}, this.#options.defaults)
    return getOrInsert(this.#known, namespace, (known) => this.#parse(known))
  }

  #parse({ metadata }: Namespace): ReadPolicy {
    return policyOf(metadata.labels ?? {}, this.#options.defaults)
  }

  #evaluate(request: AdmissionRequest, { pod, policy, isEnforced }: Subject): void {
    if (this.#hasExemptRuntime(pod.spec)) {
      this.#noteExempt(request, 'runtimeClass')
      return
    }
    const { enforce, audit, warn } = policy
    const { measures } = this.#parts
    const violations = (level: LevelVersion): string => detailOf(this.#violationsOf(level, pod))
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

  /** The latest version of the standard, and an unknown newer one, are the newest version that is known. */
  #violationsOf({ level, minor }: LevelVersion, pod: PodOrTemplate): ReturnType<typeof violationsOf> {
    return violationsOf({ level, minor: Math.min(minor, this.#parts.measures.newestMinor) }, pod)
  }

  #hasExemptRuntime({ runtimeClassName: name = '' }: PodSpec): boolean {
    return name !== '' && this.#options.exempt.runtimeClasses.has(name)
  }

  #warnExempt(request: AdmissionRequest, { metadata }: Namespace, policy: Policy): void {
    const { defaults } = this.#options
    if (MODES.every((mode) => policy[mode].level === 'privileged')) return
    if (MODES.every((mode) => isSameLevel(policy[mode], defaults[mode]))) return
    const { name = '', labels = {} } = metadata
    const named = MODES.filter((mode) => policy[mode].level !== 'privileged' && namesMode(labels, mode))
    const text = named.map((mode) => `${mode}=${formatLevel(policy[mode])}`).join(', ')
    request.warn(
      `namespace ${JSON.stringify(name)} is exempt from Pod Security, and the policy (${text}) will be ignored`,
    )
  }

  /** Warnings about existing pods that violate the new level. */
  async #podWarnings(namespace: string, enforce: LevelVersion, signal: AbortSignal): Promise<readonly string[]> {
    const deadline = this.#parts.clock.now() + LONGEST_MS
    const { objects, total } = await this.#parts.pods.listSome(namespace, MOST_PODS, signal)
    const pods = onePerControllerFirst(objects.filter((pod) => !this.#hasExemptRuntime(pod.spec)))
    const skipped = objects.length - pods.length
    const byReason = new Map<string, string[]>()
    let checked = 0
    for (const pod of pods) {
      if (checked > 0 && checked % PODS_AT_ONCE === 0) {
        await setImmediate()
        if (this.#parts.clock.now() > deadline || signal.aborted) break
      }
      checked++
      const reason = reasonOf(this.#violationsOf(enforce, pod))
      if (reason === '') continue
      const { name = '' } = pod.metadata
      addToList(byReason, reason, name)
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

/** One pod of each controller comes first, because the other pods of the controller are alike. */
function onePerControllerFirst(pods: readonly Pod[]): readonly Pod[] {
  const seen = new Set<string>()
  const [first, rest]: [Pod[], Pod[]] = [[], []]
  for (const pod of pods) {
    const uid = pod.metadata.ownerReferences?.find(({ controller }) => controller === true)?.uid
    if (uid !== undefined && seen.has(uid)) rest.push(pod)
    else first.push(pod)
    if (uid !== undefined) seen.add(uid)
  }
  return [...first, ...rest]
}

/** The pod template of a workload. */
function templateOf(object: ApiObject): PodOrTemplate | undefined {
  if (isKind(object, 'core_v1.PodTemplate')) return object.template
  if (isKind(object, 'core_v1.ReplicationController')) return object.spec.template
  if (isKind(object, 'apps_v1.ReplicaSet')) return object.spec.template
  if (isKind(object, 'apps_v1.Deployment')) return object.spec.template
  if (isKind(object, 'apps_v1.StatefulSet')) return object.spec.template
  if (isKind(object, 'apps_v1.DaemonSet')) return object.spec.template
  if (isKind(object, 'batch_v1.Job')) return object.spec.template
  return isKind(object, 'batch_v1.CronJob') ? object.spec.jobTemplate.spec.template : undefined
}

/** Whether an update changes images or containers. */
function isSignificant(now: PodSpec, before: PodSpec): boolean {
  for (const list of ['containers', 'initContainers'] as const) {
    const [some, then] = [now[list] ?? [], before[list] ?? []]
    if (some.length !== then.length || some.some(({ image }, i) => image !== then[i]?.image)) return true
  }
  const known = new Map(before.ephemeralContainers?.map(({ name, image = '' }) => [name, image]))
  return now.ephemeralContainers?.some(({ name, image = '' }) => known.get(name) !== image) ?? false
}
