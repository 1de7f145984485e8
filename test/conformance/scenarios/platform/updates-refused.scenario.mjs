// Covers W-078, W-482, W-600, W-603, W-611.
import { make, merge, worded } from '../lib.mjs'

export default {
  title: 'Changes to leases, events, addresses, runtime classes and webhooks that are refused',
  async run(t) {
    await t.namespace()
    const change = (path, patch) => t.patch(`${path}?dryRun=All`, patch, merge, { ...worded, label: JSON.stringify(patch) })
    const leases = `/apis/coordination.k8s.io/v1/namespaces/${t.ns}/leases`
    await make(t, leases, { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { name: 'l' }, spec: { holderIdentity: 'h' } })
    for (const patch of [{ metadata: { finalizers: ['plain'] } }, { metadata: { finalizers: ['Bad !'] } }, { spec: { leaseDurationSeconds: 0 } }, { spec: { leaseTransitions: -1 } }]) {
      await change(`${leases}/l`, patch)
    }
    const events = `/apis/events.k8s.io/v1/namespaces/${t.ns}/events`
    await make(t, events, {
      apiVersion: 'events.k8s.io/v1',
      kind: 'Event',
      metadata: { name: 'e' },
      eventTime: '2024-01-01T00:00:00.000000Z',
      reportingController: 'example.com/c',
      reportingInstance: 'i',
      action: 'a',
      reason: 'r',
      regarding: { kind: 'Pod', namespace: t.ns, name: 'p' },
      type: 'Normal',
    })
    for (const patch of [{ reportingController: 'example.com/d' }, { reportingInstance: 'j' }, { action: 'b' }, { action: null }, { reason: null }, { note: 'n' }, { type: 'Warning' }, { series: { count: 1 } }, { regarding: { name: 'q' } }]) {
      await change(`${events}/e`, patch)
    }
    const addresses = '/apis/networking.k8s.io/v1/ipaddresses'
    const address = '192.0.2.77'
    await make(t, addresses, { apiVersion: 'networking.k8s.io/v1', kind: 'IPAddress', metadata: { name: address }, spec: { parentRef: { resource: 'services', namespace: t.ns, name: 's' } } })
    t.cleanup('DELETE', `${addresses}/${address}`)
    for (const patch of [{ spec: { parentRef: null } }, { spec: { parentRef: { name: 'a/b' } } }, { spec: { parentRef: { resource: '' } } }, { metadata: { labels: { 'a b': 'c' } } }]) {
      await change(`${addresses}/${address}`, patch)
    }
    const post = (path, body) => t.post(`${path}?dryRun=All`, body, worded)
    for (const handler of ['', 'Bad', 'good']) {
      await post('/apis/node.k8s.io/v1/runtimeclasses', { apiVersion: 'node.k8s.io/v1', kind: 'RuntimeClass', metadata: { name: 'r', finalizers: ['plain'] }, handler })
    }
    for (const cidrs of [['10.200.0.0/16', '10.201.0.0/16'], ['10.200.0.0/16', 'x'], ['x'], ['10.200.0.0/16', 'fd00::/112']]) {
      await post('/apis/networking.k8s.io/v1/servicecidrs', { apiVersion: 'networking.k8s.io/v1', kind: 'ServiceCIDR', metadata: { name: t.ns }, spec: { cidrs } })
    }
    const hook = (clientConfig) => ({ name: 'a.example.com', sideEffects: 'None', admissionReviewVersions: ['v1'], clientConfig })
    for (const clientConfig of [{}, { url: 'x' }, { url: 'https://u:p@h/p?q#f' }, { service: {} }, { service: { name: 'n', namespace: 's', path: 'x', port: 0 } }, { url: 'https://h', service: { name: 'n', namespace: 's' } }]) {
      const body = { apiVersion: 'admissionregistration.k8s.io/v1', kind: 'ValidatingWebhookConfiguration', metadata: { name: t.ns }, webhooks: [hook(clientConfig)] }
      await post('/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations', body)
    }
    await post('/api/v1/nodes', { apiVersion: 'v1', kind: 'Node', metadata: { name: t.ns }, spec: { configSource: { configMap: { namespace: 'n', name: 'c', kubeletConfigKey: 'k' } } } })
    await post('/apis/storage.k8s.io/v1/csidrivers', { apiVersion: 'storage.k8s.io/v1', kind: 'CSIDriver', metadata: { name: t.ns }, spec: { tokenRequests: [{ audience: 'a' }] } })
    await post('/apis/certificates.k8s.io/v1/certificatesigningrequests', { apiVersion: 'certificates.k8s.io/v1', kind: 'CertificateSigningRequest', metadata: { name: t.ns }, spec: { signerName: 'nodomain', usages: ['client auth'] } })
  },
}
