// A small cluster to take pictures of: deployments with their pods in two namespaces, owned by several managers.
import type { OpenServer } from '../rigs/running-server.ts'

const APPS: readonly (readonly [namespace: string, app: string, replicas: number])[] = [
  ['shop', 'web', 6],
  ['shop', 'cart', 4],
  ['shop', 'search', 3],
  ['harbour', 'pilot', 5],
  ['harbour', 'crane', 4],
]
const PHASES = ['Running', 'Running', 'Running', 'Running', 'Pending', 'Running', 'Succeeded', 'Failed'] as const
const HASH = '6d4cf56db'

type Created = { readonly metadata: { readonly uid: string } }

export async function makeShownCluster(server: OpenServer): Promise<void> {
  const send = (method: string, type: string) => async (place: string, body: object) =>
    (await server.must(place, { method, headers: { 'content-type': type }, body })) as unknown as Created
  const create = send('POST', 'application/json')
  const apply = send('PATCH', 'application/apply-patch+yaml')
  const merge = send('PATCH', 'application/merge-patch+json')
  for (const name of ['shop', 'harbour']) await create('/api/v1/namespaces', { metadata: { name } })
  let count = 0
  for (const [namespace, app, replicas] of APPS) {
    const apps = `/apis/apps/v1/namespaces/${namespace}`
    const labels = { app }
    const podSpec = { containers: [{ name: app, image: `registry.example/${app}:1.4` }] }
    const spec = { replicas, selector: { matchLabels: labels }, template: { metadata: { labels }, spec: podSpec } }
    const deployment = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: app, labels }, spec }
    const made = await apply(`${apps}/deployments/${app}?fieldManager=helm`, deployment)
    const ownedBy = (kind: string, name: string, owner: Created): object[] => [
      { apiVersion: 'apps/v1', kind, name, uid: owner.metadata.uid, controller: true },
    ]
    const set = `${app}-${HASH}`
    const setMetadata = { name: set, labels, ownerReferences: ownedBy('Deployment', app, made) }
    const madeSet = await create(`${apps}/replicasets`, { metadata: setMetadata, spec })
    for (let pod = 0; pod < replicas; pod++, count++) {
      const name = `${set}-${'bcdfghjk'[pod]}x${pod}`
      const metadata = { name, labels, ownerReferences: ownedBy('ReplicaSet', set, madeSet) }
      const place = `/api/v1/namespaces/${namespace}/pods`
      await create(place, { metadata, spec: podSpec })
      const phase = PHASES[count % PHASES.length]!
      const status = {
        name: app,
        ready: phase === 'Running',
        restartCount: count % 7 === 6 ? 2 : 0,
        image: '',
        imageID: '',
      }
      const body = { status: { phase, containerStatuses: [status] } }
      await merge(`${place}/${name}/status?fieldManager=kubelet`, body)
    }
  }
  const scaled = { metadata: { annotations: { 'example.com/last-scaled': '2026-11-16' } }, spec: { replicas: 6 } }
  await merge('/apis/apps/v1/namespaces/shop/deployments/web?fieldManager=autoscaler', scaled)
}
