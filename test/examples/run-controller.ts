// A controller that keeps a quota in each namespace with the label `team`. When the quota is deleted, the controller makes it again.
import { Client, k8s, runController } from 'quarterdeck/client'

using client = new Client()
const quotas = client.resource(k8s.ResourceQuota).inNamespace('blue')
await client.resource(k8s.Namespace).create({ metadata: { name: 'blue', labels: { team: 'blue' } } })

const stop = new AbortController()
const made = new Set<string>()
await runController({
  client,
  for: { kind: k8s.Namespace, labelSelector: 'team' },
  owns: [k8s.ResourceQuota],
  fieldManager: 'team-quotas',
  signal: stop.signal,
  reconcile: async ({ name: namespace, object, apply }) => {
    if (object === undefined) return
    const quota = { metadata: { name: 'team', namespace }, spec: { hard: { pods: '10' } } }
    const { metadata } = await apply(k8s.ResourceQuota, quota)
    if (made.has(metadata.uid)) return
    made.add(metadata.uid)
    console.log(`made the quota of ${namespace}`)
    if (made.size === 1) await quotas.delete('team')
    else stop.abort()
  },
})
