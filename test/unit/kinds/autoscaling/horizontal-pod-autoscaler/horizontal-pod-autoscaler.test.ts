import { describe, expect, it, test } from 'vitest'
import type { ValueMap } from '../../../../../src/api/value.ts'
import { openWorld } from '../../../../rigs/api-world.ts'
import { type CellRow, expectCells, expectColumns } from '../../columns.ts'
import { expectDefaults, named } from '../../defaulting.ts'
import { judge, NOT_NEGATIVE, type Row, rows, statuses, type Tweak } from '../../judging.ts'

describe('columns', () => {
  it('autoscaling HorizontalPodAutoscaler has these columns', () =>
    expectColumns('autoscaling HorizontalPodAutoscaler', [
      'Name : string name',
      'Reference',
      'Targets',
      'MinPods',
      'MaxPods',
      'Replicas',
      'Age',
    ]))

  it.each<CellRow>([
    [
      'autoscaling HorizontalPodAutoscaler',
      'three metrics',
      {
        spec: {
          scaleTargetRef: { kind: 'Deployment', name: 'd' },
          minReplicas: 1,
          maxReplicas: 5,
          metrics: [
            { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 80 } } },
            { type: 'Pods', pods: { target: { averageValue: '10' } } },
            { type: 'External', external: { target: { value: '3' } } },
          ],
        },
        status: {
          currentReplicas: 2,
          currentMetrics: [{ type: 'Resource', resource: { current: { averageUtilization: 50 } } }],
        },
      },
      ['Deployment/d', 'cpu: 50%/80%, <unknown>/10 + 1 more...', '1', 5, 2],
    ],
    [
      'autoscaling HorizontalPodAutoscaler',
      'averages and containers',
      {
        spec: {
          scaleTargetRef: { kind: 'D', name: 'd' },
          maxReplicas: 5,
          metrics: [
            { type: 'Object', object: { target: { averageValue: '4' } } },
            { type: 'ContainerResource', containerResource: { name: 'memory', target: { averageValue: '1Gi' } } },
          ],
        },
        status: { currentMetrics: [{ object: { current: { averageValue: '2' } } }] },
      },
      ['D/d', '2/4 (avg), memory: <unknown>/1Gi', '<unset>', 5, 0],
    ],
    [
      'autoscaling HorizontalPodAutoscaler',
      'of the first version',
      { spec: { scaleTargetRef: { kind: 'D', name: 'd' }, maxReplicas: 5, targetCPUUtilizationPercentage: 70 } },
      ['D/d', 'cpu: <unknown>/70%', '<unset>', 5, 0],
    ],
    [
      'autoscaling HorizontalPodAutoscaler',
      'no metrics',
      { spec: { scaleTargetRef: { kind: 'D', name: 'd' }, maxReplicas: 5 } },
      ['D/d', '<none>', '<unset>', 5, 0],
    ],
  ])('of %s, %s', expectCells)
})

describe('defaults', () => {
  const CPU_METRIC: ValueMap = {
    type: 'Resource',
    resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 80 } },
  }
  const ALL: ValueMap = { type: 'Percent', value: 100, periodSeconds: 15 }
  it.each(
    named([
      {
        of: 'autoscaling/v1 HorizontalPodAutoscaler',
        given: {},
        meant: { spec: { minReplicas: 1, targetCPUUtilizationPercentage: 80 } },
      },
      {
        of: 'autoscaling/v1 HorizontalPodAutoscaler',
        as: 'with other metrics',
        given: {
          metadata: { annotations: { 'autoscaling.alpha.kubernetes.io/metrics': '[]' } },
          spec: { minReplicas: 2 },
        },
        meant: {
          metadata: { annotations: { 'autoscaling.alpha.kubernetes.io/metrics': '[]' } },
          spec: { minReplicas: 2 },
        },
      },
      {
        of: 'autoscaling/v2 HorizontalPodAutoscaler',
        given: {},
        meant: { spec: { minReplicas: 1, metrics: [CPU_METRIC] } },
      },
      {
        of: 'autoscaling/v2 HorizontalPodAutoscaler',
        as: 'with a behaviour',
        given: { spec: { behavior: { scaleDown: { selectPolicy: 'Min' } }, metrics: [{ type: 'Pods' }] } },
        meant: {
          spec: {
            minReplicas: 1,
            metrics: [{ type: 'Pods' }],
            behavior: {
              scaleUp: {
                stabilizationWindowSeconds: 0,
                selectPolicy: 'Max',
                policies: [{ type: 'Pods', value: 4, periodSeconds: 15 }, ALL],
              },
              scaleDown: { selectPolicy: 'Min', policies: [ALL] },
            },
          },
        },
      },
    ]),
  )('%s', expectDefaults)
})

