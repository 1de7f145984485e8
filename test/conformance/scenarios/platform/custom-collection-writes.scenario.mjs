// Covers W-021, W-156.
import { careful, customType, names, noManaged } from '../lib.mjs'

export default {
  title: 'changing a whole collection of custom objects, and creating one at the address of another',
  async run(t) {
    careful(t)
    const ns = await t.namespace()
    const type = await customType(t)
    const path = type.within(ns)
    const contentType = (text) => ({ headers: { 'content-type': text } })

    await t.put(path, type.widget('a'))
    await t.request('PUT', path)
    for (const text of ['application/merge-patch+json', 'application/json-patch+json', 'application/apply-patch+yaml']) {
      await t.request('PATCH', path, { body: {}, ...contentType(text) })
    }
    await t.request('PATCH', path, { body: {}, ...contentType('application/strategic-merge-patch+json') })
    await t.request('PATCH', path, { body: {}, ...contentType('text/plain') })

    await t.post(`${path}/one`, type.widget('another'), { pick: noManaged })
    await t.post(`${path}/another`, type.widget('another'))
    await t.post(`${path}/one`, type.widget('one', { metadata: { namespace: 'elsewhere' } }))
    await t.post(`${path}/another/status`, type.widget('another'))
    await t.get(path, { pick: names })
  },
}
