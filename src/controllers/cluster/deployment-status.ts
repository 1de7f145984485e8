// The status of a Deployment: the sums over its ReplicaSets, whether it is available, and whether its rollout makes progress in time.
import type { Deployment, DeploymentCondition, DeploymentStatus, ReplicaSet } from '../../api/gen/kinds.ts'
import type { Cluster } from './cluster-state.ts'
import type { Followed } from './followed.ts'
import { countOf } from './amounts.ts'

const NO_DEADLINE = 2 ** 31 - 1

export interface StatusFacts {
  readonly now: string
  readonly nowMs: number
  readonly newSet: ReplicaSet | undefined
  /** Whether the deployment was only scaled, or is paused. Its progress is then not judged. */
  readonly isOnlyScaled: boolean
  /** A condition that this sync has found. */
  readonly found: Found | undefined
}

export interface Found {
  readonly status: 'True' | 'False' | 'Unknown'
  readonly reason: string
  readonly message: string
}

type Conditions = readonly DeploymentCondition[]

export function maxSurge({ spec }: Deployment): number {
  return isRolling(spec) ? surge(spec) : 0
}

function surge({ strategy, replicas = 1 }: Deployment['spec']): number {
  return countOf(strategy.rollingUpdate?.maxSurge, replicas, 'up')
}

/** The largest number of unavailable pods. In a rolling update, it is at least 1 if no pod may be added, and at most all replicas. */
export function maxUnavailable({ spec }: Deployment): number {
  const { strategy, replicas = 1 } = spec
  if (!isRolling(spec) || replicas === 0) return 0
  const most = countOf(strategy.rollingUpdate?.maxUnavailable, replicas, 'down')
  return Math.min(replicas, most === 0 && surge(spec) === 0 ? 1 : most)
}

function isRolling({ strategy }: Deployment['spec']): boolean {
  return strategy.type === 'RollingUpdate'
}

/** Undefined: no deadline. */
function deadlineSeconds({ spec }: Deployment): number | undefined {
  const { progressDeadlineSeconds: seconds = NO_DEADLINE } = spec
  return seconds === NO_DEADLINE ? undefined : seconds
}

export function progressOf({ conditions }: DeploymentStatus): DeploymentCondition | undefined {
  return conditions?.find(({ type }) => type === 'Progressing')
}

const sum = (counts: readonly (number | undefined)[]): number =>
  counts.reduce<number>((all, one) => all + (one ?? 0), 0)

export function isComplete({ spec, metadata }: Deployment, status: DeploymentStatus): boolean {
  const { replicas = 1 } = spec
  const counts = [status.updatedReplicas, status.replicas, status.availableReplicas]
  return (
    counts.every((count = 0) => count === replicas) &&
    Number(status.observedGeneration ?? 0) >= Number(metadata.generation ?? 0)
  )
}

export function deploymentStatus(
  deployment: Deployment,
  sets: readonly ReplicaSet[],
  facts: StatusFacts,
): DeploymentStatus {
  const { spec, status: before, metadata } = deployment
  const { replicas = 1 } = spec
  const available = sum(sets.map(({ status }) => status.availableReplicas))
  const terminating = sets.map(({ status }) => status.terminatingReplicas)
  const status: DeploymentStatus = {
    ...(before.collisionCount === undefined ? {} : { collisionCount: before.collisionCount }),
    ...(metadata.generation === undefined ? {} : { observedGeneration: metadata.generation }),
    replicas: sum(sets.map(({ status }) => status.replicas)),
    updatedReplicas: facts.newSet?.status.replicas ?? 0,
    readyReplicas: sum(sets.map(({ status }) => status.readyReplicas)),
    availableReplicas: available,
    unavailableReplicas: Math.max(0, sum(sets.map(({ spec }) => spec.replicas)) - available),
    ...(terminating.includes(undefined) ? {} : { terminatingReplicas: sum(terminating) }),
  }
  const isAvailable = available >= replicas - maxUnavailable(deployment)
  let conditions = withCondition(before.conditions ?? [], 'Available', facts.now, {
    status: isAvailable ? 'True' : 'False',
    reason: isAvailable ? 'MinimumReplicasAvailable' : 'MinimumReplicasUnavailable',
    message: `Deployment ${isAvailable ? 'has' : 'does not have'} minimum availability.`,
  })
  if (facts.found !== undefined) conditions = withCondition(conditions, 'Progressing', facts.now, facts.found)
  if (!facts.isOnlyScaled) {
    conditions = withProgress({ ...deployment, status: { ...before, conditions } }, status, facts)
    conditions = withFailure(conditions, sets, facts)
  }
  return { ...status, conditions }
}

