// ResourceQuota: enforces the quotas of a namespace. The plugin raises the usage before the write, by compare-and-swap on the quota, so
// that the usage is exact for any number of writers and replicas (W-458 to W-462). If the write fails later, the plugin gives the charge
// back, or the controller that counts the usage corrects it. A count may take away the charge of a write that is still on its way. Then the
// condition of the write does not hold any more, and the write is refused.
import type { ResourceQuota, ResourceQuotaStatus } from '../api/gen/kinds.ts'
import { isKind } from '../api/kind-guard.ts'
import type { ApiObject } from '../api/object.ts'
import type { WriteCondition } from '../api/write-condition.ts'
import type { Quantity } from '../lib/quantity.ts'
import {
  addQuantities,
  compareQuantities,
  formatQuantity,
  quantityOf,
  signOfQuantity,
  subtractQuantities,
} from '../lib/quantity.ts'
import type { AdmissionPlace, AdmissionPlugin, AdmissionRequest } from '../admission/admission.ts'
import type { Amounts } from '../api/amounts.ts'
import type { LimitedResource } from './quota/quota.ts'
import { chargeOf, hardOf, hasDeadline, limitedRefusal, namesAbout, unspecifiedBy, usedOf } from './quota/quota.ts'
import { forbidden } from '../admission/refusal.ts'

/** Reads quotas and updates their usage. */
export interface QuotaLedger {
  /** The quotas of a namespace, from memory: every write reads them. */
  quotasIn(namespace: string): readonly ResourceQuota[]
  /**
   * Stores the status that `change` returns for the stored quota. Undefined: the quota stays as it is. `change` is called again after a
   * conflict, and throws to refuse the request. Nothing happens if the quota is deleted. Resolves with the condition that no count has
   * begun since the change: such a count might not know of the change.
   */
  update(
    quota: ResourceQuota,
    change: (current: ResourceQuota) => ResourceQuotaStatus | undefined,
    signal: AbortSignal,
  ): Promise<WriteCondition>
  /** Takes back an update if its conditions still hold. Otherwise throws `Conflict`. */
  takeBack(
    quota: ResourceQuota,
    change: (current: ResourceQuota) => ResourceQuotaStatus,
    onlyIf: readonly WriteCondition[],
    signal: AbortSignal,
  ): Promise<void>
}

const ZERO = quantityOf(0, 'decimalSI')

/** Creates, and updates that can raise the usage, are counted. */
export function resourceQuota(
  ledger: QuotaLedger,
  nowMs: () => number,
  limited: readonly LimitedResource[] = [],
): readonly AdmissionPlugin[] {
  const isLimited = ({ namespace }: AdmissionPlace): boolean =>
    namespace !== '' && (limited.length > 0 || ledger.quotasIn(namespace).length > 0)
  const check = (request: AdmissionRequest, signal: AbortSignal): void | Promise<void> => {
    if (!isLimited(request)) return undefined
    const { object } = request
    if (object === undefined || !isCounted(request)) return undefined
    const quotas = ledger.quotasIn(request.namespace)
    const subject = { request, object, nowMs: nowMs() }
    refuseUnlimited(limited, quotas, subject)
    return quotas.length === 0 ? undefined : charge(ledger, quotas, subject, signal)
  }
  return [
    { name: 'ResourceQuota', operations: ['CREATE'], readsObjects: isLimited, validate: check },
    {
      name: 'ResourceQuota',
      resources: ['pods', 'services', 'persistentvolumeclaims', 'resourceclaims.resource.k8s.io'],
      operations: ['UPDATE'],
      validate: check,
    },
  ]
}

function isCounted({ operation, resource, subresource, object, oldObject }: AdmissionRequest): boolean {
  if (operation === 'CREATE') return subresource === '' && resource.resource !== 'namespaces'
  if (resource.resource !== 'pods') return subresource === ''
  if (subresource === 'resize') return true
  // A deadline moves a pod from one scope to another.
  if (subresource !== '' || !isKind(object, 'core_v1.Pod') || !isKind(oldObject, 'core_v1.Pod')) return false
  return hasDeadline(object) !== hasDeadline(oldObject)
}

interface Charge {
  readonly request: AdmissionRequest
  readonly object: ApiObject
  readonly nowMs: number
}

/** Refuses an object that uses limited resources without a quota for them. */
function refuseUnlimited(limited: readonly LimitedResource[], quotas: readonly ResourceQuota[], subject: Charge): void {
  if (limited.length === 0) return
  const { request, object, nowMs } = subject
  const type = request.resource
  const covered = new Set(
    quotas.flatMap((quota) => {
      const names = [...hardOf(quota).keys()]
      return chargeOf(quota, names, { type, object, nowMs }) === undefined ? [] : namesAbout(names, type)
    }),
  )
  const refusal = limitedRefusal(limited, { type, object, nowMs, quotas, covered })
  if (refusal !== undefined) throw forbidden(request, refusal)
}

