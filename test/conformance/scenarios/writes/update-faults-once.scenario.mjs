// Covers W-007.
import { inside, make, merge, podTemplate } from '../lib.mjs'

export default {
  title: 'faults of changed objects are told once',
  async run(t) {
    const ns = await t.namespace()
    const refuse = (path, body) => t.patch(path, body, merge)
    const selected = { selector: { matchLabels: { app: 'x' } }, template: podTemplate() }
    for (const [resource, kind] of [['replicasets', 'ReplicaSet'], ['daemonsets', 'DaemonSet'], ['deployments', 'Deployment']]) {
      const at = inside(ns, resource, 'apps/v1')
      await make(t, at, { apiVersion: 'apps/v1', kind, metadata: { name: 'a' }, spec: selected })
      await refuse(`${at}/a`, { spec: { minReadySeconds: -1 } })
      await refuse(`${at}/a`, { spec: { template: { spec: { containers: [{ name: 'c', image: '' }] } } } })
    }
    const controllers = inside(ns, 'replicationcontrollers', 'v1')
    await make(t, controllers, { metadata: { name: 'a' }, spec: { selector: { app: 'x' }, template: podTemplate() } })
    await refuse(`${controllers}/a`, { spec: { replicas: -1 } })
    await refuse(`${controllers}/a`, { spec: { selector: { app: 'y' } } })
    const roles = inside(ns, 'roles', 'rbac.authorization.k8s.io/v1')
    await make(t, roles, { metadata: { name: 'a' }, rules: [] })
    await refuse(`${roles}/a`, { rules: [{ apiGroups: [''], resources: ['pods'] }] })
    const bindings = inside(ns, 'rolebindings', 'rbac.authorization.k8s.io/v1')
    await make(t, bindings, { metadata: { name: 'a' }, roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'a' } })
    await refuse(`${bindings}/a`, { subjects: [{ kind: 'Robot', name: 'r' }] })
    const claims = inside(ns, 'persistentvolumeclaims', 'v1')
    await make(t, claims, { metadata: { name: 'a' }, spec: { accessModes: ['ReadWriteOnce'], storageClassName: 'none', resources: { requests: { storage: '1Gi' } } } })
    await refuse(`${claims}/a`, { metadata: { labels: { 'bad key': 'x' } } })
  },
}