/** Sets a condition. It keeps its times if its status and reason stay. */
function withCondition(conditions: Conditions, type: string, now: string, found: Found): Conditions {
  const before = conditions.find((one) => one.type === type)
  if (before?.status === found.status && before.reason === found.reason) return conditions
  const kept = before?.status === found.status ? before.lastTransitionTime : now
  const made = { type, ...found, lastUpdateTime: now, lastTransitionTime: kept }
  return [...conditions.filter((one) => one.type !== type), made]
}

function withProgress(
  deployment: Deployment,
  status: DeploymentStatus,
  { now, nowMs, newSet }: StatusFacts,
): Conditions {
  const { conditions = [] } = deployment.status
  if (deadlineSeconds(deployment) === undefined) return conditions.filter(({ type }) => type !== 'Progressing')
  const current = progressOf(deployment.status)
  if (status.replicas === status.updatedReplicas && current?.reason === 'NewReplicaSetAvailable') return conditions
  const subject =
    newSet === undefined ? `Deployment "${deployment.metadata.name}"` : `ReplicaSet "${newSet.metadata.name}"`
  if (isComplete(deployment, status)) {
    const message = `${subject} has successfully progressed.`
    return withCondition(conditions, 'Progressing', now, { status: 'True', reason: 'NewReplicaSetAvailable', message })
  }
  if (hasProgressed(deployment.status, status)) {
    const lastTransitionTime = current?.status === 'True' ? current.lastTransitionTime : now
    const message = `${subject} is progressing.`
    const made = { type: 'Progressing', status: 'True', lastUpdateTime: now, lastTransitionTime }
    return [...conditions.filter((one) => one !== current), { ...made, reason: 'ReplicaSetUpdated', message }]
  }
  const left = progressWait(deployment, nowMs)
  if (left === undefined || left > 0) return conditions
  const message = `${subject} has timed out progressing.`
  return withCondition(conditions, 'Progressing', now, { status: 'False', reason: 'ProgressDeadlineExceeded', message })
}

function hasProgressed(before: DeploymentStatus, now: DeploymentStatus): boolean {
  const old = ({ replicas = 0, updatedReplicas = 0 }: DeploymentStatus): number => replicas - updatedReplicas
  return (
    (now.updatedReplicas ?? 0) > (before.updatedReplicas ?? 0) ||
    old(now) < old(before) ||
    (now.readyReplicas ?? 0) > (before.readyReplicas ?? 0) ||
    (now.availableReplicas ?? 0) > (before.availableReplicas ?? 0)
  )
}

/** The time until the rollout is late, in milliseconds. Undefined: it is complete, or late already, or has no deadline. */
export function progressWait(deployment: Deployment, nowMs: number): number | undefined {
  const seconds = deadlineSeconds(deployment)
  const current = progressOf(deployment.status)
  if (seconds === undefined || current === undefined || deployment.spec.paused === true) return undefined
  if (['NewReplicaSetAvailable', 'ProgressDeadlineExceeded'].includes(current.reason ?? '')) return undefined
  // Times are in whole seconds.
  return Math.max(0, Date.parse(current.lastUpdateTime ?? '') + (seconds + 1) * 1000 - nowMs)
}

/** Reports pods that a ReplicaSet could not create. */
function withFailure(conditions: Conditions, sets: readonly ReplicaSet[], { now, newSet }: StatusFacts): Conditions {
  const ofSets = [...(newSet === undefined ? [] : [newSet]), ...sets]
  const failure = ofSets.flatMap(({ status }) => status.conditions ?? []).find(({ type }) => type === 'ReplicaFailure')
  if (failure === undefined) return conditions.filter(({ type }) => type !== 'ReplicaFailure')
  const { reason = '', message = '' } = failure
  return withCondition(conditions, 'ReplicaFailure', now, { status: failure.status as 'True', reason, message })
}

/** Reports in a condition that the deployment is paused or resumed. Resolves to undefined if the deployment is gone. */
export async function withPauseCondition(
  cluster: Cluster,
  deployments: Followed<Deployment>,
  deployment: Deployment,
): Promise<Deployment | undefined> {
  if (deadlineSeconds(deployment) === undefined) return deployment
  const { paused = false } = deployment.spec
  const reason = progressOf(deployment.status)?.reason
  if (reason === 'ProgressDeadlineExceeded' || paused === (reason === 'DeploymentPaused')) return deployment
  const found = paused
    ? ({ status: 'Unknown', reason: 'DeploymentPaused', message: 'Deployment is paused' } as const)
    : ({ status: 'Unknown', reason: 'DeploymentResumed', message: 'Deployment is resumed' } as const)
  const conditions = withCondition(deployment.status.conditions ?? [], 'Progressing', cluster.now, found)
  return cluster.setStatus(deployments, deployment, { ...deployment.status, conditions })
}
