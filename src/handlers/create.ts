// POST on a collection.
import type { HttpResponse } from '../http/http.ts'
import { createObject } from '../registry/create.ts'
import { decodeBody } from './read-body.ts'
import { type ResourceParts, type ResourceRequest, withDefaults, writeContext } from './resource-parts.ts'
import { respondWithObject, viewOf } from './respond.ts'
import { bodyEncoding } from './media-types.ts'
import { parseWriteOptions } from './write-options.ts'

export async function handleCreate(parts: ResourceParts, request: ResourceRequest): Promise<HttpResponse> {
  const { http, caller, resource } = request
  const view = viewOf(parts, request)
  const encoding = bodyEncoding(parts, request)
  const bytes = await http.body.read()
  const elsewhere = parts.largeWrites?.take({ verb: 'create', request, bytes })
  if (elsewhere !== undefined) return elsewhere
  const options = parseWriteOptions(http.query, 'CreateOptions')
  const context = writeContext(parts, request, options)
  const sent = decodeBody({ bytes, encoding, resource, resources: parts.resources(), options }, context.warn)
  caller.audit.nameObject(sent.metadata)
  const { object } = await createObject(parts.registry, resource, withDefaults(resource, sent, context), context)
  return respondWithObject(view, request, object, 201)
}
