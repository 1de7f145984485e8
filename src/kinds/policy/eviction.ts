// Eviction: deletes a pod if its disruption budget allows it (W-526 to W-534).
import type { DeleteOptions as Options, Pod } from '../../api/gen/kinds.ts'
import { invalid } from '../../api/field-error.ts'
import { FieldPath } from '../../api/field-path.ts'
import { invalidError } from '../../api/invalid-error.ts'
import { isAtLevel, type LevelSpan } from '../../api/level.ts'
import { isKind } from '../../api/kind-guard.ts'
import { metaText } from '../../api/object-members.ts'
import type { ApiObject } from '../../api/object.ts'
import { ApiError } from '../../api/status.ts'
import { IGNORE_READ_ERRORS, type ParsedDeleteOptions, readDeleteOptions } from '../../registry/delete-options.ts'
import { checkPreconditions, deleteObject } from '../../registry/delete.ts'
import type { DeleteOptions } from '../../registry/deletion.ts'
import { isTerminating } from '../../registry/object-meta.ts'
import { getObject } from '../../registry/read.ts'
import type { Action, ActionAnswer, ActionContext, Resource } from '../../registry/registry.ts'
import { servedResource } from '../../registry/served-resource.ts'
import { keyOf, readable, readableAs } from '../../registry/steps.ts'
import type { SchemaTable } from '../../schema/table.ts'
import type { Kind } from '../kind.ts'
import { actionBody } from '../shared/action-body.ts'
import { conditionOf, withPodCondition } from '../shared/pod-conditions.ts'
import { type Budget, budgetOf, takeDisruption, stillProcessing } from './disruption-budget.ts'

const ATTEMPTS = 20

const EVICTED = {
  type: 'DisruptionTarget',
  status: 'True',
  reason: 'EvictionByEvictionAPI',
  message: 'Eviction API: evicting',
} as const

export const EVICTION: Kind = {}

/** At these levels every refusal of a budget has a cause. */
const TELLS_CAUSES: LevelSpan = { since: '1.37' }

export function evictionAction(schemas: SchemaTable): Action {
  const tellsCauses = isAtLevel(schemas.level, TELLS_CAUSES)
  return {
    at: { group: '', version: 'v1', resource: 'pods', subresource: 'eviction', namespaced: true },
    body: actionBody(schemas, { group: 'policy', version: 'v1', kind: 'Eviction' }, EVICTION),
    alsoVersions: ['v1beta1'],
    run: (eviction, context) => evict(eviction, context, tellsCauses),
  }
}

async function evict(eviction: ApiObject, asked: ActionContext, tellsCauses: boolean): Promise<ActionAnswer> {
  if (metaText(eviction, 'name') !== asked.name) {
    throw new ApiError('BadRequest', 'name in URL does not match name in Eviction object')
  }
  const given: Partial<Options> = (isKind(eviction, 'policy_v1.Eviction') ? eviction.deleteOptions : undefined) ?? {}
  refuseUnsafe(given, asked.name)
  checkDryRuns(asked.options, given)
  const options = readDeleteOptions(given, { mayIgnoreReadErrors: false, isCollection: false })
  await asked.validate(eviction)
  const context = { ...asked, dryRun: asked.dryRun || options.dryRun, options: options.body }
  const pods = servedResource(context.resources, 'pods')
  for (let attempt = 1; ; attempt++) {
    const pod = await readPod(pods, context)
    try {
      if (ignoresBudgets(pod)) await evictFreely(pod, options, context)
      else await evictWithinBudget(pod, options, context, tellsCauses)
      return { kind: 'done' }
    } catch (error) {
      const isLost = error instanceof ApiError && error.reason === 'Conflict'
      if (!isLost || options.preconditions.resourceVersion !== undefined || attempt === ATTEMPTS) throw error
    }
  }
}

/** An eviction reads the pod, so the option for unreadable pods is refused (W-356). */
function refuseUnsafe(options: Partial<Options>, name: string): void {
  if (options[IGNORE_READ_ERRORS] !== true) return
  const at = FieldPath.root('deleteOptions').child(IGNORE_READ_ERRORS)
  throw invalidError({ group: 'policy', kind: 'Eviction' }, name, [
    invalid(at, true, 'can not be set for pod eviction, try after removing the option'),
  ])
}

