// Somebody with few rights, for tests of what is not for everybody.
import type { OpenServer } from './running-server.ts'

/** A service account of the namespace `default` that may do there what the rules say; resolves with its token. */
export async function newUser(server: OpenServer, name: string, rules: readonly object[] = []): Promise<string> {
  const create = (at: string, body: object): Promise<Record<string, unknown>> =>
    server.must(at, { method: 'POST', body })
  const accounts = '/api/v1/namespaces/default/serviceaccounts'
  await create(accounts, { metadata: { name } })
  if (rules.length > 0) {
    const access = '/apis/rbac.authorization.k8s.io/v1/namespaces/default'
    const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name }
    const subjects = [{ kind: 'ServiceAccount', name, namespace: 'default' }]
    await create(`${access}/roles`, { metadata: { name }, rules })
    await create(`${access}/rolebindings`, { metadata: { name }, roleRef, subjects })
  }
  const { status } = await create(`${accounts}/${name}/token`, { spec: {} })
  return (status as { readonly token: string }).token
}
