import { describe, expect, it } from 'vitest'
import type { Decision, ResourceAccess } from '../../../src/auth/authorizer.ts'
import { nodeAuthorizer } from '../../../src/auth/node-authorizer.ts'
import { NodeGraph, type NodeRelated } from '../../../src/auth/node-graph.ts'
import { DEFAULT_LEVEL } from '../../../src/api/level.ts'
import { clusterRoleRules } from '../../../src/controllers/bootstrap-roles.ts'

const { signal } = new AbortController()

function at(text: string): NodeRelated {
  const [type = '', namespace = '', name = ''] = text.split('/')
  return { type: type as NodeRelated['type'], namespace, name }
}

function graph(): NodeGraph {
  const known = new NodeGraph()
  const referred = [
    'secret/ns/s',
    'configmap/ns/c',
    'persistentvolumeclaim/ns/v',
    'serviceaccount/ns/a',
    'resourceclaim/ns/r',
  ]
  known.bind(at('pod/ns/p'), 'n1', referred.map(at))
  known.bind(at('pod/ns/q'), 'n2', [at('secret/ns/other')])
  known.putVolume('pv', at('persistentvolumeclaim/ns/v'), [at('secret/store/key')])
  known.bind(at('volumeattachment//va'), 'n1', [])
  known.bind(at('resourceslice//sl'), 'n1', [])
  known.bind(at('podcertificaterequest/ns/mine'), 'n1', [])
  known.bind(at('podcertificaterequest/ns/theirs'), 'n2', [])
  return known
}

/** `get /secrets ns/s`, `list /pods ns?spec.nodeName=n1` */
function ask(
  question: string,
  known = graph(),
  user = 'system:node:n1',
  groups = ['system:nodes'],
  gates: readonly string[] = [],
): Decision {
  const [verb = '', what = '', where = ''] = question.split(' ')
  const [path = '', selector] = where.split('?')
  const [group = '', resource = '', subresource] = what.split('/')
  const [namespace = '', name] = path.includes('/') ? path.split('/') : ['', path === '' ? undefined : path]
  const [field = '', value = ''] = selector?.split('=') ?? []
  const access: ResourceAccess = {
    kind: 'resource',
    user: { name: user, uid: undefined, groups, extra: {} },
    verb,
    group,
    version: 'v1',
    resource,
    subresource,
    namespace: namespace === '' ? undefined : namespace,
    name: name === '' ? undefined : name,
    ...(selector === undefined
      ? {}
      : { selectors: () => ({ fields: [{ field, operator: '=', value }], labels: undefined }) }),
  }
  const setting = { level: DEFAULT_LEVEL, gates: new Set(gates) }
  const authorizer = nodeAuthorizer({ graph: () => known, rules: () => clusterRoleRules('system:node', setting) })
  return authorizer.authorize(access, signal) as Decision
}

const UNRELATED = `no relationship found between node 'n1' and this object`

