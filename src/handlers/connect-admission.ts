// Admission of CONNECT requests to pods, services and nodes. Admission sees the options of the request as an object (W-449).
import type { ApiObject } from '../api/object.ts'
import { ApiError } from '../api/status.ts'
import type { Value } from '../api/value.ts'
import { admissionRequest } from '../registry/steps.ts'
import { type ResourceParts, type ResourceRequest, writeContext } from './resource-parts.ts'
import { isTrue, type Query } from '../http/query.ts'
import { parseWriteOptions } from './write-options.ts'

interface OptionsKind {
  readonly kind: string
  readonly read: (query: Query, path: string) => Readonly<Record<string, Value>>
}

const STREAM_SWITCHES: readonly string[] = ['stdin', 'stdout', 'stderr', 'tty']

const proxied = (kind: string): OptionsKind => ({ kind, read: (_query, path) => (path === '' ? {} : { path }) })

const OPTIONS: Readonly<Record<string, OptionsKind>> = {
  'pods/exec': {
    kind: 'PodExecOptions',
    read: (query) => ({ ...streamOptions(query), command: [...query.all('command')] }),
  },
  'pods/attach': { kind: 'PodAttachOptions', read: streamOptions },
  'pods/portforward': {
    kind: 'PodPortForwardOptions',
    read: (query) => ({ ports: portsIn(query) }),
  },
  'pods/proxy': proxied('PodProxyOptions'),
  'services/proxy': proxied('ServiceProxyOptions'),
  'nodes/proxy': proxied('NodeProxyOptions'),
}

/** The ports that a request forwards. */
export function portsIn(query: Query): number[] {
  return query.all('ports').flatMap((list) => list.split(',').map(Number).filter(Number.isInteger))
}

export function refuseDryRun({ http }: ResourceRequest): void {
  if (http.query.all('dryRun').some((value) => value !== '')) {
    throw new ApiError('BadRequest', 'dryRun is not supported')
  }
}

function streamOptions(query: Query): Readonly<Record<string, Value>> {
  const container = query.get('container') ?? ''
  return {
    ...Object.fromEntries(STREAM_SWITCHES.filter((name) => isTrue(query.get(name))).map((name) => [name, true])),
    ...(container === '' ? {} : { container }),
  }
}

/** Throws `ApiError` if admission refuses the connection. */
export async function checkAdmission(parts: ResourceParts, request: ResourceRequest): Promise<void> {
  const { http, info, resource } = request
  const subresource = info.subresource ?? ''
  const options = OPTIONS[`${resource.resource}/${subresource}`]
  if (options === undefined) return
  const { kind, read } = options
  const path = info.rest.length === 0 ? '' : `/${info.rest.join('/')}`
  // Options have no metadata, unlike all other objects that admission sees.
  const object = { kind, apiVersion: 'v1', ...read(http.query, path) } as unknown as ApiObject
  const context = writeContext(parts, request, parseWriteOptions(http.query, 'CreateOptions'))
  const gvk = { group: '', version: 'v1', kind }
  const step = {
    resource,
    kind: gvk,
    operation: 'CONNECT',
    subresource,
    name: info.name ?? '',
    oldObject: undefined,
  } as const
  const { admission } = parts.registry
  const mutated = await admission.mutate(admissionRequest({ ...step, object }, context), context.signal)
  await admission.validate(admissionRequest({ ...step, object: mutated ?? object }, context), context.signal)
}
