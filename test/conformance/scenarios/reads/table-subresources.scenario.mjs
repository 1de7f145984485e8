//
import { asTable, make, table } from '../lib.mjs'

export default {
  title: 'Tables of subresources, of policy bindings and of objects in awkward states',
  async run(t) {
    await t.namespace()
    const shown = (path, label) => t.get(path, { headers: { accept: asTable }, label, pick: (body) => (body?.kind === 'Table' ? table(body).rows.map((row) => row.cells) : body) })
    const held = async (path, body) => {
      await make(t, path, body)
      t.cleanup('DELETE', `${path}/${body.metadata.name}`)
    }
    const services = '/apis/apiregistration.k8s.io/v1/apiservices'
    await shown(`${services}/v1.apps`, 'a service of the API')
    await shown(`${services}/v1.apps/status`, 'its status')
    const bindings = '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings'
    const binding = (suffix, paramRef) => ({ apiVersion: 'admissionregistration.k8s.io/v1', kind: 'ValidatingAdmissionPolicyBinding', metadata: { name: `${t.ns}-${suffix}` }, spec: { policyName: 'p', validationActions: ['Audit'], paramRef } })
    const selector = { matchLabels: { b: 'c', a: 'd' }, matchExpressions: [{ key: 'k', operator: 'In', values: ['v', 'w'] }] }
    await held(bindings, binding('s', { selector, parameterNotFoundAction: 'Allow' }))
    await held(bindings, binding('n', { name: 'x', namespace: 'y', parameterNotFoundAction: 'Allow' }))
    for (const suffix of ['s', 'n']) await shown(`${bindings}/${t.ns}-${suffix}`, suffix)
    const claims = `/apis/resource.k8s.io/v1/namespaces/${t.ns}/resourceclaims`
    await held(claims, { apiVersion: 'resource.k8s.io/v1', kind: 'ResourceClaim', metadata: { name: 'c' }, spec: { devices: { requests: [{ name: 'r', exactly: { deviceClassName: 'd' } }] } } })
    for (const path of ['c', 'c/status']) await shown(`${claims}/${path}`, path)
    const scales = `/apis/apps/v1/namespaces/${t.ns}/deployments`
    const template = { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } }
    await held(scales, { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'd' }, spec: { selector: { matchLabels: { a: 'b' } }, template } })
    for (const path of ['d/scale', 'd/status']) await shown(`${scales}/${path}`, path)
  },
}