/** If both the request and the body request a dry run, they must agree (W-396). */
function checkDryRuns({ dryRun: outer = [] }: Partial<Options>, { dryRun: inner = [] }: Partial<Options>): void {
  if (outer.length === 0 || inner.length === 0 || outer.join(' ') === inner.join(' ')) return
  const problem = 'Non-matching dry-run options in request and content'
  throw new ApiError('BadRequest', `${problem}: [${outer.join(' ')}] and [${inner.join(' ')}]`)
}

async function readPod(pods: Resource, { parts, namespace, name, signal }: ActionContext): Promise<Pod> {
  const place = { resource: pods, namespace }
  return readableAs(await getObject(parts, place, { name, at: { kind: 'latest' } }, signal), 'core_v1.Pod')
}

/** Budgets do not apply to a pod that is not running yet, or is not running any more. */
function ignoresBudgets(pod: Pod): boolean {
  const { phase } = pod.status
  return phase === 'Succeeded' || phase === 'Failed' || phase === 'Pending' || isTerminating(pod)
}

/** A pending pod may start at any moment, so its resourceVersion must not have changed. */
async function evictFreely(pod: Pod, options: ParsedDeleteOptions, context: ActionContext): Promise<void> {
  const mayChange = pod.status.phase === 'Pending' && !isTerminating(pod)
  await deletePod(mayChange ? ifUnchanged(options, pod) : options, context)
}

async function evictWithinBudget(
  pod: Pod,
  options: ParsedDeleteOptions,
  context: ActionContext,
  tellsCauses: boolean,
): Promise<void> {
  const budget = await budgetOf(pod, context)
  if (budget === undefined) return deletePod(options, context)
  if (!isReady(pod) && mayEvictUnready(budget)) {
    try {
      return await deletePod(ifUnchanged(options, pod), context)
    } catch (error) {
      const isAsked = options.preconditions.resourceVersion !== undefined
      if (isAsked || !(error instanceof ApiError && error.reason === 'Conflict')) throw error
      throw stillProcessing(budget.name)
    }
  }
  await takeDisruption(budget, { pod: metaText(pod, 'name'), tellsCauses }, context)
  return deletePod(options, context)
}

function isReady(pod: Pod): boolean {
  return conditionOf(pod.status, 'Ready')?.status === 'True'
}

/** Whether the budget lets unready pods be evicted without taking a disruption (W-532). */
function mayEvictUnready({ unhealthyPodEvictionPolicy, currentHealthy, desiredHealthy }: Budget): boolean {
  return unhealthyPodEvictionPolicy === 'AlwaysAllow' || (currentHealthy >= desiredHealthy && desiredHealthy > 0)
}

function ifUnchanged(options: ParsedDeleteOptions, pod: ApiObject): ParsedDeleteOptions {
  if (options.preconditions.resourceVersion !== undefined) return options
  return withVersion(options, metaText(pod, 'resourceVersion'))
}

function withVersion(options: ParsedDeleteOptions, resourceVersion: string): ParsedDeleteOptions {
  return { ...options, preconditions: { ...options.preconditions, resourceVersion } }
}

/** Sets the DisruptionTarget condition and deletes the pod. Admission has run for the eviction and is not run again. */
async function deletePod(options: ParsedDeleteOptions, context: ActionContext): Promise<void> {
  const pods = servedResource(context.resources, 'pods')
  const marked = context.dryRun ? undefined : await markPod(pods, options, context)
  const isBound = marked !== undefined && options.preconditions.resourceVersion !== undefined
  const request = {
    name: context.name,
    options: isBound ? withVersion(options, metaText(marked, 'resourceVersion')) : options,
    withoutAdmission: true,
  }
  await deleteObject(context.parts, pods, request, context)
}

async function markPod(pods: Resource, options: DeleteOptions, context: ActionContext): Promise<ApiObject | undefined> {
  const result = await context.parts.store.write(
    keyOf(pods, context.namespace, context.name),
    (current) => {
      if (current === undefined) return { kind: 'keep' }
      const pod = readableAs(current, 'core_v1.Pod')
      checkPreconditions(pods, pod, options)
      return { kind: 'put', object: withPodCondition(pod, EVICTED, context.now) }
    },
    context.signal,
  )
  return result.object === undefined ? undefined : readable(result.object).object()
}
