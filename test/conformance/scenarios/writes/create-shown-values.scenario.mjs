// Covers W-010.
import { inside, pod, podTemplate } from '../lib.mjs'

export default {
  title: 'records in messages, and features that are off',
  async run(t) {
    const ns = await t.namespace()
    const attempt = (resource, api, body) => t.post(`${inside(ns, resource, api)}?dryRun=All`, { apiVersion: api, metadata: { name: 'x' }, ...body })
    const selected = { selector: { matchLabels: { app: 'x' } }, template: podTemplate() }
    await attempt('deployments', 'apps/v1', { kind: 'Deployment', spec: { ...selected, strategy: { type: 'Odd' } } })
    await attempt('daemonsets', 'apps/v1', { kind: 'DaemonSet', spec: { ...selected, updateStrategy: { type: 'Odd' } } })
    await attempt('statefulsets', 'apps/v1', { kind: 'StatefulSet', spec: { ...selected, updateStrategy: { type: 'Odd' } } })
    const batch = { template: { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }] } } }
    await attempt('jobs', 'batch/v1', { kind: 'Job', spec: { ...batch, successPolicy: { rules: [{ succeededCount: 1 }] } } })
    await attempt('resourcequotas', 'v1', { kind: 'ResourceQuota', spec: { hard: { 'requests.storage': '1' }, scopeSelector: { matchExpressions: [{ scopeName: 'PriorityClass', operator: 'Exists' }] } } })
    const made = (spec) => t.post(`${inside(ns, 'podtemplates', 'v1')}?dryRun=All`, { metadata: { name: 'x' }, template: { spec: pod('x', undefined, spec).spec } })
    await made({ resourceClaims: [{ name: 'a' }] })
    await made({ securityContext: { seLinuxChangePolicy: 'MountOption' } })
    await made({ securityContext: { seccompProfile: { type: 'RuntimeDefault', localhostProfile: 'a' } } })
    await made({ containers: [{ name: 'c', image: 'i', lifecycle: { stopSignal: 'SIGTERM' } }] })
    await made({ volumes: [{ name: 'v', projected: { sources: [{ clusterTrustBundle: { name: 'b', path: 'p' } }] } }] })
    await made({ volumes: [{ name: 'v', gitRepo: { repository: 'r' } }] })
    await made({ volumes: [{ name: 'v', ephemeral: { volumeClaimTemplate: { metadata: { name: 'n', uid: 'u' }, spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } } } } }] })
  },
}
