// The health of an object in a few words, and its reason, by its status and its conditions. This file needs no browser.
import { type Fields, fieldAt, itemsAt, textAt } from './fields.ts'

export type Tone = (typeof SEVERITY)[number]
/** From the best to the worst. */
export const SEVERITY = ['', 'good', 'waiting', 'bad'] as const

export interface Health {
  readonly tone: Tone
  readonly text: string
  /** Empty: the object gives no reason. */
  readonly reason: string
}

const GOOD = /^(Running|Active|Bound|Ready|True|Available|Established|Succeeded|Complete|Completed|Approved,Issued)$/
const BAD = /(Failed|Error|BackOff|Evicted|Unknown|Lost|NotReady|^False$)/
const UNDER_WAY = /^(Pending|Terminating|ContainerCreating|PodInitializing|Released|Init:.*)$/

/** The tone that colours a word. The word itself is shown too. */
export function wordTone(word: string): Tone {
  return GOOD.test(word) ? 'good' : BAD.test(word) ? 'bad' : UNDER_WAY.test(word) ? 'waiting' : ''
}

/** Conditions that are bad when they are true. */
const NEGATIVE =
  /(Pressure|Unavailable|Failure|Failed|Denied|Degraded|Stalled|Conflict|Disruption|Violat|NonStructural|Remaining|Dangling|Limited)/

export function conditionTone(condition: Fields): Tone {
  const [type, status, reason] = ['type', 'status', 'reason'].map((name) => textAt(condition, name))
  if (status === 'Unknown' || type === 'Suspended') return status === 'False' ? '' : 'waiting'
  if (reason === 'PodCompleted') return ''
  return (status === 'True') !== NEGATIVE.test(type ?? '') ? 'good' : 'bad'
}

/** The fields with the wanted and the ready number of pods. */
const COUNTS: Readonly<Record<string, readonly [wanted: string, ready: string]>> = {
  Deployment: ['spec.replicas', 'status.readyReplicas'],
  StatefulSet: ['spec.replicas', 'status.readyReplicas'],
  ReplicaSet: ['spec.replicas', 'status.readyReplicas'],
  ReplicationController: ['spec.replicas', 'status.readyReplicas'],
  DaemonSet: ['status.desiredNumberScheduled', 'status.numberReady'],
}

/** The conditions that stand for the health of an object, the most telling first. */
const TELLING = ['Failed', 'Ready', 'Available', 'Established', 'Complete'] as const

export function healthOf(object: Fields): Health {
  if (textAt(object, 'metadata.deletionTimestamp') !== '') return { tone: 'waiting', text: 'Terminating', reason: '' }
  const kind = textAt(object, 'kind')
  const counted = COUNTS[kind]
  if (counted !== undefined) return countedHealth(object, ...counted)
  if (kind === 'Pod') return podHealth(object)
  if (kind === 'Job' && itemsAt(object, 'status.conditions').length === 0) {
    return { tone: 'waiting', text: `${textAt(object, 'status.active') || '0'} active`, reason: '' }
  }
  const phase = textAt(object, 'status.phase')
  if (phase !== '') return { tone: wordTone(phase), text: phase, reason: reasonIn(fieldAt(object, 'status')) }
  const conditions = itemsAt(object, 'status.conditions')
  const telling = TELLING.map((type) => conditions.find((one) => textAt(one, 'type') === type))
  const condition = telling.find((one) => one !== undefined && !(one['type'] === 'Failed' && one['status'] !== 'True'))
  if (condition === undefined) return { tone: '', text: '', reason: '' }
  const isTrue = textAt(condition, 'status') === 'True'
  const tone = conditionTone(condition)
  return {
    tone,
    text: `${isTrue ? '' : 'Not '}${textAt(condition, 'type')}`,
    reason: isTrue && tone === 'good' ? '' : reasonIn(condition),
  }
}

function countedHealth(object: Fields, wanted: string, ready: string): Health {
  const [all, some] = [Number(fieldAt(object, wanted) ?? 0), Number(fieldAt(object, ready) ?? 0)]
  const text = `${some}/${all} ready`
  if (some >= all) return { tone: 'good', text, reason: '' }
  const conditions = itemsAt(object, 'status.conditions').filter((one) => conditionTone(one) === 'bad')
  const find = (type: string): Fields | undefined => conditions.find((one) => textAt(one, 'type') === type)
  const grave = find('ReplicaFailure') ?? find('Progressing')
  const seen = textAt(object, 'status.observedGeneration') !== ''
  const reason = seen ? reasonIn(grave ?? conditions[0]) : 'No controller has acted on it.'
  return { tone: grave === undefined ? 'waiting' : 'bad', text, reason }
}

function podHealth(pod: Fields): Health {
  const phase = textAt(pod, 'status.phase') || 'Pending'
  const all = ['status.initContainerStatuses', 'status.containerStatuses'].flatMap((path) => itemsAt(pod, path))
  const stuck = all
    .map((one) => fieldAt(one, 'state.waiting'))
    .find((one) => /BackOff|Err|Invalid/.test(textAt(one, 'reason')))
  if (stuck !== undefined) return { tone: 'bad', text: textAt(stuck, 'reason'), reason: textAt(stuck, 'message') }
  const ended = all.map((one) => fieldAt(one, 'state.terminated')).find((one) => textAt(one, 'reason') === 'Error')
  const condition = (type: string): Fields | undefined =>
    itemsAt(pod, 'status.conditions').find((one) => textAt(one, 'type') === type && textAt(one, 'status') === 'False')
  if (phase === 'Running') {
    const unready = condition('Ready')
    if (unready === undefined) return { tone: 'good', text: phase, reason: '' }
    return { tone: 'waiting', text: 'Not ready', reason: reasonIn(unready) }
  }
  if (phase === 'Failed') {
    const code = textAt(ended, 'exitCode')
    return { tone: 'bad', text: phase, reason: reasonIn(fieldAt(pod, 'status')) || (code && `exit code ${code}`) }
  }
  return { tone: wordTone(phase), text: phase, reason: phase === 'Pending' ? reasonIn(condition('PodScheduled')) : '' }
}

function reasonIn(told: unknown): string {
  return textAt(told, 'message') || textAt(told, 'reason')
}
