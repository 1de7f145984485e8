// LimitRanger: applies the defaults and enforces the bounds of the limit ranges of the namespace (W-454 to W-457).
import { mapOrEmpty, mapsInPlace, mapsOnly, textOrEmpty } from '../api/members.ts'
import { annotationsOf, metaText, specOf, withMeta, withSpec } from '../api/object-members.ts'
import type { ApiObject } from '../api/object.ts'
import { own, type Value, type ValueMap } from '../api/value.ts'
import { whenKnown } from '../lib/maybe-promise.ts'
import { compareQuantities, formatQuantity, type Quantity, quantityToNumber } from '../lib/quantity.ts'
import type { AdmissionPlugin, AdmissionRequest } from '../admission/admission.ts'
import { type Amounts, amountsIn, namesOf, NOTHING } from './amounts.ts'
import type { ObjectReader } from '../admission/object-reader.ts'
import { containerAmounts, podAmounts } from './pod-resources.ts'
import { forbidden } from '../admission/refusal.ts'

export function limitRanger(ranges: ObjectReader): AdmissionPlugin {
  return {
    name: 'LimitRanger',
    resources: ['pods', 'persistentvolumeclaims'],
    operations: ['CREATE', 'UPDATE'],
    mutate(request, signal) {
      const { object } = request
      if (object === undefined || !isLimited(request) || request.resource.resource !== 'pods') return object
      return whenKnown(ranges.list(request.namespace, signal), (found) => found.reduce(withDefaults, object))
    },
    validate(request, signal) {
      const { object, resource } = request
      if (object === undefined || !isLimited(request)) return undefined
      const faultsOf = resource.resource === 'pods' ? podFaults : claimFaults
      return whenKnown(ranges.list(request.namespace, signal), (found) => {
        for (const range of found) {
          const faults = [...new Set(faultsOf(object, limitsOf(range)))]
          if (faults.length > 0) throw forbidden(request, faults.length === 1 ? faults[0]! : `[${faults.join(', ')}]`)
        }
      })
    },
  }
}

/** Pods only change their resources by a resize. Objects that are being deleted are skipped. */
function isLimited({ resource, operation, subresource, oldObject }: AdmissionRequest): boolean {
  if (oldObject !== undefined && metaText(oldObject, 'deletionTimestamp') !== '') return false
  const isPod = resource.resource === 'pods'
  if (subresource !== '') return isPod && subresource === 'resize' && operation === 'UPDATE'
  return !isPod || operation === 'CREATE'
}

function limitsOf(range: ApiObject): readonly ValueMap[] {
  return mapsOnly(specOf(range), 'limits')
}

interface Defaults {
  readonly requests: ValueMap
  readonly limits: ValueMap
}

function withDefaults(pod: ApiObject, range: ApiObject): ApiObject {
  const ofContainers = limitsOf(range).filter((limit) => textOrEmpty(limit, 'type') === 'Container')
  const defaults: Defaults = {
    requests: Object.assign({}, ...ofContainers.map((limit) => mapOrEmpty(limit, 'defaultRequest'))) as ValueMap,
    limits: Object.assign({}, ...ofContainers.map((limit) => mapOrEmpty(limit, 'default'))) as ValueMap,
  }
  const notes: string[] = []
  const members: Record<string, Value> = {}
  for (const [list, word] of [
    ['containers', 'container'],
    ['initContainers', 'init container'],
  ] as const) {
    const containers = mapsInPlace(specOf(pod), list)
    const filled = containers.map((container) => withResources(container, word, defaults, notes))
    if (filled.some((container, i) => container !== containers[i])) members[list] = filled
  }
  if (notes.length === 0) return pod
  const annotations = {
    ...annotationsOf(pod),
    'kubernetes.io/limit-ranger': `LimitRanger plugin set: ${notes.join('; ')}`,
  }
  return withMeta(withSpec(pod, members), { annotations })
}

function withResources(container: ValueMap, word: string, defaults: Defaults, notes: string[]): ValueMap {
  const resources = mapOrEmpty(container, 'resources')
  let filled = resources
  for (const side of ['requests', 'limits'] as const) {
    const given = mapOrEmpty(resources, side)
    const missing = Object.keys(defaults[side]).filter((name) => own(given, name) === undefined)
    if (missing.length === 0) continue
    const added = Object.fromEntries(missing.map((name) => [name, defaults[side][name]!]))
    filled = { ...filled, [side]: { ...given, ...added } }
    notes.push(`${missing.toSorted().join(', ')} ${side.slice(0, -1)} for ${word} ${textOrEmpty(container, 'name')}`)
  }
  return filled === resources ? container : { ...container, resources: filled }
}

interface Asked {
  readonly requests: Amounts
  readonly limits: Amounts
}

function podFaults(pod: ApiObject, limits: readonly ValueMap[]): readonly string[] {
  const spec = specOf(pod)
  return limits.flatMap((limit) => {
    const type = textOrEmpty(limit, 'type')
    if (type === 'Pod') {
      return faultsIn(limit, { requests: podAmounts(spec, 'requests'), limits: podAmounts(spec, 'limits') })
    }
    if (type !== 'Container') return []
    return [...mapsOnly(spec, 'containers'), ...mapsOnly(spec, 'initContainers')].flatMap((container) =>
      faultsIn(limit, {
        requests: containerAmounts(container, 'requests'),
        limits: containerAmounts(container, 'limits'),
      }),
    )
  })
}

function claimFaults(claim: ApiObject, limits: readonly ValueMap[]): readonly string[] {
  const requests = amountsIn(mapOrEmpty(specOf(claim), 'resources'), 'requests')
  return limits.flatMap((limit) => {
    const type = textOrEmpty(limit, 'type')
    if (type !== 'PersistentVolumeClaim') return []
    return [
      ...constraints(limit, 'min', (name, bound) => minFault({ type, name, bound }, { requests, limits: NOTHING })),
      ...constraints(limit, 'max', (name, bound) => {
        const rule = `maximum ${name} usage per ${type} is ${formatQuantity(bound)}`
        const asked: NamedAmount = ['request', requests.get(name)]
        return boundFault(rule, asked, asked, (amount) => compareQuantities(amount, bound) > 0)
      }),
    ]
  })
}

interface Bound {
  readonly type: string
  readonly name: string
  readonly bound: Quantity
}

function faultsIn(limit: ValueMap, asked: Asked): readonly string[] {
  const type = textOrEmpty(limit, 'type')
  return [
    ...constraints(limit, 'min', (name, bound) => minFault({ type, name, bound }, asked)),
    ...constraints(limit, 'max', (name, bound) => maxFault({ type, name, bound }, asked)),
    ...constraints(limit, 'maxLimitRequestRatio', (name, bound) => ratioFault({ type, name, bound }, asked)),
  ]
}

function constraints(
  limit: ValueMap,
  member: string,
  faultOf: (name: string, bound: Quantity) => string | undefined,
): readonly string[] {
  const bounds = amountsIn(limit, member)
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

/** The first is required; neither may be out of bounds. */
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
