// Writes of other programs to a test etcd, which ours do not make: several keys in one revision, and keys with other hands on
// them. Over etcd's own HTTP gateway, so that nothing of ours is in between.

export async function putTogether(endpoint: string, items: Readonly<Record<string, string>>): Promise<number> {
  const success = Object.entries(items).map(([key, value]) => ({
    request_put: { key: encode(key), value: encode(value) },
  }))
  return send(endpoint, 'kv/txn', { success })
}

export async function deleteTogether(endpoint: string, prefix: string): Promise<number> {
  const end = prefix.slice(0, -1) + String.fromCharCode(prefix.charCodeAt(prefix.length - 1) + 1)
  return send(endpoint, 'kv/deleterange', { key: encode(prefix), range_end: encode(end) })
}

function encode(text: string): string {
  return Buffer.from(text).toString('base64')
}

/** Gives the revision that it made. */
async function send(endpoint: string, path: string, body: object): Promise<number> {
  const response = await fetch(`${endpoint}/v3/${path}`, { method: 'POST', body: JSON.stringify(body) })
  if (!response.ok) throw new Error(`${path} answered ${response.status}: ${await response.text()}`)
  const { header } = (await response.json()) as { header: { revision: string } }
  return Number(header.revision)
}
