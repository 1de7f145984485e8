// GET on an object with `?history=N`, if the gate is on: lists the versions that the storage still has, the newest first. With
// `deleted=true`, the list includes deleted objects of the same name.
import { ApiError } from '../api/status.ts'
import type { HttpResponse } from '../http/http.ts'
import { isTrue } from '../http/query.ts'
import { objectHistory } from '../registry/read.ts'
import { type ResourceParts, type ResourceRequest, servedAt } from './resource-parts.ts'
import { respondWithUnstored, servedItem, viewOf } from './respond.ts'

/** Each version is a read of the storage. */
const MOST_VERSIONS = 100

export async function handleHistory(
  parts: ResourceParts,
  request: ResourceRequest,
  read: NonNullable<ResourceParts['readHistory']>,
): Promise<HttpResponse> {
  const { http, info, caller } = request
  // The right to read a secret does not include its past values.
  if (info.group === '' && info.resource === 'secrets') {
    await parts.authorize(request, { verb: 'get', subresource: 'history' })
  }
  const served = servedAt(request)
  const view = viewOf(parts, served)
  const asked = {
    name: info.name ?? '',
    limit: limitIn(http.query.get('history') ?? ''),
    withDeleted: isTrue(http.query.get('deleted')),
  }
  const { objects, unreadable, isCut, isGone } = await objectHistory(read, request, asked, http.signal)
  caller.audit.annotate('quarterdeck/history', `${objects.length} versions`)
  if (isGone) http.responder.warn('the object is deleted')
  if (unreadable > 0) http.responder.warn(`${unreadable} versions of the object cannot be read`)
  if (isCut) http.responder.warn('older versions of the object are compacted')
  return respondWithUnstored(
    view,
    request,
    objects.map((object) => servedItem(served, object)),
  )
}

function limitIn(text: string): number {
  const limit = /^[0-9]{1,3}$/.test(text) ? Number(text) : 0
  if (limit >= 1 && limit <= MOST_VERSIONS) return limit
  throw new ApiError('BadRequest', `history must be a number from 1 to ${MOST_VERSIONS}`)
}