describe('validation', () => {
  const SCALER = 'autoscaling/v2 HorizontalPodAutoscaler'
  const metric = (members: Readonly<Record<string, string | number>>): Tweak => ({
    'spec/metrics': [{ type: 'Resource', resource: { name: 'cpu', target: members } }],
  })
  it.each<Row>([
    ...rows(
      SCALER,
      [
        'no most',
        { 'spec/maxReplicas': 0 },
        'spec.maxReplicas: Required value: must be set and greater than 0',
        'spec.maxReplicas: Invalid value: 0: must be greater than or equal to `minReplicas`',
      ],
      [
        'none at least',
        { 'spec/minReplicas': 0 },
        'spec.metrics: Forbidden: must specify at least one Object or External metric to support scaling to zero replicas',
      ],
      [
        'more at least than at most',
        { 'spec/minReplicas': 4 },
        'spec.maxReplicas: Invalid value: 3: must be greater than or equal to `minReplicas`',
      ],
      ['nothing to scale', { 'spec/scaleTargetRef/name': '' }, 'spec.scaleTargetRef.name: Required value'],
      [
        'no kind of target',
        metric({ averageUtilization: 1 }),
        'spec.metrics[0].resource.target.type: Required value: must specify a metric target type',
        'spec.metrics[0].resource.target.type: Invalid value: "": must be either Utilization, Value, or AverageValue',
      ],
      [
        'neither share nor amount',
        metric({ type: 'Utilization' }),
        'spec.metrics[0].resource.target.averageUtilization: Required value: must set either a target raw value or a target utilization',
      ],
      [
        'both share and amount',
        metric({ type: 'Utilization', averageUtilization: 1, averageValue: '1' }),
        'spec.metrics[0].resource.target.averageValue: Forbidden: may not set both a target raw value and a target utilization',
      ],
      [
        'a long look back',
        { 'spec/behavior': { scaleDown: { stabilizationWindowSeconds: 3601 } } },
        'spec.behavior.scaleDown.stabilizationWindowSeconds: Invalid value: 3601: must be less than or equal to 3600',
      ],
    ),
    ...statuses(SCALER, [
      'fewer than none',
      {},
      { 'status/currentReplicas': -1 },
      `status.currentReplicas: Invalid value: -1: ${NOT_NEGATIVE}`,
    ]),
    ...rows('autoscaling/v1 HorizontalPodAutoscaler', [
      'less than a share',
      { 'spec/targetCPUUtilizationPercentage': 0 },
      'spec.metrics[0].resource.target.averageUtilization: Invalid value: 0: must be greater than 0',
    ]),
  ])('$of: $case', judge)
})

const TARGET = { scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'd' }, maxReplicas: 5 }

