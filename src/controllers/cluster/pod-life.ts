// The life of a pod on a simulated node, as a function of its annotations, its status and the time. It gives the current status and the
// time of its next change. The containers of a pod exist only in its status.
import type { Container, ContainerState, ContainerStatus, Pod, PodCondition, PodStatus } from '../../api/gen/kinds.ts'
import { annotationsOf } from '../../api/object-members.ts'
import { own } from '../../api/value.ts'
import { parseDuration } from '../../lib/duration.ts'
import { controllerOf } from './followed.ts'
import { programRun } from './simple-programs.ts'
import { templateHash } from './template-hash.ts'

/** Annotations decide how containers behave. `quarterdeck.dev/run-time.web: 5s` is for container `web`. Without `.web`, it is for all. */
const PREFIX = 'quarterdeck.dev/'
const FIRST_BACKOFF_MS = 10_000
const LONGEST_BACKOFF_MS = 300_000
/** The program of this image does not end. */
const PAUSE_IMAGE = /(?:^|\/)pause(?:[:@]|$)/

export interface PodAddresses {
  readonly podIp: string
  readonly hostIp: string
}

export interface PodStep {
  readonly status: PodStatus
  /** The time when the status changes by itself, in milliseconds since 1970. */
  readonly wakeAtMs?: number | undefined
}

interface Behaviour {
  readonly startMs: number
  readonly readyMs: number
  /** `Infinity`: the container runs until the pod is deleted. */
  readonly runMs: number
  readonly exitCode: number
  readonly pullError: boolean
}

/** The time that the containers take to stop. The caller limits it to the grace period. */
export function stopMs(pod: Pod): number {
  return durationIn(pod, 'stop-delay') ?? 0
}

function behaviourOf(pod: Pod, container: Container, isInit: boolean): Behaviour {
  const { name, restartPolicy, command = [], args = [], image = '' } = container
  const isCrashing = textIn(pod, 'crash-loop', name) === 'true'
  const isOfJob = controllerOf(pod)?.kind === 'Job' && !isEphemeral(pod, name) && !PAUSE_IMAGE.test(image)
  const ends = (isInit && restartPolicy !== 'Always') || isOfJob
  const unknown = { runMs: ends ? 0 : Infinity, exitCode: 0 }
  const program = isCrashing ? { runMs: 0, exitCode: 1 } : (programRun([...command, ...args]) ?? unknown)
  const exitCode = Number(textIn(pod, 'exit-code', name) ?? program.exitCode)
  return {
    startMs: durationIn(pod, 'start-delay', name) ?? 0,
    readyMs: durationIn(pod, 'ready-delay', name) ?? 0,
    runMs: durationIn(pod, 'run-time', name) ?? program.runMs,
    exitCode: Number.isInteger(exitCode) && exitCode >= 0 && exitCode <= 255 ? exitCode : 1,
    pullError: textIn(pod, 'image-pull-error', name) === 'true',
  }
}

function textIn(pod: Pod, key: string, container?: string): string | undefined {
  const annotations = annotationsOf(pod)
  const named = container === undefined ? undefined : own(annotations, `${PREFIX}${key}.${container}`)
  return named ?? (isEphemeral(pod, container) ? undefined : own(annotations, PREFIX + key))
}

/** Ephemeral containers look into a pod, and do not behave as its other containers do. */
function isEphemeral({ spec: { ephemeralContainers = [] } }: Pod, container: string | undefined): boolean {
  return ephemeralContainers.some(({ name }) => name === container)
}

/** A text that is not a duration counts as absent. */
function durationIn(pod: Pod, key: string, container?: string): number | undefined {
  const parsed = parseDuration(textIn(pod, key, container) ?? '')
  return parsed.ok && parsed.nanoseconds >= 0 ? Number(parsed.nanoseconds) / 1e6 : undefined
}

/** The status of a pod that the node has just seen. */
export function firstStep(pod: Pod, { hostIp }: PodAddresses, now: string): PodStep {
  const { initContainers = [], containers } = pod.spec
  const reason = initContainers.length > 0 ? 'PodInitializing' : 'ContainerCreating'
  const waiting = (container: Container): ContainerStatus => statusOf(container, undefined, { waiting: { reason } })
  const status: PodStatus = {
    ...pod.status,
    phase: 'Pending',
    startTime: now,
    ...(hostIp === '' ? {} : { hostIP: hostIp, hostIPs: [{ ip: hostIp }] }),
    ...(initContainers.length === 0 ? {} : { initContainerStatuses: initContainers.map(waiting) }),
    containerStatuses: (containers ?? []).map(waiting),
  }
  return { status: withConditions(pod, status, now) }
}

