import { careful, make } from '../lib.mjs'

export default {
  title: 'what is shown of claims and jobs that may not change',
  async run(t) {
    careful(t)
    const ns = await t.namespace()
    const patch = (path, body) => t.patch(`${path}?dryRun=All`, body, { headers: { 'content-type': 'application/merge-patch+json' } })

    const devices = { requests: [{ name: 'r', exactly: { deviceClassName: 'c' } }] }
    const more = {
      requests: [
        { name: 'r', firstAvailable: [{ name: 's', deviceClassName: 'd', selectors: [{ cel: { expression: 'true' } }], count: 2, tolerations: [{ key: 'k', operator: 'Exists', effect: 'NoSchedule' }] }] },
      ],
      constraints: [{ requests: ['r'], matchAttribute: 'example.com/a' }],
      config: [{ opaque: { driver: 'example.com', parameters: { a: 1 } } }],
    }
    const claims = `/apis/resource.k8s.io/v1/namespaces/${ns}/resourceclaims`
    const templates = `/apis/resource.k8s.io/v1/namespaces/${ns}/resourceclaimtemplates`
    const object = (kind, spec) => ({ apiVersion: 'resource.k8s.io/v1', kind, metadata: { name: 'a' }, spec })
    await make(t, claims, object('ResourceClaim', { devices }))
    await patch(`${claims}/a`, { spec: { devices: more } })
    await patch(`${claims}/a`, { spec: { devices: null } })
    await patch(`${claims}/a/status`, { status: { devices: [{ driver: 'example.com', pool: 'p', device: 'd' }] } })
    await make(t, templates, object('ResourceClaimTemplate', { metadata: { labels: { a: 'b' } }, spec: { devices } }))
    await patch(`${templates}/a`, { spec: { metadata: { labels: { a: 'c' } } } })

    const jobs = `/apis/batch/v1/namespaces/${ns}/jobs`
    const template = { spec: { automountServiceAccountToken: false, restartPolicy: 'Never', containers: [{ name: 'c', image: 'example.com/i:1' }] } }
    await make(t, jobs, { apiVersion: 'batch/v1', kind: 'Job', metadata: { name: 'a' }, spec: { completions: 2, completionMode: 'Indexed', template } })
    const exits = { action: 'FailJob', onExitCodes: { operator: 'In', values: [1, 2] } }
    const conditions = { action: 'Ignore', onPodConditions: [{ type: 'DisruptionTarget', status: 'True' }] }
    await patch(`${jobs}/a`, { spec: { podFailurePolicy: { rules: [exits, conditions] } } })
    await patch(`${jobs}/a`, { spec: { successPolicy: { rules: [{ succeededCount: 1 }] }, managedBy: 'example.com/m' } })
  },
}
