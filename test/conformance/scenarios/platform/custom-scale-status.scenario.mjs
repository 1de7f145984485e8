import { careful, customType, essence, merge, plain } from '../lib.mjs'

const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } }
const scale = { specReplicasPath: '.spec.size', statusReplicasPath: '.status.size', labelSelectorPath: '.status.selector' }

export default {
  title: 'what the status of a custom object may say of its scale',
  async run(t) {
    careful(t)
    const ns = await t.namespace()
    const type = await customType(t, { versions: [{ schema, subresources: { status: {}, scale } }] })
    const path = type.within(ns)
    await t.post(path, type.widget('a', { spec: { size: 1 } }), { pick: essence })
    const said = [{ size: -1 }, { size: 3_000_000_000 }, { size: 'x' }, { size: 1.5 }, { selector: 5 }, { selector: { a: 'b' } }, { selector: [true] }, 7, { size: 2, selector: 'a=b' }]
    for (const status of said) await t.patch(`${path}/a/status`, { status }, merge, plain)
    // Elsewhere the status is not looked at.
    await t.patch(`${path}/a`, { status: { size: -1 } }, merge, plain)
    await t.post(path, type.widget('b', { spec: { size: -1 }, status: { size: -1 } }), plain)
  },
}
