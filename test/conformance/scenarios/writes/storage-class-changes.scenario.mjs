// Covers W-560, W-579.
import { careful, make } from '../lib.mjs'

export default {
  title: 'storage classes and endpoint slices stay what they are',
  async run(t) {
    careful(t)
    const ns = await t.namespace()
    const classes = '/apis/storage.k8s.io/v1/storageclasses'
    await make(t, classes, { apiVersion: 'storage.k8s.io/v1', kind: 'StorageClass', metadata: { name: ns }, provisioner: 'example.com/a', parameters: { a: '1' } })
    t.cleanup('DELETE', `${classes}/${ns}`)
    const patch = (path, body) => t.patch(`${path}?dryRun=All`, body, { headers: { 'content-type': 'application/merge-patch+json' } })
    await patch(`${classes}/${ns}`, { provisioner: 'example.com/b' })
    await patch(`${classes}/${ns}`, { parameters: { a: '2' } })
    await patch(`${classes}/${ns}`, { parameters: null })
    await patch(`${classes}/${ns}`, { reclaimPolicy: 'Retain', volumeBindingMode: 'WaitForFirstConsumer' })
    await patch(`${classes}/${ns}`, { provisioner: 'a b', reclaimPolicy: 'Odd' })

    const slices = `/apis/discovery.k8s.io/v1/namespaces/${ns}/endpointslices`
    await make(t, slices, { apiVersion: 'discovery.k8s.io/v1', kind: 'EndpointSlice', metadata: { name: 'a' }, addressType: 'IPv4', endpoints: [{ addresses: ['10.1.2.3'] }] })
    await patch(`${slices}/a`, { addressType: 'IPv6' })
    await patch(`${slices}/a`, { addressType: 'IPv6', endpoints: [{ addresses: ['10.1.2.4'] }] })
  },
}
