// The proxy to pods, services and nodes: passes a request on to an address that the objects name (P-425 to P-429).
import { isIP } from 'node:net'
import type { EndpointSlice, ObjectReference, Pod, Service } from '../api/gen/kinds.ts'
import { isKind } from '../api/kind-guard.ts'
import { parseLabelSelector } from '../api/selector-text.ts'
import { ApiError } from '../api/status.ts'
import { splitTarget } from '../http/exchange.ts'
import type { HttpResponse } from '../http/http.ts'
import type { OutgoingCaller, OutgoingTarget } from '../outgoing/call.ts'
import { OutgoingCallError } from '../outgoing/failure.ts'
import { notFoundError } from '../registry/errors.ts'
import { checkAdmission, refuseDryRun } from './connect-admission.ts'
import { connectionsOf, findNode, kubeletOf, originOf } from './kubelets.ts'
import { answerOf, headersToPass, refuseDots, searchToPass, switched, upgradeOf } from './passed-requests.ts'
import { readTarget } from './pod-container.ts'
import type { ResourceParts, ResourceRequest } from './resource-parts.ts'

interface Backend {
  readonly target: OutgoingTarget
  readonly caller: OutgoingCaller
}

export async function handleProxy(parts: ResourceParts, request: ResourceRequest): Promise<HttpResponse> {
  const { http, info, resource } = request
  refuseDryRun(request)
  await checkAdmission(parts, request)
  const id = splitId(info.name ?? '', resource.singular)
  const backend = await FINDERS[resource.resource]?.(parts, request, id)
  if (backend === undefined) throw notFoundError(resource, info.name ?? '')
  const upgrade = upgradeOf(http)
  if (upgrade === undefined && info.rest.length === 0 && !http.path.endsWith('/') && isRead(http.method)) {
    return { status: 301, headers: { location: `${http.path}/` }, body: { kind: 'empty' } }
  }
  return passOn(backend, request, upgrade)
}

const isRead = (method: string): boolean => method === 'GET' || method === 'HEAD'

/** Cookies belong to the console and to other sites, so the backend does not get them. */
const KEPT_HERE: ReadonlySet<string> = new Set(['cookie'])

async function passOn(
  { target, caller }: Backend,
  { http, info }: ResourceRequest,
  upgrade: ReturnType<typeof upgradeOf>,
): Promise<HttpResponse> {
  const hasBody = upgrade === undefined && !isRead(http.method)
  const body = hasBody ? await http.body.read() : undefined
  const path = pathBehind(info.rest, http.path)
  const headers = {
    ...headersToPass(http, KEPT_HERE),
    host: new URL(target.url).host,
    ...(body === undefined ? {} : { 'content-length': String(body.length) }),
    'x-forwarded-for': http.remote.address,
    'x-forwarded-host': http.host,
    'x-forwarded-proto': 'https',
    'x-forwarded-uri': splitTarget(http.target).path.replace(/[^!-~]/g, encodeURIComponent),
    ...upgrade,
  }
  const sent = { method: http.method, path: path + searchToPass(splitTarget(http.target).search), headers, body }
  const before = http.path.slice(0, http.path.length - decodedLength(info.rest, http.path))
  const moved = (location: string): string | undefined => movedTo(location, target.url, before)
  try {
    if (upgrade === undefined) return answerOf(await caller.open(target, sent, http.signal), moved)
    const answer = await caller.upgrade(target, sent, http.signal)
    return 'socket' in answer ? switched(answer, http) : answerOf(answer)
  } catch (error) {
    if (!(error instanceof OutgoingCallError)) throw error
    if (error.kind === 'address') throw notAllowed()
    throw new ApiError('ServiceUnavailable', `error trying to reach service: ${error.message}`)
  }
}

/** The length of the path after `proxy`. */
function decodedLength(rest: readonly string[], path: string): number {
  const tail = `/${rest.join('/')}${rest.length > 0 && path.endsWith('/') ? '/' : ''}`
  return path.endsWith(tail) ? tail.length : 0
}

/** The path for the backend. Throws `ApiError` if the backend could read a part of it as a step up. */
function pathBehind(rest: readonly string[], path: string): string {
  const tail = rest.join('/')
  refuseDots(`/${tail}`)
  return `/${rest.map(encodeURIComponent).join('/')}${tail !== '' && path.endsWith('/') ? '/' : ''}`
}

