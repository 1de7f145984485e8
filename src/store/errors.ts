// The only place that translates errors of the storage to API errors. The storage key is never shown (D23).
import { encodeContinue } from '../api/continue-token.ts'
import { formatGroupResource, type GroupResource } from '../api/object.ts'
import type { PagePosition } from '../api/read.ts'
import { ApiError, type StatusCause } from '../api/status.ts'
import type { WriteCondition } from '../api/write-condition.ts'
import { KvError } from '../kv/kv.ts'
import type { ObjectKey, UnreadableObject } from './store.ts'

export interface Operation {
  readonly verb: 'get' | 'list' | 'watch' | 'create' | 'update' | 'delete'
  readonly resource: GroupResource
  readonly revision?: number | undefined
  /** Set for pages after the first. */
  readonly position?: PagePosition | undefined
}

const TOO_LARGE = 'Request entity too large: the storage does not take an object of this size'

/** Errors other than a `KvError` are returned unchanged. */
export function translate(error: unknown, operation: Operation): unknown {
  if (!(error instanceof KvError)) return error
  switch (error.code) {
    case 'compacted':
      return expired(operation, error)
    case 'future':
      return tooLargeResourceVersion(operation.revision ?? 0, undefined)
    case 'unavailable':
      return serverTimeout(operation, error)
    case 'unknown':
      return new ApiError('Timeout', 'Timeout: the write may or may not have been applied', { cause: error })
    case 'full':
      return internal('the storage is out of space', error)
    case 'too-large':
      return new ApiError('RequestEntityTooLarge', TOO_LARGE, { cause: error })
    case 'denied':
      return internal('the storage denied access to the server', error)
    case 'corrupt':
      return internal('the storage is corrupt', error)
    case 'closed':
      return new ApiError('ServiceUnavailable', 'apiserver is shutting down', { cause: error })
  }
}

/** Translates an error of the whole storage again, in the words of the caller's operation. */
export function translateAgain(error: unknown, operation: Operation): unknown {
  return error instanceof ApiError && error.cause instanceof KvError ? translate(error.cause, operation) : error
}

/** */
function expired(operation: Operation, cause: unknown): ApiError {
  if (operation.verb === 'watch') return watchExpired(cause)
  if (operation.position === undefined) {
    return new ApiError('Expired', 'The resourceVersion for the provided list is too old.', { cause })
  }
  const message =
    'The provided continue parameter is too old to display a consistent list result. You can start a new list without ' +
    'the continue parameter, or use the continue token in this response to retrieve the remainder of the results. ' +
    'Continuing with the provided token results in an inconsistent list - objects that were created, modified, or ' +
    'deleted between the time the first chunk was returned and now may show up in the list.'
  const continueToken = encodeContinue({ revision: undefined, start: operation.position.start })
  return new ApiError('Expired', message, { continueToken, cause })
}

export function watchExpired(cause?: unknown): ApiError {
  return new ApiError('Expired', 'The resourceVersion for the provided watch is too old.', { cause })
}

/** `oldest`: the lowest version that is still available. */
export function tooOldResourceVersion(requested: number, oldest: number): ApiError {
  return new ApiError('Expired', `too old resource version: ${requested} (${oldest})`)
}

/** D18, R-073. */
export function tooLargeResourceVersion(requested: number, current: number | undefined): ApiError {
  const known = current === undefined ? '' : `, current: ${current}`
  return new ApiError('Timeout', `Timeout: Too large resource version: ${requested}${known}`, {
    details: {
      causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
      retryAfterSeconds: 1,
    },
  })
}

/** The error if the cache is not filled yet. */
export function notReady(): ApiError {
  return new ApiError('TooManyRequests', 'storage is (re)initializing', { details: { retryAfterSeconds: 1 } })
}

/** clients try again. */
function serverTimeout(operation: Operation, cause: unknown): ApiError {
  const { verb, resource } = operation
  const name = formatGroupResource(resource)
  const message = `The ${verb} operation against ${name} could not be completed at this time, please try again.`
  const group = resource.group === '' ? {} : { group: resource.group }
  const details = { name: verb, ...group, kind: resource.resource, retryAfterSeconds: 2 }
  return new ApiError('ServerTimeout', message, { details, cause })
}

function internal(problem: string, cause?: unknown): ApiError {
  return new ApiError('InternalError', `Internal error occurred: ${problem}`, {
    details: { causes: [{ message: problem }] },
    cause,
  })
}

/** The error if a condition of the write did not hold when the object was to be stored. */
export function conditionLost({ resource, name }: ObjectKey, conditions: readonly WriteCondition[]): ApiError {
  const what = `${formatGroupResource(resource)} ${JSON.stringify(name)}`
  const why = conditions.map(({ whenLost }) => whenLost).join(', or ')
  const group = resource.group === '' ? {} : { group: resource.group }
  return new ApiError('Conflict', `Operation cannot be fulfilled on ${what}: ${why}`, {
    details: { name, ...group, kind: resource.resource },
  })
}

export function notFound(resource: GroupResource, name: string): ApiError {
  const group = resource.group === '' ? {} : { group: resource.group }
  return new ApiError('NotFound', `${formatGroupResource(resource)} ${JSON.stringify(name)} not found`, {
    details: { name, ...group, kind: resource.resource },
  })
}

const MOST_CAUSES = 100

/** For lists and watches (R-028, W-354, W-355). */
export function unreadableObjects(
  resource: GroupResource,
  verb: 'list' | 'watch',
  items: readonly UnreadableObject[],
): ApiError {
  const causes: StatusCause[] = items.slice(0, MOST_CAUSES).map((item) => ({
    reason: 'UnexpectedServerResponse',
    message: item.problem,
    field: item.namespace === '' ? item.name : `${item.namespace}/${item.name}`,
  }))
  if (items.length > MOST_CAUSES) {
    causes.push({ reason: 'FieldValueTooMany', message: 'too many errors, the list is truncated' })
  }
  const message = `failed to read one or more ${formatGroupResource(resource)} from the storage`
  return new ApiError('StorageReadError', message, { details: { name: verb, kind: resource.resource, causes } })
}
