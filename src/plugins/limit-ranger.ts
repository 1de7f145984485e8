// LimitRanger: applies the defaults and enforces the bounds of the limit ranges of the namespace (W-454 to W-457).
import type { Container, LimitRange, LimitRangeItem, PersistentVolumeClaim, Pod } from '../api/gen/kinds.ts'
import { isKind } from '../api/kind-guard.ts'
import { metaText, withMeta, withSpec } from '../api/object-members.ts'
import type { ApiObject } from '../api/object.ts'
import { entriesOf, type MapOf, own } from '../api/value.ts'
import { whenKnown } from '../lib/maybe-promise.ts'
import { compareQuantities, formatQuantity, type Quantity, quantityToNumber } from '../lib/quantity.ts'
import type { AdmissionPlugin, AdmissionRequest } from '../admission/admission.ts'
import { type Amounts, amountsOf, namesOf, NOTHING } from '../api/amounts.ts'
import type { ObjectReader } from '../admission/object-reader.ts'
import { containerAmounts, podAmounts } from '../api/pod-resources.ts'
import { forbidden } from '../admission/refusal.ts'

export function limitRanger(ranges: ObjectReader<LimitRange>): AdmissionPlugin {
  return {
    name: 'LimitRanger',
    resources: ['pods', 'persistentvolumeclaims'],
    operations: ['CREATE', 'UPDATE'],
    mutate(request, signal) {
      const { object } = request
      if (!isKind(object, 'core_v1.Pod') || !isLimited(request)) return object
      return whenKnown(ranges.list(request.namespace, signal), (found) => found.reduce(withDefaults, object))
    },
    validate(request, signal) {
      if (!isLimited(request)) return undefined
      const { object } = request
      return whenKnown(ranges.list(request.namespace, signal), (found) => {
        for (const range of found) {
          const faults = [...new Set(range.spec.limits?.flatMap((limit) => faultsOf(object, limit)))]
          if (faults.length > 0) throw forbidden(request, faults.length === 1 ? faults[0]! : `[${faults.join(', ')}]`)
        }
      })
    },
  }
}

/**
 * Whether limits apply to the request. An update changes the resources of a pod only by `resize`. Objects that are being deleted are
 * skipped.
 */
function isLimited({ resource, operation, subresource, oldObject }: AdmissionRequest): boolean {
  if (oldObject !== undefined && metaText(oldObject, 'deletionTimestamp') !== '') return false
  const isPod = resource.resource === 'pods'
  if (subresource !== '') return isPod && subresource === 'resize' && operation === 'UPDATE'
  return !isPod || operation === 'CREATE'
}

interface Defaults {
  readonly requests: MapOf<string>
  readonly limits: MapOf<string>
}

function withDefaults(pod: Pod, { spec: { limits } }: LimitRange): Pod {
  const ofContainers = limits?.filter(({ type }) => type === 'Container') ?? []
  const defaults: Defaults = {
    requests: Object.fromEntries(ofContainers.flatMap(({ defaultRequest = {} }) => entriesOf(defaultRequest))),
    limits: Object.fromEntries(ofContainers.flatMap((limit) => entriesOf(limit.default ?? {}))),
  }
  const notes: string[] = []
  const { containers, initContainers } = pod.spec
  const filled = {
    containers: containers && containers.map((each) => withResources(each, 'container', defaults, notes)),
    initContainers: initContainers?.map((each) => withResources(each, 'init container', defaults, notes)),
  }
  if (notes.length === 0) return pod
  const note = `LimitRanger plugin set: ${notes.join('; ')}`
  const annotations = { ...pod.metadata.annotations, 'kubernetes.io/limit-ranger': note }
  return withMeta(withSpec(pod, filled), { annotations })
}

function withResources(container: Container, word: string, defaults: Defaults, notes: string[]): Container {
  const { resources } = container
  let filled = resources
  for (const side of ['requests', 'limits'] as const) {
    const given = resources[side] ?? {}
    const missing = entriesOf(defaults[side]).filter(([name]) => own(given, name) === undefined)
    if (missing.length === 0) continue
    filled = { ...filled, [side]: { ...given, ...Object.fromEntries(missing) } }
    const names = missing.map(([name]) => name).toSorted()
    notes.push(`${names.join(', ')} ${side.slice(0, -1)} for ${word} ${container.name}`)
  }
  return filled === resources ? container : { ...container, resources: filled }
}

interface Asked {
  readonly requests: Amounts
  readonly limits: Amounts
}

