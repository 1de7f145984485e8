// Covers W-084, W-261, W-279 to W-281.
import { applied, careful, configMap, customType, essence, inside, make, managers, merge, plain } from '../lib.mjs'

const schema = {
  openAPIV3Schema: {
    type: 'object',
    properties: {
      spec: { type: 'object', properties: { replicas: { type: 'integer' }, text: { type: 'string' } } },
      status: { type: 'object', properties: { replicas: { type: 'integer' } } },
    },
  },
}
const scale = { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' }

export default {
  title: 'owners of custom objects and of their scale, and what conflicts and patches say of owners',
  async run(t) {
    careful(t)
    const ns = await t.namespace()
    const type = await customType(t, { versions: [{ schema, subresources: { status: {}, scale } }] })
    const path = type.within(ns)
    const scaled = (replicas) => ({ apiVersion: 'autoscaling/v1', kind: 'Scale', metadata: { name: 'a', namespace: ns }, spec: { replicas } })
    // An empty list of owners says nothing of a custom object, a list of one empty owner does.
    await applied(t, `${path}/a`, 'author', type.widget('a', { spec: { replicas: 2, text: 'x' } }), managers)
    await t.patch(`${path}/a?fieldManager=patcher`, { metadata: { managedFields: [], labels: { a: '1' } } }, merge, managers)
    const { body } = await t.get(`${path}/a`, { pick: essence })
    await t.put(`${path}/a?fieldManager=putter`, { ...body, metadata: { ...body.metadata, managedFields: [], labels: { a: '2' } } }, managers)
    // Who scales it owns the number.
    await t.patch(`${path}/a/scale?fieldManager=scaler`, { spec: { replicas: 2 } }, merge, plain)
    await t.get(`${path}/a`, managers)
    await t.patch(`${path}/a/scale?fieldManager=scaler`, { spec: { replicas: 3 } }, merge, plain)
    await t.get(`${path}/a`, managers)
    await t.put(`${path}/a/scale?fieldManager=other`, scaled(4), plain)
    await t.get(`${path}/a`, managers)
    await applied(t, `${path}/a/scale`, 'third', scaled(4), plain)
    await t.get(`${path}/a`, managers)
    await applied(t, `${path}/a/scale`, 'third', scaled(5), plain)
    await applied(t, `${path}/a`, 'author', type.widget('a', { spec: { replicas: 6 } }), plain)
    await applied(t, `${path}/a`, 'author', type.widget('a', { spec: { replicas: 6 } }), { ...managers, force: true })
    await t.patch(`${path}/a`, { metadata: { managedFields: [{}] } }, merge, managers)
    await t.patch(`${path}/a/scale?fieldManager=scaler`, { spec: { replicas: 7 } }, merge, plain)
    await t.get(`${path}/a`, managers)
    // Conflicts are told level by level.
    const maps = inside(ns, 'configmaps')
    const said = (value, immutable) => ({ ...configMap('m', { l: value }, { a: value, b: value }), immutable })
    await applied(t, `${maps}/m`, 'one', said('1', false), managers)
    await applied(t, `${maps}/m`, 'two', said('2', true), plain)
    // A patch that names an owner twice is told of it when the object has been through admission, a PUT before.
    const owner = { apiVersion: 'v1', kind: 'Namespace', name: ns, uid: '11111111-2222-3333-4444-555555555555' }
    await make(t, maps, configMap('n'))
    await t.patch(`${maps}/n?dryRun=All`, { metadata: { ownerReferences: [owner, owner] } }, merge, plain)
    await t.put(`${maps}/n?dryRun=All`, { ...configMap('n'), metadata: { name: 'n', ownerReferences: [owner, owner] } }, plain)
  },
}
