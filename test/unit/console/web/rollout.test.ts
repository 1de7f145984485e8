import { expect, it } from 'vitest'
import { rolloutOf } from '../../../../src/console/web/rollout.ts'

const deployment = (status: object, spec: object = { replicas: 3 }): object => ({
  kind: 'Deployment',
  metadata: { generation: 2 },
  spec,
  status: { observedGeneration: 2, ...status },
})
const daemons = (status: object): object => ({ kind: 'DaemonSet', metadata: { generation: 1 }, status })
const late = [{ type: 'Progressing', status: 'False', reason: 'ProgressDeadlineExceeded' }]

it.each([
  ['waiting 0/3', 'Waiting for the controller to act on the last change.', deployment({ observedGeneration: 1 })],
  ['waiting 1/3', '1 of 3 pods are updated.', deployment({ replicas: 3, updatedReplicas: 1, availableReplicas: 3 })],
  ['waiting 1/3', '2 old pods are still there.', deployment({ replicas: 5, updatedReplicas: 3, availableReplicas: 3 })],
  [
    'waiting 2/3',
    '2 of 3 updated pods are available.',
    deployment({ replicas: 3, updatedReplicas: 3, availableReplicas: 2 }),
  ],
  [
    'good 3/3',
    'Rolled out: 3 of 3 pods are available.',
    deployment({ replicas: 3, updatedReplicas: 3, availableReplicas: 3 }),
  ],
  ['good 0/0', 'Rolled out: 0 of 0 pods are available.', deployment({}, { replicas: 0 })],
  ['waiting 0/3', 'The rollout is paused.', deployment({ replicas: 3 }, { replicas: 3, paused: true })],
  ['bad 0/3', 'The rollout takes longer than its deadline.', deployment({ conditions: late })],
  [
    'waiting 1/2',
    '1 of 2 updated pods are available.',
    daemons({ observedGeneration: 1, desiredNumberScheduled: 2, updatedNumberScheduled: 2, numberAvailable: 1 }),
  ],
])('%s: %s', (figures, text, object) => {
  const told = rolloutOf(object as Record<string, unknown>)
  expect([`${told?.tone ?? ''} ${told?.done ?? ''}/${told?.wanted ?? ''}`, told?.text]).toEqual([figures, text])
})

it('is nothing for other kinds', () => expect(rolloutOf({ kind: 'Pod' })).toBeUndefined())
