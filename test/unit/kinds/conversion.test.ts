// Kinds that are served in two forms and stored in one.
import { describe, expect, test } from 'vitest'
import { ApiWorld } from '../../fakes/api-world.ts'

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
    const world = new ApiWorld()
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
    const world = new ApiWorld()
    const [v1, v2] = ['v1', 'v2'].map((version) => world.resource('horizontalpodautoscalers', 'autoscaling', version))
    const stored = await world.create(v2!, { metadata: { name: 'h' }, spec: { ...TARGET, metrics, behavior } })
    expect(v1!.toCanonical(v1!.conversion.toStored(v1!.conversion.fromStored(stored)))).toEqual(stored)
  })

  test('made in the first version ask for 80 % where they ask for nothing', async () => {
    const world = new ApiWorld()
    const v1 = world.resource('horizontalpodautoscalers', 'autoscaling')
    const stored = await world.create(v1, { metadata: { name: 'h' }, spec: TARGET })
    expect(stored).toMatchObject({
      apiVersion: 'autoscaling/v2',
      spec: {
        metrics: [
          { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 80 } } },
        ],
      },
    })
    expect(v1.conversion.fromStored(stored)['spec']).toMatchObject({ targetCPUUtilizationPercentage: 80 })
  })

  test('take no harm from annotations that are no metrics', async () => {
    const world = new ApiWorld()
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
  const world = new ApiWorld()
  const v1 = world.resource('horizontalpodautoscalers', 'autoscaling')
  const wrong = [{ type: 'Resource', resource: { name: 'cpu', targetAverageUtilization: 'many' } }]
  const annotations = { 'autoscaling.alpha.kubernetes.io/metrics': JSON.stringify(wrong) }
  await expect(world.create(v1, { metadata: { name: 'h', annotations }, spec: TARGET })).rejects.toMatchObject({
    reason: 'BadRequest',
  })
})

describe('events', () => {
  test('of either group are one object under two sets of names', async () => {
    const world = new ApiWorld()
    const [core, own] = [world.resource('events'), world.resource('events', 'events.k8s.io')]
    await world.create(core, {
      metadata: { name: 'e' },
      involvedObject: { kind: 'Pod', namespace: 'ns', name: 'p' },
      message: 'it started',
      reason: 'Started',
      source: { component: 'me' },
      count: 2,
      type: 'Normal',
    })
    const stored = await world.get(own, 'e')
    expect(stored.apiVersion).toBe('v1')
    const served = own.conversion.fromStored(stored)
    expect(served).toMatchObject({
      apiVersion: 'events.k8s.io/v1',
      regarding: { name: 'p' },
      note: 'it started',
      deprecatedSource: { component: 'me' },
      deprecatedCount: 2,
    })
    expect(own.conversion.toStored(served)).toEqual(stored)
  })

  test('of their own group are held to its rules', async () => {
    const world = new ApiWorld()
    const own = world.resource('events', 'events.k8s.io')
    const made = world.create(own, { metadata: { name: 'e' }, regarding: { namespace: 'ns', name: 'p' } })
    await expect(made).rejects.toMatchObject({ reason: 'Invalid', message: expect.stringContaining('eventTime') })
  })

  test('are kept for an hour', () => {
    expect(new ApiWorld().resource('events').strategy.ttlSeconds).toBe(3600)
  })
})
