import { describe, expect, it } from 'vitest'
import type { AdmissionRequest } from '../../../src/admission/admission.ts'
import { nodeRestriction } from '../../../src/admission/node-restriction.ts'
import type { ObjectReader } from '../../../src/admission/object-reader.ts'
import type { ApiObject } from '../../../src/api/object.ts'
import { requestFor } from './request-for.ts'

const { signal } = new AbortController()
const NODE = { name: 'system:node:n1', uid: undefined, groups: ['system:nodes'], extra: {} }

function reader(objects: Readonly<Record<string, object>>): ObjectReader {
  const find = (namespace: string, name: string): Promise<ApiObject | undefined> =>
    Promise.resolve(objects[`${namespace}/${name}`] as ApiObject | undefined)
  return { find, findLatest: find, list: () => Promise.resolve([]) }
}

const tokenVolume = { projected: { sources: [{ serviceAccountToken: { audience: 'vault' } }] } }
const plugin = nodeRestriction({
  authorizer: {
    authorize: (access) =>
      access.kind === 'resource' && access.resource === 'granted' ? { kind: 'allow' } : { kind: 'no-opinion' },
  },
  nodes: reader({ '/n1': { metadata: { name: 'n1', uid: 'u1' } } }),
  pods: reader({
    'ns/mine': {
      metadata: { name: 'mine', uid: 'p1' },
      spec: { nodeName: 'n1', volumes: [tokenVolume, { persistentVolumeClaim: { claimName: 'c' } }] },
    },
    'ns/theirs': { metadata: { name: 'theirs', uid: 'p2' }, spec: { nodeName: 'n2' } },
  }),
  claims: reader({ 'ns/c': { spec: { volumeName: 'pv' } } }),
  volumes: reader({ '/pv': { spec: { csi: { driver: 'd' } } } }),
  drivers: reader({ '/d': { spec: { tokenRequests: [{ audience: 'disk' }] } } }),
})

async function why(request: AdmissionRequest): Promise<string> {
  try {
    await plugin.mutate!({ ...request, user: request.user.name === 'someone' ? NODE : request.user }, signal)
    return 'admitted'
  } catch (error) {
    return (error as Error).message.replace(/^.* is forbidden: /, '')
  }
}

const owner = { apiVersion: 'v1', kind: 'Node', name: 'n1', uid: 'u1', controller: true }
const mirror = (spec: object = {}, metadata: object = {}): object => ({
  metadata: {
    name: 'm',
    annotations: { 'kubernetes.io/config.mirror': 'x' },
    ownerReferences: [owner],
    ...metadata,
  },
  spec: { nodeName: 'n1', ...spec },
})

describe('pods of a node', () => {
  it.each<[string, object, string]>([
    ['are mirrors', mirror(), 'admitted'],
    [
      'and nothing else',
      { metadata: { name: 'm' }, spec: { nodeName: 'n1' } },
      'pod does not have "kubernetes.io/config.mirror" annotation, node "n1" can only create mirror pods',
    ],
    ['run on it', mirror({ nodeName: 'n2' }), 'node "n1" can only create pods with spec.nodeName set to itself'],
    [
      'are owned by it',
      mirror({}, { ownerReferences: [] }),
      'node "n1" can only create pods with an owner reference set to itself',
    ],
    [
      'by the very same',
      mirror({}, { ownerReferences: [{ ...owner, uid: 'u0' }] }),
      'node n1 UID mismatch: expected u0 got u1',
    ],
    [
      'use no accounts',
      mirror({ serviceAccountName: 'a' }),
      'node "n1" can not create pods that reference a service account',
    ],
    [
      'use no secrets',
      mirror({ ephemeralContainers: [{ envFrom: [{ secretRef: { name: 's' } }] }] }),
      'node "n1" can not create pods that reference secrets',
    ],
    [
      'use no config maps',
      mirror({ initContainers: [{ env: [{ valueFrom: { configMapKeyRef: { name: 'c' } } }] }] }),
      'node "n1" can not create pods that reference configmaps',
    ],
    [
      'use no claims of volumes',
      mirror({ volumes: [{ persistentVolumeClaim: { claimName: 'c' } }] }),
      'node "n1" can not create pods that reference persistentvolumeclaims',
    ],
    [
      'use no claims of devices',
      mirror({ resourceClaims: [{ name: 'r' }] }),
      'node "n1" can not create pods that reference resourceclaims',
    ],
  ])('%s', async (_, pod, expected) => {
    expect(await why(requestFor('pods', pod))).toBe(expected)
  })

  it('are deleted and evicted by the node that they run on', async () => {
    const gone = (nodeName: string) =>
      requestFor('pods', undefined, { operation: 'DELETE', name: 'p', oldObject: { spec: { nodeName } } as never })
    expect(await why(gone('n1'))).toBe('admitted')
    expect(await why(gone('n2'))).toBe('node "n1" can only delete pods with spec.nodeName set to itself')
    const evict = (name: string) => requestFor('pods', { metadata: { name } }, { subresource: 'eviction' })
    expect(await why(evict('mine'))).toBe('admitted')
    expect(await why(evict('theirs'))).toBe('node n1 can only evict pods with spec.nodeName set to itself')
    expect(await why(evict('none'))).toBe('pods "none" not found')
  })

  it('get their state from the node, and nothing else', async () => {
    const before = { metadata: { name: 'p' }, spec: { nodeName: 'n1' } }
    const update = (object: object, oldObject: object = before) =>
      requestFor('pods', object, { operation: 'UPDATE', subresource: 'status', oldObject: oldObject as never })
    expect(await why(update({ ...before, status: { phase: 'Running' } }))).toBe('admitted')
    expect(await why(update(before, { ...before, spec: { nodeName: 'n2' } }))).toMatch(/set to itself$/)
    expect(await why(update({ ...before, metadata: { name: 'p', labels: { a: 'b' } } }))).toBe(
      'node "n1" cannot update labels through pod status',
    )
    const claims = { status: { resourceClaimStatuses: [{ name: 'r', resourceClaimName: 'x' }] } }
    expect(await why(update({ ...before, ...claims }))).toBe('node "n1" cannot update resource claim statues')
    expect(await why(requestFor('pods', before, { subresource: 'binding' }))).toMatch(/^unexpected pod subresource/)
  })
})