function faultsOf(object: ApiObject | undefined, limit: LimitRangeItem): readonly string[] {
  if (isKind(object, 'core_v1.Pod')) return podFaults(object, limit)
  return isKind(object, 'core_v1.PersistentVolumeClaim') ? claimFaults(object, limit) : []
}

function podFaults({ spec }: Pod, limit: LimitRangeItem): readonly string[] {
  if (limit.type === 'Pod') {
    return faultsIn(limit, { requests: podAmounts(spec, 'requests'), limits: podAmounts(spec, 'limits') })
  }
  if (limit.type !== 'Container') return []
  return [...(spec.containers ?? []), ...(spec.initContainers ?? [])].flatMap((container) =>
    faultsIn(limit, {
      requests: containerAmounts(container, 'requests'),
      limits: containerAmounts(container, 'limits'),
    }),
  )
}

function claimFaults({ spec }: PersistentVolumeClaim, limit: LimitRangeItem): readonly string[] {
  const { type } = limit
  if (type !== 'PersistentVolumeClaim') return []
  const requests = amountsOf(spec.resources.requests)
  return [
    ...constraints(limit.min, (name, bound) => minFault({ type, name, bound }, { requests, limits: NOTHING })),
    ...constraints(limit.max, (name, bound) => {
      const rule = `maximum ${name} usage per ${type} is ${formatQuantity(bound)}`
      const asked: NamedAmount = ['request', requests.get(name)]
      return boundFault(rule, asked, asked, (amount) => compareQuantities(amount, bound) > 0)
    }),
  ]
}

interface Bound {
  readonly type: string
  readonly name: string
  readonly bound: Quantity
}

function faultsIn({ type, min, max, maxLimitRequestRatio }: LimitRangeItem, asked: Asked): readonly string[] {
  return [
    ...constraints(min, (name, bound) => minFault({ type, name, bound }, asked)),
    ...constraints(max, (name, bound) => maxFault({ type, name, bound }, asked)),
    ...constraints(maxLimitRequestRatio, (name, bound) => ratioFault({ type, name, bound }, asked)),
  ]
}

function constraints(
  limits: MapOf<string> | undefined,
  faultOf: (name: string, bound: Quantity) => string | undefined,
): readonly string[] {
  const bounds = amountsOf(limits)
  return namesOf(bounds).flatMap((name) => faultOf(name, bounds.get(name)!) ?? [])
}

function minFault({ type, name, bound }: Bound, { requests, limits }: Asked): string | undefined {
  const rule = `minimum ${name} usage per ${type} is ${formatQuantity(bound)}`
  const isLess = (amount: Quantity): boolean => compareQuantities(amount, bound) < 0
  return boundFault(rule, ['request', requests.get(name)], ['limit', limits.get(name)], isLess)
}

function maxFault({ type, name, bound }: Bound, { requests, limits }: Asked): string | undefined {
  const rule = `maximum ${name} usage per ${type} is ${formatQuantity(bound)}`
  const isMore = (amount: Quantity): boolean => compareQuantities(amount, bound) > 0
  return boundFault(rule, ['limit', limits.get(name)], ['request', requests.get(name)], isMore)
}

type NamedAmount = readonly [word: 'request' | 'limit', amount: Quantity | undefined]

/** The first amount is required. Neither amount may be out of bounds. */
function boundFault(
  rule: string,
  first: NamedAmount,
  second: NamedAmount,
  isOut: (amount: Quantity) => boolean,
): string | undefined {
  if (first[1] === undefined) return `${rule}.  No ${first[0]} is specified`
  const out = [first, second].find(([, amount]) => amount !== undefined && isOut(amount))
  return out === undefined ? undefined : `${rule}, but ${out[0]} is ${formatQuantity(out[1]!)}`
}

function ratioFault({ type, name, bound }: Bound, { requests, limits }: Asked): string | undefined {
  const rule = `${name} max limit to request ratio per ${type} is ${formatQuantity(bound)}`
  const [request, limit] = [requests.get(name), limits.get(name)]
  if (request === undefined || request.unscaled === 0n) {
    return `${rule}, but no request is specified or request is 0`
  }
  if (limit === undefined || limit.unscaled === 0n) return `${rule}, but no limit is specified or limit is 0`
  const ratio = quantityToNumber(limit) / quantityToNumber(request)
  return ratio > quantityToNumber(bound) ? `${rule}, but provided ratio is ${ratio.toFixed(6)}` : undefined
}
