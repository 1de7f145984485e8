import { describe, expect, it } from 'vitest'
import type { Fields } from '../../../../src/console/web/fields.ts'
import { conditionTone, healthOf } from '../../../../src/console/web/health.ts'

const condition = (type: string, status: string, message = '') => ({ type, status, message })

type Case = readonly [name: string, object: Fields, tone: string, text: string, reason: string]

describe('the health of an object', () => {
  it.each<Case>([
    [
      'a deployment that is ready',
      { kind: 'Deployment', spec: { replicas: 2 }, status: { readyReplicas: 2 } },
      'good',
      '2/2 ready',
      '',
    ],
    [
      'a deployment that no controller has seen',
      { kind: 'Deployment', spec: { replicas: 2 } },
      'waiting',
      '0/2 ready',
      'No controller has acted on it.',
    ],
    [
      'a deployment that rolls',
      {
        kind: 'Deployment',
        spec: { replicas: 2 },
        status: { observedGeneration: 1, conditions: [condition('Available', 'False', 'too few')] },
      },
      'waiting',
      '0/2 ready',
      'too few',
    ],
    [
      'a deployment whose rollout has failed',
      {
        kind: 'Deployment',
        spec: { replicas: 1 },
        status: {
          observedGeneration: 1,
          conditions: [condition('Available', 'False', 'too few'), condition('Progressing', 'False', 'timed out')],
        },
      },
      'bad',
      '0/1 ready',
      'timed out',
    ],
    [
      'a daemon set',
      { kind: 'DaemonSet', status: { desiredNumberScheduled: 3, numberReady: 3 } },
      'good',
      '3/3 ready',
      '',
    ],
    [
      'a pod that crashes again and again',
      {
        kind: 'Pod',
        status: {
          phase: 'Running',
          containerStatuses: [{ state: { waiting: { reason: 'CrashLoopBackOff', message: 'back-off 10s' } } }],
        },
      },
      'bad',
      'CrashLoopBackOff',
      'back-off 10s',
    ],
    [
      'a pod that is not ready',
      { kind: 'Pod', status: { phase: 'Running', conditions: [condition('Ready', 'False', 'probe failed')] } },
      'waiting',
      'Not ready',
      'probe failed',
    ],
    [
      'a pod that failed',
      {
        kind: 'Pod',
        status: { phase: 'Failed', containerStatuses: [{ state: { terminated: { reason: 'Error', exitCode: 3 } } }] },
      },
      'bad',
      'Failed',
      'exit code 3',
    ],
    ['a pod without a status', { kind: 'Pod' }, 'waiting', 'Pending', ''],
    ['a claim', { kind: 'PersistentVolumeClaim', status: { phase: 'Bound' } }, 'good', 'Bound', ''],
    ['a job', { kind: 'Job', status: { active: 2 } }, 'waiting', '2 active', ''],
    [
      'a job that failed',
      { kind: 'Job', status: { conditions: [condition('Failed', 'True', 'too often')] } },
      'bad',
      'Failed',
      'too often',
    ],
    [
      'a custom object that is not ready',
      { kind: 'Boat', status: { conditions: [condition('Synced', 'True'), condition('Ready', 'False', 'no sail')] } },
      'bad',
      'Not Ready',
      'no sail',
    ],
    [
      'an object that is deleted',
      { kind: 'Boat', metadata: { deletionTimestamp: 'now' } },
      'waiting',
      'Terminating',
      '',
    ],
    ['an object without a status', { kind: 'ConfigMap' }, '', '', ''],
    ['an object with odd fields', { kind: 'Boat', status: { conditions: ['Ready', null, { type: 7 }] } }, '', '', ''],
  ])('%s', (_name, object, tone, text, reason) => expect(healthOf(object)).toEqual({ tone, text, reason }))

  it.each([
    ['Ready', 'True', 'good'],
    ['Ready', 'False', 'bad'],
    ['Ready', 'Unknown', 'waiting'],
    ['MemoryPressure', 'False', 'good'],
    ['DiskPressure', 'True', 'bad'],
    ['Suspended', 'True', 'waiting'],
    ['Suspended', 'False', ''],
  ])('a condition %s that is %s', (type, status, tone) => expect(conditionTone({ type, status })).toBe(tone))
})
