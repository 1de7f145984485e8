// Finds the kubelet of a node, and the certificates for connections to it (P-400, P-401).
import { isIP } from 'node:net'
import type { Node } from '../api/gen/kinds.ts'
import { isKind } from '../api/kind-guard.ts'
import { ApiError } from '../api/status.ts'
import { isTrue } from '../http/query.ts'
import type { OutgoingTarget } from '../outgoing/call.ts'
import type { OutgoingTls } from '../outgoing/connections.ts'
import type { NodeConnections } from './node-connections.ts'
import type { ResourceParts, ResourceRequest } from './resource-parts.ts'

export interface Kubelet extends OutgoingTarget {
  readonly host: string
  readonly port: number
}

/** Throws `ApiError` if the server connects to no nodes. */
export function connectionsOf({ nodes }: ResourceParts): NodeConnections {
  if (nodes === undefined) throw new ApiError('ServiceUnavailable', 'this server does not connect to nodes')
  return nodes
}

/** The kubelet of a node. Throws `ApiError` if the node does not exist or reports no usable address. */
export async function kubeletOf(parts: ResourceParts, request: ResourceRequest, name: string): Promise<Kubelet> {
  const node = await findNode(parts, request, name)
  if (node === undefined) {
    throw new ApiError('NotFound', `pods ${JSON.stringify(name)} not found`, { details: { name, kind: 'pods' } })
  }
  return kubeletAt(parts, request, node)
}

async function kubeletAt(parts: ResourceParts, { http, info }: ResourceRequest, node: Node): Promise<Kubelet> {
  const { addressTypes, port: usual, files, simulated } = connectionsOf(parts)
  const { metadata, status } = node
  const connect = await simulated?.kubelet(node)
  if (connect !== undefined) return { host: '', port: usual, url: `http://${metadata.name}.simulated`, connect }
  const host = addressOf(status.addresses ?? [], addressTypes)
  const reported = status.daemonEndpoints.kubeletEndpoint.Port
  const port = reported > 0 ? reported : usual
  const { certificate, authority } = files()
  // Only requests for logs can skip the verification: a stream into a pod must not reach another server (P-409).
  const isUnverified = info.subresource === 'log' && isTrue(http.query.get('insecureSkipTLSVerifyBackend'))
  const tls: OutgoingTls = {
    ...certificate,
    ...(isUnverified ? { insecure: true } : authority === undefined ? {} : { ca: authority }),
  }
  return { host, port, url: originOf('https', host, port), tls }
}

export async function findNode(
  parts: ResourceParts,
  { http }: ResourceRequest,
  name: string,
): Promise<Node | undefined> {
  const nodes = parts.resources().find({ group: '', version: 'v1', resource: 'nodes' })
  if (nodes === undefined) return undefined
  const key = { resource: nodes.stored, namespace: '', name }
  const { item } = await parts.registry.store.get(key, { kind: 'latest' }, http.signal)
  const node = item?.kind === 'object' ? item.object() : undefined
  return isKind(node, 'core_v1.Node') ? node : undefined
}

type Addresses = NonNullable<Node['status']['addresses']>

function addressOf(addresses: Addresses, types: readonly string[]): string {
  for (const type of types) {
    const found = addresses.find((each) => each.type === type)
    if (found !== undefined) return found.address
  }
  const known = addresses.map(({ type, address }) => `{${type} ${address}}`).join(' ')
  throw new ApiError('', `no preferred addresses found; known addresses: [${known}]`)
}

/** Throws `ApiError` for a host that is neither a name nor an address, because a URL could read it as another host. */
export function originOf(scheme: string, host: string, port: number): string {
  const isName = /^[a-z\d](?:[-.\w]*[a-z\d])?\.?$/i.test(host)
  if (isIP(host) === 0 && !isName) throw new ApiError('BadRequest', `invalid host ${JSON.stringify(host)}`)
  return `${scheme}://${isIP(host) === 6 ? `[${host}]` : host}:${port}`
}
