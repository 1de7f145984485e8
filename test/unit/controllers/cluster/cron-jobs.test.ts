// CronJobs of a cluster in this process, and when schedules are due.
import { describe, expect, it } from 'vitest'
import type { CronJob, Job } from '../../../../src/api/gen/kinds.ts'
import { nextTime } from '../../../../src/controllers/cluster/cron-times.ts'
import { type ClusterWorld, openCluster } from '../../../rigs/cluster-world.ts'

const MINUTE = 60_000

function cron(spec: object = {}, annotations: Readonly<Record<string, string>> = {}): object {
  const template = {
    metadata: { annotations },
    spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'busybox' }] },
  }
  return { metadata: { name: 'tick' }, spec: { schedule: '* * * * *', jobTemplate: { spec: { template } }, ...spec } }
}

const LONG = { 'quarterdeck.dev/run-time': '1h' }
const jobNames = async (cluster: ClusterWorld): Promise<readonly (string | undefined)[]> =>
  (await cluster.list<Job>('jobs')).map(({ metadata }) => metadata.name)

describe('a CronJob', () => {
  it('makes a Job for each time, and keeps as many as its limits say', async () => {
    const cluster = await openCluster()
    await cluster.apply('cronjobs', cron({ successfulJobsHistoryLimit: 2 }))
    await cluster.settle(MINUTE)
    const minute = Date.parse('2030-01-02T03:05:00Z') / MINUTE
    expect(await jobNames(cluster)).toEqual([`tick-${minute}`])
    await cluster.settle(4 * MINUTE)
    expect(await jobNames(cluster)).toEqual([`tick-${minute + 3}`, `tick-${minute + 4}`])
    const { status } = await cluster.get<CronJob>('cronjobs', 'tick')
    expect(status).toMatchObject({ lastScheduleTime: '2030-01-02T03:09:00Z' })
    expect(status.lastSuccessfulTime).toMatch(/^2030-01-02T03:09:/)
    expect(status.active).toBeUndefined()
    const [job] = await cluster.list<Job>('jobs')
    expect(job?.metadata).toMatchObject({
      annotations: { 'batch.kubernetes.io/cronjob-scheduled-timestamp': '2030-01-02T03:08:00Z' },
      ownerReferences: [{ kind: 'CronJob', name: 'tick', controller: true }],
    })
  })

  it.each([
    ['Allow', 3],
    ['Forbid', 1],
    ['Replace', 1],
  ])('does with a Job that still runs what its policy %s says', async (concurrencyPolicy, running) => {
    const cluster = await openCluster()
    await cluster.apply('cronjobs', cron({ concurrencyPolicy }, LONG))
    await cluster.settle(MINUTE)
    const [first] = await jobNames(cluster)
    await cluster.settle(2 * MINUTE)
    const names = await jobNames(cluster)
    expect(names).toHaveLength(running)
    expect(names.includes(first)).toBe(concurrencyPolicy !== 'Replace')
    expect((await cluster.get<CronJob>('cronjobs', 'tick')).status.active).toHaveLength(running)
  })

  it('makes no Job while it is suspended, nor one that is too late', async () => {
    const cluster = await openCluster()
    await cluster.apply('cronjobs', cron({ suspend: true, startingDeadlineSeconds: 20, schedule: '10 * * * *' }))
    await cluster.settle(8 * MINUTE)
    await cluster.update('batch_v1.CronJob', 'tick', (live) => ({ ...live, spec: { ...live.spec, suspend: false } }))
    await cluster.settle(50 * MINUTE)
    expect(await jobNames(cluster)).toEqual([])
    await cluster.settle(20 * MINUTE)
    expect(await jobNames(cluster)).toHaveLength(1)
  })
})

it('makes a Job that was refused as soon as it is allowed', async () => {
  const cluster = await openCluster()
  const metadata = { name: 'none' }
  await cluster.apply('resourcequotas', { metadata, spec: { hard: { 'count/jobs.batch': '0' } } })
  await cluster.settle()
  await cluster.apply('cronjobs', cron({ schedule: '5 * * * *' }))
  await cluster.settle(2 * MINUTE)
  expect(await jobNames(cluster)).toEqual([])
  await cluster.delete('resourcequotas', 'none')
  await cluster.settle(MINUTE)
  expect(await jobNames(cluster)).toEqual([`tick-${Date.parse('2030-01-02T03:05:00Z') / MINUTE}`])
})

describe('a schedule', () => {
  it.each([
    ['*/15 * * * *', undefined, '2030-01-02T03:04:05Z', '2030-01-02T03:15:00Z'],
    ['0 4 * * *', undefined, '2030-01-02T04:00:00Z', '2030-01-03T04:00:00Z'],
    ['30 2 1 * *', undefined, '2030-01-02T00:00:00Z', '2030-02-01T02:30:00Z'],
    ['0 0 13 * fri', undefined, '2030-01-02T00:00:00Z', '2030-01-04T00:00:00Z'],
    ['0 0 * * 1-5', undefined, '2030-01-04T12:00:00Z', '2030-01-07T00:00:00Z'],
    ['0 0 29 feb *', undefined, '2030-03-01T00:00:00Z', '2032-02-29T00:00:00Z'],
    ['@hourly', undefined, '2030-01-02T03:04:05Z', '2030-01-02T04:00:00Z'],
    ['@every 90s', undefined, '2030-01-02T03:04:05Z', '2030-01-02T03:05:35Z'],
    ['0 9 * * *', 'Europe/Berlin', '2030-01-02T07:59:00Z', '2030-01-02T08:00:00Z'],
    ['0 9 * * *', 'Europe/Berlin', '2030-07-02T00:00:00Z', '2030-07-02T07:00:00Z'],
    ['0 9 * * *', 'Asia/Tokyo', '2030-01-02T00:00:00Z', '2030-01-03T00:00:00Z'],
    ['30 2 * * *', 'Europe/Berlin', '2030-03-30T12:00:00Z', '2030-04-01T00:30:00Z'],
    ['*/20 * * * *', 'Europe/Berlin', '2030-10-27T00:40:00Z', '2030-10-27T01:00:00Z'],
    ['0,30 2 * * *', 'Europe/Berlin', '2030-10-27T00:10:00Z', '2030-10-27T00:30:00Z'],
    ['0,30 2 * * *', 'Europe/Berlin', '2030-10-27T00:30:00Z', '2030-10-27T01:00:00Z'],
    ['30 2 * * *', 'Pacific/Auckland', '2030-04-06T13:00:00Z', '2030-04-06T13:30:00Z'],
    ['30 2 * * *', 'Pacific/Auckland', '2030-04-06T13:30:00Z', '2030-04-06T14:30:00Z'],
    ['30 2 * * *', 'Pacific/Auckland', '2030-04-06T14:30:00Z', '2030-04-07T14:30:00Z'],
    ['0 0 31 2 *', undefined, '2030-01-01T00:00:00Z', undefined],
  ])('%s in zone %s is due after %s at %s', (schedule, zone, after, due) => {
    const found = nextTime(schedule, zone, Date.parse(after))
    expect(found === undefined ? undefined : `${new Date(found).toISOString().slice(0, 19)}Z`).toBe(due)
  })
})
