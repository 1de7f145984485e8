// Workloads that keep pods running: deployments, replica sets, daemon sets, stateful sets; and their revisions.
import { FieldPath } from '../../api/field-path.ts'
import { equalValues, isMap, type Value, type ValueMap } from '../../api/value.ts'
import { type Check, IMMUTABLE } from '../../schema/validation/check.ts'
import { checkClaimSpec } from '../shared/claim-spec.ts'
import { dns1123Label } from '../../schema/validation/formats.ts'
import { amountIn, checkAtMostAll, checkIntOrPercent } from '../shared/int-or-percent.ts'
import {
  checkLabelSelector,
  isEmptySelector,
  isUsable,
  selects,
  shownSelector,
} from '../../schema/validation/labels.ts'
import { has, numberIn, numberOf, partIn, partOf, partsOf, textOf } from '../../schema/validation/members.ts'
import {
  checkBuiltInMeta,
  checkBuiltInMetaUpdate,
  labelName,
  subdomainName,
} from '../../schema/validation/object-meta.ts'
import { checkPodTemplate, checkTemplateMeta } from '../shared/pod-spec/pod-template.ts'
import { checkReplicas } from '../core/replication-controller.ts'
import type { GroupRules, KindRules } from '../../schema/validation/rules.ts'
import {
  checkCounts,
  checkLastingTemplate,
  checkWithin,
  labelsOf,
  tellMismatch,
} from '../shared/pod-spec/workload-template.ts'
import { ROLLING_SET_UPDATE, ROLLING_STRATEGY, SET_STRATEGY, shownAs } from '../shared/internal-form.ts'

const SPEC = FieldPath.root('spec')
const STATUS = FieldPath.root('status')
const SELECTOR = SPEC.child('selector')
const TEMPLATE = SPEC.child('template')

/** The selector, which must be there and say something; `kind` as messages name it. */
function checkSelector(spec: ValueMap, kind: string, check: Check): void {
  const selector = partIn(spec, 'selector')
  if (selector === undefined) {
    check.required(SELECTOR)
    return
  }
  checkLabelSelector(selector, SELECTOR, check)
  if (isEmptySelector(selector)) {
    check.invalid(SELECTOR, shownSelector(selector), `empty selector is invalid for ${kind}`)
  }
}

/** The template's labels are selected, where the selector selects at all. */
function checkSelected(spec: ValueMap, check: Check): void {
  const selector = partIn(spec, 'selector')
  if (selector !== undefined && isEmptySelector(selector)) return
  const template = partOf(spec, 'template')
  if (!selects(selector, labelsOf(template) ?? {})) tellMismatch(template, TEMPLATE, check)
}

function checkSelectedTemplate(spec: ValueMap, check: Check): void {
  const selector = partIn(spec, 'selector')
  if (selector !== undefined && !isUsable(selector)) {
    check.invalid(SELECTOR, shownSelector(selector), 'invalid label selector')
    return
  }
  checkSelected(spec, check)
  checkLastingTemplate(partOf(spec, 'template'), { at: TEMPLATE, check, kind: 'ReplicaSet' })
}

function checkSameSelector(spec: ValueMap, old: ValueMap, check: Check): void {
  const selector = partIn(spec, 'selector')
  if (!equalValues(selector, partIn(old, 'selector'))) check.invalid(SELECTOR, shownSelector(selector), IMMUTABLE)
}

function checkCollisions(status: ValueMap, old: ValueMap, check: Check): void {
  const [now, before] = [numberIn(status, 'collisionCount'), numberIn(old, 'collisionCount')]
  if (before !== undefined && (now === undefined || now < before)) {
    check.invalid(STATUS.child('collisionCount'), now ?? 0, 'cannot be decremented')
  }
}

function checkAvailable(status: ValueMap, words: string, check: Check): void {
  const available = numberOf(status, 'availableReplicas')
  if (available > numberOf(status, 'readyReplicas')) {
    check.invalid(STATUS.child('availableReplicas'), available, `cannot be greater than ${words}`)
  }
}

function checkDeployment(spec: ValueMap, check: Check): void {
  check.notNegative(SPEC.child('replicas'), numberOf(spec, 'replicas'))
  checkSelector(spec, 'deployment', check)
  checkSelectedTemplate(spec, check)
  checkDeploymentStrategy(partOf(spec, 'strategy'), SPEC.child('strategy'), check)
  const ready = numberOf(spec, 'minReadySeconds')
  check.notNegative(SPEC.child('minReadySeconds'), ready)
  check.notNegative(SPEC.child('revisionHistoryLimit'), numberIn(spec, 'revisionHistoryLimit'))
  const deadline = numberIn(spec, 'progressDeadlineSeconds')
  if (deadline === undefined) return
  check.notNegative(SPEC.child('progressDeadlineSeconds'), deadline)
  if (deadline <= ready) {
    check.invalid(SPEC.child('progressDeadlineSeconds'), deadline, 'must be greater than minReadySeconds')
  }
}

