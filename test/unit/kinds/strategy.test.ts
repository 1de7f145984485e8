// What every built-in kind does differently, one row each: `C` PUT creates what is not there, `V` PUT must name a version, `O` a
// delete is answered with the object, then how generation is kept (`first:what counts`), and what nobody comes to own by a
// write to the object and to its status.
import { describe, expect, it } from 'vitest'
import type { ApiObject } from '../../../src/api/object.ts'
import type { Resource } from '../../../src/registry/registry.ts'
import { openWorld } from '../../rigs/api-world.ts'

const TABLE = `
admissionregistration.k8s.io/v1/MutatingAdmissionPolicy         V  1:spec
admissionregistration.k8s.io/v1/MutatingAdmissionPolicyBinding  V  1:spec
admissionregistration.k8s.io/v1/MutatingWebhookConfiguration    V  1:webhooks
admissionregistration.k8s.io/v1/ValidatingAdmissionPolicy       V  1:spec  status  metadata,spec
admissionregistration.k8s.io/v1/ValidatingAdmissionPolicyBinding V 1:spec
admissionregistration.k8s.io/v1/ValidatingWebhookConfiguration  V  1:webhooks
apiextensions.k8s.io/v1/CustomResourceDefinition                VO 1:spec  status  metadata,spec
apiregistration.k8s.io/v1/APIService                            V  -       status  metadata,spec
apps/v1/ControllerRevision                                      -  -
apps/v1/DaemonSet                                               -  1:spec  status  spec
apps/v1/Deployment                                              -  1:spec,metadata.annotations  status  metadata.labels,spec
apps/v1/ReplicaSet                                              -  1:spec  status  spec
apps/v1/StatefulSet                                             -  1:spec  status  spec
autoscaling/v2/HorizontalPodAutoscaler                          -  1:spec  status  spec
batch/v1/CronJob                                                -  1:spec  status  spec
batch/v1/Job                                                    -  1:spec  status  spec
certificates.k8s.io/v1/CertificateSigningRequest                -  -
coordination.k8s.io/v1/Lease                                    CV -
core/v1/ConfigMap                                               -  -
core/v1/Endpoints                                               C  -
core/v1/Event                                                   C  -
core/v1/LimitRange                                              C  -
core/v1/Namespace                                               O  -       status  spec
core/v1/Node                                                    -  -       status  spec
core/v1/PersistentVolume                                        O  -       status  spec
core/v1/PersistentVolumeClaim                                   O  -       status  spec
core/v1/Pod                                                     O  1:spec
core/v1/PodTemplate                                             O  1:template
core/v1/ReplicationController                                   -  1:spec  status  spec
core/v1/ResourceQuota                                           O  -       status  spec
core/v1/Secret                                                  -  -
core/v1/Service                                                 CO -       status  spec
core/v1/ServiceAccount                                          O  -
discovery.k8s.io/v1/EndpointSlice                               -  1:endpoints,metadata.labels
flowcontrol.apiserver.k8s.io/v1/FlowSchema                      -  1:spec  status  metadata,spec
flowcontrol.apiserver.k8s.io/v1/PriorityLevelConfiguration      -  1:spec  status  metadata,spec
networking.k8s.io/v1/IPAddress                                  -  -
networking.k8s.io/v1/Ingress                                    -  1:spec  status  spec
networking.k8s.io/v1/IngressClass                               -  1:spec
networking.k8s.io/v1/NetworkPolicy                              -  1:spec
networking.k8s.io/v1/ServiceCIDR                                -  -       status  metadata,spec
node.k8s.io/v1/RuntimeClass                                     CV -
policy/v1/PodDisruptionBudget                                   V  1:spec  status  spec
rbac.authorization.k8s.io/v1/ClusterRole                        C  -
rbac.authorization.k8s.io/v1/ClusterRoleBinding                 C  -
rbac.authorization.k8s.io/v1/Role                               C  -
rbac.authorization.k8s.io/v1/RoleBinding                        C  -
resource.k8s.io/v1/DeviceClass                                  O  1:spec
resource.k8s.io/v1/ResourceClaim                                O  -       status  metadata,spec
resource.k8s.io/v1/ResourceClaimTemplate                        O  -
resource.k8s.io/v1/ResourceSlice                                O  1:spec
scheduling.k8s.io/v1/PriorityClass                              -  1:
storage.k8s.io/v1/CSIDriver                                     VO 0:spec
storage.k8s.io/v1/CSINode                                       VO -
storage.k8s.io/v1/CSIStorageCapacity                            V  -
storage.k8s.io/v1/StorageClass                                  O  -
storage.k8s.io/v1/VolumeAttachment                              VO -       status  metadata,spec
storage.k8s.io/v1/VolumeAttributesClass                         O  -
`

