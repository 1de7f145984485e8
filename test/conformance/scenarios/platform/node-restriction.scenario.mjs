// Covers P-165 to P-168.
import { actingAs, worded } from '../lib.mjs'

export default {
  title: 'What a node may read and write',
  async run(t) {
    await t.namespace()
    const node = `${t.ns}-n1`
    const other = `${t.ns}-n2`
    const headers = actingAs(`system:node:${node}`, 'system:nodes')
    const outcome = { headers, pick: (body) => (body?.kind === 'Status' ? worded.pick(body) : body?.kind) }
    const post = (path, body, label) => t.post(`${path}?dryRun=All`, body, { ...outcome, label })
    const asNode = (name, labels, spec) => ({ apiVersion: 'v1', kind: 'Node', metadata: { name, ...(labels && { labels }) }, ...(spec && { spec }) })
    await post('/api/v1/nodes', asNode(node), 'itself')
    await post('/api/v1/nodes', asNode(other), 'another')
    await post('/api/v1/nodes', asNode(node, { 'node-restriction.kubernetes.io/x': 'y' }), 'a label of administrators')
    await post('/api/v1/nodes', asNode(node, { 'node-role.kubernetes.io/x': 'y', 'kubernetes.io/foo': 'z' }), 'labels of the system')
    await post('/api/v1/nodes', asNode(node, undefined, { taints: [{ key: 'a', effect: 'NoSchedule' }] }), 'a taint')
    const pod = (nodeName, annotations) => ({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p', annotations }, spec: { nodeName, containers: [{ name: 'c', image: 'example.com/i:1' }] } })
    const mirror = { 'kubernetes.io/config.mirror': 'x' }
    await post(`/api/v1/namespaces/${t.ns}/pods`, pod(node), 'a pod')
    await post(`/api/v1/namespaces/${t.ns}/pods`, pod(node, mirror), 'a mirror pod without an owner')
    await post(`/api/v1/namespaces/${t.ns}/pods`, pod(other, mirror), 'a mirror pod of another')
    const lease = (name) => ({ apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { name } })
    await post('/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases', lease(node), 'its lease')
    await post('/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases', lease(other), 'a lease of another')
    await post(`/apis/coordination.k8s.io/v1/namespaces/${t.ns}/leases`, lease(node), 'a lease elsewhere')
    const csi = (name) => ({ apiVersion: 'storage.k8s.io/v1', kind: 'CSINode', metadata: { name }, spec: { drivers: [] } })
    await post('/apis/storage.k8s.io/v1/csinodes', csi(node), 'its storage')
    await post('/apis/storage.k8s.io/v1/csinodes', csi(other), 'the storage of another')
    for (const path of [`/api/v1/namespaces/${t.ns}/secrets/x`, `/api/v1/namespaces/${t.ns}/secrets`, `/api/v1/nodes/${node}`, `/api/v1/nodes/${other}`, '/api/v1/nodes', `/api/v1/nodes?fieldSelector=metadata.name%3D${node}`, '/api/v1/pods', `/api/v1/pods?fieldSelector=spec.nodeName%3D${node}`, `/api/v1/pods?fieldSelector=spec.nodeName%3D${other}`, '/api/v1/persistentvolumes/x', '/apis/apps/v1/deployments']) {
      await t.get(path, outcome)
    }
    await t.request('DELETE', `/api/v1/nodes/${node}`, outcome)
  },
}
