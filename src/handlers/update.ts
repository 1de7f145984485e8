// PUT on an object or one of its subresources.
import { metaText } from '../registry/object-meta.ts'
import type { HttpResponse } from '../http/http.ts'
import { updateObject } from '../registry/update.ts'
import { bodyEncoding } from './media-types.ts'
import { checkName, decodeBody } from './read-body.ts'
import type { ResourceParts, ResourceRequest } from './resource-parts.ts'
import { withDefaults, writeContext } from './resource-parts.ts'
import { respondWithObject, viewOf } from './respond.ts'
import { parseWriteOptions } from './write-options.ts'

export async function handleUpdate(parts: ResourceParts, request: ResourceRequest): Promise<HttpResponse> {
  const { http, resource, info } = request
  const name = info.name ?? ''
  const view = viewOf(parts, request)
  const bytes = await http.readBody()
  const options = parseWriteOptions(http.query, 'UpdateOptions')
  const encoding = bodyEncoding(parts, request)
  const context = writeContext(parts, request, options)
  const { fieldValidation } = options
  const sent = decodeBody({ bytes, encoding, resource, resources: parts.resources(), fieldValidation, warn: http.warn })
  checkName(sent, name)
  const wanted = withDefaults(resource, sent, context)
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
  return respondWithObject(view, request, object, created ? 201 : 200)
}
