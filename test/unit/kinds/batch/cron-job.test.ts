import { describe, it } from 'vitest'
import { type CellRow, expectCells, expectColumns, HOUR_AGO, selector, template } from '../columns.ts'
import { expectDefaults, named, TEMPLATE } from '../defaulting.ts'
import { judge, type Row, rows } from '../judging.ts'

describe('columns', () => {
  it('batch CronJob has these columns', () =>
    expectColumns('batch CronJob', [
      'Name : string name',
      'Schedule',
      'Timezone',
      'Suspend : boolean',
      'Active : integer',
      'Last Schedule',
      'Age',
      '|Containers',
      '|Images',
      '|Selector',
    ]))

  it.each<CellRow>([
    [
      'batch CronJob',
      'suspended',
      {
        spec: { schedule: '* * * * *', suspend: true, timeZone: 'Etc/UTC', jobTemplate: { spec: { template } } },
        status: { active: [{}], lastScheduleTime: HOUR_AGO },
      },
      ['* * * * *', 'Etc/UTC', 'True', 1, '60m', 'c,d', 'i:1,j', '<none>'],
    ],
    [
      'batch CronJob',
      'never ran',
      { spec: { schedule: '@daily', suspend: false, jobTemplate: { spec: { template, selector } } } },
      ['@daily', '<none>', 'False', 0, '<none>', 'c,d', 'i:1,j', 'app=x,b'],
    ],
  ])('of %s, %s', expectCells)
})

describe('defaults', () => {
  it.each(
    named([
      {
        of: 'batch/v1 CronJob',
        given: {
          spec: { jobTemplate: { spec: { podFailurePolicy: { rules: [{ onPodConditions: [{ type: 'x' }] }] } } } },
        },
        meant: {
          spec: {
            concurrencyPolicy: 'Allow',
            suspend: false,
            successfulJobsHistoryLimit: 3,
            failedJobsHistoryLimit: 1,
            jobTemplate: {
              spec: {
                podFailurePolicy: { rules: [{ onPodConditions: [{ type: 'x', status: 'True' }] }] },
                template: TEMPLATE,
              },
            },
          },
        },
      },
    ]),
  )('%s', expectDefaults)
})

describe('validation', () => {
  it.each<Row>([
    ...rows(
      'batch/v1 CronJob',
      ['no time', { 'spec/schedule': '' }, 'spec.schedule: Required value'],
      [
        'a zone in the time',
        { 'spec/schedule': 'TZ=UTC 0 0 * * *' },
        'spec.schedule: Invalid value: "TZ=UTC 0 0 * * *": cannot use TZ or CRON_TZ in schedule, use timeZone field instead',
      ],
      [
        'no zone',
        { 'spec/timeZone': '' },
        'spec.timeZone: Invalid value: "": timeZone must be nil or non-empty string',
      ],
      [
        'an unknown way to overlap',
        { 'spec/concurrencyPolicy': 'Odd' },
        'spec.concurrencyPolicy: Unsupported value: "Odd": supported values: "Allow", "Forbid", "Replace"',
      ],
      [
        'a selector of its own',
        { 'spec/jobTemplate/spec/manualSelector': true },
        'spec.jobTemplate.spec.manualSelector: Unsupported value: true: supported values: "nil", "false"',
      ],
      [
        'a long name',
        { 'metadata/name': 'a'.repeat(53) },
        `metadata.name: Invalid value: "${'a'.repeat(53)}": must be no more than 52 characters`,
      ],
    ),
  ])('$of: $case', judge)
})
