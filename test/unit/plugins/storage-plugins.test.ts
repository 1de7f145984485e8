import { describe, expect, it } from 'vitest'
import type { AdmissionRequest } from '../../../src/admission/admission.ts'
import { claimResize } from '../../../src/plugins/persistent-volume-claim-resize.ts'
import { defaultIngressClass, defaultStorageClass } from '../../../src/plugins/default-class.ts'
import { STORAGE_PROTECTION } from '../../../src/plugins/storage-object-in-use-protection.ts'
import type { ApiObject } from '../../../src/api/object.ts'
import { knownObjects } from '../admission/known-objects.ts'
import { requestFor } from '../admission/request-for.ts'

const SIGNAL = new AbortController().signal

describe('what is in use (W-469)', () => {
  it.each([
    ['persistentvolumeclaims', '', 'kubernetes.io/pvc-protection'],
    ['persistentvolumes', '', 'kubernetes.io/pv-protection'],
    ['volumeattributesclasses', 'storage.k8s.io', 'kubernetes.io/vac-protection'],
  ])('is held by a finalizer: %s', async (resource, group, finalizer) => {
    const held = async (finalizers: readonly string[]): Promise<unknown> =>
      (
        await STORAGE_PROTECTION.mutate!(
          requestFor(resource, { metadata: { name: 'x', finalizers } }, {}, group),
          SIGNAL,
        )
      )?.metadata['finalizers']
    expect(await held(['a/b'])).toEqual(['a/b', finalizer])
    expect(await held([finalizer])).toEqual([finalizer])
  })
})

describe('the default class', () => {
  const marked = (name: string, time: string, mark: string): object => ({
    metadata: { name, creationTimestamp: time, annotations: { [mark]: 'true' } },
  })
  const storage = 'storageclass.kubernetes.io/is-default-class'
  const classes = knownObjects(
    { metadata: { name: 'plain', creationTimestamp: '2030-01-09T00:00:00Z' } },
    marked('old', '2030-01-01T00:00:00Z', storage),
    marked('new-b', '2030-01-02T00:00:00Z', storage),
    marked('new-a', '2030-01-02T00:00:00Z', storage),
  )
  it.each<[string, object, object, string | undefined]>([
    ['the newest, and the first by name', {}, {}, 'new-a'],
    ['the one that is named', { storageClassName: 'other' }, {}, 'other'],
    ['none, where it is named so', { storageClassName: '' }, {}, ''],
    [
      'the one of the older annotation',
      {},
      { annotations: { 'volume.beta.kubernetes.io/storage-class': 'x' } },
      undefined,
    ],
  ])('of a claim is %s (W-470)', async (_, spec, metadata, expected) => {
    const request = requestFor('persistentvolumeclaims', { metadata: { name: 'c', ...metadata }, spec })
    const made = await defaultStorageClass(classes).mutate!(request, SIGNAL)
    expect((made!['spec'] as { storageClassName?: string }).storageClassName).toBe(expected)
  })

  it('of an ingress is the newest, unless it has one (W-471)', async () => {
    const plugin = defaultIngressClass(
      knownObjects(marked('i', '2030-01-01T00:00:00Z', 'ingressclass.kubernetes.io/is-default-class')),
    )
    const made = async (metadata: object, spec: object): Promise<unknown> =>
      (await plugin.mutate!(requestFor('ingresses', { metadata, spec }, {}, 'networking.k8s.io'), SIGNAL))?.['spec']
    expect(await made({}, {})).toEqual({ ingressClassName: 'i' })
    expect(await made({}, { ingressClassName: 'j' })).toEqual({ ingressClassName: 'j' })
    expect(await made({ annotations: { 'kubernetes.io/ingress.class': 'k' } }, {})).toEqual({})
  })
})

describe('a claim that grows (W-472)', () => {
  const claim = (storage: string, more: object = {}): ApiObject =>
    ({
      metadata: { name: 'c' },
      spec: { storageClassName: 'grows', resources: { requests: { storage } }, ...more },
      status: { phase: 'Bound' },
    }) as unknown as ApiObject
  const plugin = claimResize(
    knownObjects({ metadata: { name: 'grows' }, allowVolumeExpansion: true }, { metadata: { name: 'stays' } }),
  )
  const resize = async (before: ApiObject, after: ApiObject): Promise<void> => {
    const more: Partial<AdmissionRequest> = { operation: 'UPDATE', oldObject: before }
    await plugin.validate!(requestFor('persistentvolumeclaims', after, more), SIGNAL)
  }
  const refusal =
    'persistentvolumeclaims "c" is forbidden: only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize'

  it('is let through where its class lets it', async () => {
    await expect(resize(claim('1Gi'), claim('2Gi'))).resolves.toBeUndefined()
  })
  it.each<[string, object]>([
    ['the class does not say so', { storageClassName: 'stays' }],
    ['there is no such class', { storageClassName: 'gone' }],
    ['it has no class', { storageClassName: '' }],
  ])('is refused where %s', async (_, more) => {
    await expect(resize(claim('1Gi', more), claim('2Gi', more))).rejects.toThrow(refusal)
  })
  it('is not looked at where it stays as it is', async () => {
    const more = { storageClassName: 'gone' }
    await expect(resize(claim('1Gi', more), claim('1024Mi', more))).resolves.toBeUndefined()
  })
})