/** The status that follows from the last status and the time. */
export function nextStep(pod: Pod, { podIp }: PodAddresses, { now, nowMs }: { now: string; nowMs: number }): PodStep {
  const seconds = pod.spec.activeDeadlineSeconds
  const deadlineMs = Date.parse(pod.status.startTime ?? '') + Number(seconds ?? Number.NaN) * 1000
  if (deadlineMs <= nowMs) return expiredStep(pod, now)
  const life = new Life(pod, now, nowMs)
  const status = life.next()
  const isStarted = [...(status.initContainerStatuses ?? []), ...(status.containerStatuses ?? [])].some(
    ({ state }) => state.waiting === undefined,
  )
  const ip = pod.spec.hostNetwork === true ? pod.status.hostIP : podIp
  const addressed = isStarted && ip !== undefined && ip !== '' ? { ...status, podIP: ip, podIPs: [{ ip }] } : status
  const wakes = [life.wakeAtMs, deadlineMs].filter((at) => at !== undefined && !Number.isNaN(at)) as readonly number[]
  return {
    status: withConditions(pod, addressed, now),
    wakeAtMs: wakes.length === 0 ? undefined : Math.min(...wakes),
  }
}

/** The status of a pod that has run for longer than it may. */
function expiredStep(pod: Pod, now: string): PodStep {
  const { status } = stoppedStep(pod, now)
  const message = 'Pod was active on the node longer than the specified deadline'
  const expired = { ...status, phase: 'Failed', reason: 'DeadlineExceeded', message }
  return { status: withConditions(pod, expired, now) }
}

/** The status of a pod after the node has stopped all of its containers. */
export function stoppedStep(pod: Pod, now: string): PodStep {
  const stop = (status: ContainerStatus): ContainerStatus => {
    if (status.state.terminated !== undefined) return status
    const startedAt = status.state.running?.startedAt ?? now
    const terminated = { exitCode: 143, reason: 'Error', startedAt, finishedAt: now }
    return { ...status, ready: false, started: false, state: { terminated } }
  }
  const { initContainerStatuses: init, containerStatuses: main = [], ephemeralContainerStatuses: more } = pod.status
  const stopped = main.map(stop)
  const phase = stopped.every(({ state }) => state.terminated?.exitCode === 0) ? 'Succeeded' : 'Failed'
  const status = {
    ...pod.status,
    phase,
    ...(init === undefined ? {} : { initContainerStatuses: init.map(stop) }),
    containerStatuses: stopped,
    ...(more === undefined ? {} : { ephemeralContainerStatuses: more.map(stop) }),
  }
  return { status: withConditions(pod, status, now) }
}

class Life {
  readonly #pod: Pod
  readonly #now: string
  readonly #nowMs: number
  wakeAtMs: number | undefined

  constructor(pod: Pod, now: string, nowMs: number) {
    this.#pod = pod
    this.#now = now
    this.#nowMs = nowMs
  }