describe('the object of a node', () => {
  const node = (labels: object, more: object = {}): object => ({ metadata: { name: 'n1', labels, ...more }, spec: {} })
  const update = (object: object, oldObject: object) =>
    requestFor('nodes', object, { operation: 'UPDATE', name: 'n1', oldObject: oldObject as never })

  it.each<[string, string]>([
    ['kubernetes.io/hostname', 'admitted'],
    ['example.com/x', 'admitted'],
    ['node.kubernetes.io/anything', 'admitted'],
    ['x.kubelet.kubernetes.io/anything', 'admitted'],
    ['node-restriction.kubernetes.io/x', 'is not allowed to modify labels: node-restriction.kubernetes.io/x'],
    ['kubernetes.io/unknown', 'is not allowed to modify labels: kubernetes.io/unknown'],
    ['x.k8s.io/unknown', 'is not allowed to modify labels: x.k8s.io/unknown'],
  ])('label %s', async (label, expected) => {
    expect(await why(update(node({ [label]: 'v' }), node({})))).toBe(expected)
    expect(await why(update(node({}), node({ [label]: 'v' })))).toBe(expected)
  })

  it('is its own, without the labels, taints and owners that others decide by', async () => {
    expect(await why(requestFor('nodes', { metadata: { name: 'n2' } }))).toBe(
      'node "n1" is not allowed to modify node "n2"',
    )
    expect(await why(requestFor('nodes', node({ 'kubernetes.io/unknown': '' })))).toBe(
      'node "n1" is not allowed to set the following labels: kubernetes.io/unknown',
    )
    expect(
      await why(update({ ...node({}), spec: { taints: [] } }, { ...node({}), spec: { taints: [{ key: 'x' }] } })),
    ).toBe('node "n1" is not allowed to modify taints')
    expect(await why(update(node({}, { ownerReferences: [owner] }), node({})))).toBe(
      'node "n1" is not allowed to modify ownerReferences',
    )
  })
})

describe('tokens that a node asks for', () => {
  const token = (boundObjectRef: object | undefined, ...audiences: readonly string[]) =>
    requestFor(
      'serviceaccounts',
      { metadata: { name: 'a' }, spec: { boundObjectRef, audiences } },
      {
        subresource: 'token',
        name: 'a',
      },
    )
  const mine = { apiVersion: 'v1', kind: 'Pod', name: 'mine', uid: 'p1' }

  it.each<[string, AdmissionRequest, string]>([
    ['are bound to a pod', token(undefined), 'node requested token not bound to a pod'],
    ['by its uid', token({ ...mine, uid: '' }), 'node requested token with a pod binding without a uid'],
    [
      'that runs on it',
      token({ ...mine, name: 'theirs', uid: 'p2' }),
      'node requested token bound to a pod scheduled on a different node',
    ],
    ['are for whom the pod asks', token(mine, 'vault'), 'admitted'],
    ['or the driver of its volume', token(mine, 'disk'), 'admitted'],
    ['or whom the node may ask for', token(mine, 'granted'), 'admitted'],
    [
      'and nobody else',
      token(mine, 'else'),
      'audience "else" not found in pod spec volume, "system:node:n1" is not authorized to request tokens for this audience',
    ],
    ['are for one at a time', token(mine, 'vault', 'disk'), 'node may only request 0 or 1 audiences'],
  ])('%s', async (_, request, expected) => {
    expect(await why(request)).toBe(expected)
  })
})

describe('other objects of a node', () => {
  it('bear its name', async () => {
    const lease = (namespace: string, name: string) =>
      requestFor('leases', { metadata: { name } }, { namespace }, 'coordination.k8s.io')
    expect(await why(lease('kube-node-lease', 'n1'))).toBe('admitted')
    expect(await why(lease('kube-node-lease', 'n2'))).toMatch(/^can only access node lease with the same name/)
    expect(await why(lease('default', 'n1'))).toBe('can only access leases in the "kube-node-lease" system namespace')
    const slice = (nodeName: string) => requestFor('resourceslices', { spec: { nodeName } }, {}, 'resource.k8s.io')
    expect(await why(slice('n1'))).toBe('admitted')
    expect(await why(slice('n2'))).toBe('can only create ResourceSlice with the same NodeName as the requesting node')
    expect(await why(requestFor('csinodes', { metadata: { name: 'n2' } }, {}, 'storage.k8s.io'))).toMatch(/^can only/)
    expect(await why(requestFor('persistentvolumeclaims', { metadata: { name: 'c' } }))).toBe(
      'may only update PVC status',
    )
  })

  it('are not looked at where somebody else writes them', async () => {
    const user = { name: 'jane', uid: undefined, groups: [], extra: {} }
    expect(await why(requestFor('nodes', { metadata: { name: 'n2' } }, { user }))).toBe('admitted')
  })
})
