// Groups with one kind or two: budgets of disruptions, leases, priorities, runtime classes.
import { FieldPath } from '../../api/field-path.ts'
import { shownJson } from '../../api/field-error.ts'
import type { ValueMap } from '../../api/value.ts'
import { type Check, IMMUTABLE, POSITIVE } from '../../schema/validation/check.ts'
import { checkConditions } from './conditions.ts'
import { qualifiedName } from '../../schema/validation/formats.ts'
import { checkAtMostAll, checkIntOrPercent } from './int-or-percent.ts'
import { shownAs, TOLERATION } from './internal-form.ts'
import { checkLabels, checkLabelSelector } from '../../schema/validation/labels.ts'
import {
  flagOf,
  has,
  numberIn,
  numberOf,
  partIn,
  partOf,
  partsOf,
  textIn,
  textOf,
} from '../../schema/validation/members.ts'
import {
  checkBuiltInMeta,
  checkBuiltInMetaUpdate,
  checkMeta,
  checkMetaUpdate,
} from '../../schema/validation/object-meta.ts'
import { labelName, METADATA, subdomainName } from '../../schema/validation/object-meta.ts'
import { checkOverhead } from './pod-spec/pod-spec.ts'
import type { GroupRules, KindRules } from '../../schema/validation/rules.ts'
import { checkTolerations } from './pod-spec/tolerations.ts'

const SPEC = FieldPath.root('spec')
const STATUS = FieldPath.root('status')

function checkBudget(object: ValueMap, check: Check): void {
  const spec = partOf(object, 'spec')
  const { minAvailable, maxUnavailable } = spec
  if (has(spec, 'minAvailable') && has(spec, 'maxUnavailable')) {
    const shown = {
      MinAvailable: minAvailable ?? null,
      Selector: spec['selector'] ?? null,
      MaxUnavailable: maxUnavailable ?? null,
      UnhealthyPodEvictionPolicy: spec['unhealthyPodEvictionPolicy'] ?? null,
    }
    check.invalid(SPEC, shownJson(shown), 'minAvailable and maxUnavailable cannot be both set')
  }
  for (const field of ['minAvailable', 'maxUnavailable']) {
    if (!has(spec, field)) continue
    checkIntOrPercent(spec[field], SPEC.child(field), check)
    checkAtMostAll(spec[field], SPEC.child(field), check)
  }
  checkLabelSelector(partIn(spec, 'selector'), SPEC.child('selector'), check)
  const policy = textIn(spec, 'unhealthyPodEvictionPolicy')
  if (policy !== undefined) {
    check.oneOf(SPEC.child('unhealthyPodEvictionPolicy'), policy, ['AlwaysAllow', 'IfHealthyBudget'])
  }
}

const podDisruptionBudget: KindRules = {
  create: checkBudget,
  update: (object, _stored, check) => checkBudget(object, check),
  subresources: {
    status: (object, _stored, check) => {
      const status = partOf(object, 'status')
      checkConditions(partsOf(status, 'conditions'), STATUS.child('conditions'), check)
      for (const field of ['disruptionsAllowed', 'currentHealthy', 'desiredHealthy', 'expectedPods']) {
        check.notNegative(STATUS.child(field), numberOf(status, field))
      }
    },
  },
}

function checkLease(object: ValueMap, check: Check): void {
  const spec = partOf(object, 'spec')
  const seconds = numberIn(spec, 'leaseDurationSeconds')
  if (seconds !== undefined && seconds <= 0) check.invalid(SPEC.child('leaseDurationSeconds'), seconds, POSITIVE)
  check.notNegative(SPEC.child('leaseTransitions'), numberIn(spec, 'leaseTransitions'))
  if (!check.gate('CoordinatedLeaderElection')) return
  const strategy = textIn(spec, 'strategy')
  if (strategy !== undefined) checkLeaseStrategy(strategy, SPEC.child('strategy'), check)
  else if (textOf(spec, 'preferredHolder') !== '') {
    check.forbidden(SPEC.child('preferredHolder'), 'may only be specified when `strategy` is defined')
  }
}

function checkLeaseStrategy(strategy: string, at: FieldPath, check: Check): void {
  if (strategy === 'OldestEmulationVersion') return
  check.format(at, strategy, qualifiedName(strategy))
  if (!strategy.includes('/')) {
    check.notSupported(at, strategy, ['OldestEmulationVersion'])
  }
}

