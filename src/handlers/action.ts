// POST to an endpoint that performs an action on its body, with the checks of a create.
import type { HttpResponse } from '../http/http.ts'
import { isTrue } from '../http/query.ts'
import { runAction } from '../registry/action.ts'
import { bodyEncoding } from './media-types.ts'
import { decodeBody } from './read-body.ts'
import { type ActionRequest, type ResourceParts, withDefaults, writeContext } from './resource-parts.ts'
import { respondWithObject, respondWithStatus, viewOf } from './respond.ts'
import { parseWriteOptions } from './write-options.ts'

export async function handleAction(parts: ResourceParts, request: ActionRequest): Promise<HttpResponse> {
  const { http, caller, info, action, namespace } = request
  const { body, alsoVersions } = action
  const served = { http, caller, info, resource: body }
  const view = viewOf(parts, served, 'metadata')
  const encoding = bodyEncoding(parts, served)
  const bytes = await http.body.read()
  const elsewhere = parts.largeWrites?.take({ verb: 'action', request, bytes })
  if (elsewhere !== undefined) return elsewhere
  const options = parseWriteOptions(http.query, 'CreateOptions')
  const context = writeContext(parts, { http, caller, namespace }, options)
  const resources = parts.resources()
  const sent = decodeBody({ bytes, encoding, resource: body, alsoVersions, resources, options }, context.warn)
  const answer = await runAction(action, withDefaults(body, sent, context), {
    ...context,
    parts: parts.registry,
    resources,
    name: info.name ?? '',
    explain: isTrue(http.query.get('explain')),
  })
  if (answer.kind === 'done') return respondWithStatus(view, undefined, 201)
  return respondWithObject(view, served, answer.object, 201)
}
