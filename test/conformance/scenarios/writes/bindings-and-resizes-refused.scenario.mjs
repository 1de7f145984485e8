// Covers W-537, W-538.
import { accountReady, inside, make, pod } from '../lib.mjs'

const strategic = 'application/strategic-merge-patch+json'

export default {
  title: 'bindings without a name, and what a resize may not change',
  async run(t) {
    const ns = await t.namespace()
    await accountReady(t)
    const pods = inside(ns, 'pods', 'v1')
    await t.post(inside(ns, 'bindings', 'v1'), { target: { kind: 'Node', name: 'n' } })
    await t.post(inside(ns, 'bindings', 'v1'), { metadata: { name: 'nobody' }, target: { kind: 'Node', name: 'n' } })
    await make(t, pods, pod('p', undefined, { containers: [{ name: 'c', image: 'i', resources: { requests: { cpu: '100m' } } }] }))
    const resize = (container) => t.patch(`${pods}/p/resize?dryRun=All`, { spec: { containers: [{ name: 'c', ...container }] } }, strategic, { pick: (body) => (body.kind === 'Status' ? body : body.spec.containers) })
    await resize({ resources: { requests: { cpu: '150m' } } })
    await resize({ resizePolicy: [{ resourceName: 'cpu', restartPolicy: 'RestartContainer' }] })
    await resize({ resources: { claims: [{ name: 'x' }] } })
    await resize({ resources: { requests: { cpu: null } } })
  },
}