const world = await openWorld()
const resources = [...world.resources.all()]

function resourceOf(path: string): Resource {
  const [group = '', version, kind] = path.split('/')
  const found = resources.find(
    (resource) =>
      resource.group === (group === 'core' ? '' : group) && resource.version === version && resource.kind === kind,
  )
  if (found === undefined) throw new Error(`${path} is not served`)
  return found
}

const rows = TABLE.trim()
  .split('\n')
  .map((line) => line.split(/ +/))

function objectWith(path: readonly string[], value: string): ApiObject {
  const [first = '', second] = path
  const inner = second === undefined ? { x: value } : { [second]: { x: value } }
  const metadata = { name: 'a', ...(first === 'metadata' ? inner : {}) }
  return { kind: 'K', apiVersion: 'v1', ...(first === 'metadata' ? {} : { [first]: inner }), metadata }
}

describe.each(rows)('%s', (path = '', flags = '', generation = '', main = '', status = '') => {
  const { strategy } = resourceOf(path)

  it('is written and deleted as its row says (W-095, W-107, W-108, W-309, W-618)', () => {
    expect({
      createOnUpdate: strategy.createOnUpdate,
      unconditionalUpdate: strategy.unconditionalUpdate,
      answersDeleteWithObject: strategy.answersDeleteWithObject,
    }).toEqual({
      createOnUpdate: flags.includes('C'),
      unconditionalUpdate: !flags.includes('V'),
      answersDeleteWithObject: flags.includes('O'),
    })
  })

  it('keeps its generation as its row says (W-132, W-133, W-136, W-581)', () => {
    const [first = '', counted = ''] = generation.split(':')
    expect(strategy.firstGeneration).toBe(generation === '-' ? undefined : Number(first))
    if (generation === '-') return
    const paths = ['spec', 'status', 'template', 'webhooks', 'endpoints', 'metadata.annotations', 'metadata.labels']
    const anything = counted.startsWith('endpoints')
    const bumps = paths.filter((field) => {
      const parts = field.split('.')
      return strategy.bumpsGeneration(objectWith(parts, '1'), objectWith(parts, '2'))
    })
    const wanted = counted === '' ? [] : counted.split(',')
    if (anything) expect(bumps).toEqual(expect.arrayContaining(wanted))
    else expect(bumps.toSorted()).toEqual(wanted.toSorted())
    expect(bumps).not.toContain(counted.includes('labels') ? 'metadata.annotations' : 'metadata.labels')
  })

  it('lets nobody own what a write cannot change', () => {
    if (main !== '') expect(strategy.main.resetFields).toEqual(main.split(','))
    if (status !== '') expect(strategy.subresources['status']?.resetFields.toSorted()).toEqual(status.split(','))
  })
})

it('there is a row for every kind that is stored and served for good', () => {
  const inTable = new Set(rows.map(([path = '']) => path))
  const stored = resources
    .filter(
      ({ version, storedKind, verbs }) =>
        /^v\d+$/.test(version) && storedKind.version === version && verbs.has('update'),
    )
    .map(({ group, version, kind }) => `${group === '' ? 'core' : group}/${version}/${kind}`)
    .filter((path) => path !== 'events.k8s.io/v1/Event')
  expect(stored.filter((path) => !inTable.has(path))).toEqual([])
})

it('jobs and replication controllers leave their dependents, events have none, all others take them along (W-320)', () => {
  const left = resources.filter(({ strategy }) => strategy.defaultPropagation === 'Orphan').map(({ kind }) => kind)
  const none = resources.filter(({ strategy }) => strategy.defaultPropagation === undefined).map(({ kind }) => kind)
  expect([...new Set(left)].toSorted()).toEqual(['Job', 'ReplicationController'])
  expect([...new Set(none)]).toEqual(['Event'])
})
