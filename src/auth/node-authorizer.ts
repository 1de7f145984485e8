// The Node authorizer: a node may use its own objects, and the objects that its pods refer to (P-165 to P-168). It never denies.
import { allowsPath, allowsResource, type PolicyRule } from '../api/policy-rule.ts'
import { NO_REACH } from '../api/reach.ts'
import { type MaybePromise, whenKnown } from '../lib/maybe-promise.ts'
import type { Access, Authorizer, Decision, ResourceAccess } from './authorizer.ts'
import type { NodeGraph, RelatedType } from './node-graph.ts'
import { nodeOfUser } from './user.ts'

const ALLOW: Decision = { kind: 'allow' }
const NO_OPINION: Decision = { kind: 'no-opinion' }
const LEASES = 'kube-node-lease'

export interface NodeAuthorizerParts {
  /** A promise until the graph is filled. The first request of a node starts to fill the graph. */
  readonly graph: () => MaybePromise<NodeGraph>
  /** The rules of every node. */
  readonly rules: () => readonly PolicyRule[]
}

export function nodeAuthorizer(parts: NodeAuthorizerParts): Authorizer {
  return {
    authorize(access) {
      const node = nodeOfUser(access.user)
      if (node === undefined) return NO_OPINION
      if (node === '') return refuse(`unknown node for user ${JSON.stringify(access.user.name)}`)
      return decide(parts, access, node)
    },
    reachOf: ({ user }) => (nodeOfUser(user) === undefined ? NO_REACH : undefined),
    rulesFor: (user) => {
      const isNode = nodeOfUser(user) !== undefined
      const problem = isNode ? 'node authorizer does not support user rule resolution' : undefined
      return { rules: [], incomplete: isNode, problem }
    },
  }
}

type Judge = (asked: ResourceAccess, node: string, parts: NodeAuthorizerParts) => MaybePromise<Decision>

/** By group and resource. */
const JUDGES: Readonly<Record<string, Judge>> = {
  '/secrets': readNamed('secret'),
  '/configmaps': readNamed('configmap'),
  '/persistentvolumeclaims': (asked, node, parts) =>
    asked.subresource === 'status'
      ? changeStatus(asked, node, parts)
      : getNamed('persistentvolumeclaim')(asked, node, parts),
  '/persistentvolumes': getNamed('persistentvolume'),
  'resource.k8s.io/resourceclaims': getNamed('resourceclaim'),
  'storage.k8s.io/volumeattachments': getNamed('volumeattachment'),
  '/serviceaccounts': serviceAccount,
  'coordination.k8s.io/leases': lease,
  'storage.k8s.io/csinodes': storageNode,
  'resource.k8s.io/resourceslices': resourceSlice,
  'certificates.k8s.io/podcertificaterequests': podCertificateRequest,
  '/nodes': ownNode,
  '/pods': pod,
}

function decide(parts: NodeAuthorizerParts, access: Access, node: string): MaybePromise<Decision> {
  const key = access.kind === 'resource' ? `${access.group}/${access.resource}` : ''
  if (access.kind === 'resource' && Object.hasOwn(JUDGES, key)) return JUDGES[key]!(access, node, parts)
  const isAllowed = parts
    .rules()
    .some((rule) =>
      access.kind === 'path' ? allowsPath(rule, access.verb, access.path) : allowsResource(rule, access),
    )
  return isAllowed ? ALLOW : NO_OPINION
}

function refuse(reason: string): Decision {
  return { kind: 'no-opinion', reason }
}

/** Allows only objects that an object of the node refers to. */
function related(type: RelatedType): Judge {
  return ({ namespace = '', name = '' }, node, { graph }) => {
    if (name === '') return refuse('No Object name found')
    return whenKnown(graph(), (known) =>
      known.isRelated(node, { type, namespace, name })
        ? ALLOW
        : refuse(`no relationship found between node '${node}' and this object`),
    )
  }
}

function getNamed(type: RelatedType): Judge {
  return (asked, node, parts) => {
    if (asked.verb !== 'get') return refuse('can only get individual resources of this type')
    if (hasSubresource(asked)) return refuse('cannot get subresource')
    return related(type)(asked, node, parts)
  }
}

/** Also allows lists and watches of one name. */
function readNamed(type: RelatedType): Judge {
  return (asked, node, parts) => {
    if (!['get', 'list', 'watch'].includes(asked.verb)) return refuse('can only read resources of this type')
    if (hasSubresource(asked)) return refuse('cannot read subresource')
    if ((asked.namespace ?? '') === '') return refuse('can only read namespaced object of this type')
    return related(type)(asked, node, parts)
  }
}

function changeStatus(...[asked, node, parts]: Parameters<Judge>): MaybePromise<Decision> {
  if (asked.verb !== 'update' && asked.verb !== 'patch') return refuse('can only get/update/patch this type')
  return related('persistentvolumeclaim')(asked, node, parts)
}

