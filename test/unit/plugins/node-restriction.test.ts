import { describe, expect, it } from 'vitest'
import type { AdmissionRequest } from '../../../src/admission/admission.ts'
import { nodeRestriction } from '../../../src/plugins/node-restriction.ts'
import type { ObjectReader } from '../../../src/admission/object-reader.ts'
import type { ApiObject, GroupKind } from '../../../src/api/object.ts'
import type { ValueMap } from '../../../src/api/value.ts'
import { canonicalOf } from '../../corpora/kind-of.ts'
import { requestFor } from '../admission/request-for.ts'

const { signal } = new AbortController()
const NODE = { name: 'system:node:n1', uid: undefined, groups: ['system:nodes'], extra: {} }

function reader<T extends ApiObject>(kind: GroupKind, objects: Readonly<Record<string, ValueMap>>): ObjectReader<T> {
  const find = (namespace: string, name: string): Promise<T | undefined> => {
    const found = objects[`${namespace}/${name}`]
    return Promise.resolve(found && (canonicalOf(kind, found) as T))
  }
  return { find, findLatest: find, list: () => Promise.resolve([]) }
}

const tokenVolume = { projected: { sources: [{ serviceAccountToken: { audience: 'vault' } }] } }
const certificateVolume = { projected: { sources: [{ podCertificate: { signerName: 'example.com/one' } }] } }
const PARTS: Parameters<typeof nodeRestriction>[0] = {
  authorizer: {
    authorize: (access) =>
      access.kind === 'resource' && ['granted', 'example.com:granted'].includes(access.resource)
        ? { kind: 'allow' }
        : { kind: 'no-opinion' },
  },
  nodes: reader({ group: '', kind: 'Node' }, { '/n1': { metadata: { name: 'n1', uid: 'u1' } } }),
  pods: reader(
    { group: '', kind: 'Pod' },
    {
      'ns/mine': {
        metadata: { name: 'mine', uid: 'p1' },
        spec: { nodeName: 'n1', volumes: [tokenVolume, { persistentVolumeClaim: { claimName: 'c' } }] },
      },
      'ns/migrated': {
        metadata: { name: 'migrated', uid: 'p3' },
        spec: { nodeName: 'n1', volumes: [{ gcePersistentDisk: { pdName: 'd' } }] },
      },
      'ns/lost': {
        metadata: { name: 'lost', uid: 'p4' },
        spec: {
          nodeName: 'n1',
          volumes: [{ name: 'v', ephemeral: {} }, { persistentVolumeClaim: { claimName: 'unbound' } }, tokenVolume],
        },
      },
      'ns/certified': {
        metadata: { name: 'certified', uid: 'p5' },
        spec: { nodeName: 'n1', serviceAccountName: 'a', volumes: [certificateVolume] },
      },
      'ns/static': {
        metadata: { name: 'static', uid: 'p6', annotations: { 'kubernetes.io/config.mirror': 'x' } },
        spec: { nodeName: 'n1', serviceAccountName: 'a' },
      },
      'ns/theirs': { metadata: { name: 'theirs', uid: 'p2' }, spec: { nodeName: 'n2' } },
    },
  ),
  accounts: reader({ group: '', kind: 'ServiceAccount' }, { 'ns/a': { metadata: { name: 'a', uid: 's1' } } }),
  claims: reader(
    { group: '', kind: 'PersistentVolumeClaim' },
    { 'ns/c': { spec: { volumeName: 'pv' } }, 'ns/unbound': { spec: {} } },
  ),
  volumes: reader({ group: '', kind: 'PersistentVolume' }, { '/pv': { spec: { csi: { driver: 'd' } } } }),
  drivers: reader(
    { group: 'storage.k8s.io', kind: 'CSIDriver' },
    {
      '/d': { spec: { tokenRequests: [{ audience: 'disk' }] } },
      '/pd.csi.storage.gke.io': { spec: { tokenRequests: [{ audience: 'cloud' }] } },
    },
  ),
  gates: new Set(['ServiceAccountNodeAudienceRestriction']),
}

