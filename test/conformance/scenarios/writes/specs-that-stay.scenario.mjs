// Covers W-590.
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
    for (const shareID of ['x', 'A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11', 'g0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11', 'urn:uuid:a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11', 'xrn:uuid:a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11']) {
      await patch(`${claims}/a/status`, { status: { devices: [{ driver: 'example.com', pool: 'p', device: 'd', shareID }] } })
    }
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
