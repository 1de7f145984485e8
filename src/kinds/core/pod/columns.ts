// The columns of pods. The status sums up the phase, the conditions and the statuses of all containers (R-357).
import type { ContainerState, ContainerStatus, Pod } from '../../../api/gen/kinds.ts'
import { AGE, ageOfObject, definitionOf, header, NAME, nameOf, type TableShape } from '../../../codec/tables/column.ts'
import { ageOf, type Now } from '../../../codec/tables/elapsed.ts'
import { orNone } from '../../../codec/tables/reading.ts'

/** The sum of a list of container statuses. */
interface Tally {
  readonly ready: number
  readonly restarts: number
  /** The time when a container last ended before a restart. Empty: no container was restarted. */
  readonly lastRestart: string
}

interface PodDigest extends Tally {
  readonly total: number
  readonly status: string
}

const NOTHING: Tally = { ready: 0, restarts: 0, lastRestart: '' }

function conditionHolds({ status: { conditions = [] } }: Pod, type: string): boolean {
  return conditions.find((condition) => condition.type === type)?.status === 'True'
}

function digest(pod: Pod): PodDigest {
  const restartable = restartableInitContainers(pod)
  const initial = initialization(pod, restartable)
  const running = !initial.under || conditionHolds(pod, 'Initialized')
  const main = running ? containers(pod, initial.status) : undefined
  return {
    ...(main === undefined ? initial.all : plus(initial.sidecars, main.tally)),
    ready: initial.sidecars.ready + (main?.tally.ready ?? 0),
    total: (pod.spec.containers ?? []).length + restartable.size,
    status: ending(pod) ?? main?.status ?? initial.status,
  }
}

/** The names of the sidecars: init containers that are always restarted and count as running containers. */
function restartableInitContainers(pod: Pod): ReadonlySet<string> {
  const all = pod.spec.initContainers ?? []
  return new Set(all.filter(({ restartPolicy }) => restartPolicy === 'Always').map(({ name }) => name))
}

interface Initialization {
  /** An init container is not done yet, or failed. */
  readonly under: boolean
  readonly status: string
  /** The tally of all init containers up to the running container. */
  readonly all: Tally
  readonly sidecars: Tally
}

function initialization(pod: Pod, restartable: ReadonlySet<string>): Initialization {
  let all = NOTHING
  let sidecars = NOTHING
  const status = unscheduled(pod)
  for (const [index, container] of (pod.status.initContainerStatuses ?? []).entries()) {
    const sidecar = restartable.has(container.name)
    all = plus(all, restartsOf(container))
    if (sidecar) sidecars = plus(sidecars, restartsOf(container))
    const { terminated: ended, waiting } = container.state
    if (ended?.exitCode === 0) continue
    if (sidecar && container.started === true) {
      if (container.ready) sidecars = plus(sidecars, { ...NOTHING, ready: 1 })
      continue
    }
    const total = (pod.spec.initContainers ?? []).length
    const reason = waiting?.reason ?? ''
    const why = ended !== undefined ? endingOf(ended) : reason === 'PodInitializing' ? '' : reason
    return { under: true, status: `Init:${why === '' ? `${index}/${total}` : why}`, all, sidecars }
  }
  return { under: false, status, all, sidecars }
}

/** The status before any container reports a status. */
function unscheduled({ status: { conditions = [], reason, phase = '' } }: Pod): string {
  const gated = conditions.some((one) => one.type === 'PodScheduled' && one.reason === 'SchedulingGated')
  return gated ? 'SchedulingGated' : (reason ?? phase)
}

/** The status by the containers of the pod: the first container that is waiting or terminated decides. */
function containers(pod: Pod, before: string): { readonly status: string; readonly tally: Tally } {
  let tally = NOTHING
  let status = ''
  let failure = ''
  for (const container of pod.status.containerStatuses ?? []) {
    tally = plus(tally, restartsOf(container))
    const { terminated: ended, running } = container.state
    const waiting = container.state.waiting?.reason ?? ''
    const said = waiting === '' && ended !== undefined ? endingOf(ended) : waiting
    if (status === '') status = said
    if (failure === '' && ended !== undefined && ended.exitCode !== 0) failure = said
    if (said === '' && container.ready && running !== undefined) {
      tally = plus(tally, { ...NOTHING, ready: 1 })
    }
  }
  if (status !== 'Completed') return { status: status === '' ? before : status, tally }
  if (tally.ready === 0) return { status: failure === '' ? status : failure, tally }
  return { status: conditionHolds(pod, 'Ready') ? 'Running' : 'NotReady', tally }
}

function endingOf({ reason, signal, exitCode }: NonNullable<ContainerState['terminated']>): string {
  return reason ?? (signal === undefined ? `ExitCode:${exitCode}` : `Signal:${signal}`)
}

/** The status of a pod that is being deleted, which takes precedence. Undefined: the other rules apply. */
function ending(pod: Pod): string | undefined {
  if (pod.metadata.deletionTimestamp === undefined) return undefined
  if (pod.status.reason === 'NodeLost') return 'Unknown'
  const { phase } = pod.status
  return phase === 'Succeeded' || phase === 'Failed' ? undefined : 'Terminating'
}

function restartsOf({ restartCount: restarts, lastState }: ContainerStatus): Tally {
  return { ready: 0, restarts, lastRestart: lastState.terminated?.finishedAt ?? '' }
}

/** Timestamps are all UTC in whole seconds, so that their text sorts like the times. */
function plus(a: Tally, b: Tally): Tally {
  return {
    ready: a.ready + b.ready,
    restarts: a.restarts + b.restarts,
    lastRestart: a.lastRestart > b.lastRestart ? a.lastRestart : b.lastRestart,
  }
}

function restartText({ restarts, lastRestart }: PodDigest, now: Now): string {
  return restarts === 0 || lastRestart === '' ? String(restarts) : `${restarts} (${ageOf(lastRestart, now)} ago)`
}

function gates(pod: Pod): string {
  const all = pod.spec.readinessGates ?? []
  const met = all.filter((gate) => conditionHolds(pod, gate.conditionType))
  return all.length === 0 ? '<none>' : `${met.length}/${all.length}`
}

export const COLUMNS: TableShape<Pod> = {
  columns: [
    NAME,
    header('Ready', 'The number of ready containers and the number of all containers.'),
    header('Status', 'The status of the pod, from all its containers.'),
    header('Restarts', 'The number of restarts of containers, and the time since the last restart.'),
    AGE,
    header('IP', 'The first address of the pod.', { priority: 1 }),
    header('Node', 'The node that the pod runs on.', { priority: 1 }),
    header('Nominated Node', 'The node on which other pods make room for the pod.', { priority: 1 }),
    header('Readiness Gates', 'The number of readiness gates that are met and the number of all.', { priority: 1 }),
  ].map(definitionOf),
  cells(pod, now) {
    const known = digest(pod)
    return [
      nameOf(pod, now),
      `${known.ready}/${known.total}`,
      known.status,
      restartText(known, now),
      ageOfObject(pod, now),
      orNone(pod.status.podIPs?.[0]?.ip ?? ''),
      orNone(pod.spec.nodeName ?? ''),
      orNone(pod.status.nominatedNodeName ?? ''),
      gates(pod),
    ]
  },
  conditions(pod) {
    const phase = pod.status.phase ?? ''
    if (phase !== 'Succeeded' && phase !== 'Failed') return undefined
    const message = phase === 'Failed' ? 'The pod failed.' : 'The pod has completed successfully.'
    return [{ type: 'Completed', status: 'True', reason: phase, message }]
  },
}