async function charge(
  ledger: QuotaLedger,
  quotas: readonly ResourceQuota[],
  subject: Charge,
  signal: AbortSignal,
): Promise<void> {
  const asked = quotas.map((quota) => ({ quota, answer: answerOf(quota, subject) }))
  const refusal = asked.find(({ answer }) => answer.kind === 'refused')?.answer
  if (subject.request.dryRun) {
    if (refusal?.kind === 'refused') throw refusal.error
    return
  }
  // The quotas in memory may be stale: the stored quotas decide. Quotas that are likely to refuse come first.
  const concerned = asked
    .filter(({ answer }) => answer.kind !== 'free')
    .toSorted((a, b) => Number(b.answer.kind === 'refused') - Number(a.answer.kind === 'refused'))
  const charges: { readonly raise: Raise; readonly uncounted: WriteCondition }[] = []
  // If a count has begun since the charge, the charge is not given back: the next count corrects the usage.
  const giveBack = async (): Promise<void> => {
    await Promise.allSettled(charges.map(({ raise, uncounted }) => release(ledger, raise, [uncounted], signal)))
  }
  try {
    for (const { quota } of concerned) {
      let raise: Raise | undefined
      const change = (current: ResourceQuota): ResourceQuotaStatus | undefined => {
        raise = raisedBy(current, subject)
        return raise === undefined ? undefined : withUsed(current, raise.used)
      }
      const uncounted = await ledger.update(quota, change, signal)
      if (raise !== undefined) charges.push({ raise, uncounted })
    }
  } catch (error) {
    await giveBack()
    throw error
  }
  if (charges.length > 0) subject.request.onlyIf = charges.map(({ uncounted }) => uncounted)
  subject.request.atEnd?.((isStored) => (isStored ? Promise.resolve() : giveBack()))
}

type Answer = { readonly kind: 'free' | 'charged' } | { readonly kind: 'refused'; readonly error: unknown }

function answerOf(quota: ResourceQuota, subject: Charge): Answer {
  try {
    return { kind: raisedBy(quota, subject) === undefined ? 'free' : 'charged' }
  } catch (error) {
    return { kind: 'refused', error }
  }
}

interface Raise {
  readonly quota: ResourceQuota
  readonly delta: Amounts
  readonly used: Amounts
}

/** The usage of a quota after the request. Undefined: the usage does not rise. Throws if the quota is exceeded. */
function raisedBy(quota: ResourceQuota, { request, object, nowMs }: Charge): Raise | undefined {
  const [hard, used] = [hardOf(quota), usedOf(quota)]
  const type = request.resource
  const taken = chargeOf(quota, hard.keys(), { type, object, nowMs })
  const { name } = quota.metadata
  if (taken === undefined) return undefined
  const limited = namesAbout(hard.keys(), type)
  const unsaid = isKind(object, 'core_v1.Pod') ? unspecifiedBy(object, limited) : undefined
  if (unsaid !== undefined) throw forbidden(request, `failed quota: ${name}: ${unsaid}`)
  if (limited.some((resource) => !used.has(resource))) {
    throw forbidden(request, `status unknown for quota: ${name}, resources: ${limited.toSorted().join(',')}`)
  }
  const negative = [...taken].filter(([, amount]) => signOfQuantity(amount) < 0).map(([resource]) => resource)
  if (negative.length > 0) {
    throw forbidden(request, `quota usage is negative for resource(s): ${negative.toSorted().join(',')}`)
  }
  const before = request.oldObject && chargeOf(quota, hard.keys(), { type, object: request.oldObject, nowMs })
  const delta = increaseOf(taken, before ?? new Map<string, Quantity>())
  if (delta.size === 0) return undefined
  const after = new Map(used)
  for (const [resource, amount] of delta) after.set(resource, addQuantities(used.get(resource) ?? ZERO, amount))
  const exceeded = [...delta.keys()].filter(
    (resource) => compareQuantities(after.get(resource)!, hard.get(resource)!) > 0,
  )
  if (exceeded.length > 0) {
    const show = (amounts: Amounts): string =>
      exceeded
        .toSorted()
        .map((resource) => `${resource}=${formatQuantity(amounts.get(resource) ?? ZERO)}`)
        .join(',')
    const figures = `requested: ${show(delta)}, used: ${show(used)}, limited: ${show(hard)}`
    throw forbidden(request, `exceeded quota: ${name}, ${figures}`)
  }
  return { quota, delta, used: after }
}

/**
 * The amounts that rise. The next count lowers the amounts that fall, because the write may fail or be tried again. A request that only
 * lowers the usage is accepted even above the limit.
 */
function increaseOf(after: Amounts, before: Amounts): Amounts {
  const increase = new Map<string, Quantity>()
  for (const [name, amount] of after) {
    const more = subtractQuantities(amount, before.get(name) ?? ZERO)
    if (signOfQuantity(more) > 0) increase.set(name, more)
  }
  return increase
}

function withUsed({ status }: ResourceQuota, used: Amounts): ResourceQuotaStatus {
  const shown = [...used].map(([name, amount]) => [name, formatQuantity(amount)] as const)
  return { ...status, used: Object.fromEntries(shown) }
}

function release(
  ledger: QuotaLedger,
  { quota, delta }: Raise,
  onlyIf: readonly WriteCondition[],
  signal: AbortSignal,
): Promise<void> {
  const lower = (current: ResourceQuota): ResourceQuotaStatus => {
    const used = new Map(usedOf(current))
    for (const [name, amount] of delta) used.set(name, subtractQuantities(used.get(name) ?? ZERO, amount))
    return withUsed(current, used)
  }
  return ledger.takeBack(quota, lower, onlyIf, signal)
}
