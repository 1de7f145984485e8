// Each request for component statuses checks the components. Component statuses are not stored, so they have no version and no pages.
import { parseListQuery } from '../api/list-query.ts'
import type { ApiObject } from '../api/object.ts'
import { matchesFields, matchesLabels } from '../api/selector.ts'
import { ApiError } from '../api/status.ts'
import { encodeJson } from '../codec/json-encode.ts'
import type { ListItem } from '../codec/list-json.ts'
import type { HttpResponse } from '../http/http.ts'
import { anySignal } from '../lib/light-signal.ts'
import { type ComponentProbe, fieldsOf, type ResourceParts, type ResourceRequest } from './resource-parts.ts'
import { respondWithUnstored, respondWithObject, viewOf } from './respond.ts'

export async function handleComponentStatuses(parts: ResourceParts, request: ResourceRequest): Promise<HttpResponse> {
  const { http, info, resource } = request
  const view = viewOf(parts, request)
  const probes = parts.components ?? []
  if (info.name !== undefined) {
    const probe = probes.find(({ name }) => name === info.name)
    if (probe === undefined) throw notFound(info.name)
    return respondWithObject(view, request, await statusOf(probe, http.signal), 200)
  }
  const { labels, fields } = parseListQuery(http.query, { selectable: fieldsOf(resource), hasShards: false })
  const wanted = probes.filter(
    ({ name }) =>
      matchesLabels(labels, undefined) && matchesFields(fields, (field) => (field === 'metadata.name' ? name : '')),
  )
  const objects = await Promise.all(wanted.map((probe) => statusOf(probe, http.signal)))
  const items = objects.map(
    (object): ListItem => ({
      bytes: encodeJson(object, resource.schema),
      object: () => object,
    }),
  )
  return respondWithUnstored(view, request, items)
}

async function statusOf({ name, check }: ComponentProbe, signal: AbortSignal): Promise<ApiObject> {
  const condition = { type: 'Healthy', status: 'True', message: 'ok' }
  const status = { kind: 'ComponentStatus', apiVersion: 'v1', metadata: { name } }
  try {
    await check(signal)
    return { ...status, conditions: [condition] }
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    return { ...status, conditions: [{ ...condition, status: 'False', message }] }
  }
}

/** The reference names the resource differently in this message. */
function notFound(name: string): ApiError {
  const kind = 'componentstatus'
  return new ApiError('NotFound', `${kind} ${JSON.stringify(name)} not found`, { details: { name, kind } })
}

/** The ports of the reference's components on their own machine. */
const LOCAL = { 'controller-manager': 10_257, scheduler: 10_259 } as const
const PATIENCE_MS = 5_000
const LONGEST_ANSWER = 1_024

/** Probes of each storage server, and of a scheduler and a controller manager on this machine. */
export function componentProbes(
  checkStorage: (signal: AbortSignal) => Promise<unknown>,
  stores: number,
): readonly ComponentProbe[] {
  const check = async (signal: AbortSignal): Promise<void> => {
    await checkStorage(anySignal([signal, AbortSignal.timeout(PATIENCE_MS)]))
  }
  return [
    ...Object.entries(LOCAL).map(([name, port]) => ({ name, check: (signal: AbortSignal) => askLocal(port, signal) })),
    ...Array.from({ length: stores }, (_, i) => ({ name: `etcd-${i}`, check })),
  ]
}

/** Asks a component on this machine. Its certificate is not verified, because components sign their certificates themselves. */
async function askLocal(port: number, signal: AbortSignal): Promise<void> {
  const { get } = await import('node:https')
  const place = `127.0.0.1:${port}`
  const patience = anySignal([signal, AbortSignal.timeout(PATIENCE_MS)])
  await new Promise<void>((resolve, reject) => {
    const fail = (why: string): void => reject(new Error(`Get "https://${place}/healthz": ${why}`))
    const options = {
      host: '127.0.0.1',
      port,
      path: '/healthz',
      rejectUnauthorized: false,
      agent: false,
      signal: patience,
    }
    get(options, (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (piece: string) => {
        if (text.length < LONGEST_ANSWER) text += piece
      })
      response.on('error', ({ message }) => fail(message))
      response.on('end', () => {
        if (response.statusCode === 200) resolve()
        else fail(`unhealthy http status code: ${response.statusCode} body: ${text}`)
      })
    }).on('error', (error: NodeJS.ErrnoException) => {
      fail(error.code === 'ECONNREFUSED' ? `dial tcp ${place}: connect: connection refused` : error.message)
    })
  })
}