function checkDeploymentStrategy(strategy: ValueMap, at: FieldPath, check: Check): void {
  const type = textOf(strategy, 'type')
  const rolling = partIn(strategy, 'rollingUpdate')
  const place = at.child('rollingUpdate')
  if (type === 'Recreate') {
    if (rolling !== undefined) check.forbidden(place, "may not be specified when strategy `type` is 'Recreate'")
  } else if (type !== 'RollingUpdate') {
    check.notSupported(at, shownAs(strategy, ROLLING_STRATEGY), ['Recreate', 'RollingUpdate'])
  } else if (rolling === undefined) check.required(place, 'this should be defaulted and never be nil')
  else {
    const { maxUnavailable, maxSurge } = rolling
    checkIntOrPercent(maxUnavailable, place.child('maxUnavailable'), check)
    checkIntOrPercent(maxSurge, place.child('maxSurge'), check)
    if (amountIn(maxUnavailable) === 0 && amountIn(maxSurge) === 0) {
      check.invalid(place.child('maxUnavailable'), maxUnavailable, 'may not be 0 when `maxSurge` is 0')
    }
    checkAtMostAll(maxUnavailable, place.child('maxUnavailable'), check)
  }
}

const deployment: KindRules = {
  create: (object, check) => {
    checkBuiltInMeta(object, subdomainName, check)
    checkDeployment(partOf(object, 'spec'), check)
  },
  update: (object, stored, check) => {
    checkBuiltInMetaUpdate(object, stored, check)
    checkDeployment(partOf(object, 'spec'), check)
    checkSameSelector(partOf(object, 'spec'), partOf(stored, 'spec'), check)
  },
  subresources: {
    status: (object, stored, check) => {
      checkBuiltInMetaUpdate(object, stored, check)
      const status = partOf(object, 'status')
      const place = { at: STATUS, check }
      const parts = ['updatedReplicas', 'readyReplicas', 'availableReplicas']
      const more = ['unavailableReplicas', 'terminatingReplicas', 'collisionCount']
      checkCounts(status, ['observedGeneration', 'replicas', ...parts, ...more], place)
      checkWithin(status, parts, place)
      checkAvailable(status, 'readyReplicas', check)
      checkCollisions(status, partOf(stored, 'status'), check)
    },
  },
}

function checkReplicaSet(spec: ValueMap, check: Check): void {
  check.notNegative(SPEC.child('replicas'), numberOf(spec, 'replicas'))
  check.notNegative(SPEC.child('minReadySeconds'), numberOf(spec, 'minReadySeconds'))
  checkSelector(spec, 'deployment', check)
  checkSelectedTemplate(spec, check)
}

const replicaSet: KindRules = {
  create: (object, check) => {
    checkBuiltInMeta(object, subdomainName, check)
    checkReplicaSet(partOf(object, 'spec'), check)
  },
  update: (object, stored, check) => {
    checkBuiltInMetaUpdate(object, stored, check)
    checkReplicaSet(partOf(object, 'spec'), check)
    checkSameSelector(partOf(object, 'spec'), partOf(stored, 'spec'), check)
  },
  subresources: {
    status: (object, stored, check) => {
      checkBuiltInMetaUpdate(object, stored, check)
      checkReplicas(partOf(object, 'status'), check)
      check.notNegative(STATUS.child('terminatingReplicas'), numberIn(partOf(object, 'status'), 'terminatingReplicas'))
    },
  },
}

function checkDaemonSet(spec: ValueMap, check: Check): void {
  const selector = partIn(spec, 'selector')
  checkLabelSelector(selector, SELECTOR, check)
  const template = partOf(spec, 'template')
  const usable = selector === undefined || isUsable(selector)
  if (usable && !selects(selector, labelsOf(template) ?? {})) tellMismatch(template, TEMPLATE, check)
  if (selector !== undefined && isEmptySelector(selector)) {
    check.invalid(SELECTOR, shownSelector(selector), 'empty selector is invalid for daemonset')
  }
  checkLastingTemplate(template, { at: TEMPLATE, check, kind: 'DaemonSet' })
  check.notNegative(SPEC.child('minReadySeconds'), numberOf(spec, 'minReadySeconds'))
  checkDaemonStrategy(partOf(spec, 'updateStrategy'), SPEC.child('updateStrategy'), check)
  check.notNegative(SPEC.child('revisionHistoryLimit'), numberIn(spec, 'revisionHistoryLimit'))
}

