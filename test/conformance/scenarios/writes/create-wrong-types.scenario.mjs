// Covers W-032.
import { inside } from '../lib.mjs'

export default {
  title: 'values of the wrong type, told by the names of the types',
  async run(t) {
    const ns = await t.namespace()
    const attempt = (resource, api, body) => t.post(`${inside(ns, resource, api)}?dryRun=All`, { apiVersion: api, metadata: { name: 'x' }, ...body })
    const secret = (body) => attempt('secrets', 'v1', { kind: 'Secret', ...body })
    await secret({ type: 5 })
    await secret({ type: [] })
    await secret({ data: { a: 5 } })
    await secret({ immutable: 'x' })
    const claim = (spec) => attempt('persistentvolumeclaims', 'v1', { kind: 'PersistentVolumeClaim', spec })
    await claim({ accessModes: 'ReadWriteOnce' })
    await claim({ accessModes: [5] })
    await claim({ volumeMode: true })
    const pod = (spec) => attempt('pods', 'v1', { kind: 'Pod', spec })
    await pod({ restartPolicy: 5 })
    await pod({ volumes: [{ name: 'v', emptyDir: 'x' }] })
    await pod({ volumes: [{ name: 'v', configMap: { name: 5 } }] })
    await pod({ volumes: [{ name: 'v', emptyDir: { medium: 5 } }] })
    await pod({ containers: [{ name: 'c', livenessProbe: { httpGet: 5 } }] })
    await pod({ containers: [{ name: 'c', ports: [{ protocol: 6 }] }] })
    await pod({ containers: [{ name: 'c', env: [{ name: 'A', valueFrom: { configMapKeyRef: { name: 5 } } }] }] })
    await pod({ containers: [{ name: 'c', securityContext: { capabilities: { add: [1] } } }] })
    await pod({ tolerations: [{ effect: 1 }] })
    await attempt('ingresses', 'networking.k8s.io/v1', { kind: 'Ingress', spec: { rules: [{ http: 5 }] } })
    await attempt('networkpolicies', 'networking.k8s.io/v1', { kind: 'NetworkPolicy', spec: { policyTypes: [1] } })
    await attempt('jobs', 'batch/v1', { kind: 'Job', spec: { completionMode: 1 } })
    await t.post('/api/v1/persistentvolumes?dryRun=All', { kind: 'PersistentVolume', metadata: { name: `${ns}-v` }, spec: { csi: { driver: 5 } } })
  },
}
