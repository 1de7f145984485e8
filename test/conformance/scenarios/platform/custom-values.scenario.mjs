// Covers W-434, W-436, W-439, P-324, P-326, P-330, P-338.
import { customType, merge, worded } from '../lib.mjs'

const RULES = 'x-kubernetes-validations'
const spec = {
  type: 'object',
  required: ['name'],
  properties: {
    name: { type: 'string', minLength: 2, maxLength: 10, pattern: '^[a-z]+$' },
    count: { type: 'integer', minimum: 1, maximum: 10, exclusiveMaximum: true, default: 3 },
    host: { type: 'string', format: 'hostname' },
    uri: { type: 'string', format: 'uri' },
    uniq: { type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'set' },
    keyed: {
      type: 'array',
      maxItems: 5,
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['k'],
      items: {
        type: 'object',
        required: ['k'],
        properties: { k: { type: 'string', maxLength: 5 }, v: { type: 'integer', default: 7 } },
        [RULES]: [{ rule: 'self.v < 100', messageExpression: "'v of ' + self.k", fieldPath: '.v', reason: 'FieldValueForbidden' }],
      },
    },
    embedded: { type: 'object', 'x-kubernetes-embedded-resource': true, 'x-kubernetes-preserve-unknown-fields': true },
    either: { type: 'object', properties: { a: { type: 'string' }, b: { type: 'string' } }, oneOf: [{ required: ['a'] }, { required: ['b'] }] },
    fixed: { type: 'string', maxLength: 20, [RULES]: [{ rule: 'self == oldSelf', message: 'stays' }] },
  },
  [RULES]: [{ rule: "self.name != 'forbidden'", message: 'that name is taken', reason: 'FieldValueDuplicate' }],
}
const status = { type: 'object', properties: { replicas: { type: 'integer' } } }

export default {
  title: 'Values of custom objects that the schema, the scale or the rules refuse',
  async run(t) {
    await t.namespace()
    const scale = { specReplicasPath: '.spec.count', statusReplicasPath: '.status.replicas' }
    const schema = { openAPIV3Schema: { type: 'object', properties: { spec, status } } }
    const type = await customType(t, { versions: [{ schema, subresources: { status: {}, scale } }] })
    const path = type.within(t.ns)
    const say = (values, more = {}) => t.post(`${path}?dryRun=All`, type.widget('w', { spec: values, ...more }), { ...worded, label: JSON.stringify(values) })
    const named = (more) => say({ name: 'abc', ...more })
    for (const host of ['a.example', 'a', 'a-b', 'ab-c', 'a.b', 'a..example', '-a']) await named({ host })
    for (const uri of ['*', '/x', 'http://x', 'x y', '']) await named({ uri })
    for (const uniq of [['a', 'b'], ['a', 'a', 'a'], ['a', 1]]) await named({ uniq })
    for (const keyed of [[{ k: 'a' }, { k: 'a' }], [{ k: 'a', v: 200 }], ['x'], [{}], [null]]) await named({ keyed })
    for (const embedded of [{}, { apiVersion: 'v1' }, { apiVersion: '', kind: '' }, { apiVersion: 'a/b/c', kind: 'Bad Kind' }]) await named({ embedded })
    for (const either of [{}, { a: 'x' }, { a: 'x', b: 'y' }]) await named({ either })
    for (const count of [0, 10, -1, 1.5, 'x', {}, null]) await named({ count })
    await say({ name: 'forbidden' })
    await say('x')
    await t.post(`${path}?dryRun=All`, { ...type.widget('w', { spec: { name: 'abc' } }), metadata: {} }, worded)
    await t.post(path, type.widget('w', { spec: { name: 'abc', fixed: 'a' } }), worded)
    for (const patch of [{ spec: { fixed: 'b' } }, { kind: 'Other' }, { metadata: { name: 'other' } }]) {
      await t.patch(`${path}/w`, patch, merge, worded)
    }
    for (const replicas of [4, -1, 100]) await t.patch(`${path}/w/scale`, { spec: { replicas } }, merge, worded)
    for (const accept of ['application/vnd.kubernetes.protobuf,application/json', 'text/plain', 'application/yaml']) {
      await t.get(`${path}/w/scale`, { headers: { accept }, pick: (body) => body?.kind ?? typeof body, label: accept })
    }
  },
}
