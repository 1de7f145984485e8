// exec, attach and portforward: streams between a client and a container. The kubelet of the container's node serves them. The server
// connects the client with the kubelet, and does not read the stream.
import { textOrEmpty, mapOrEmpty } from '../api/members.ts'
import { metaText } from '../api/object-members.ts'
import type { ApiObject } from '../api/object.ts'
import { ApiError } from '../api/status.ts'
import type { HttpResponse } from '../http/http.ts'
import { isTrue, type Query } from '../http/query.ts'
import { OutgoingCallError } from '../outgoing/failure.ts'
import { forbiddenError } from '../registry/errors.ts'
import { checkAdmission, portsIn, refuseDryRun } from './connect-admission.ts'
import { connectionsOf, kubeletOf } from './kubelets.ts'
import { answerOf, headersToPass, switched, upgradeOf } from './passed-requests.ts'
import { chooseContainer, readTarget } from './pod-container.ts'
import type { ResourceParts, ResourceRequest } from './resource-parts.ts'

/** The names of the subresources in the paths of kubelets. */
const PATHS: Readonly<Record<string, string>> = { exec: 'exec', attach: 'attach', portforward: 'portForward' }
/** The kubelet's names for the switches of clients. */
const SWITCHES = { stdin: 'input', stdout: 'output', stderr: 'error', tty: 'tty' } as const
/** Headers that kubelets do not need. */
const KEPT_HERE: ReadonlySet<string> = new Set(['cookie', 'origin', 'referer'])

/** Opens a stream to a container, or to ports of a pod. */
export async function handleStream(parts: ResourceParts, request: ResourceRequest): Promise<HttpResponse> {
  const { http, info } = request
  refuseDryRun(request)
  await checkAdmission(parts, request)
  await checkMayCreate(parts, request)
  const pod = await readTarget(parts, request, info.name ?? '')
  const container =
    info.subresource === 'portforward' ? undefined : chooseContainer(pod, http.query.get('container') ?? '')
  const node = textOrEmpty(mapOrEmpty(pod, 'spec'), 'nodeName')
  if (node === '') throw new ApiError('BadRequest', `pod ${info.name ?? ''} does not have a host assigned`)
  const kubelet = await kubeletOf(parts, request, node)
  const upgrade = upgradeOf(http)
  if (upgrade === undefined) throw new ApiError('BadRequest', 'Upgrade request required')
  const path = pathOf(pod, container, request)
  const headers = { ...headersToPass(http, KEPT_HERE), host: new URL(kubelet.url).host, ...upgrade }
  const sent = { method: http.method, path, headers, body: undefined }
  try {
    const answer = await connectionsOf(parts).kubelets.upgrade(kubelet, sent, http.signal)
    if ('socket' in answer) return switched(answer, http)
    if (answer.status >= 400) return answerOf(answer)
    answer.discard()
    throw new ApiError('', `invalid upgrade response: status code ${answer.status}`, { code: 502 })
  } catch (error) {
    if (!(error instanceof OutgoingCallError)) throw error
    throw new ApiError('', `error dialing backend: ${error.message}`)
  }
}

/** A stream into a pod can change it, so every method needs the right to create (P-106). */
async function checkMayCreate(parts: ResourceParts, request: ResourceRequest): Promise<void> {
  const { info, resource } = request
  if (info.verb === 'create' || !parts.gates.has('AuthorizePodWebsocketUpgradeCreatePermission')) return
  try {
    await parts.authorize(request, { verb: 'create' })
  } catch (error) {
    if (error instanceof ApiError && error.reason === 'Forbidden') throw forbiddenError(resource, info.name ?? '', '')
    throw error
  }
}

/** The path and query for the kubelet, which has other names for the options (P-416). */
function pathOf(pod: ApiObject, container: string | undefined, { http, info }: ResourceRequest): string {
  const { subresource = '' } = info
  const place = [PATHS[subresource] ?? '', metaText(pod, 'namespace'), metaText(pod, 'name'), container]
  const options = subresource === 'portforward' ? portOptions(http.query) : streamOptions(http.query, subresource)
  const search = new URLSearchParams(options).toString()
  const path = place.flatMap((part) => (part === undefined ? [] : [encodeURIComponent(part)])).join('/')
  return `/${path}${search === '' ? '' : `?${search}`}`
}

function portOptions(query: Query): [string, string][] {
  const ports = portsIn(query)
  return ports.length === 0 ? [] : [['port', ports.join(',')]]
}

function streamOptions(query: Query, subresource: string): [string, string][] {
  const switches = Object.entries(SWITCHES).flatMap(([name, ofKubelet]): [string, string][] =>
    isTrue(query.get(name)) ? [[ofKubelet, '1']] : [],
  )
  const command = subresource === 'exec' ? query.all('command') : []
  return [...command.map((word): [string, string] => ['command', word]), ...switches]
}