describe('autoscalers', () => {
  const metrics = [
    { type: 'Resource', resource: { name: 'memory', target: { type: 'AverageValue', averageValue: '1Gi' } } },
    {
      type: 'Object',
      object: {
        describedObject: { kind: 'Service', name: 's' },
        target: { type: 'Value', value: '10' },
        metric: { name: 'rate' },
      },
    },
    { type: 'Pods', pods: { metric: { name: 'rate' }, target: { type: 'AverageValue', averageValue: '3' } } },
    {
      type: 'ContainerResource',
      containerResource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 40 }, container: 'c' },
    },
    { type: 'External', external: { metric: { name: 'queue' }, target: { type: 'Value', value: '7' } } },
    { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 60 } } },
  ]
  const behavior = {
    scaleDown: { stabilizationWindowSeconds: 60, policies: [{ type: 'Pods', value: 1, periodSeconds: 9 }] },
  }

  test('say in annotations of the first version what it has no fields for', async () => {
    const world = await openWorld()
    const [v1, v2] = ['v1', 'v2'].map((version) => world.resource('horizontalpodautoscalers', 'autoscaling', version))
    const stored = await world.create(v2!, { metadata: { name: 'h' }, spec: { ...TARGET, metrics, behavior } })
    const old = v1!.conversion.fromStored(stored)
    expect(old.apiVersion).toBe('autoscaling/v1')
    expect(old['spec']).toMatchObject({ targetCPUUtilizationPercentage: 60 })
    const annotations = old.metadata['annotations'] as Record<string, string>
    expect(JSON.parse(annotations['autoscaling.alpha.kubernetes.io/metrics']!)).toEqual([
      { type: 'Resource', resource: { name: 'memory', targetAverageValue: '1Gi' } },
      { type: 'Object', object: { target: { kind: 'Service', name: 's' }, metricName: 'rate', targetValue: '10' } },
      { type: 'Pods', pods: { metricName: 'rate', targetAverageValue: '3' } },
      { type: 'ContainerResource', containerResource: { name: 'cpu', targetAverageUtilization: 40, container: 'c' } },
      { type: 'External', external: { metricName: 'queue', targetValue: '7' } },
    ])
    expect(annotations['autoscaling.alpha.kubernetes.io/behavior']).toContain('"StabilizationWindowSeconds":60')
  })

  test('come back from the first version as they were', async () => {
    const world = await openWorld()
    const [v1, v2] = ['v1', 'v2'].map((version) => world.resource('horizontalpodautoscalers', 'autoscaling', version))
    const stored = await world.create(v2!, { metadata: { name: 'h' }, spec: { ...TARGET, metrics, behavior } })
    expect(v1!.toCanonical(v1!.conversion.toStored(v1!.conversion.fromStored(stored)))).toEqual(stored)
  })

  test('made in the first version ask for 80 % where they ask for nothing', async () => {
    const world = await openWorld()
    const v1 = world.resource('horizontalpodautoscalers', 'autoscaling')
    const made = await world.create(v1, { metadata: { name: 'h' }, spec: TARGET })
    const v2 = world.resource('horizontalpodautoscalers', 'autoscaling', 'v2')
    expect(await world.get(v2, 'h')).toMatchObject({
      apiVersion: 'autoscaling/v2',
      spec: {
        metrics: [
          { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 80 } } },
        ],
      },
    })
    expect(made['spec']).toMatchObject({ targetCPUUtilizationPercentage: 80 })
  })

  test('take no harm from annotations that are no metrics', async () => {
    const world = await openWorld()
    const v1 = world.resource('horizontalpodautoscalers', 'autoscaling')
    const annotations = {
      'autoscaling.alpha.kubernetes.io/metrics': '{]',
      'autoscaling.alpha.kubernetes.io/behavior': '7',
      mine: 'kept',
    }
    const spec = { ...TARGET, targetCPUUtilizationPercentage: 10 }
    const stored = v1.conversion.toStored({
      kind: 'HorizontalPodAutoscaler',
      apiVersion: 'autoscaling/v1',
      metadata: { name: 'h', annotations },
      spec,
    })
    expect(stored.metadata['annotations']).toEqual({ mine: 'kept' })
    expect(stored['spec']).toMatchObject({ metrics: [{ type: 'Resource' }] })
    expect(stored['spec']).not.toHaveProperty('behavior')
  })
})

test('an autoscaler whose annotations hold metrics of the wrong types is refused', async () => {
  const world = await openWorld()
  const v1 = world.resource('horizontalpodautoscalers', 'autoscaling')
  const wrong = [{ type: 'Resource', resource: { name: 'cpu', targetAverageUtilization: 'many' } }]
  const annotations = { 'autoscaling.alpha.kubernetes.io/metrics': JSON.stringify(wrong) }
  await expect(world.create(v1, { metadata: { name: 'h', annotations }, spec: TARGET })).rejects.toMatchObject({
    reason: 'BadRequest',
  })
})