function checkDaemonStrategy(strategy: ValueMap, at: FieldPath, check: Check): void {
  const type = textOf(strategy, 'type')
  if (type === 'OnDelete') return
  const rolling = partIn(strategy, 'rollingUpdate')
  const place = at.child('rollingUpdate')
  if (type !== 'RollingUpdate')
    check.notSupported(at, shownAs(strategy, ROLLING_STRATEGY), ['RollingUpdate', 'OnDelete'])
  else if (rolling === undefined) check.required(place)
  else {
    const fields = ['maxUnavailable', 'maxSurge']
    for (const field of fields) checkIntOrPercent(rolling[field], place.child(field), check)
    for (const field of fields) checkAtMostAll(rolling[field], place.child(field), check)
    const [unavailable, surge] = fields.map((field) => amountIn(rolling[field]) !== 0)
    if (unavailable === true && surge === true) {
      check.invalid(place.child('maxSurge'), rolling['maxSurge'], 'may not be set when maxUnavailable is non-zero')
    } else if (unavailable === false && surge === false) {
      check.required(place.child('maxUnavailable'), 'cannot be 0 when maxSurge is 0')
    }
  }
}

const DAEMON_COUNTS: readonly string[] = [
  'currentNumberScheduled',
  'numberMisscheduled',
  'desiredNumberScheduled',
  'numberReady',
  'observedGeneration',
  'updatedNumberScheduled',
  'numberAvailable',
  'numberUnavailable',
  'collisionCount',
]

const daemonSet: KindRules = {
  create: (object, check) => {
    checkBuiltInMeta(object, subdomainName, check)
    checkDaemonSet(partOf(object, 'spec'), check)
  },
  update: (object, stored, check) => {
    checkBuiltInMetaUpdate(object, stored, check)
    checkSameSelector(partOf(object, 'spec'), partOf(stored, 'spec'), check)
    checkDaemonSet(partOf(object, 'spec'), check)
  },
  subresources: {
    status: (object, stored, check) => {
      checkBuiltInMetaUpdate(object, stored, check)
      checkCounts(partOf(object, 'status'), DAEMON_COUNTS, { at: STATUS, check })
      checkCollisions(partOf(object, 'status'), partOf(stored, 'status'), check)
    },
  },
}

function checkStatefulSet(spec: ValueMap, isNew: boolean, check: Check): void {
  const management = textOf(spec, 'podManagementPolicy')
  const at = SPEC.child('podManagementPolicy')
  if (management === '') check.required(at)
  else if (management !== 'OrderedReady' && management !== 'Parallel') {
    check.invalid(at, management, "must be 'OrderedReady' or 'Parallel'")
  }
  checkStatefulStrategy(partOf(spec, 'updateStrategy'), SPEC.child('updateStrategy'), check)
  checkRetention(partIn(spec, 'persistentVolumeClaimRetentionPolicy'), check)
  if (isNew) {
    for (const [i, claim] of partsOf(spec, 'volumeClaimTemplates').entries()) {
      checkClaimSpec(partOf(claim, 'spec'), SPEC.child('volumeClaimTemplates').index(i).child('spec'), check)
    }
  }
  check.notNegative(SPEC.child('replicas'), numberOf(spec, 'replicas'))
  check.notNegative(SPEC.child('minReadySeconds'), numberOf(spec, 'minReadySeconds'))
  check.notNegative(SPEC.child('ordinals.start'), numberIn(partOf(spec, 'ordinals'), 'start'))
  const serviceName = textOf(spec, 'serviceName')
  if (isNew && serviceName !== '') check.format(SPEC.child('serviceName'), serviceName, dns1123Label(serviceName))
  checkSelector(spec, 'statefulset', check)
  checkStatefulTemplate(spec, check)
}

function checkStatefulStrategy(strategy: ValueMap, at: FieldPath, check: Check): void {
  const type = textOf(strategy, 'type')
  const rolling = partIn(strategy, 'rollingUpdate')
  const place = at.child('rollingUpdate')
  if (type === '') check.required(at)
  else if (type === 'OnDelete') {
    if (rolling === undefined) return
    check.invalid(place, shownAs(rolling, ROLLING_SET_UPDATE), "only allowed for updateStrategy 'RollingUpdate'")
  } else if (type !== 'RollingUpdate')
    check.invalid(at, shownAs(strategy, SET_STRATEGY), "must be 'RollingUpdate' or 'OnDelete'")
  else if (rolling !== undefined) {
    check.notNegative(place.child('partition'), numberOf(rolling, 'partition'))
    if (!has(rolling, 'maxUnavailable')) return
    const { maxUnavailable } = rolling
    checkIntOrPercent(maxUnavailable, place.child('maxUnavailable'), check)
    if (amountIn(maxUnavailable) === 0) check.invalid(place.child('maxUnavailable'), maxUnavailable, 'cannot be 0')
    checkAtMostAll(maxUnavailable, place.child('maxUnavailable'), check)
  }
}

