// The progress of the rollout of a workload, as `kubectl rollout status` tells it. This file needs no browser.
import { type Fields, fieldAt, itemsAt, textAt } from './fields.ts'
import type { Tone } from './health.ts'

export interface Rollout {
  readonly tone: Tone
  readonly text: string
  readonly wanted: number
  /** The pods of the new version that are available. */
  readonly done: number
}

/** Undefined: objects of the kind are not rolled out. */
export function rolloutOf(object: Fields): Rollout | undefined {
  const kind = textAt(object, 'kind')
  if (!/^(Deployment|StatefulSet|DaemonSet)$/.test(kind)) return undefined
  const number = (path: string, usual = 0): number => Number(fieldAt(object, path) ?? usual)
  const isDaemonSet = kind === 'DaemonSet'
  const wanted = isDaemonSet ? number('status.desiredNumberScheduled') : number('spec.replicas', 1)
  const updated = number(isDaemonSet ? 'status.updatedNumberScheduled' : 'status.updatedReplicas')
  const available = number(isDaemonSet ? 'status.numberAvailable' : 'status.availableReplicas')
  const old = isDaemonSet ? 0 : number('status.replicas') - updated
  const isUnseen = number('status.observedGeneration') < number('metadata.generation')
  const done = isUnseen ? 0 : Math.max(0, Math.min(updated, available - Math.max(0, old)))
  const waiting = (text: string): Rollout => ({ tone: 'waiting', text, wanted, done })
  if (isUnseen) return waiting('Waiting for the controller to act on the last change.')
  const late = itemsAt(object, 'status.conditions').find((one) => one['reason'] === 'ProgressDeadlineExceeded')
  if (late !== undefined) return { tone: 'bad', text: 'The rollout takes longer than its deadline.', wanted, done }
  if (fieldAt(object, 'spec.paused') === true && updated < wanted) return waiting('The rollout is paused.')
  if (updated < wanted) return waiting(`${updated} of ${wanted} pods are updated.`)
  if (old > 0) return waiting(`${old} old ${old === 1 ? 'pod is' : 'pods are'} still there.`)
  if (available < wanted) return waiting(`${available} of ${wanted} updated pods are available.`)
  return { tone: 'good', text: `Rolled out: ${wanted} of ${wanted} pods are available.`, wanted, done: wanted }
}
