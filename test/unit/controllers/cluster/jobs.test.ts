// Jobs of a cluster in this process.
import { describe, expect, it } from 'vitest'
import type { Event, Job, Pod } from '../../../../src/api/gen/kinds.ts'
import { annotationsOf } from '../../../../src/api/object-members.ts'
import { own } from '../../../../src/api/value.ts'
import { type ClusterWorld, openCluster } from '../../../rigs/cluster-world.ts'
import { longestStall } from '../../../rigs/longest-stall.ts'

const NAME = 'batch_v1.Job'

function job(spec: object = {}, annotations: Readonly<Record<string, string>> = {}): object {
  const behaviour = Object.fromEntries(
    Object.entries(annotations).map(([key, text]) => [`quarterdeck.dev/${key}`, text]),
  )
  const template = {
    metadata: { annotations: behaviour },
    spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'busybox' }] },
  }
  return { metadata: { name: 'one' }, spec: { template, ...spec } }
}

async function run(cluster: ClusterWorld, made: object, milliseconds = 1_000): Promise<Job> {
  await cluster.apply('jobs', made)
  await cluster.settle(milliseconds)
  return cluster.get<Job>('jobs', 'one')
}

const conditions = ({ status }: Job): readonly string[] =>
  (status.conditions ?? [])
    .filter(({ status: value }) => value === 'True')
    .map(({ type, reason }) => `${type} ${reason}`)

