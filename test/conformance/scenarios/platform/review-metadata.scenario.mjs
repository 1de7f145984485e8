// Covers P-046, P-085, P-155, P-160.
import { accountReady, plain, worded } from '../lib.mjs'

export default {
  title: 'What reviews make of metadata, tokens of what they are bound to, and impersonation of no name',
  async run(t) {
    await t.namespace()
    const group = '/apis/authorization.k8s.io/v1'
    const spec = { user: 'somebody', resourceAttributes: { namespace: t.ns, verb: 'get', resource: 'pods' } }
    for (const metadata of [{ uid: 'x' }, { creationTimestamp: '2024-01-01T00:00:00Z' }, { labels: { a: 'b' } }, { name: 'n' }, { finalizers: ['x'] }]) {
      const label = JSON.stringify(metadata)
      const say = (path, kind, rest) => t.post(path, { apiVersion: 'authorization.k8s.io/v1', kind, ...rest }, { ...worded, label })
      await say(`${group}/subjectaccessreviews`, 'SubjectAccessReview', { metadata, spec })
      await say(`${group}/namespaces/${t.ns}/localsubjectaccessreviews`, 'LocalSubjectAccessReview', { metadata: { ...metadata, namespace: t.ns }, spec })
      await say(`${group}/selfsubjectaccessreviews`, 'SelfSubjectAccessReview', { metadata, spec: { resourceAttributes: spec.resourceAttributes } })
    }
    for (const resource of [{ fieldSelector: {} }, { labelSelector: { rawSelector: 'a', requirements: [{ key: 'a', operator: 'Exists' }] } }, { labelSelector: { requirements: [{ key: 'a b', operator: 'In', values: [] }] } }]) {
      const body = { apiVersion: 'authorization.k8s.io/v1', kind: 'SubjectAccessReview', spec: { ...spec, resourceAttributes: { verb: 'list', resource: 'pods', ...resource } } }
      await t.post(`${group}/subjectaccessreviews`, body, worded)
    }
    await accountReady(t)
    for (const boundObjectRef of [{ kind: 'Secret', apiVersion: 'v1', name: '' }, { kind: 'Secret', apiVersion: 'v1', name: 'a/b' }, { kind: 'Secret', apiVersion: 'v1', name: 'gone' }, { kind: 'ConfigMap', apiVersion: 'v1', name: 'c' }]) {
      const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: { audiences: ['a'], boundObjectRef } }
      await t.post(`/api/v1/namespaces/${t.ns}/serviceaccounts/default/token`, body, { ...worded, label: JSON.stringify(boundObjectRef) })
    }
    const self = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' }
    for (const headers of [{ 'impersonate-group': 'g' }, { 'impersonate-uid': 'u' }, { 'impersonate-user': 'somebody', 'impersonate-extra-example.com%2fkey': 'v', 'impersonate-uid': 'u' }]) {
      await t.post('/apis/authentication.k8s.io/v1/selfsubjectreviews', self, { ...plain, headers, label: JSON.stringify(headers) })
    }
  },
}
