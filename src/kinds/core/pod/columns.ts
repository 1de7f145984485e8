// The columns of pods. The status sums up the phase, the conditions and the statuses of all containers (R-357).
import type { Value, ValueMap } from '../../../api/value.ts'
import { AGE, ageOfObject, definitionOf, header, NAME, nameOf, type TableShape } from '../../../codec/tables/column.ts'
import { ageOf, type Now } from '../../../codec/tables/elapsed.ts'
import { at, booleanAt, conditionHolds, listAt, numberAt, orNone, textAt } from '../../../codec/tables/reading.ts'

/** The sum of a list of container statuses. */
interface Tally {
  readonly ready: number
  readonly restarts: number
  /** When a container last ended before a restart; empty where none did. */
  readonly lastRestart: string
}

interface PodDigest extends Tally {
  readonly total: number
  readonly status: string
}

const NOTHING: Tally = { ready: 0, restarts: 0, lastRestart: '' }

function digest(pod: ValueMap): PodDigest {
  const restartable = restartableInitContainers(pod)
  const initial = initialization(pod, restartable)
  const running = !initial.under || conditionHolds(pod, 'Initialized', 'status', 'conditions')
  const main = running ? containers(pod, initial.status) : undefined
  return {
    ...(main === undefined ? initial.all : plus(initial.sidecars, main.tally)),
    ready: initial.sidecars.ready + (main?.tally.ready ?? 0),
    total: listAt(pod, 'spec', 'containers').length + restartable.size,
    status: ending(pod) ?? main?.status ?? initial.status,
  }
}

/** Sidecars: init containers that are restarted and count as running ones. */
function restartableInitContainers(pod: ValueMap): ReadonlySet<string> {
  const all = listAt(pod, 'spec', 'initContainers')
  return new Set(all.filter((one) => textAt(one, 'restartPolicy') === 'Always').map((one) => textAt(one, 'name')))
}

interface Initialization {
  /** An init container is not done yet, or failed. */
  readonly under: boolean
  readonly status: string
  /** Of all init containers up to the one that is under way. */
  readonly all: Tally
  readonly sidecars: Tally
}

function initialization(pod: ValueMap, restartable: ReadonlySet<string>): Initialization {
  let all = NOTHING
  let sidecars = NOTHING
  const status = unscheduled(pod)
  for (const [index, container] of listAt(pod, 'status', 'initContainerStatuses').entries()) {
    const sidecar = restartable.has(textAt(container, 'name'))
    all = plus(all, restartsOf(container))
    if (sidecar) sidecars = plus(sidecars, restartsOf(container))
    const ended = at(container, 'state', 'terminated')
    if (ended !== undefined && numberAt(ended, 'exitCode') === 0) continue
    if (sidecar && booleanAt(container, 'started')) {
      if (booleanAt(container, 'ready')) sidecars = plus(sidecars, { ...NOTHING, ready: 1 })
      continue
    }
    const total = listAt(pod, 'spec', 'initContainers').length
    const waiting = textAt(container, 'state', 'waiting', 'reason')
    const why = ended !== undefined ? endingOf(ended) : waiting === 'PodInitializing' ? '' : waiting
    return { under: true, status: `Init:${why === '' ? `${index}/${total}` : why}`, all, sidecars }
  }
  return { under: false, status, all, sidecars }
}

/** The status before any container reports one. */
function unscheduled(pod: ValueMap): string {
  const gated = listAt(pod, 'status', 'conditions').some(
    (one) => textAt(one, 'type') === 'PodScheduled' && textAt(one, 'reason') === 'SchedulingGated',
  )
  return gated ? 'SchedulingGated' : textAt(pod, 'status', 'reason') || textAt(pod, 'status', 'phase')
}

/** The first container that is waiting or terminated decides. */
function containers(pod: ValueMap, before: string): { readonly status: string; readonly tally: Tally } {
  let tally = NOTHING
  let status = ''
  let failure = ''
  for (const container of listAt(pod, 'status', 'containerStatuses')) {
    tally = plus(tally, restartsOf(container))
    const ended = at(container, 'state', 'terminated')
    const waiting = textAt(container, 'state', 'waiting', 'reason')
    const said = waiting === '' && ended !== undefined ? endingOf(ended) : waiting
    if (status === '') status = said
    if (failure === '' && ended !== undefined && numberAt(ended, 'exitCode') !== 0) failure = said
    if (said === '' && booleanAt(container, 'ready') && at(container, 'state', 'running') !== undefined) {
      tally = plus(tally, { ...NOTHING, ready: 1 })
    }
  }
  if (status !== 'Completed') return { status: status === '' ? before : status, tally }
  if (tally.ready === 0) return { status: failure === '' ? status : failure, tally }
  return { status: conditionHolds(pod, 'Ready', 'status', 'conditions') ? 'Running' : 'NotReady', tally }
}

function endingOf(terminated: Value): string {
  const reason = textAt(terminated, 'reason')
  if (reason !== '') return reason
  const signal = numberAt(terminated, 'signal')
  return Number(signal) === 0 ? `ExitCode:${numberAt(terminated, 'exitCode')}` : `Signal:${signal}`
}

/** Deletion takes precedence over everything else. */
function ending(pod: ValueMap): string | undefined {
  if (at(pod, 'metadata', 'deletionTimestamp') === undefined) return undefined
  if (textAt(pod, 'status', 'reason') === 'NodeLost') return 'Unknown'
  const phase = textAt(pod, 'status', 'phase')
  return phase === 'Succeeded' || phase === 'Failed' ? undefined : 'Terminating'
}

function restartsOf(container: Value): Tally {
  return {
    ready: 0,
    restarts: Number(numberAt(container, 'restartCount')),
    lastRestart: textAt(container, 'lastState', 'terminated', 'finishedAt'),
  }
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

function gates(pod: ValueMap): string {
  const all = listAt(pod, 'spec', 'readinessGates')
  const met = all.filter((gate) => conditionHolds(pod, textAt(gate, 'conditionType'), 'status', 'conditions'))
  return all.length === 0 ? '<none>' : `${met.length}/${all.length}`
}

export const COLUMNS: TableShape = {
  columns: [
    NAME,
    header('Ready', 'How many of the containers are ready for traffic.'),
    header('Status', 'What the pod is doing, from all its containers.'),
    header('Restarts', 'How often containers were restarted, and when last.'),
    AGE,
    header('IP', 'The first address of the pod.', { priority: 1 }),
    header('Node', 'The node that the pod runs on.', { priority: 1 }),
    header('Nominated Node', 'The node on which others make room for the pod.', { priority: 1 }),
    header('Readiness Gates', 'How many of the further conditions for readiness are met.', { priority: 1 }),
  ].map(definitionOf),
  cells(pod, now) {
    const known = digest(pod)
    return [
      nameOf(pod, now),
      `${known.ready}/${known.total}`,
      known.status,
      restartText(known, now),
      ageOfObject(pod, now),
      orNone(textAt(listAt(pod, 'status', 'podIPs')[0], 'ip')),
      orNone(textAt(pod, 'spec', 'nodeName')),
      orNone(textAt(pod, 'status', 'nominatedNodeName')),
      gates(pod),
    ]
  },
  conditions(pod) {
    const phase = textAt(pod, 'status', 'phase')
    if (phase !== 'Succeeded' && phase !== 'Failed') return undefined
    const message = phase === 'Failed' ? 'The pod failed.' : 'The pod has completed successfully.'
    return [{ type: 'Completed', status: 'True', reason: phase, message }]
  },
}
