import { beforeAll, describe, expect, it, vi } from 'vitest'
import { DEFAULT_LEVEL } from '../../../src/api/level.ts'
import type { ApiObject } from '../../../src/api/object.ts'
import { makeBootstrapRoles } from '../../../src/controllers/bootstrap-roles.ts'
import { makeBuiltInApiServices } from '../../../src/controllers/built-in-api-services.ts'
import type { ControllerParts } from '../../../src/controllers/controllers.ts'
import { flowControlObjects, makeFlowObjects } from '../../../src/controllers/flow-control-objects.ts'
import { makeKubernetesService } from '../../../src/controllers/kubernetes-service.ts'
import { makeSystemNamespaces } from '../../../src/controllers/system-objects.ts'
import { BOOTSTRAP_LEVELS, BOOTSTRAP_SCHEMAS } from '../../../src/flow/bootstrap.ts'
import { NOW, openWorld } from '../../rigs/api-world.ts'
import { controllerParts } from '../../rigs/running-controller.ts'

const FLOW = 'flowcontrol.apiserver.k8s.io'
const NETWORKING = 'networking.k8s.io'
const PATIENCE_MS = 30_000
const world = await openWorld({ isNew: true })

beforeAll(async () => {
  const parts: ControllerParts = controllerParts(world, NOW)
  const { signal } = new AbortController()
  await makeSystemNamespaces(parts, signal)
  const serviceRange = { text: '10.96.0.0/16', firstAddress: '10.96.0.1' }
  await makeKubernetesService(parts, { address: '192.0.2.7', port: () => 6443, serviceRange }, signal)
  await makeBuiltInApiServices(parts, [{ group: '', version: 'v1', priority: { group: 18_000, version: 1 } }], signal)
  await makeBootstrapRoles(parts, DEFAULT_LEVEL, signal)
  const flow = { levels: BOOTSTRAP_LEVELS, schemas: BOOTSTRAP_SCHEMAS }
  await makeFlowObjects(parts, flow, signal)
  const stop = new AbortController()
  const telling = flowControlObjects(parts, flow).run(stop.signal)
  const isTold = async (): Promise<void> =>
    expect(await object('flowschemas', FLOW, 'exempt')).toHaveProperty('status.conditions')
  await vi.waitFor(isTold, { interval: 2, timeout: PATIENCE_MS })
  stop.abort()
  await telling
}, PATIENCE_MS)

function object(resource: string, group: string, name: string, namespace?: string): Promise<ApiObject> {
  return world.get(world.resource(resource, group), name, namespace)
}

interface Claim {
  readonly manager: string
  readonly operation: string
  readonly subresource?: string
  readonly fieldsV1: object
}

/** By who and how, the fields; all are of one second. */
function ownersOf({ apiVersion, metadata }: ApiObject): Record<string, unknown> {
  const claims = metadata['managedFields'] as unknown as readonly Claim[]
  const named = claims.map(({ manager, operation, subresource, fieldsV1, ...rest }) => {
    expect(rest).toEqual({ apiVersion, time: NOW, fieldsType: 'FieldsV1' })
    return [[manager, operation, subresource].filter((word) => word !== undefined).join(' '), fieldsV1]
  })
  return Object.fromEntries(named)
}

const label = (name: string): object => ({ 'f:metadata': { 'f:labels': { '.': {}, [`f:${name}`]: {} } } })
const fields = (...names: readonly string[]): object => Object.fromEntries(names.map((name) => [`f:${name}`, {}]))
const condition = (type: string, ...names: readonly string[]): object => ({
  'f:status': { 'f:conditions': { [`k:{"type":"${type}"}`]: { '.': {}, ...fields(...names) } } },
})

describe('what the server makes for itself is owned as with the reference', () => {
  it.each([
    ...['default', 'kube-system', 'kube-public', 'kube-node-lease'].map((name) => ({
      what: `the namespace ${name}`,
      made: () => object('namespaces', '', name),
      owners: { 'kube-apiserver Update': label('kubernetes.io/metadata.name') },
    })),
    {
      what: 'the service of the core group, whose name is nothing',
      made: () => object('apiservices', 'apiregistration.k8s.io', 'v1.'),
      owners: {
        'kube-apiserver Update': {
          ...label('kube-aggregator.kubernetes.io/automanaged'),
          'f:spec': fields('groupPriorityMinimum', 'version', 'versionPriority'),
        },
      },
    },
    {
      what: 'a flow schema, whose condition is applied',
      made: () => object('flowschemas', FLOW, 'exempt'),
      owners: {
        'api-priority-and-fairness-config-consumer-v1 Apply status': condition(
          'Dangling',
          'lastTransitionTime',
          'message',
          'reason',
          'status',
          'type',
        ),
        'api-priority-and-fairness-config-producer-v1 Update': {
          'f:metadata': { 'f:annotations': { '.': {}, 'f:apf.kubernetes.io/autoupdate-spec': {} } },
          'f:spec': {
            ...fields('matchingPrecedence', 'rules'),
            'f:priorityLevelConfiguration': fields('name'),
          },
        },
      },
    },
    {
      what: 'the range of addresses, whose condition is applied without a reason',
      made: () => object('servicecidrs', NETWORKING, 'kubernetes'),
      owners: {
        'kubernetes-service-cidr-controller Apply status': condition(
          'Ready',
          'lastTransitionTime',
          'message',
          'status',
          'type',
        ),
        'kube-apiserver Update': { 'f:spec': fields('cidrs') },
      },
    },
    {
      what: 'the address of a service',
      made: () => object('ipaddresses', NETWORKING, '10.96.0.1'),
      owners: {
        'kube-apiserver Update': {
          'f:metadata': {
            'f:labels': {
              '.': {},
              ...fields('ipaddress.kubernetes.io/ip-family', 'ipaddress.kubernetes.io/managed-by'),
            },
          },
          'f:spec': { 'f:parentRef': { '.': {}, ...fields('name', 'namespace', 'resource') } },
        },
      },
    },
    {
      what: 'a binding of nobody',
      made: () => object('clusterrolebindings', 'rbac.authorization.k8s.io', 'system:node'),
      owners: {
        'kube-apiserver Update': {
          'f:metadata': {
            'f:annotations': { '.': {}, 'f:rbac.authorization.kubernetes.io/autoupdate': {} },
            'f:labels': { '.': {}, 'f:kubernetes.io/bootstrapping': {} },
          },
          'f:roleRef': {},
        },
      },
    },
  ])('$what', async ({ made, owners }) => {
    expect(ownersOf(await made())).toEqual(owners)
  })

  it('the service of the server, with the policy of its addresses', async () => {
    const owners = ownersOf(await object('services', '', 'kubernetes', 'default'))
    expect(owners).toMatchObject({ 'kube-apiserver Update': { 'f:spec': fields('clusterIP', 'ipFamilyPolicy') } })
  })
})

it('a built-in version is always available (W-623, P-381)', async () => {
  expect((await object('apiservices', 'apiregistration.k8s.io', 'v1.'))['status']).toEqual({
    conditions: [
      {
        type: 'Available',
        status: 'True',
        lastTransitionTime: NOW,
        reason: 'Local',
        message: 'Local APIServices are always available',
      },
    ],
  })
})