function checkRetention(policy: ValueMap | undefined, check: Check): void {
  if (policy === undefined) return
  const at = SPEC.child('persistentVolumeClaimRetentionPolicy')
  for (const field of ['whenDeleted', 'whenScaled']) {
    check.oneOf(at.child(field), textOf(policy, field), ['Retain', 'Delete'])
  }
}

/** The template as its pods will be: with the volumes that are claimed for them, and without names of its own. */
function asMade(spec: ValueMap): ValueMap {
  const template = partOf(spec, 'template')
  const { subdomain: _subdomain, hostname: _hostname, ...rest } = partOf(template, 'spec')
  const claims = partsOf(spec, 'volumeClaimTemplates').map((claim) => textOf(partOf(claim, 'metadata'), 'name'))
  if (claims.length === 0) return { ...template, spec: rest }
  const names = new Set(claims)
  const claimed = [...names].map((name): Value => ({ name, persistentVolumeClaim: { claimName: name } }))
  const others = partsOf(rest, 'volumes').filter((volume) => !names.has(textOf(volume, 'name')))
  return { ...template, spec: { ...rest, volumes: [...claimed, ...others] } }
}

function checkStatefulTemplate(spec: ValueMap, check: Check): void {
  const selector = partIn(spec, 'selector')
  const template = asMade(spec)
  if (selector !== undefined && !isUsable(selector)) check.invalid(SELECTOR, shownSelector(selector), '')
  else {
    checkSelected(spec, check)
    checkPodTemplate(template, TEMPLATE, check)
    // The reference looks at these twice.
    checkTemplateMeta(template, TEMPLATE, check)
  }
  const inner = partOf(template, 'spec')
  const policy = textOf(inner, 'restartPolicy')
  if (policy !== 'Always') check.notSupported(TEMPLATE.child('spec').child('restartPolicy'), policy, ['Always'])
  if (has(inner, 'activeDeadlineSeconds')) {
    const detail = 'activeDeadlineSeconds in StatefulSet is not Supported'
    check.forbidden(TEMPLATE.child('spec').child('activeDeadlineSeconds'), detail)
  }
}

const CHANGEABLE: readonly string[] = [
  'replicas',
  'ordinals',
  'template',
  'updateStrategy',
  'revisionHistoryLimit',
  'persistentVolumeClaimRetentionPolicy',
  'minReadySeconds',
]

/** What of a stateful set stays as it is. */
function fixedPart(spec: ValueMap): ValueMap {
  return Object.fromEntries(Object.entries(spec).filter(([field]) => !CHANGEABLE.includes(field)))
}

const statefulSet: KindRules = {
  create: (object, check) => {
    checkBuiltInMeta(object, labelName, check)
    checkStatefulSet(partOf(object, 'spec'), true, check)
  },
  update: (object, stored, check) => {
    checkBuiltInMetaUpdate(object, stored, check)
    const spec = partOf(object, 'spec')
    checkStatefulSet(spec, false, check)
    if (!equalValues(fixedPart(spec), fixedPart(partOf(stored, 'spec')))) {
      const names = CHANGEABLE.map((field) => `'${field}'`)
      const listed = `${names.slice(0, -1).join(', ')} and ${names.at(-1) ?? ''}`
      check.forbidden(SPEC, `updates to statefulset spec for fields other than ${listed} are forbidden`)
    }
  },
  subresources: {
    status: (object, stored, check) => {
      const status = partOf(object, 'status')
      const place = { at: STATUS, check }
      const parts = ['readyReplicas', 'currentReplicas', 'updatedReplicas', 'availableReplicas']
      checkCounts(status, ['replicas', ...parts, 'observedGeneration', 'collisionCount'], place)
      checkWithin(status, parts, place)
      checkAvailable(status, 'status.readyReplicas', check)
      checkBuiltInMetaUpdate(object, stored, check)
      checkCollisions(status, partOf(stored, 'status'), check)
    },
  },
}

const DATA = FieldPath.root('data')

const controllerRevision: KindRules = {
  create: (object, check) => {
    checkRevision(object, check)
    const data = object['data']
    if (data === undefined || data === null) check.required(DATA, 'data is mandatory')
    else if (!isMap(data)) check.required(DATA, 'data must be a valid JSON object')
  },
  update: (object, stored, check) => {
    checkBuiltInMetaUpdate(object, stored, check)
    checkRevision(object, check)
    check.unchanged(DATA, object['data'], stored['data'])
  },
}

function checkRevision(object: ValueMap, check: Check): void {
  checkBuiltInMeta(object, subdomainName, check)
  check.notNegative(FieldPath.root('revision'), numberOf(object, 'revision'))
}

export const APPS_RULES: GroupRules = {
  ControllerRevision: controllerRevision,
  DaemonSet: daemonSet,
  Deployment: deployment,
  ReplicaSet: replicaSet,
  StatefulSet: statefulSet,
}