describe('a node (P-165 to P-168)', () => {
  it.each<[string, true | string]>([
    ['get /secrets ns/s', true],
    ['list /secrets ns/s', true],
    ['get /secrets ns/other', UNRELATED],
    ['get /secrets store/key', true],
    ['list /secrets ns/', 'No Object name found'],
    ['delete /secrets ns/s', 'can only read resources of this type'],
    ['list /secrets', 'can only read namespaced object of this type'],
    ['watch /configmaps ns/c', true],
    ['get /configmaps ns/d', UNRELATED],
    ['get /persistentvolumeclaims ns/v', true],
    ['list /persistentvolumeclaims ns/v', 'can only get individual resources of this type'],
    ['patch /persistentvolumeclaims/status ns/v', true],
    ['get /persistentvolumes pv', true],
    ['get /persistentvolumes other', UNRELATED],
    ['get resource.k8s.io/resourceclaims ns/r', true],
    ['get storage.k8s.io/volumeattachments va', true],
    ['create /serviceaccounts/token ns/a', true],
    ['create /serviceaccounts/token ns/b', UNRELATED],
    ['get /serviceaccounts ns/a', true],
    ['create /serviceaccounts ns/', 'can only create tokens for individual service accounts'],
    ['update coordination.k8s.io/leases kube-node-lease/n1', true],
    [
      'update coordination.k8s.io/leases kube-node-lease/n2',
      'can only access node lease with the same name as the requesting node',
    ],
    [
      'get coordination.k8s.io/leases kube-system/n1',
      'can only access leases in the "kube-node-lease" system namespace',
    ],
    ['list coordination.k8s.io/leases kube-node-lease/', 'can only get, create, update, patch, or delete a node lease'],
    ['get storage.k8s.io/csinodes n1', true],
    ['get storage.k8s.io/csinodes n2', 'can only access CSINode with the same name as the requesting node'],
    ['get resource.k8s.io/resourceslices sl', true],
    ['list resource.k8s.io/resourceslices ?nodeName=n1', true],
    [
      'list resource.k8s.io/resourceslices',
      'can only list/watch/deletecollection resourceslices with nodeName field selector',
    ],
    ['create certificates.k8s.io/podcertificaterequests ns/', true],
    ['get certificates.k8s.io/podcertificaterequests ns/mine', true],
    ['get certificates.k8s.io/podcertificaterequests ns/theirs', UNRELATED],
    ['list certificates.k8s.io/podcertificaterequests ?spec.nodeName=n1', true],
    [
      'watch certificates.k8s.io/podcertificaterequests ?spec.nodeName=n2',
      'can only list/watch podcertificaterequests with nodeName field selector',
    ],
    ['delete certificates.k8s.io/podcertificaterequests ns/mine', 'nodes may not delete podcertificaterequests'],
    [
      'update certificates.k8s.io/podcertificaterequests/status ns/mine',
      'nodes may not access the status subresource of PodCertificateRequests',
    ],
    ['patch storage.k8s.io/csinodes/status n1', 'CSINode status access requires CSIVolumeHealth feature'],
    ['get storage.k8s.io/csinodes/other n1', 'cannot authorize CSINode subresources'],
    ['get /nodes n1', true],
    ['get /nodes n2', `node 'n1' cannot read 'n2', only its own Node object`],
    ['list /nodes', `node 'n1' cannot read all nodes, only its own Node object`],
    ['patch /nodes/status n1', true],
    ['delete /nodes n1', ''],
    ['get /pods ns/p', true],
    ['get /pods ns/q', UNRELATED],
    ['list /pods ?spec.nodeName=n1', true],
    ['list /pods ?spec.nodeName=n2', 'can only list/watch pods with spec.nodeName field selector'],
    ['create /pods/eviction ns/p', true],
    ['create /pods/exec ns/p', ''],
    ['list /services', true],
    ['create /services ns/', ''],
  ])('%s', (question, expected) => {
    const decision = ask(question)
    expect(decision).toEqual(
      expected === true ? { kind: 'allow' } : { kind: 'no-opinion', ...(expected === '' ? {} : { reason: expected }) },
    )
  })

  it('reports the health of its volumes while the gate is on', () => {
    const asked = (question: string) => ask(question, graph(), undefined, undefined, ['CSIVolumeHealth'])
    expect(asked('patch storage.k8s.io/csinodes/status n1')).toEqual({ kind: 'allow' })
    expect(asked('patch storage.k8s.io/csinodes/status n2').kind).toBe('no-opinion')
    expect(asked('delete storage.k8s.io/csinodes/status n1').kind).toBe('no-opinion')
  })

  it('is known by its name and its group', () => {
    expect(ask('get /nodes n1', graph(), 'system:node:n1', [])).toEqual({ kind: 'no-opinion' })
    expect(ask('get /nodes n1', graph(), 'jane')).toEqual({ kind: 'no-opinion' })
    expect(ask('get /nodes n1', graph(), 'system:node:')).toMatchObject({
      reason: 'unknown node for user "system:node:"',
    })
  })

  it('loses what it had when the last pod that refers to it goes', () => {
    const known = graph()
    known.bind(at('pod/ns/p2'), 'n1', [at('secret/ns/s')])
    known.unbind(at('pod/ns/p'))
    expect(ask('get /secrets ns/s', known).kind).toBe('allow')
    expect(ask('get /persistentvolumes pv', known).kind).toBe('no-opinion')
    known.bind(at('pod/ns/p2'), 'n2', [at('secret/ns/s')])
    expect(ask('get /secrets ns/s', known).kind).toBe('no-opinion')
    known.removeVolume('pv')
    known.unbind(at('pod/ns/gone'))
  })
})