async function why(request: AdmissionRequest, plugin = nodeRestriction(PARTS)): Promise<string> {
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

describe('pods of a node (P-169)', () => {
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
      'node "n1" can not create pods that reference serviceaccounts',
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
    expect(await why(evict('none'))).toBe('pod "none" not found')
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

describe('the object of a node (P-169)', () => {
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

describe('tokens that a node asks for (P-107, P-169)', () => {
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
      'audience "else" not found in pod spec volume, system:node:n1 is not authorized to request tokens for this audience',
    ],
    ['or the driver that serves it now', token({ ...mine, name: 'migrated', uid: 'p3' }, 'cloud'), 'admitted'],
    ['whatever else is missing', token({ ...mine, name: 'lost', uid: 'p4' }, 'vault'), 'admitted'],
    [
      'and not where that cannot be found out',
      token({ ...mine, name: 'lost', uid: 'p4' }, 'granted'),
      'error validating audience "granted": [persistentvolumeclaim "lost-v" not found, persistentvolume "" not found]',
    ],
    ['are for one at a time', token(mine, 'vault', 'disk'), 'node may only request 0 or 1 audiences'],
  ])('%s', async (_, request, expected) => {
    expect(await why(request)).toBe(expected)
  })
})

describe('gates', () => {
  it('open what is asked for, as in the reference', async () => {
    const mine = { apiVersion: 'v1', kind: 'Pod', name: 'mine', uid: 'p1' }
    const token = requestFor(
      'serviceaccounts',
      { metadata: { name: 'a' }, spec: { boundObjectRef: mine, audiences: ['else'] } },
      { subresource: 'token', name: 'a' },
    )
    const signerName = 'kubernetes.io/kubelet-serving'
    const certificate = requestFor(
      'certificatesigningrequests',
      { metadata: { name: 'a' }, spec: { signerName, request: '' } },
      {},
      'certificates.k8s.io',
    )
    expect(await why(certificate)).toMatch(/^unable to parse csr/)
    const open = nodeRestriction({ ...PARTS, gates: new Set(['AllowInsecureKubeletCertificateSigningRequests']) })
    expect([await why(token, open), await why(certificate, open)]).toEqual(['admitted', 'admitted'])
  })

  it('connections are not what is looked at', () => {
    expect(nodeRestriction(PARTS).operations).toEqual(['CREATE', 'UPDATE', 'DELETE'])
  })
})

describe('what a mirror pod refers to', () => {
  const CANNOT = 'node "n1" can not create pods that reference '
  it.each<[string, object, string]>([
    ['nothing', { emptyDir: {} }, 'admitted'],
    ['fields of the pod', { projected: { sources: [{ downwardAPI: {} }] } }, 'admitted'],
    ['a nameless config map', { configMap: {} }, `${CANNOT}configmaps (via configmap volumes)`],
    ['a nameless secret', { secret: {} }, `${CANNOT}secrets (via secret volumes)`],
    ['a driver', { csi: { driver: 'd' } }, `${CANNOT}csidrivers (via CSI volumes)`],
    ['endpoints', { glusterfs: { endpoints: 'e' } }, `${CANNOT}endpoints (via glusterFS volumes)`],
    ['a claim of its own', { ephemeral: {} }, `${CANNOT}persistentvolumeclaims (via ephemeral volumes)`],
    ['a share', { azureFile: {} }, `${CANNOT}secrets (via azureFile volumes)`],
    [
      'a token',
      { projected: { sources: [{ downwardAPI: {} }, { serviceAccountToken: { path: 't' } }] } },
      `${CANNOT}serviceaccounts (via projected volumes)`,
    ],
    ['a bundle', { projected: { sources: [{ clusterTrustBundle: {} }] } }, `${CANNOT}clustertrustbundles`],
    ['a certificate', { projected: { sources: [{ podCertificate: {} }] } }, `${CANNOT}podcertificates`],
    [
      'who knows what',
      { name: 'v' },
      'error checking mirror pod for API references: unknown volume type for volume  "v"',
    ],
    [
      'who knows what else',
      { name: 'v', projected: { sources: [{}] } },
      'error checking mirror pod for API references: unknown source for projected volume "v"',
    ],
  ])('%s', async (_, volume, expected) => {
    expect(await why(requestFor('pods', mirror({ volumes: [volume] })))).toBe(expected)
  })
})

describe('requests of certificates for pods', () => {
  const SPEC = {
    signerName: 'example.com/one',
    podName: 'certified',
    podUID: 'p5',
    serviceAccountName: 'a',
    serviceAccountUID: 's1',
    nodeName: 'n1',
    nodeUID: 'u1',
  }
  const asking = (spec: object, more: Partial<AdmissionRequest> = {}): AdmissionRequest => {
    const object = { metadata: { name: 'r' }, spec: { ...SPEC, ...spec } }
    const request = requestFor('podcertificaterequests', object, more, 'certificates.k8s.io')
    // Plugins see the stored version.
    return { ...request, object: { ...request.object!, apiVersion: 'certificates.k8s.io/v1beta1' } }
  }
  const OF_POD = 'PodCertificateRequest for pod "ns/certified"'

  it.each<[string, object, string]>([
    ['are for a signer that the pod asks for', {}, 'admitted'],
    ['or a signer that the node may ask', { signerName: 'example.com/granted' }, 'admitted'],
    [
      'and no other',
      { signerName: 'example.com/two' },
      'pod "ns/certified" does not mount a podCertificate projected volume for signer "example.com/two"',
    ],
    [
      'and not for another node',
      { nodeName: 'n2' },
      'PodCertificateRequest.Spec.NodeName="n2", which is not the requesting node "n1"',
    ],
    [
      'or an earlier one of its name',
      { nodeUID: 'u0' },
      `${OF_POD} names node UID "u0", inconsistent with the running node ("u1")`,
    ],
    [
      'are for an existing pod',
      { podName: 'none' },
      'while retrieving pod named in the PodCertificateRequest: pod "none" not found',
    ],
    ['with its uid', { podUID: 'p0' }, `${OF_POD} contains pod UID ("p0") which differs from running pod "p5"`],
    [
      'that runs here',
      { podName: 'theirs', podUID: 'p2' },
      'pod "ns/theirs" is not running on node "n1" named in the PodCertificateRequest',
    ],
    ['and is no mirror', { podName: 'static', podUID: 'p6' }, 'pod "ns/static" is a mirror pod'],
    [
      'with its account',
      { serviceAccountName: 'b' },
      `${OF_POD} contains serviceAccountName ("b") that differs from running pod ("a")`,
    ],
    [
      'and not an earlier one of its name',
      { serviceAccountUID: 's0' },
      `${OF_POD} names service account UID "s0", which differs from the running service account ("s1")`,
    ],
  ])('%s', async (_, spec, expected) => {
    expect(await why(asking(spec))).toBe(expected)
  })

  it('are only made by a node', async () => {
    expect(await why(asking({}, { operation: 'UPDATE' }))).toBe('unexpected operation UPDATE')
    expect(await why(asking({}, { operation: 'UPDATE', subresource: 'status' }))).toBe('unexpected operation UPDATE')
  })
})

describe('other objects of a node', () => {
  it('have a status while the gate is on', async () => {
    const status = requestFor('csinodes', { metadata: { name: 'n1' } }, { operation: 'UPDATE' }, 'storage.k8s.io')
    const request = { ...status, subresource: 'status' }
    expect(await why(request)).toBe('CSIVolumeHealth feature gate is disabled')
    const open = nodeRestriction({ ...PARTS, gates: new Set(['CSIVolumeHealth']) })
    expect(await why(request, open)).toBe('admitted')
    expect(await why({ ...request, name: 'n2' }, open)).toMatch(/^can only access CSINode/)
  })

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
