// A shop in a namespace, with all that a graph of it shows: an ingress, services, budgets, configuration, and things that are missing.
import type { OpenServer } from '../rigs/running-server.ts'

const NAMESPACE = 'shop'

/** Into the namespace `shop` of the shown cluster. */
export async function makeShownShop(server: OpenServer): Promise<void> {
  const create = (group: string, plural: string, name: string, more: object): Promise<unknown> =>
    server.must(`${group}/namespaces/${NAMESPACE}/${plural}`, { method: 'POST', body: { metadata: { name }, ...more } })
  const backend = (name: string): object => ({ service: { name, port: { number: 80 } } })
  const paths = ['web', 'cart'].map((name) => ({ path: `/${name}`, pathType: 'Prefix', backend: backend(name) }))
  const rules = [{ host: 'shop.example', http: { paths } }]
  const tls = [{ hosts: ['shop.example'], secretName: 'shop-tls' }]
  await create('/apis/networking.k8s.io/v1', 'ingresses', 'shop', { spec: { rules, tls } })
  for (const app of ['web', 'cart', 'search']) {
    const spec = { selector: { app }, ports: [{ port: 80 }] }
    await create('/api/v1', 'services', app, { spec })
  }
  const selector = { matchExpressions: [{ key: 'app', operator: 'In', values: ['cart'] }] }
  await create('/apis/policy/v1', 'poddisruptionbudgets', 'cart', { spec: { minAvailable: 1, selector } })
  await create('/apis/autoscaling/v2', 'horizontalpodautoscalers', 'web', {
    spec: { scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' }, maxReplicas: 9 },
  })
  await create('/api/v1', 'configmaps', 'web-settings', { data: { colour: 'blue' } })
  await create('/api/v1', 'configmaps', 'nobody-uses-me', {})
  await create('/api/v1', 'secrets', 'shop-tls', { stringData: { key: 'hidden-key' } })
  await create('/api/v1', 'serviceaccounts', 'nightly', {})
  const nightly = {
    restartPolicy: 'Never',
    serviceAccountName: 'nightly',
    volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'reports' } }],
    containers: [
      {
        name: 'main',
        image: 'registry.example/nightly:1',
        envFrom: [{ configMapRef: { name: 'web-settings' } }],
        env: [{ name: 'KEY', valueFrom: { secretKeyRef: { name: 'not-there', key: 'key' } } }],
      },
    ],
  }
  const jobTemplate = { spec: { template: { spec: nightly } } }
  await create('/apis/batch/v1', 'cronjobs', 'nightly', { spec: { schedule: '0 3 * * *', jobTemplate } })
}
