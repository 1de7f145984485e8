import { describe, expect, it, test } from 'vitest'
import { deleteObject } from '../../../../../src/registry/delete.ts'
import { openWorld } from '../../../../rigs/api-world.ts'
import { type CellRow, condition, expectCells, expectColumns, HOUR_AGO, selector, template } from '../../columns.ts'
import { expectDefaults, LABELS, named, TEMPLATE } from '../../defaulting.ts'
import { changes, IMMUTABLE, judge, NOT_NEGATIVE, type Row, rows, statuses } from '../../judging.ts'
import { expectWarnings, type WarningRow } from '../../warning.ts'

describe('columns', () => {
  it('batch Job has these columns', () =>
    expectColumns('batch Job', [
      'Name : string name',
      'Status',
      'Completions',
      'Duration',
      'Age',
      '|Containers',
      '|Images',
      '|Selector',
    ]))

  it.each<CellRow>([
    [
      'batch Job',
      'complete',
      {
        spec: { completions: 3, template, selector },
        status: {
          succeeded: 3,
          startTime: '2026-03-01T10:00:00Z',
          completionTime: '2026-03-01T10:01:30Z',
          conditions: [condition('Complete')],
        },
      },
      ['Complete', '3/3', '90s', 'c,d', 'i:1,j', 'app=x,b'],
    ],
    [
      'batch Job',
      'running for an hour, any of several',
      { spec: { parallelism: 4, template }, status: { startTime: HOUR_AGO } },
      ['Running', '0/1 of 4', '60m', 'c,d', 'i:1,j', '<none>'],
    ],
    [
      'batch Job',
      'not started',
      { spec: { parallelism: 1, template }, status: { conditions: [condition('Suspended')] } },
      ['Suspended', '0/1', '', 'c,d', 'i:1,j', '<none>'],
    ],
    [
      'batch Job',
      'being deleted',
      {
        metadata: { deletionTimestamp: HOUR_AGO },
        spec: { template },
        status: { conditions: [condition('SuccessCriteriaMet')] },
      },
      ['Terminating', '0/1', '', 'c,d', 'i:1,j', '<none>'],
    ],
  ])('of %s, %s', expectCells)
})

describe('defaults', () => {
  it.each(
    named([
      {
        of: 'batch/v1 Job',
        given: { spec: { template: LABELS } },
        meant: {
          metadata: { labels: { a: 'b' } },
          spec: {
            completions: 1,
            parallelism: 1,
            backoffLimit: 6,
            completionMode: 'NonIndexed',
            suspend: false,
            podReplacementPolicy: 'TerminatingOrFailed',
            manualSelector: false,
            template: { ...LABELS, ...TEMPLATE },
          },
        },
      },
      {
        of: 'batch/v1 Job',
        as: 'with limits of its own',
        given: {
          metadata: { labels: { own: 'x' } },
          spec: { parallelism: 2, backoffLimitPerIndex: 1, podFailurePolicy: { rules: [] }, template: LABELS },
        },
        meant: {
          metadata: { labels: { own: 'x' } },
          spec: {
            parallelism: 2,
            backoffLimit: 2147483647,
            backoffLimitPerIndex: 1,
            completionMode: 'NonIndexed',
            suspend: false,
            podReplacementPolicy: 'Failed',
            podFailurePolicy: { rules: [] },
            manualSelector: false,
            template: { ...LABELS, ...TEMPLATE },
          },
        },
      },
    ]),
  )('%s', expectDefaults)
})

describe('validation', () => {
  it.each<Row>([
    ...rows(
      'batch/v1 Job',
      ['fewer than none', { 'spec/parallelism': -1 }, `spec.parallelism: Invalid value: -1: ${NOT_NEGATIVE}`],
      [
        'pods that go on for ever',
        { 'spec/template/spec/restartPolicy': 'Always' },
        'spec.template.spec.restartPolicy: Required value: valid values: "OnFailure", "Never"',
      ],
      [
        'an unknown mode',
        { 'spec/completionMode': 'Odd' },
        'spec.completionMode: Unsupported value: "Odd": supported values: "NonIndexed", "Indexed"',
      ],
      [
        'indexes without an end',
        { 'spec/completionMode': 'Indexed', 'spec/parallelism': 1 },
        'spec.completions: Required value: when completion mode is Indexed',
      ],
      [
        'limits of indexes without indexes',
        { 'spec/backoffLimitPerIndex': 1 },
        'spec.backoffLimitPerIndex: Invalid value: 1: requires indexed completion mode',
      ],
      [
        'a policy for what is started again',
        {
          'spec/template/spec/restartPolicy': 'OnFailure',
          'spec/podFailurePolicy': { rules: [{ action: 'Ignore', onPodConditions: [{ type: 'T', status: 'True' }] }] },
        },
        'spec.template.spec.restartPolicy: Invalid value: "OnFailure": only "Never" is supported when podFailurePolicy is specified',
      ],
    ),
    ...changes(
      'batch/v1 Job',
      [
        'another number',
        { 'spec/completions': 1 },
        { 'spec/completions': 2 },
        `spec.completions: Invalid value: 2: ${IMMUTABLE}`,
      ],
      [
        'another mode',
        { 'spec/completions': 1 },
        { 'spec/completionMode': 'Indexed' },
        `spec.completionMode: Invalid value: "Indexed": ${IMMUTABLE}`,
      ],
    ),
    ...rows('batch/v1 Job', [
      'fewer completions than none, and no limit of failures',
      { 'spec/completionMode': 'Indexed', 'spec/completions': -1 },
      'spec.completions: Invalid value: -1: must be greater than or equal to 0',
    ]),
  ])('$of: $case', judge)
})

