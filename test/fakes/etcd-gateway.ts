// Writes of other programs to a test etcd, which ours do not make: several keys in one revision, and keys with other hands on
// them. Over etcd's own HTTP gateway, so that nothing of ours is in between.

export async function putTogether(endpoint: string, items: Readonly<Record<string, string | Buffer>>): Promise<number> {
  const success = Object.entries(items).map(([key, value]) => ({
    request_put: { key: encode(key), value: encode(value) },
  }))
  return send(endpoint, 'kv/txn', { success })
}

export async function deleteTogether(endpoint: string, prefix: string): Promise<number> {
  return send(endpoint, 'kv/deleterange', { key: encode(prefix), range_end: encode(endOf(prefix)) })
}

/** A user with the password `limited` who may read and write under the prefix and nowhere else. */
export async function addLimitedUser(endpoint: string, rootPassword: string, prefix: string): Promise<void> {
  const { token } = (await post(endpoint, 'auth/authenticate', { name: 'root', password: rootPassword })) as {
    token: string
  }
  const perm = { permType: 'READWRITE', key: encode(prefix), range_end: encode(endOf(prefix)) }
  await post(endpoint, 'auth/role/add', { name: 'limited' }, token)
  await post(endpoint, 'auth/role/grant', { name: 'limited', perm }, token)
  await post(endpoint, 'auth/user/add', { name: 'limited', password: 'limited' }, token)
  await post(endpoint, 'auth/user/grant', { user: 'limited', role: 'limited' }, token)
}

function endOf(prefix: string): string {
  return prefix.slice(0, -1) + String.fromCharCode(prefix.charCodeAt(prefix.length - 1) + 1)
}

function encode(text: string | Buffer): string {
  return Buffer.from(text).toString('base64')
}

/** Gives the revision that it made. */
async function send(endpoint: string, path: string, body: object): Promise<number> {
  const { header } = (await post(endpoint, path, body)) as { header: { revision: string } }
  return Number(header.revision)
}

async function post(endpoint: string, path: string, body: object, token?: string): Promise<unknown> {
  const headers = token === undefined ? {} : { authorization: token }
  const response = await fetch(`${endpoint}/v3/${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
  if (!response.ok) throw new Error(`${path} answered ${response.status}: ${await response.text()}`)
  return response.json()
}

/** What is stored now, by its key. */
export async function keysUnder(endpoint: string, prefix: string): Promise<ReadonlyMap<string, Buffer>> {
  const range = { key: encode(prefix), range_end: encode(endOf(prefix)) }
  const { kvs = [] } = (await post(endpoint, 'kv/range', range)) as { kvs?: { key: string; value?: string }[] }
  return new Map(
    kvs.map(({ key, value = '' }) => [Buffer.from(key, 'base64').toString(), Buffer.from(value, 'base64')]),
  )
}

/** When each of the keys was written last. */
export async function revisionsUnder(endpoint: string, prefix: string): Promise<ReadonlyMap<string, number>> {
  const range = { key: encode(prefix), range_end: encode(endOf(prefix)), keys_only: true }
  const { kvs = [] } = (await post(endpoint, 'kv/range', range)) as { kvs?: { key: string; mod_revision: string }[] }
  return new Map(
    kvs.map(({ key, mod_revision: revision }) => [Buffer.from(key, 'base64').toString(), Number(revision)]),
  )
}
