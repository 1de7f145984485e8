import { describe, expect, it } from 'vitest'
import type { AdmissionRequest } from '../../../src/admission/admission.ts'
import { limitRanger } from '../../../src/plugins/limit-ranger.ts'
import type { ApiObject } from '../../../src/api/object.ts'
import { knownObjects } from '../admission/known-objects.ts'
import { requestFor } from '../admission/request-for.ts'

const SIGNAL = new AbortController().signal

async function admitted(request: AdmissionRequest, ...limits: readonly object[]): Promise<ApiObject> {
  const plugin = limitRanger(knownObjects({ metadata: { name: 'r', namespace: 'ns' }, spec: { limits } }))
  const object = (await plugin.mutate!(request, SIGNAL))!
  await plugin.validate!({ ...request, object }, SIGNAL)
  return object
}

function pod(...containers: readonly object[]): AdmissionRequest {
  return requestFor('pods', { metadata: { name: 'p' }, spec: { containers } })
}

function c(resources: object, name = 'c'): object {
  return { name, resources }
}

describe('a limit range', () => {
  it('fills in what containers do not say, and says that it did (W-454)', async () => {
    const limit = { type: 'Container', default: { cpu: '2', memory: '1Gi' }, defaultRequest: { cpu: '1' } }
    const request = requestFor('pods', {
      metadata: { name: 'p', annotations: { a: 'b' } },
      spec: {
        containers: [c({}), c({ limits: { cpu: '3' }, requests: { cpu: '3' } }, 'd')],
        initContainers: [c({}, 'i')],
      },
    })
    const filled = { limits: { cpu: '2', memory: '1Gi' }, requests: { cpu: '1' } }
    expect(await admitted(request, limit)).toEqual({
      apiVersion: 'v1',
      kind: 'Pod',
      status: {},
      metadata: {
        name: 'p',
        annotations: {
          a: 'b',
          'kubernetes.io/limit-ranger':
            'LimitRanger plugin set: cpu request for container c; cpu, memory limit for container c; memory limit for container d; cpu request for init container i; cpu, memory limit for init container i',
        },
      },
      spec: {
        containers: [c(filled), c({ limits: { cpu: '3', memory: '1Gi' }, requests: { cpu: '3' } }, 'd')],
        initContainers: [c(filled, 'i')],
      },
    })
  })

  it('leaves a pod alone that says everything', async () => {
    const request = pod(c({ limits: { cpu: '1' }, requests: { cpu: '1' } }))
    expect(await admitted(request, { type: 'Container', default: { cpu: '2' } })).toBe(request.object)
  })

  const memory = (limit: string): object => ({ limits: { memory: limit }, requests: { memory: limit } })
  it.each<[string, object, object[], string]>([
    [
      'too much',
      { type: 'Container', max: { memory: '1Gi' } },
      [c({ limits: { memory: '2Gi' } })],
      'maximum memory usage per Container is 1Gi, but limit is 2Gi',
    ],
    [
      'no limit',
      { type: 'Container', max: { memory: '1Gi' } },
      [c({})],
      'maximum memory usage per Container is 1Gi.  No limit is specified',
    ],
    [
      'too much of a request',
      { type: 'Container', max: { cpu: '1' } },
      [c({ limits: { cpu: '1' }, requests: { cpu: '1500m' } })],
      'maximum cpu usage per Container is 1, but request is 1500m',
    ],
    [
      'too little',
      { type: 'Container', min: { cpu: '100m' } },
      [c({ requests: { cpu: '50m' } })],
      'minimum cpu usage per Container is 100m, but request is 50m',
    ],
    [
      'no request',
      { type: 'Container', min: { cpu: '100m' } },
      [c({})],
      'minimum cpu usage per Container is 100m.  No request is specified',
    ],
    [
      'a limit that is too low',
      { type: 'Container', min: { cpu: '100m' } },
      [c({ requests: { cpu: '100m' }, limits: { cpu: '50m' } })],
      'minimum cpu usage per Container is 100m, but limit is 50m',
    ],
    [
      'a ratio',
      { type: 'Container', maxLimitRequestRatio: { cpu: '2' } },
      [c({ requests: { cpu: '1' }, limits: { cpu: '4' } })],
      'cpu max limit to request ratio per Container is 2, but provided ratio is 4.000000',
    ],
    [
      'no ratio',
      { type: 'Container', maxLimitRequestRatio: { cpu: '2' } },
      [c({ limits: { cpu: '4' } })],
      'cpu max limit to request ratio per Container is 2, but no request is specified or request is 0',
    ],
    [
      'too much in all',
      { type: 'Pod', max: { memory: '64Mi' } },
      [c(memory('40Mi')), c(memory('40Mi'), 'd')],
      'maximum memory usage per Pod is 64Mi, but limit is 80Mi',
    ],
    [
      'several things',
      { type: 'Container', min: { cpu: '100m' }, max: { cpu: '1' } },
      [c({ requests: { cpu: '50m' }, limits: { cpu: '2' } })],
      '[minimum cpu usage per Container is 100m, but request is 50m, maximum cpu usage per Container is 1, but limit is 2]',
    ],
    [
      'the same thing twice',
      { type: 'Container', min: { cpu: '100m' } },
      [c({}), c({}, 'd')],
      'minimum cpu usage per Container is 100m.  No request is specified',
    ],
  ])('refuses %s (W-455, W-456)', async (_, limit, containers, why) => {
    await expect(admitted(pod(...containers), limit)).rejects.toThrow(`pods "p" is forbidden: ${why}`)
  })

  it.each<[string, string, string | undefined]>([
    ['enough', '2Gi', undefined],
    ['too little', '512Mi', 'minimum storage usage per PersistentVolumeClaim is 1Gi, but request is 512Mi'],
    ['too much', '8Gi', 'maximum storage usage per PersistentVolumeClaim is 4Gi, but request is 8Gi'],
  ])('bounds claims: %s (W-456)', async (_, storage, why) => {
    const request = requestFor('persistentvolumeclaims', {
      metadata: { name: 'v' },
      spec: { resources: { requests: { storage } } },
    })
    const admission = admitted(request, {
      type: 'PersistentVolumeClaim',
      min: { storage: '1Gi' },
      max: { storage: '4Gi' },
    })
    if (why === undefined) await expect(admission).resolves.toBeDefined()
    else await expect(admission).rejects.toThrow(`persistentvolumeclaims "v" is forbidden: ${why}`)
  })

  it('counts what runs first where that is more, and what goes on beside the others', async () => {
    const limit = { type: 'Pod', max: { memory: '64Mi' } }
    const request = (init: object): AdmissionRequest =>
      requestFor('pods', { metadata: { name: 'p' }, spec: { containers: [c(memory('40Mi'))], initContainers: [init] } })
    await expect(admitted(request(c(memory('60Mi'))), limit)).resolves.toBeDefined()
    await expect(admitted(request(c(memory('80Mi'))), limit)).rejects.toThrow('but limit is 80Mi')
    const beside = { ...c(memory('30Mi')), restartPolicy: 'Always' }
    await expect(admitted(request(beside), limit)).rejects.toThrow('but limit is 70Mi')
  })

  it('does not look at updates of pods, but for resizes, nor at what is going (W-457)', async () => {
    const limit = { type: 'Container', max: { memory: '1Gi' } }
    const update = (more: Partial<AdmissionRequest>, oldMeta: object = {}): AdmissionRequest => ({
      ...pod(c({ limits: { memory: '2Gi' } })),
      operation: 'UPDATE',
      oldObject: { metadata: oldMeta } as ApiObject,
      ...more,
    })
    await expect(admitted(update({}), limit)).resolves.toBeDefined()
    await expect(admitted(update({ subresource: 'status' }), limit)).resolves.toBeDefined()
    await expect(admitted(update({ subresource: 'resize' }), limit)).rejects.toThrow('maximum memory')
    const going = { deletionTimestamp: '2030-01-01T00:00:00Z' }
    await expect(admitted(update({ subresource: 'resize' }, going), limit)).resolves.toBeDefined()
  })
})
