// Covers P-155.
import { careful } from '../lib.mjs'

export default {
  title: 'what is told first of several wrong values, and where some refusals point to',
  async run(t) {
    careful(t)
    const ns = await t.namespace()
    const tried = (path, apiVersion, kind, rest) => t.post(`${path}?dryRun=All`, { apiVersion, kind, metadata: { name: 'tried' }, ...rest })
    const core = (plural) => `/api/v1/namespaces/${ns}/${plural}`

    // Quantities and times read themselves: what is wrong with one is told before a wrong type that comes before it.
    const container = (resources) => ({ containers: [{ name: 5, image: 'i', resources }] })
    await tried(core('pods'), 'v1', 'Pod', { spec: container({ limits: { cpu: 'much' } }) })
    await tried(core('pods'), 'v1', 'Pod', { spec: container({ limits: ['much'] }) })
    await tried(core('events'), 'v1', 'Event', { count: 'x', involvedObject: {}, firstTimestamp: 'yesterday' })
    await tried(core('events'), 'v1', 'Event', { count: 'x', involvedObject: {}, firstTimestamp: 5, eventTime: 'x' })
    await tried('/apis/scheduling.k8s.io/v1/priorityclasses', 'scheduling.k8s.io/v1', 'PriorityClass', { value: 1, preemptionPolicy: 5 })

    await tried('/api/v1/nodes', 'v1', 'Node', { spec: { podCIDRs: ['10.0.0.0/24', 'x'] } })
    await tried('/api/v1/nodes', 'v1', 'Node', { spec: { podCIDRs: ['10.0.0.0/24', '10.0.1.0/24'] } })
    const slices = `/apis/discovery.k8s.io/v1/namespaces/${ns}/endpointslices`
    const slice = (addressType, address) => ({ addressType, endpoints: [{ addresses: ['x.example', address] }] })
    await tried(slices, 'discovery.k8s.io/v1', 'EndpointSlice', slice('IPv6', '10.1.2.3'))
    await tried(slices, 'discovery.k8s.io/v1', 'EndpointSlice', slice('IPv4', '::1'))
    const templates = `/apis/resource.k8s.io/v1/namespaces/${ns}/resourceclaimtemplates`
    const metadata = { generation: 0, deletionGracePeriodSeconds: 0, finalizers: ['example.com/f'] }
    await tried(templates, 'resource.k8s.io/v1', 'ResourceClaimTemplate', { spec: { metadata, spec: {} } })
    const inlineVolumeSpec = { accessModes: ['ReadWriteOnce'], volumeAttributesClassName: '', csi: { driver: 'd', volumeHandle: 'h' } }
    await tried('/apis/storage.k8s.io/v1/volumeattachments', 'storage.k8s.io/v1', 'VolumeAttachment', { spec: { attacher: 'a', nodeName: 'n', source: { inlineVolumeSpec } } })
    const metric = { type: 'ContainerResource', containerResource: { name: 'a.b', container: 'A', target: { type: 'Utilization', averageUtilization: 50 } } }
    const scaler = { maxReplicas: 2, scaleTargetRef: { kind: 'Deployment', name: 'd', apiVersion: 'apps/v1' }, metrics: [metric] }
    await tried(`/apis/autoscaling/v2/namespaces/${ns}/horizontalpodautoscalers`, 'autoscaling/v2', 'HorizontalPodAutoscaler', { spec: scaler })
    await tried('/apis/node.k8s.io/v1/runtimeclasses', 'node.k8s.io/v1', 'RuntimeClass', { handler: 'h', scheduling: { tolerations: [{ key: 'k', operator: 'Exists' }, { key: 'k', operator: 'Exists' }] } })
    const matching = { matchExpressions: [{ key: 'k', operator: 'Exists' }] }
    const pool = { name: 'p', generation: 1, resourceSliceCount: 1 }
    await tried('/apis/resource.k8s.io/v1/resourceslices', 'resource.k8s.io/v1', 'ResourceSlice', { spec: { driver: 'example.com', pool, nodeSelector: { nodeSelectorTerms: [matching, matching] } } })
    const review = { metadata: { labels: { b: '2', a: '1' }, annotations: { c: '3' }, name: 'n' }, spec: { user: 'u', nonResourceAttributes: { path: '/', verb: 'get' } } }
    await t.post('/apis/authorization.k8s.io/v1/subjectaccessreviews', { apiVersion: 'authorization.k8s.io/v1', kind: 'SubjectAccessReview', ...review })
  },
}