describe('a Job', () => {
  it('runs its pods to their end, and is complete', async () => {
    const cluster = await openCluster()
    const done = await run(cluster, job({ completions: 5, parallelism: 2 }))
    expect(done.status).toMatchObject({ succeeded: 5, uncountedTerminatedPods: {} })
    expect(done.status.active).toBeUndefined()
    expect(conditions(done)).toEqual(['SuccessCriteriaMet CompletionsReached', 'Complete CompletionsReached'])
    expect(done.status.completionTime).toBeDefined()
    const pods = await cluster.list<Pod>('pods')
    expect(pods.map(({ status }) => status.phase)).toEqual(Array.from({ length: 5 }, () => 'Succeeded'))
    expect(pods.flatMap(({ metadata }) => metadata.finalizers ?? [])).toEqual([])
    const events = (await cluster.list<Event>('events')).filter(({ involvedObject }) => involvedObject.kind === 'Job')
    expect(events.map(({ reason = '' }) => reason).toSorted((a, b) => a.localeCompare(b))).toEqual([
      'Completed',
      ...Array.from({ length: 5 }, () => 'SuccessfulCreate'),
    ])
  })

  it('makes a huge number of pods in steps, none of which holds the event loop up', async () => {
    const cluster = await openCluster()
    await cluster.apply('resourcequotas', { metadata: { name: 'few' }, spec: { hard: { pods: '5' } } })
    await cluster.settle()
    const stall = await longestStall(async () => {
      const started = await run(cluster, job({ parallelism: 10_000_000 }, { 'run-time': '1h' }))
      expect(started.status).toMatchObject({ active: 5 })
    })
    expect(stall).toBeLessThan(500)
  })

  it('runs no more pods at a time than it may', async () => {
    const cluster = await openCluster()
    const started = await run(cluster, job({ completions: 5, parallelism: 2 }, { 'run-time': '10s' }))
    expect(started.status).toMatchObject({ active: 2, ready: 2 })
    await cluster.settle(11_000)
    expect((await cluster.get<Job>('jobs', 'one')).status).toMatchObject({ active: 2, succeeded: 2 })
  })

  it('replaces failed pods with longer and longer pauses, up to its limit', async () => {
    const cluster = await openCluster()
    const failing = job({ backoffLimit: 2 }, { 'run-time': '0s', 'exit-code': '1' })
    expect((await run(cluster, failing, 5_000)).status).toMatchObject({ failed: 1 })
    await cluster.settle(10_000)
    expect((await cluster.get<Job>('jobs', 'one')).status).toMatchObject({ failed: 2 })
    await cluster.settle(30_000)
    const failed = await cluster.get<Job>('jobs', 'one')
    expect(failed.status).toMatchObject({ failed: 3 })
    expect(conditions(failed)).toEqual(['FailureTarget BackoffLimitExceeded', 'Failed BackoffLimitExceeded'])
  })

  it('gives each index a pod that knows it', async () => {
    const cluster = await openCluster()
    const done = await run(cluster, job({ completions: 4, parallelism: 4, completionMode: 'Indexed' }))
    expect(done.status).toMatchObject({ succeeded: 4, completedIndexes: '0-3' })
    const pods = await cluster.list<Pod>('pods')
    const key = 'batch.kubernetes.io/job-completion-index'
    expect(pods.map((pod) => (annotationsOf(pod) as Record<string, string>)[key])).toEqual(['0', '1', '2', '3'])
    expect(pods.map(({ spec }) => spec.hostname)).toEqual(['one-0', 'one-1', 'one-2', 'one-3'])
    expect(pods[0]?.spec.containers?.[0]?.env).toMatchObject([{ name: 'JOB_COMPLETION_INDEX' }])
  })

  it('counts failures of each index by itself', async () => {
    const cluster = await openCluster()
    const spec = { completions: 2, parallelism: 2, completionMode: 'Indexed', backoffLimitPerIndex: 1 }
    const failed = await run(cluster, job(spec, { 'run-time': '0s', 'exit-code': '1' }), 60_000)
    expect(failed.status).toMatchObject({ failed: 4, failedIndexes: '0,1' })
    expect(conditions(failed)).toEqual(['FailureTarget FailedIndexes', 'Failed FailedIndexes'])
  })

  it('is complete when its success policy is met, and ends its other pods', async () => {
    const cluster = await openCluster()
    const successPolicy = { rules: [{ succeededCount: 1 }] }
    const spec = { completions: 3, parallelism: 1, completionMode: 'Indexed', successPolicy }
    const done = await run(cluster, job(spec), 40_000)
    expect(conditions(done)).toEqual(['SuccessCriteriaMet SuccessPolicy', 'Complete SuccessPolicy'])
    expect(done.status).toMatchObject({ completedIndexes: '0' })
  })

  it.each([
    ['FailJob', ['FailureTarget PodFailurePolicy', 'Failed PodFailurePolicy'], 1],
    ['Ignore', [], undefined],
    ['Count', ['FailureTarget BackoffLimitExceeded', 'Failed BackoffLimitExceeded'], 1],
  ])('does with failed pods what a rule %s says', async (action, wanted, failed) => {
    const cluster = await openCluster()
    const rules = [{ action, onExitCodes: { operator: 'In', values: [42] } }]
    const spec = { backoffLimit: 0, podFailurePolicy: { rules } }
    const ended = await run(cluster, job(spec, { 'run-time': '0s', 'exit-code': '42' }), 5_000)
    expect(conditions(ended)).toEqual(wanted)
    expect(ended.status.failed).toBe(failed)
  })

  it('has no pods while it is suspended', async () => {
    const cluster = await openCluster()
    const suspended = await run(cluster, job({ suspend: true }, { 'run-time': '1h' }))
    expect(conditions(suspended)).toEqual(['Suspended JobSuspended'])
    expect(suspended.status.startTime).toBeUndefined()
    expect(await cluster.list('pods')).toEqual([])
    await cluster.update(NAME, 'one', (live) => ({ ...live, spec: { ...live.spec, suspend: false } }))
    await cluster.settle(1_000)
    expect((await cluster.get<Job>('jobs', 'one')).status).toMatchObject({ active: 1, ready: 1 })
    await cluster.update(NAME, 'one', (live) => ({ ...live, spec: { ...live.spec, suspend: true } }))
    await cluster.settle(40_000)
    expect(await cluster.list('pods')).toEqual([])
    const again = await cluster.get<Job>('jobs', 'one')
    expect([again.status.failed, conditions(again)]).toEqual([undefined, ['Suspended JobSuspended']])
  })

  it('does not count pods as failed that it has no use for', async () => {
    const cluster = await openCluster()
    await run(cluster, job({ parallelism: 3, completions: 3, backoffLimit: 0 }, { 'run-time': '1h' }))
    await cluster.update(NAME, 'one', (live) => ({ ...live, spec: { ...live.spec, parallelism: 1 } }))
    await cluster.settle(5_000)
    const { status } = await cluster.get<Job>('jobs', 'one')
    expect([status.active, status.failed]).toEqual([1, undefined])
  })

  it('fails after its deadline, and is deleted after its time to live', async () => {
    const cluster = await openCluster()
    const spec = { activeDeadlineSeconds: 10, ttlSecondsAfterFinished: 60 }
    await run(cluster, job(spec, { 'run-time': '1h' }))
    await cluster.settle(45_000)
    const failed = await cluster.get<Job>('jobs', 'one')
    expect(conditions(failed)).toEqual(['FailureTarget DeadlineExceeded', 'Failed DeadlineExceeded'])
    await cluster.settle(120_000)
    expect(await cluster.list('jobs')).toEqual([])
    expect(await cluster.list('pods')).toEqual([])
  })

  it('fails at its deadline while it waits to replace a failed pod', async () => {
    const cluster = await openCluster()
    const spec = { activeDeadlineSeconds: 50, backoffLimit: 9 }
    const failed = await run(cluster, job(spec, { 'exit-code': '1', 'run-time': '1s' }), 52_000)
    expect(conditions(failed)).toEqual(['FailureTarget DeadlineExceeded', 'Failed DeadlineExceeded'])
  })

  it('forgets the indexes that it no longer has, and ends their pods', async () => {
    const cluster = await openCluster()
    const spec = { completions: 3, parallelism: 3, completionMode: 'Indexed' }
    await run(cluster, job(spec, { 'run-time': '1h' }))
    const indexOf = ({ metadata }: Pod): string | undefined =>
      own(annotationsOf({ metadata }), 'batch.kubernetes.io/job-completion-index')
    const pods = new Map((await cluster.list<Pod>('pods')).map((pod) => [indexOf(pod), pod]))
    // The pods change in this order, so that the pod of the first index is the last one known.
    for (const [index, runTime] of [
      ['2', '1s'],
      ['0', '2h'],
    ] as const) {
      await cluster.update('core_v1.Pod', pods.get(index)!.metadata.name!, (live) => ({
        ...live,
        metadata: {
          ...live.metadata,
          annotations: { ...live.metadata.annotations, 'quarterdeck.dev/run-time': runTime },
        },
      }))
      await cluster.settle()
    }
    expect((await cluster.get<Job>('jobs', 'one')).status).toMatchObject({ active: 2, completedIndexes: '2' })
    await cluster.update(NAME, 'one', (live) => ({ ...live, spec: { ...live.spec, completions: 1, parallelism: 1 } }))
    await cluster.settle()
    const { status } = await cluster.get<Job>('jobs', 'one')
    expect(status).toMatchObject({ active: 1 })
    expect(status.completedIndexes).toBeUndefined()
    expect(status.conditions).toBeUndefined()
    const running = (await cluster.list<Pod>('pods')).filter(({ status: { phase } }) => phase === 'Running')
    expect(running.map(indexOf)).toEqual(['0'])
  })

  it('leaves no pod behind when it is deleted', async () => {
    const cluster = await openCluster()
    await run(cluster, job({}, { 'run-time': '1h' }))
    await cluster.delete('jobs', 'one', { propagationPolicy: 'Background' })
    await cluster.settle(60_000)
    expect(await cluster.list('pods')).toEqual([])
  })
})
