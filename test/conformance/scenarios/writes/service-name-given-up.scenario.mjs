// Covers W-553.
import { inside, make, merge } from '../lib.mjs'

export default {
  title: 'what a service keeps when its type changes',
  async run(t) {
    const ns = await t.namespace()
    const at = inside(ns, 'services', 'v1')
    await make(t, at, { metadata: { name: 's' }, spec: { type: 'ExternalName', externalName: 'example.com', ports: [{ port: 80 }] } })
    const told = { pick: (body) => ({ ...body, spec: { ...body.spec, clusterIP: 'some', clusterIPs: ['some'] } }) }
    await t.patch(`${at}/s`, { spec: { type: 'ClusterIP' } }, merge, told)
    await t.patch(`${at}/s`, { spec: { externalName: null } }, merge, told)
    await make(t, at, { metadata: { name: 'l' }, spec: { type: 'LoadBalancer', ports: [{ port: 80 }] } })
    const ports = { pick: (body) => body.spec.ports.map((port) => 'nodePort' in port) }
    await t.patch(`${at}/l`, { spec: { allocateLoadBalancerNodePorts: false } }, merge, ports)
    await t.patch(`${at}/l`, { spec: { ports: [{ port: 80 }] } }, merge, ports)
  },
}