const lease: KindRules = {
  create: (object, check) => {
    checkMeta(object, subdomainName, check)
    checkLease(object, check)
  },
  update: (object, stored, check) => {
    checkMetaUpdate(object, stored, check)
    checkLease(object, check)
  },
}

const SYSTEM_CLASSES: Readonly<Record<string, number>> = {
  'system-node-critical': 2_000_001_000,
  'system-cluster-critical': 2_000_000_000,
}
const MAX_USER_PRIORITY = 1_000_000_000

function systemClassFault(name: string, value: number, isDefault: boolean): string | undefined {
  const known = Object.hasOwn(SYSTEM_CLASSES, name) ? SYSTEM_CLASSES[name] : undefined
  if (known === undefined) return `${name} is not a known system priority class`
  if (known !== value) return `value of ${name} PriorityClass must be ${known}`
  return isDefault ? `globalDefault of ${name} PriorityClass must be false` : undefined
}

const priorityClass: KindRules = {
  create: (object, check) => {
    checkBuiltInMeta(object, subdomainName, check)
    const name = textOf(partOf(object, 'metadata'), 'name')
    const value = Number(numberOf(object, 'value'))
    if (name.startsWith('system-')) {
      const fault = systemClassFault(name, value, flagOf(object, 'globalDefault'))
      if (fault !== undefined) {
        const detail = `priority class names with 'system-' prefix are reserved for system use only. error: ${fault}`
        check.forbidden(METADATA.child('name'), detail)
      }
    } else if (value > MAX_USER_PRIORITY) {
      const detail = `maximum allowed value of a user defined priority is ${MAX_USER_PRIORITY}`
      check.forbidden(FieldPath.root('value'), detail)
    }
    const policy = textIn(object, 'preemptionPolicy')
    const at = FieldPath.root('preemptionPolicy')
    if (policy === '') check.required(at)
    else if (policy !== undefined) check.oneOf(at, policy, ['PreemptLowerPriority', 'Never'])
  },
  update: (object, stored, check) => {
    checkBuiltInMetaUpdate(object, stored, check)
    if (Number(numberOf(object, 'value')) !== Number(numberOf(stored, 'value'))) {
      check.forbidden(FieldPath.root('value'), 'may not be changed in an update.')
    }
    check.unchanged(FieldPath.root('preemptionPolicy'), object['preemptionPolicy'], stored['preemptionPolicy'])
  },
}

function checkRuntimeClass(object: ValueMap, check: Check): void {
  checkMeta(object, subdomainName, check)
  const handler = textOf(object, 'handler')
  if (handler === '') check.required(FieldPath.root('handler'))
  else check.format(FieldPath.root('handler'), handler, labelName(handler, false))
  const overhead = partIn(object, 'overhead')
  if (overhead !== undefined) checkOverhead(partOf(overhead, 'podFixed'), FieldPath.root('overhead'), check)
  const scheduling = partIn(object, 'scheduling')
  if (scheduling === undefined) return
  const at = FieldPath.root('scheduling')
  checkLabels(partIn(scheduling, 'nodeSelector'), at.child('nodeSelector'), check)
  const tolerations = partsOf(scheduling, 'tolerations')
  checkTolerations(tolerations, at.child('tolerations'), check)
  const seen = new Set<string>()
  for (const [i, toleration] of tolerations.entries()) {
    const key = ['key', 'operator', 'value', 'effect'].map((field) => textOf(toleration, field)).join('\0')
    if (seen.has(key)) check.duplicate(at.child('tolerations').index(i), shownAs(toleration, TOLERATION))
    seen.add(key)
  }
}

const runtimeClass: KindRules = {
  create: checkRuntimeClass,
  update: (object, stored, check) => {
    checkRuntimeClass(object, check)
    checkMetaUpdate(object, stored, check)
    const handler = textOf(object, 'handler')
    if (handler !== textOf(stored, 'handler')) check.invalid(FieldPath.root('handler'), handler, IMMUTABLE)
  },
}

export const POLICY_RULES: GroupRules = { PodDisruptionBudget: podDisruptionBudget }
export const COORDINATION_RULES: GroupRules = { Lease: lease }
export const SCHEDULING_RULES: GroupRules = { PriorityClass: priorityClass }
export const NODE_RULES: GroupRules = { RuntimeClass: runtimeClass }
