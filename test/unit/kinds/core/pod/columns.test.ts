import { describe, expect, it } from 'vitest'
import type { ValueMap } from '../../../../../src/api/value.ts'
import { canonicalOf, columnsOf } from '../../../../corpora/kind-of.ts'

const NOW = Date.parse('2026-03-01T12:00:00Z')
const pod = (members: ValueMap): ValueMap => canonicalOf({ group: '', kind: 'Pod' }, members)
const { cells, conditions } = columnsOf({ group: '', kind: 'Pod' })

const running = { name: 'c', ready: true, restartCount: 0, state: { running: {} } }
const waiting = (reason: string) => ({ name: 'c', restartCount: 0, state: { waiting: { reason } } })
const ended = (exitCode: number, more: ValueMap = {}) => ({
  name: 'c',
  restartCount: 0,
  state: { terminated: { exitCode, ...more } },
})
const done = ended(0, { reason: 'Completed' })
const condition = (type: string, status = 'True', more: ValueMap = {}) => ({ type, status, ...more })

interface Case {
  readonly spec?: ValueMap
  readonly status: ValueMap
  readonly deleted?: boolean
}

const init = (...containerStatuses: readonly ValueMap[]): Case => ({
  spec: { containers: [{}], initContainers: [{ name: 'one' }, { name: 'two' }] },
  status: { phase: 'Pending', initContainerStatuses: containerStatuses },
})

describe('the status of a pod (R-356, R-357)', () => {
  it.each<[string, Case, string]>([
    ['its phase', { status: { phase: 'Pending' } }, '0/1 Pending 0'],
    ['its own reason', { status: { phase: 'Failed', reason: 'Evicted' } }, '0/1 Evicted 0'],
    [
      'held back by gates',
      { status: { phase: 'Pending', conditions: [condition('PodScheduled', 'False', { reason: 'SchedulingGated' })] } },
      '0/1 SchedulingGated 0',
    ],
    ['running', { status: { phase: 'Running', containerStatuses: [running] } }, '1/1 Running 0'],
    [
      'waiting',
      { status: { phase: 'Pending', containerStatuses: [waiting('ImagePullBackOff')] } },
      '0/1 ImagePullBackOff 0',
    ],
    [
      'the first container that says something',
      { status: { phase: 'Running', containerStatuses: [running, waiting('First'), waiting('Second')] } },
      '1/1 First 0',
    ],
    [
      'ended with a reason',
      { status: { phase: 'Running', containerStatuses: [ended(1, { reason: 'Error' })] } },
      '0/1 Error 0',
    ],
    [
      'ended by a signal',
      { status: { phase: 'Running', containerStatuses: [ended(137, { signal: 9 })] } },
      '0/1 Signal:9 0',
    ],
    ['ended with a code', { status: { phase: 'Running', containerStatuses: [ended(3)] } }, '0/1 ExitCode:3 0'],
    [
      'completed beside a running one, ready',
      { status: { phase: 'Running', containerStatuses: [done, running], conditions: [condition('Ready')] } },
      '1/1 Running 0',
    ],
    [
      'completed beside a running one, not ready',
      { status: { phase: 'Running', containerStatuses: [done, running] } },
      '1/1 NotReady 0',
    ],
    [
      'completed beside a failed one',
      { status: { phase: 'Failed', containerStatuses: [done, ended(1, { reason: 'Error' })] } },
      '0/1 Error 0',
    ],
    [
      'being deleted',
      { deleted: true, status: { phase: 'Running', containerStatuses: [running] } },
      '1/1 Terminating 0',
    ],
    [
      'being deleted on a lost node',
      { deleted: true, status: { phase: 'Running', reason: 'NodeLost' } },
      '0/1 Unknown 0',
    ],
    ['being deleted after its end', { deleted: true, status: { phase: 'Succeeded' } }, '0/1 Succeeded 0'],
    ['initializing', init(ended(0), waiting('PodInitializing')), '0/1 Init:1/2 0'],
    ['initializing, first', init({ name: 'one', restartCount: 0, state: { running: {} } }), '0/1 Init:0/2 0'],
    [
      'waiting for initialization',
      init({ ...waiting('CrashLoopBackOff'), restartCount: 4 }),
      '0/1 Init:CrashLoopBackOff 4',
    ],
    ['failed to initialize', init(ended(1, { reason: 'Error' })), '0/1 Init:Error 0'],
    ['failed to initialize with a code', init(ended(2)), '0/1 Init:ExitCode:2 0'],
    ['failed to initialize by a signal', init(ended(2, { signal: 15 })), '0/1 Init:Signal:15 0'],
    [
      'initialized before',
      {
        status: {
          phase: 'Running',
          initContainerStatuses: [ended(1)],
          containerStatuses: [running],
          conditions: [condition('Initialized')],
        },
      },
      '1/1 Init:ExitCode:1 0',
    ],
    [
      'sidecars count',
      {
        spec: { containers: [{}], initContainers: [{ name: 'side', restartPolicy: 'Always' }, { name: 'once' }] },
        status: {
          phase: 'Running',
          initContainerStatuses: [
            { name: 'side', started: true, ready: true, restartCount: 2, state: { running: {} } },
            { name: 'once', restartCount: 5, state: { terminated: { exitCode: 0 } } },
          ],
          containerStatuses: [{ ...running, restartCount: 1 }],
        },
      },
      '2/2 Running 3',
    ],
    [
      'the last of the restarts',
      {
        status: {
          phase: 'Running',
          containerStatuses: [
            {
              ...running,
              restartCount: 1,
              lastState: { terminated: { exitCode: 1, finishedAt: '2026-03-01T11:00:00Z' } },
            },
            {
              ...running,
              restartCount: 2,
              lastState: { terminated: { exitCode: 1, finishedAt: '2026-03-01T11:58:00Z' } },
            },
          ],
        },
      },
      '2/1 Running 3 (2m ago)',
    ],
  ])('%s', (_name, { spec = { containers: [{}] }, status, deleted = false }, expected) => {
    const metadata = { name: 'p', ...(deleted ? { deletionTimestamp: '2026-03-01T11:00:00Z' } : {}) }
    expect(cells(pod({ metadata, spec, status }), NOW).slice(1, 4).map(String).join(' ')).toBe(expected)
  })

  it('has wide cells', () => {
    const spec = {
      containers: [],
      nodeName: 'n',
      readinessGates: [{ conditionType: 'x' }, { conditionType: 'y' }, { conditionType: 'z' }],
    }
    const status = {
      podIPs: [{ ip: '10.0.0.1' }, { ip: '::1' }],
      nominatedNodeName: 'm',
      conditions: [condition('x'), condition('y', 'False')],
    }
    expect(cells(pod({ metadata: {}, spec, status }), NOW).slice(5)).toEqual(['10.0.0.1', 'n', 'm', '1/3'])
    expect(cells(pod({ metadata: {} }), NOW).slice(5)).toEqual(['<none>', '<none>', '<none>', '<none>'])
  })

  it('that ended has a row condition', () => {
    const of = (phase: string) => conditions?.(pod({ status: { phase } }))
    expect(of('Running')).toBeUndefined()
    expect(of('Succeeded')).toEqual([
      { type: 'Completed', status: 'True', reason: 'Succeeded', message: 'The pod has completed successfully.' },
    ])
    expect(of('Failed')).toEqual([{ type: 'Completed', status: 'True', reason: 'Failed', message: 'The pod failed.' }])
  })
})
