// Finds the disruption budget of a pod that is evicted, and takes one disruption from it.
import type { PodDisruptionBudget } from '../../api/gen/kinds.ts'
import { isKind } from '../../api/kind-guard.ts'
import { metaOf, metaText } from '../../api/object-members.ts'
import type { ApiObject } from '../../api/object.ts'
import { labelSelectorOf } from '../../api/selector-text.ts'
import { matchesLabels } from '../../api/selector.ts'
import { ApiError } from '../../api/status.ts'
import { forbiddenError } from '../../registry/errors.ts'
import { metaNumber } from '../../registry/object-meta.ts'
import type { ActionContext, Resource } from '../../registry/registry.ts'
import { servedResource } from '../../registry/served-resource.ts'
import { updateObject } from '../../registry/update.ts'
import { conditionOf, withCondition } from '../shared/pod-conditions.ts'

const MAX_DISRUPTED_PODS = 2000
const REFUSED = "Cannot evict pod as it would violate the pod's disruption budget."
const RETRY_SECONDS = 10
const GROUP_RESOURCE = { group: 'policy', resource: 'poddisruptionbudget' } as const

/** The user that updates the budget. */
const SERVER = {
  name: 'system:apiserver',
  uid: undefined,
  groups: ['system:masters', 'system:authenticated'],
  extra: {},
} as const

type Status = PodDisruptionBudget['status']

export interface Budget {
  readonly name: string
  readonly object: PodDisruptionBudget
  readonly currentHealthy: number
  readonly desiredHealthy: number
  readonly unhealthyPodEvictionPolicy: string
}

/** The budget that selects the pod. Throws if several budgets select the pod (W-530). */
export async function budgetOf(pod: ApiObject, context: ActionContext): Promise<Budget | undefined> {
  const page = await context.parts.store.list(
    { resource: budgets(context).stored, namespace: context.namespace, at: { kind: 'latest' }, skipUnreadable: true },
    context.signal,
  )
  const found: PodDisruptionBudget[] = []
  const covers = (budget: ApiObject): budget is PodDisruptionBudget => {
    if (!isKind(budget, 'policy_v1.PodDisruptionBudget')) return false
    const selector = labelSelectorOf(budget.spec.selector ?? null)
    return selector !== undefined && matchesLabels(selector, metaOf(pod).labels)
  }
  for await (const batch of page.batches) {
    found.push(...batch.map((stored) => stored.object()).filter(covers))
  }
  const [budget] = found
  if (budget === undefined) return undefined
  if (found.length > 1) {
    const problem = 'which the eviction subresource does not support'
    throw new ApiError('', `This pod has more than one PodDisruptionBudget, ${problem}.`)
  }
  return describe(budget)
}

function budgets({ resources }: ActionContext): Resource {
  return servedResource(resources, 'poddisruptionbudgets', 'policy')
}

function describe(object: PodDisruptionBudget): Budget {
  const { currentHealthy, desiredHealthy } = object.status
  const { unhealthyPodEvictionPolicy = '' } = object.spec
  return { name: metaText(object, 'name'), object, currentHealthy, desiredHealthy, unhealthyPodEvictionPolicy }
}

export interface Disruption {
  /** The name of the pod. */
  readonly pod: string
  /** Every refusal has a cause. */
  readonly tellsCauses: boolean
}

/** Takes one disruption from the budget, or throws `TooManyRequests` if none is allowed. A dry run only checks. */
export async function takeDisruption(budget: Budget, asked: Disruption, context: ActionContext): Promise<void> {
  if (context.dryRun) return void withDisruption(budget.object, asked, context.now)
  await updateObject(
    context.parts,
    budgets(context),
    {
      name: budget.name,
      subresource: 'status',
      wanted: (live) =>
        withDisruption(isKind(live, 'policy_v1.PodDisruptionBudget') ? live : budget.object, asked, context.now),
      tracksFields: false,
      absent: 'refuse',
      uid: '',
    },
    { ...context, user: SERVER, fieldManager: 'kube-apiserver', options: {} },
  )
}

/** The budget with one disruption less and the pod in `disruptedPods` (W-533). */
function withDisruption(
  budget: PodDisruptionBudget,
  { pod, tellsCauses }: Disruption,
  now: string,
): PodDisruptionBudget {
  const { status } = budget
  const name = metaText(budget, 'name')
  if ((status.observedGeneration ?? 0) < (metaNumber(budget, 'generation') ?? 0)) throw stillProcessing(name)
  const { disruptionsAllowed: allowed, disruptedPods: disrupted = {} } = status
  const refuse = (why: string, cause: string): ApiError =>
    tellsCauses
      ? withCause(forbiddenError(GROUP_RESOURCE, name, why), `${refusalBy(name)}: ${cause}`)
      : forbiddenError(GROUP_RESOURCE, name, why)
  if (allowed < 0) {
    const why = 'pdb disruptions allowed is negative'
    throw refuse(why, why)
  }
  if (Object.keys(disrupted).length > MAX_DISRUPTED_PODS) {
    const why = 'DisruptedPods map too big - too many evictions not confirmed by PDB controller'
    throw refuse(why, 'too many pending evictions not confirmed by PDB controller')
  }
  if (allowed === 0) throw noneAllowed(budget)
  const next = { ...status, disruptionsAllowed: allowed - 1, disruptedPods: { ...disrupted, [pod]: now } }
  return { ...budget, status: allowed > 1 ? next : withNoneAllowed(next, now) }
}

function withNoneAllowed(status: Status, now: string): Status {
  const condition = { type: 'DisruptionAllowed', status: 'False', reason: 'InsufficientPods', message: '' } as const
  const observedGeneration = Number(status.observedGeneration ?? 0)
  return withCondition(status, { ...condition, observedGeneration }, now)
}

function refusalBy(name: string): string {
  return `The disruption budget ${name} does not allow evicting pods currently`
}

function withCause({ reason, message, details }: ApiError, cause: string): ApiError {
  const causes = [{ reason: 'DisruptionBudget', message: cause }]
  return new ApiError(reason, message, { details: { ...details, causes } })
}

/** The error if no disruption is allowed. Its cause is taken from the status (W-527, W-528). */
function noneAllowed(budget: PodDisruptionBudget): ApiError {
  const { name, currentHealthy, desiredHealthy } = describe(budget)
  const condition = conditionOf(budget.status, 'DisruptionAllowed')
  const { reason = '', message = '' } = condition ?? {}
  const refusal = refusalBy(name)
  const why =
    reason === 'SyncFailed'
      ? `${refusal} because it failed sync: ${message}`
      : currentHealthy <= desiredHealthy
        ? `The disruption budget ${name} needs ${desiredHealthy} healthy pods and has ${currentHealthy} currently`
        : condition?.status === 'False' && message !== ''
          ? `${refusal} (${reason}): ${message}`
          : refusal
  const details = { causes: [{ reason: 'DisruptionBudget', message: why }] }
  return new ApiError('TooManyRequests', REFUSED, { details })
}

/** The error if the controller has not observed the latest budget yet (W-529). */
export function stillProcessing(name: string): ApiError {
  const message = `The disruption budget ${name} is still being processed by the server.`
  return new ApiError('TooManyRequests', REFUSED, {
    details: { causes: [{ reason: 'DisruptionBudget', message }], retryAfterSeconds: RETRY_SECONDS },
  })
}
