// Covers W-605, P-138.
import { actingAs, decided, make, worded } from '../lib.mjs'

const GROUP = 'rbac.authorization.k8s.io'
const ROOT = `/apis/${GROUP}/v1`

export default {
  title: 'Which rights a limited writer of roles may give away, rule by rule',
  async run(t) {
    await t.namespace()
    const user = `${t.ns}-writer`
    const name = `${t.ns}-writer`
    const apiVersion = `${GROUP}/v1`
    await make(t, `${ROOT}/clusterroles`, {
      apiVersion,
      kind: 'ClusterRole',
      metadata: { name },
      rules: [
        { apiGroups: [GROUP], resources: ['*'], verbs: ['get', 'create', 'update', 'patch'] },
        { apiGroups: [''], resources: ['pods', 'pods/log'], verbs: ['get', 'list'] },
        { apiGroups: [''], resources: ['configmaps'], resourceNames: ['one', 'two'], verbs: ['get', 'update'] },
        { nonResourceURLs: ['/healthz', '/x/*'], verbs: ['get'] },
        { apiGroups: ['apps'], resources: ['*'], verbs: ['get'] },
      ],
    })
    t.cleanup('DELETE', `${ROOT}/clusterroles/${name}`)
    await make(t, `${ROOT}/clusterrolebindings`, { apiVersion, kind: 'ClusterRoleBinding', metadata: { name }, roleRef: { apiGroup: GROUP, kind: 'ClusterRole', name }, subjects: [{ kind: 'User', apiGroup: GROUP, name: user }] })
    t.cleanup('DELETE', `${ROOT}/clusterrolebindings/${name}`)
    await decided(t, { user, groups: [] }, { verb: 'create', group: GROUP, resource: 'clusterroles' })
    const headers = actingAs(user)
    const give = async (rules) => {
      const options = { ...worded, headers, label: JSON.stringify(rules) }
      await t.post(`${ROOT}/namespaces/${t.ns}/roles?dryRun=All`, { apiVersion, kind: 'Role', metadata: { name: 'r' }, rules }, options)
      await t.post(`${ROOT}/clusterroles?dryRun=All`, { apiVersion, kind: 'ClusterRole', metadata: { name: `${t.ns}-r` }, rules }, options)
    }
    const core = (resources, verbs, more = {}) => ({ apiGroups: [''], resources, verbs, ...more })
    for (const rules of [
      [core(['pods'], ['get'])],
      [core(['pods'], ['get', 'delete'])],
      [core(['pods', 'secrets'], ['get'])],
      [core(['pods/*'], ['get'])],
      [core(['configmaps'], ['get'], { resourceNames: ['one'] })],
      [core(['configmaps'], ['get'], { resourceNames: ['one', 'three'] })],
      [core(['configmaps'], ['get'])],
      [{ apiGroups: ['*'], resources: ['*'], verbs: ['*'] }],
      [{ apiGroups: ['apps'], resources: ['deployments', 'deployments/scale'], verbs: ['get'] }],
      [{ apiGroups: ['apps', 'batch'], resources: ['jobs'], verbs: ['get'] }],
      [core(['nodes'], ['get']), core(['services'], ['list'])],
      [],
    ])
      await give(rules)
    for (const nonResourceURLs of [['/healthz'], ['/x/y', '/z'], ['*']]) {
      const body = { apiVersion, kind: 'ClusterRole', metadata: { name: `${t.ns}-r` }, rules: [{ nonResourceURLs, verbs: ['get'] }] }
      await t.post(`${ROOT}/clusterroles?dryRun=All`, body, { ...worded, headers, label: nonResourceURLs.join() })
    }
  },
}