function serviceAccount(...[asked, node, parts]: Parameters<Judge>): MaybePromise<Decision> {
  if (asked.verb === 'get' && !hasSubresource(asked)) return related('serviceaccount')(asked, node, parts)
  if (asked.verb !== 'create' || (asked.name ?? '') === '') {
    return refuse('can only create tokens for individual service accounts')
  }
  if (asked.subresource !== 'token') return refuse('can only create token subresource of serviceaccount')
  return related('serviceaccount')(asked, node, parts)
}

const OWN_VERBS: readonly string[] = ['get', 'create', 'update', 'patch', 'delete']

function lease({ verb, namespace, name }: ResourceAccess, node: string): Decision {
  if (!OWN_VERBS.includes(verb)) return refuse('can only get, create, update, patch, or delete a node lease')
  if (namespace !== LEASES) return refuse(`can only access leases in the "${LEASES}" system namespace`)
  // A new object has no name yet. The admission plugin checks it.
  if (verb === 'create' || name === node) return ALLOW
  return refuse('can only access node lease with the same name as the requesting node')
}

function storageNode(asked: ResourceAccess, node: string, { rules }: NodeAuthorizerParts): Decision {
  const { verb, name, subresource } = asked
  if (subresource === 'status') {
    // The role has the status only while its gate is on.
    if (!rules().some((rule) => allowsResource(rule, asked)))
      return refuse('CSINode status access requires CSIVolumeHealth feature')
  } else if (!OWN_VERBS.includes(verb)) return refuse('can only get, create, update, patch, or delete a CSINode')
  else if (hasSubresource(asked)) return refuse('cannot authorize CSINode subresources')
  if (verb === 'create' || name === node) return ALLOW
  return refuse('can only access CSINode with the same name as the requesting node')
}

function resourceSlice(...[asked, node, parts]: Parameters<Judge>): MaybePromise<Decision> {
  if (hasSubresource(asked)) return refuse('cannot authorize ResourceSlice subresources')
  switch (asked.verb) {
    case 'create':
      return ALLOW
    case 'get':
    case 'update':
    case 'patch':
    case 'delete':
      return related('resourceslice')({ ...asked, namespace: undefined }, node, parts)
    case 'list':
    case 'watch':
    case 'deletecollection':
      return isPinned(asked, 'nodeName', node)
        ? ALLOW
        : refuse('can only list/watch/deletecollection resourceslices with nodeName field selector')
    default:
      return refuse(
        'only the following verbs are allowed for a ResourceSlice: get, watch, list, create, update, patch, delete, deletecollection',
      )
  }
}

function podCertificateRequest(...[asked, node, parts]: Parameters<Judge>): MaybePromise<Decision> {
  const { verb } = asked
  if (hasSubresource(asked)) return refuse('nodes may not access the status subresource of PodCertificateRequests')
  switch (verb) {
    // The admission plugin checks that the request is for a pod of the node.
    case 'create':
      return ALLOW
    case 'get':
      return related('podcertificaterequest')(asked, node, parts)
    case 'list':
    case 'watch':
      return isPinned(asked, 'spec.nodeName', node)
        ? ALLOW
        : refuse('can only list/watch podcertificaterequests with nodeName field selector')
    default:
      return refuse(`nodes may not ${verb} podcertificaterequests`)
  }
}

function ownNode(asked: ResourceAccess, node: string): Decision {
  const { verb, subresource = '', name = '' } = asked
  if (subresource === 'status') return verb === 'update' || verb === 'patch' ? ALLOW : NO_OPINION
  if (subresource !== '') return NO_OPINION
  // The admission plugin checks that the object is the node's own.
  if (verb === 'create' || verb === 'update' || verb === 'patch') return ALLOW
  if (verb !== 'get' && verb !== 'list' && verb !== 'watch') return NO_OPINION
  if (name === node) return ALLOW
  return name === ''
    ? refuse(`node '${node}' cannot read all nodes, only its own Node object`)
    : refuse(`node '${node}' cannot read '${name}', only its own Node object`)
}

function pod(...[asked, node, parts]: Parameters<Judge>): MaybePromise<Decision> {
  const { verb, subresource = '', name = '' } = asked
  switch (`${verb} ${subresource}`) {
    case 'get ':
      return related('pod')(asked, node, parts)
    case 'list ':
    case 'watch ':
      if (isPinned(asked, 'spec.nodeName', node)) return ALLOW
      if (name !== '') return related('pod')(asked, node, parts)
      return refuse('can only list/watch pods with spec.nodeName field selector')
    case 'create ':
    case 'delete ':
    case 'update status':
    case 'patch status':
    case 'create eviction':
      return ALLOW
    default:
      return NO_OPINION
  }
}

function isPinned({ selectors }: ResourceAccess, field: string, node: string): boolean {
  const terms = selectors?.().fields ?? []
  return terms.some((term) => term.field === field && term.operator === '=' && term.value === node)
}

function hasSubresource({ subresource }: ResourceAccess): boolean {
  return subresource !== undefined && subresource !== ''
}