describe('warnings', () => {
  it.each<WarningRow>([
    {
      name: 'a job of very many indexes',
      at: ['jobs', 'batch'],
      object: {
        metadata: { name: 'j' },
        spec: { completionMode: 'Indexed', completions: 100_001, parallelism: 10_001 },
      },
      warnings: [
        'spec: In Indexed Jobs with a number of completions higher than 10^5 and a parallelism higher than 10^4, Kubernetes might not be able to track completedIndexes when a big number of indexes fail',
      ],
    },
  ])('$name', expectWarnings)
})

describe('the status of a job', () => {
  const is = (...types: readonly string[]) => types.map((type) => ({ type, status: 'True' }))
  const indexed = { 'spec/completionMode': 'Indexed', 'spec/completions': 2, 'spec/parallelism': 2 }
  it.each<Row>([
    ...statuses(
      'batch/v1 Job',
      [
        'fewer successes than before',
        { 'status/succeeded': 2 },
        { 'status/succeeded': 1 },
        'status.succeeded: Invalid value: 1: cannot decrease the succeeded counter',
      ],
      [
        'fewer successes of a job that can lose indexes',
        { ...indexed, 'status/succeeded': 2 },
        { 'status/succeeded': 1 },
      ],
      [
        'fewer successes of a job that has more indexes than pods',
        { ...indexed, 'spec/parallelism': 1, 'status/succeeded': 2 },
        { 'status/succeeded': 1 },
        'status.succeeded: Invalid value: 1: cannot decrease the succeeded counter',
      ],
      [
        'another start',
        { 'status/startTime': '2024-01-01T00:00:00Z' },
        { 'status/startTime': '2024-01-02T00:00:00Z' },
        'status.startTime: Invalid value: "2024-01-02T00:00:00Z": field is immutable for unsuspended job once set',
      ],
      [
        'another start when it is resumed',
        { 'status/startTime': '2024-01-01T00:00:00Z', 'status/conditions': is('Suspended') },
        { 'status/startTime': '2024-01-02T00:00:00Z', 'status/conditions': [{ type: 'Suspended', status: 'False' }] },
      ],
      [
        'no start of a suspended job that needs no pods',
        { 'spec/suspend': true, 'spec/completions': 0, 'status/conditions': is('FailureTarget') },
        { 'status/conditions': is('FailureTarget', 'Failed') },
      ],
      [
        'more ready than active pods',
        { 'status/active': 2, 'status/ready': 2 },
        { 'status/active': 1 },
        'status.ready: Invalid value: 2: cannot set more ready pods than active',
      ],
    ),
  ])('$of: $case', judge)
})

const POD_TEMPLATE = { metadata: { labels: { app: 'x' } }, spec: { containers: [{ name: 'c', image: 'i' }] } }

describe('jobs', () => {
  const pods = { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }] }

  test('get labels and a selector by which their pods are found (W-587)', async () => {
    const world = await openWorld()
    const job = await world.create(world.resource('jobs', 'batch'), {
      metadata: { name: 'j' },
      spec: { template: { spec: pods } },
    })
    const { uid } = job.metadata
    const labels = {
      'batch.kubernetes.io/controller-uid': uid,
      'batch.kubernetes.io/job-name': 'j',
      'controller-uid': uid,
      'job-name': 'j',
    }
    expect(job['spec']).toMatchObject({
      selector: { matchLabels: { 'batch.kubernetes.io/controller-uid': uid } },
      template: { metadata: { labels } },
    })
    expect(job.metadata['labels']).toEqual(labels)
  })

  test('keep what their author takes care of (W-587)', async () => {
    const world = await openWorld()
    const selector = { matchLabels: { app: 'x' } }
    const job = await world.create(world.resource('jobs', 'batch'), {
      metadata: { name: 'j', labels: { mine: 'yes' } },
      spec: { manualSelector: true, selector, template: { ...POD_TEMPLATE, spec: pods } },
    })
    expect(job['spec']).toMatchObject({ selector, template: { metadata: { labels: { app: 'x' } } } })
    expect(job.metadata['labels']).toEqual({ mine: 'yes' })
  })

  test('warn where their deletion does not say what becomes of pods (W-321)', async () => {
    const world = await openWorld()
    const jobs = world.resource('jobs', 'batch')
    const options = {
      gracePeriodSeconds: undefined,
      preconditions: { uid: undefined, resourceVersion: undefined },
      orphanDependents: undefined,
      propagationPolicy: undefined,
      ignoreReadErrors: false,
    }
    for (const name of ['a', 'b']) await world.create(jobs, { metadata: { name }, spec: { template: { spec: pods } } })
    const asked = { ...options, propagationPolicy: 'Background' } as const
    await deleteObject(world.parts, jobs, { name: 'a', options: asked }, world.context())
    expect(world.warnings).toEqual([])
    await deleteObject(world.parts, jobs, { name: 'b', options }, world.context())
    expect(world.warnings).toEqual([expect.stringContaining('child pods are preserved by default')])
  })
})