  next(): PodStatus {
    const { spec, status } = this.#pod
    const { initContainers = [] } = spec
    const [containers, before] = [spec.containers ?? [], status.containerStatuses ?? []]
    let isInitialized = true
    let hasFailed = false
    const init: ContainerStatus[] = []
    for (const container of initContainers) {
      const old = status.initContainerStatuses?.find(({ name }) => name === container.name)
      const next = isInitialized ? this.#advance(container, old, true) : (old ?? statusOf(container, undefined, {}))
      init.push(next)
      const isSidecar = container.restartPolicy === 'Always'
      if (!(isSidecar ? next.started === true : next.state.terminated?.exitCode === 0)) isInitialized = false
      if (!isSidecar && (next.state.terminated?.exitCode ?? 0) !== 0 && spec.restartPolicy === 'Never') hasFailed = true
    }
    const main = containers.map((container) => {
      const old = before.find(({ name }) => name === container.name)
      return isInitialized && !hasFailed
        ? this.#advance(container, old, false)
        : (old ?? statusOf(container, undefined, { waiting: { reason: 'PodInitializing' } }))
    })
    const ended = main.filter(({ state }) => state.terminated !== undefined)
    const isOver = hasFailed || (main.length > 0 && ended.length === main.length)
    const isFailed = hasFailed || ended.some(({ state }) => state.terminated?.exitCode !== 0)
    const isRunning = isInitialized && main.some(({ state, lastState }) => !state.waiting || lastState.terminated)
    const phase = isOver ? (isFailed ? 'Failed' : 'Succeeded') : isRunning ? 'Running' : 'Pending'
    const sidecarsStopped = isOver ? init.map((one) => this.#stopped(one)) : init
    return {
      ...status,
      phase,
      ...(init.length === 0 ? {} : { initContainerStatuses: sidecarsStopped }),
      containerStatuses: main,
      ...(spec.ephemeralContainers === undefined ? {} : { ephemeralContainerStatuses: this.#ephemeral(isOver) }),
    }
  }

  /** Ephemeral containers start at once, are never ready, are not restarted, and end with the pod. */
  #ephemeral(isOver: boolean): readonly ContainerStatus[] {
    const { spec, status } = this.#pod
    return (spec.ephemeralContainers ?? []).map((given) => {
      const container: Container = { ...given, restartPolicy: 'Never' }
      const old = status.ephemeralContainerStatuses?.find(({ name }) => name === container.name)
      const { started: _started, ...next } = this.#advance(container, old, false)
      return isOver ? this.#stopped({ ...next, ready: false }) : { ...next, ready: false }
    })
  }

  /** A sidecar ends with the pod. */
  #stopped(status: ContainerStatus): ContainerStatus {
    if (status.state.running === undefined) return status
    const terminated = {
      exitCode: 0,
      reason: 'Completed',
      startedAt: status.state.running.startedAt,
      finishedAt: this.#now,
    }
    return { ...status, ready: false, started: false, state: { terminated } }
  }

  #advance(container: Container, old: ContainerStatus | undefined, isInit: boolean): ContainerStatus {
    const behaviour = behaviourOf(this.#pod, container, isInit)
    const { running, terminated } = old?.state ?? {}
    if (running !== undefined) return this.#runs(container, old!, behaviour, isInit)
    if (terminated !== undefined) return this.#hasEnded(container, old!, isInit)
    if (behaviour.pullError) {
      const message = `Back-off pulling image "${container.image ?? ''}": ErrImagePull: the image cannot be pulled, as an annotation of the pod says`
      return statusOf(container, old, { waiting: { reason: 'ImagePullBackOff', message } })
    }
    const last = old?.lastState.terminated
    if (last !== undefined) {
      const at = Date.parse(last.finishedAt ?? '') + backoffMs((old?.restartCount ?? 1) - 1)
      if (at > this.#nowMs) return this.#wait(at, old!)
    } else {
      const at = Date.parse(this.#pod.status.startTime ?? '') + behaviour.startMs
      if (at > this.#nowMs)
        return this.#wait(at, old ?? statusOf(container, undefined, { waiting: { reason: 'ContainerCreating' } }))
    }
    const begun = statusOf(container, old, { running: { startedAt: this.#now } }, idOf(this.#pod, container, old))
    return this.#runs(container, begun, behaviour, isInit)
  }

  #wait(atMs: number, status: ContainerStatus): ContainerStatus {
    this.wakeAtMs = Math.min(this.wakeAtMs ?? atMs, atMs)
    return status
  }

  /** The status of a container that runs, or has run for its whole time. */
  #runs(container: Container, old: ContainerStatus, behaviour: Behaviour, isInit: boolean): ContainerStatus {
    const { runMs, readyMs, exitCode } = behaviour
    const startedAt = old.state.running?.startedAt ?? this.#now
    const sinceMs = Date.parse(startedAt)
    const isNew = old.containerID !== this.#idIn(container.name, isInit)
    // Every container is reported as running, at least for a moment.
    if (sinceMs + runMs <= this.#nowMs && !isNew) {
      const reason = exitCode === 0 ? 'Completed' : 'Error'
      const terminated = { exitCode, reason, startedAt, finishedAt: this.#now, ...idIn(old) }
      const ended = { ...old, ready: false, started: false, state: { terminated } }
      return this.#hasEnded(container, ended, isInit)
    }
    const isPlainInit = isInit && container.restartPolicy !== 'Always'
    const isReady = !isPlainInit && sinceMs + readyMs <= this.#nowMs
    const status = { ...old, started: !isPlainInit, ready: isReady }
    if (runMs !== Infinity) this.#wait(sinceMs + runMs, status)
    return isReady || isPlainInit ? status : this.#wait(sinceMs + readyMs, status)
  }

  #idIn(name: string, isInit: boolean): string | undefined {
    const { initContainerStatuses, containerStatuses = [], ephemeralContainerStatuses = [] } = this.#pod.status
    const statuses = isInit ? initContainerStatuses : [...containerStatuses, ...ephemeralContainerStatuses]
    return statuses?.find((one) => one.name === name)?.containerID
  }

  /** The status of an ended container. It stays ended, or waits until it is started again. */
  #hasEnded(container: Container, old: ContainerStatus, isInit: boolean): ContainerStatus {
    const { terminated } = old.state
    const { restartPolicy = 'Always' } = this.#pod.spec
    const policy = container.restartPolicy ?? (isInit && restartPolicy === 'Always' ? 'OnFailure' : restartPolicy)
    const isLast = policy === 'Never' || (policy === 'OnFailure' && terminated?.exitCode === 0)
    if (terminated === undefined || isLast)
      return isInit && isLast ? { ...old, ready: terminated?.exitCode === 0 } : old
    const { restartCount } = old
    const wait = backoffMs(restartCount)
    const waiting = {
      reason: 'CrashLoopBackOff',
      message: `back-off ${wait / 1000}s restarting failed container=${container.name} pod=${this.#pod.metadata.name}`,
    }
    const status = {
      ...old,
      ready: false,
      started: false,
      restartCount: restartCount + 1,
      state: { waiting },
      lastState: { terminated },
    }
    return this.#wait(Date.parse(terminated.finishedAt ?? '') + wait, status)
  }
}

function backoffMs(restarts: number): number {
  return Math.min(FIRST_BACKOFF_MS * 2 ** Math.max(0, restarts), LONGEST_BACKOFF_MS)
}

function statusOf(
  { name, image = '' }: Container,
  old: ContainerStatus | undefined,
  state: ContainerState,
  containerID = old?.containerID,
): ContainerStatus {
  return {
    name,
    state,
    lastState: old?.lastState ?? {},
    ready: false,
    restartCount: old?.restartCount ?? 0,
    image,
    imageID: containerID === undefined ? '' : `simulated://${image}`,
    ...(containerID === undefined ? {} : { containerID }),
    started: false,
  }
}

function idOf({ metadata }: Pod, { name }: Container, old: ContainerStatus | undefined): string {
  return `simulated://${templateHash([metadata.uid ?? '', name, old?.restartCount ?? 0])}`
}

function idIn({ containerID }: ContainerStatus): { readonly containerID?: string } {
  return containerID === undefined ? {} : { containerID }
}

const COMPLETED = { reason: 'PodCompleted' } as const

function withConditions(pod: Pod, status: PodStatus, now: string): PodStatus {
  const { initContainerStatuses: init = [], containerStatuses: main = [], phase } = status
  const { initContainers = [], readinessGates = [] } = pod.spec
  const isSidecar = (name: string): boolean =>
    initContainers.find((one) => one.name === name)?.restartPolicy === 'Always'
  const isOver = phase === 'Succeeded' || phase === 'Failed'
  const uninitialized = init.filter(({ name, state, started }) =>
    isSidecar(name) ? started !== true : state.terminated?.exitCode !== 0,
  )
  const unready = [...init.filter(({ name }) => isSidecar(name)), ...main].filter(({ ready }) => !ready)
  const gates = readinessGates.filter(
    ({ conditionType }) => status.conditions?.find(({ type }) => type === conditionType)?.status !== 'True',
  )
  const isSet = isOver || uninitialized.length === 0
  const notInitialized = {
    reason: 'ContainersNotInitialized',
    message: `containers with incomplete status: [${uninitialized.map(({ name }) => name).join(' ')}]`,
  }
  const notReady = {
    reason: 'ContainersNotReady',
    message: `containers with unready status: [${unready.map(({ name }) => name).join(' ')}]`,
  }
  const notPassed = {
    reason: 'ReadinessGatesNotReady',
    message: gates
      .map(({ conditionType }) => `corresponding condition of pod readiness gate "${conditionType}" does not exist.`)
      .join(', '),
  }
  const ended = phase === 'Failed' ? { reason: 'PodFailed' } : COMPLETED
  const hasSandbox = !isOver && [...init, ...main].some(({ containerID }) => containerID !== undefined)
  const whyNotReady = isOver ? ended : unready.length > 0 ? notReady : gates.length > 0 ? notPassed : undefined
  const whyUnready = isOver ? ended : unready.length > 0 ? notReady : undefined
  const wanted = [
    ['PodReadyToStartContainers', hasSandbox, undefined],
    [
      'Initialized',
      isSet,
      isOver ? (phase === 'Succeeded' ? COMPLETED : undefined) : isSet ? undefined : notInitialized,
    ],
    ['Ready', whyNotReady === undefined, whyNotReady],
    ['ContainersReady', whyUnready === undefined, whyUnready],
    ['PodScheduled', true, undefined],
  ] as const
  const { generation } = pod.metadata
  const conditions = wanted.map(([type, isTrue, why]): PodCondition => {
    const before = status.conditions?.find((one) => one.type === type)
    const value = isTrue ? 'True' : 'False'
    const lastTransitionTime = before?.status === value ? before.lastTransitionTime : now
    const seen = generation === undefined ? {} : { observedGeneration: generation }
    return { type, ...seen, status: value, lastProbeTime: null, lastTransitionTime, ...why }
  })
  const others = (status.conditions ?? []).filter(({ type }) => !wanted.some(([own]) => own === type))
  return {
    ...status,
    ...(generation === undefined ? {} : { observedGeneration: generation }),
    conditions: [...conditions, ...others],
  }
}
