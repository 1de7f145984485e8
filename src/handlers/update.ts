// PUT on an object or one of its subresources.
import { metaText } from '../api/object-members.ts'
import { withUniqueOwners } from '../registry/object-meta.ts'
import type { HttpResponse } from '../http/http.ts'
import { updateObject } from '../registry/update.ts'
import { bodyEncoding } from './media-types.ts'
import { checkName, decodeBody } from './read-body.ts'
import { type ResourceParts, type ResourceRequest, servedAt, withDefaults, writeContext } from './resource-parts.ts'
import { respondWithObject, viewOf } from './respond.ts'
import { parseWriteOptions } from './write-options.ts'

export async function handleUpdate(parts: ResourceParts, request: ResourceRequest): Promise<HttpResponse> {
  const { http, caller, resource, info } = request
  const name = info.name ?? ''
  const served = servedAt(request)
  const view = viewOf(parts, served)
  const bytes = await http.body.read()
  const elsewhere = parts.largeWrites?.take({ verb: 'update', request, bytes })
  if (elsewhere !== undefined) return elsewhere
  const options = parseWriteOptions(http.query, 'UpdateOptions')
  const encoding = bodyEncoding(parts, served)
  const context = writeContext(parts, request, options)
  const body = { bytes, encoding, resource: served.resource, resources: parts.resources(), options }
  const sent = decodeBody(body, context.warn)
  caller.audit.nameObject(sent.metadata)
  checkName(sent, name)
  const wanted = withUniqueOwners(withDefaults(served.resource, sent, context), '', http.responder.warn)
  const { object, created } = await updateObject(
    parts.registry,
    resource,
    {
      name,
      subresource: info.subresource ?? '',
      wanted: () => wanted,
      tracksFields: false,
      absent: 'put',
      uid: metaText(sent, 'uid'),
    },
    context,
  )
  return respondWithObject(view, served, object, created ? 201 : 200)
}