/** A redirect within the backend, as a path of this server. Undefined: the redirect leads elsewhere. */
function movedTo(location: string, origin: string, before: string): string | undefined {
  const isAbsolute = location.startsWith('/') || /^[a-z][a-z\d+.-]*:/i.test(location)
  if (!URL.canParse(location, origin)) return undefined
  const url = new URL(location, origin)
  if (url.origin !== new URL(origin).origin) return undefined
  return isAbsolute ? `${before}${url.pathname}${url.search}${url.hash}` : location
}

interface ProxyId {
  readonly scheme: 'http' | 'https'
  readonly name: string
  readonly port: string
}

/** `name`, `name:port` or `scheme:name:port` (P-425). */
function splitId(id: string, what: string): ProxyId {
  const [first = '', second = '', third = '', ...more] = id.split(':')
  const count = id.split(':').length
  const isScheme = first === 'http' || first === 'https' || first === ''
  const refused = new ApiError('BadRequest', `invalid ${what} request ${JSON.stringify(id)}`)
  if (more.length > 0 || (count === 3 && (!isScheme || second === '')) || (count < 3 && first === '')) throw refused
  if (count < 3) return { scheme: 'http', name: first, port: second }
  return { scheme: first === 'https' ? 'https' : 'http', name: second, port: third }
}

type Finder = (parts: ResourceParts, request: ResourceRequest, id: ProxyId) => Promise<Backend>

const FINDERS: Readonly<Record<string, Finder>> = { pods: findPod, services: findService, nodes: findKubelet }

async function findPod(
  parts: ResourceParts,
  request: ResourceRequest,
  { scheme, name, port }: ProxyId,
): Promise<Backend> {
  const pod = await readTarget(parts, request, name)
  if (!isKind(pod, 'core_v1.Pod')) throw notFoundError(request.resource, name)
  const address = pod.status.podIPs?.[0]?.ip ?? pod.status.podIP ?? ''
  const first = pod.spec.containers?.find(({ ports = [] }) => ports.length > 0)?.ports?.[0]?.containerPort
  return backendAt(parts, request, { pod, scheme, address, port: port === '' ? String(first ?? '') : port })
}

interface PodPort {
  readonly pod: Pod
  readonly scheme: string
  readonly address: string
  readonly port: string
}

async function backendAt(
  parts: ResourceParts,
  request: ResourceRequest,
  { pod, scheme, address, port }: PodPort,
): Promise<Backend> {
  if (isIP(address) === 0) throw notAllowed()
  const number = port === '' ? (scheme === 'https' ? 443 : 80) : portNumber(port)
  const { simulated, proxied: caller } = connectionsOf(parts)
  const node = simulated && (await findNode(parts, request, pod.spec.nodeName ?? ''))
  const connect = node && (await simulated?.port(node, pod, number))
  if (connect !== undefined) return { target: { url: originOf('http', address, number), connect }, caller }
  // The certificate is not verified: the request has no secret, and certificates of pods do not contain their addresses.
  const tls = scheme === 'https' ? { tls: { insecure: true } } : {}
  return { target: { url: originOf(scheme, address, number), ...tls }, caller }
}

function portNumber(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : 0
  if (port >= 1 && port <= 65_535) return port
  throw new ApiError('ServiceUnavailable', `error trying to reach service: invalid port ${JSON.stringify(text)}`)
}

/** A request without a port, or with the kubelet's port, goes to the kubelet, with the server's certificate for kubelets (P-429). */
async function findKubelet(
  parts: ResourceParts,
  request: ResourceRequest,
  { scheme, name, port }: ProxyId,
): Promise<Backend> {
  await readTarget(parts, request, name)
  const kubelet = await kubeletOf(parts, request, name)
  const { proxied: caller } = connectionsOf(parts)
  if (kubelet.connect !== undefined && port !== '' && port !== String(kubelet.port)) {
    throw new ApiError('ServiceUnavailable', `error trying to reach service: port ${port}: connect: connection refused`)
  }
  if (port === '' || port === String(kubelet.port)) return { target: kubelet, caller }
  const tls = scheme === 'https' ? { tls: { insecure: true } } : {}
  return { target: { url: originOf(scheme, kubelet.host, portNumber(port)), ...tls }, caller }
}

