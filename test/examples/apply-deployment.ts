// Applies a deployment, and finds that somebody else has set what it wants to change.
import { Client, hasReason, k8s } from 'quarterdeck/client'

using client = new Client()
const deployments = client.resource(k8s.Deployment).inNamespace('default')

function deployment(replicas: number): k8s.Deployment {
  const labels = { app: 'shop' }
  const template = { metadata: { labels }, spec: { containers: [{ name: 'shop', image: 'shop:1' }] } }
  return { metadata: { name: 'shop' }, spec: { replicas, selector: { matchLabels: labels }, template } }
}

await deployments.apply(deployment(1), { fieldManager: 'installer' })
try {
  await deployments.apply(deployment(3), { fieldManager: 'scaler' })
} catch (error) {
  if (!hasReason(error, 'Conflict')) throw error
  console.log(error.details?.causes?.map(({ field, message }) => `${field}: ${message}`).join('\n'))
}
const forced = await deployments.apply(deployment(3), { fieldManager: 'scaler', force: true })
console.log(`${forced.spec?.replicas} replicas`)
