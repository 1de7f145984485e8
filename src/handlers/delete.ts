// DELETE on an object or on a collection.
import { parseListQuery } from '../api/list-query.ts'
import { asMap, textOrEmpty } from '../api/members.ts'
import { ApiError } from '../api/status.ts'
import type { ValueMap } from '../api/value.ts'
import { readDocument } from '../codec/request-body.ts'
import type { HttpResponse } from '../http/http.ts'
import { deleteCollection, deleteObject, deleteUnreadable } from '../registry/delete.ts'
import { type ParsedDeleteOptions, readDeleteOptions } from '../registry/delete-options.ts'
import { forbiddenError, resourceDetails } from '../registry/errors.ts'
import { listRequest } from '../registry/read.ts'
import type { WriteContext } from '../registry/registry.ts'
import { deleteOptionsOfQuery } from './delete-options.ts'
import { refuseLossyDelete, refuseLossyFields, refuseShards } from './lossy-options.ts'
import { bodyEncoding } from './media-types.ts'
import { listRulesOf, type ResourceParts, type ResourceRequest, writeContext } from './resource-parts.ts'
import { respondWithList, respondWithObject, respondWithStatus, viewOf } from './respond.ts'

const UNSAFE_GATE = 'AllowUnsafeMalformedObjectDeletion'
const UNSAFE_VERB = 'unsafe-delete-ignore-read-errors'

export async function handleDelete(parts: ResourceParts, request: ResourceRequest): Promise<HttpResponse> {
  const { resource, info } = request
  const name = info.name ?? ''
  const view = viewOf(parts, request)
  refuseLossyDelete(request.http.query)
  const bytes = await readOptions(request)
  const elsewhere = parts.largeWrites?.take({ verb: 'delete', request, bytes })
  if (elsewhere !== undefined) return elsewhere
  const options = optionsOf(parts, request, { bytes, isCollection: false })
  const context = deleteContext(parts, request, options)
  if (options.ignoreReadErrors) {
    await authorizeUnsafe(request, name, context)
    await deleteUnreadable(parts.registry, resource, name, context)
    return respondWithStatus(view, { name, kind: resource.kind }, 200)
  }
  const answer = await deleteObject(parts.registry, resource, { name, options }, context)
  if (answer.kind === 'gone') return respondWithStatus(view, { ...resourceDetails(resource, name), uid: answer.uid })
  // In this case only, the reference answers that the deletion is still pending (W-312).
  const isPending = !answer.removed && options.orphanDependents === false
  return respondWithObject(view, request, answer.object, isPending ? 202 : 200)
}

export async function handleDeleteCollection(parts: ResourceParts, request: ResourceRequest): Promise<HttpResponse> {
  const { http, resource } = request
  const view = viewOf(parts, request)
  refuseLossyDelete(http.query)
  const rules = listRulesOf(parts, resource)
  if (!rules.hasShards) refuseShards(http.query)
  const query = parseListQuery(http.query, rules)
  const options = optionsOf(parts, request, { bytes: await readOptions(request), isCollection: true })
  const context = { ...deleteContext(parts, request, options), deadline: undefined }
  const list = listRequest(request, query)
  const { page, items } = await deleteCollection(parts.registry, resource, { list, options }, context)
  return respondWithList(view, request, { ...page, batches: [items] }, query.shard)
}

/** Valid options are a few hundred bytes long. */
const MOST_OPTIONS_BYTES = 16 * 1024

async function readOptions({ http }: ResourceRequest): Promise<Buffer> {
  const bytes = await http.body.read()
  if (bytes.length <= MOST_OPTIONS_BYTES) return bytes
  const message = `Request entity too large: the limit for DeleteOptions is ${MOST_OPTIONS_BYTES}`
  throw new ApiError('RequestEntityTooLarge', message)
}

function optionsOf(
  parts: ResourceParts,
  request: ResourceRequest,
  { bytes, isCollection }: { readonly bytes: Buffer; readonly isCollection: boolean },
): ParsedDeleteOptions {
  const body = bytes.length === 0 ? undefined : decodeOptions(parts, request, bytes)
  // Options come from the body or from the query, never from both.
  const options = body ?? deleteOptionsOfQuery(request.http.query)
  return readDeleteOptions(options, { mayIgnoreReadErrors: parts.gates.has(UNSAFE_GATE), isCollection })
}

/** Reads DeleteOptions of any group and version. Unknown fields are ignored (W-294 to W-297), but misspelt fields are refused (D36). */
function decodeOptions(parts: ResourceParts, request: ResourceRequest, bytes: Buffer): ValueMap {
  const encoding = bodyEncoding(parts, request)
  try {
    const { value, source, problems } = readDocument(bytes, encoding, parts.deleteOptions.schema)
    const [kind, version] = [textOrEmpty(asMap(value), 'kind'), textOrEmpty(asMap(value), 'apiVersion')]
    if (kind !== '' && kind !== 'DeleteOptions') {
      throw new ApiError('BadRequest', `no kind "${kind}" is registered for version "${version}"`)
    }
    const decoded = parts.deleteOptions.decode(source)
    refuseLossyFields([...problems, ...decoded.problems])
    return decoded.value
  } catch (error) {
    if (error instanceof ApiError) throw error
    throw new ApiError('BadRequest', (error as Error).message)
  }
}

function deleteContext(parts: ResourceParts, request: ResourceRequest, options: ParsedDeleteOptions): WriteContext {
  const { dryRun, body } = options
  return writeContext(parts, request, { dryRun, fieldManager: '', fieldValidation: 'Warn', force: false, body })
}

/** The removal of an unreadable object needs a right of its own (W-349). */
async function authorizeUnsafe({ resource }: ResourceRequest, name: string, context: WriteContext): Promise<void> {
  try {
    await context.authorize(UNSAFE_VERB)
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    throw forbiddenError(resource, name, `not permitted to do "${UNSAFE_VERB}", reason: `)
  }
}