/** Finds a pod of a service in its endpoint slices. If there are none, the endpoints with the name of the service are used (P-426). */
async function findService(parts: ResourceParts, request: ResourceRequest, id: ProxyId): Promise<Backend> {
  const { name } = id
  const service = await readTarget(parts, request, name)
  if (!isKind(service, 'core_v1.Service')) throw notFoundError(request.resource, name)
  const portName = portNameOf(service, id.port)
  const behind = (await placesInSlices(parts, request, name)) ?? (await placesInEndpoints(parts, request, name))
  for (const { ip, targetRef, ports } of behind) {
    const port = ports?.find((each) => (each.name ?? '') === portName)?.port
    if (port === undefined || targetRef?.kind !== 'Pod' || targetRef.namespace !== request.namespace) continue
    const pod = await podAt(parts, request, { name: targetRef.name ?? '', ip })
    if (pod !== undefined) return backendAt(parts, request, { pod, scheme: id.scheme, address: ip, port: String(port) })
  }
  throw new ApiError('ServiceUnavailable', `no endpoints available for service ${JSON.stringify(request.info.name)}`)
}

/** The name of the service port. `port` is a name or a number. */
function portNameOf({ metadata, spec }: Service, port: string): string {
  if (!/^\d+$/.test(port)) return port
  const found = spec.ports?.find((each) => each.port === Number(port))
  if (found !== undefined) return found.name ?? ''
  const name = JSON.stringify(metadata.name)
  throw new ApiError('ServiceUnavailable', `no service port ${port} found for service ${name}`)
}

interface EndpointPlace {
  readonly ip: string
  readonly targetRef: ObjectReference | undefined
  readonly ports: readonly { readonly name?: string; readonly port?: number }[] | null | undefined
}

/** Undefined: the service has no slices. */
async function placesInSlices(
  parts: ResourceParts,
  { http, namespace }: ResourceRequest,
  name: string,
): Promise<readonly EndpointPlace[] | undefined> {
  const resource = parts.resources().find({ group: 'discovery.k8s.io', version: 'v1', resource: 'endpointslices' })
  if (resource === undefined) return undefined
  const selection = { labels: parseLabelSelector(`kubernetes.io/service-name=${name}`) }
  const list = {
    resource: resource.stored,
    namespace,
    at: { kind: 'latest' },
    selection,
    skipUnreadable: true,
  } as const
  const page = await parts.registry.store.list(list, http.signal)
  const slices: EndpointSlice[] = []
  for await (const batch of page.batches) {
    slices.push(
      ...batch.map((item) => item.object()).filter((slice) => isKind(slice, 'discovery.k8s.io_v1.EndpointSlice')),
    )
  }
  if (slices.length === 0) return undefined
  return slices.flatMap(({ endpoints, ports }) =>
    (endpoints ?? [])
      .filter(({ conditions }) => conditions.ready !== false)
      .flatMap(({ addresses, targetRef }) => (addresses ?? []).slice(0, 1).map((ip) => ({ ip, targetRef, ports }))),
  )
}

async function placesInEndpoints(
  parts: ResourceParts,
  { http, namespace }: ResourceRequest,
  name: string,
): Promise<readonly EndpointPlace[]> {
  const resource = parts.resources().find({ group: '', version: 'v1', resource: 'endpoints' })
  if (resource === undefined) return []
  const key = { resource: resource.stored, namespace, name }
  const { item } = await parts.registry.store.get(key, { kind: 'latest' }, http.signal)
  const found = item?.kind === 'object' ? item.object() : undefined
  if (!isKind(found, 'core_v1.Endpoints')) return []
  return (found.subsets ?? []).flatMap(({ addresses = [], ports }) =>
    addresses.map(({ ip, targetRef }) => ({ ip, targetRef, ports })),
  )
}

/** Undefined: the pod is gone, or has other addresses. */
async function podAt(
  parts: ResourceParts,
  { http, namespace }: ResourceRequest,
  { name, ip }: { readonly name: string; readonly ip: string },
): Promise<Pod | undefined> {
  const resource = parts.resources().find({ group: '', version: 'v1', resource: 'pods' })
  if (resource === undefined) return undefined
  const key = { resource: resource.stored, namespace, name }
  const { item } = await parts.registry.store.get(key, { kind: 'latest' }, http.signal)
  const pod = item?.kind === 'object' ? item.object() : undefined
  return isKind(pod, 'core_v1.Pod') && podAddresses(pod).includes(ip) ? pod : undefined
}

function podAddresses({ status }: Pod): readonly string[] {
  return (status.podIPs ?? []).map(({ ip }) => ip)
}

function notAllowed(): ApiError {
  return new ApiError('BadRequest', 'address not allowed')
}
