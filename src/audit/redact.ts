// Removes the contents of secrets, and tokens: no policy may log them. A careless policy must not turn the audit log into a copy of all
// secrets.
import { withoutManagedFields } from '../api/object-members.ts'
import { isList, isMap, own, type Value, type ValueMap } from '../api/value.ts'
import type { MaybePromise } from '../lib/maybe-promise.ts'
import type { AuditedRequest, AuditOutcome } from './audit.ts'

const HIDDEN = '[hidden]'
const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration'

/** The facts on which the logged text of a body depends. */
export interface RedactOptions {
  readonly info: AuditedRequest['info']
  readonly isPatch: boolean
  readonly omitManagedFields: boolean
}

/** The body of a request or of its answer, as it was sent. */
export interface AuditedBody extends RedactOptions {
  readonly bytes: Uint8Array
  readonly contentType: string
  readonly user: string
}

/** The body in JSON, without secrets. Undefined: the body is not kept. A promise never rejects: another thread writes the text. */
export type BodyText = (body: AuditedBody) => MaybePromise<string | undefined>

/** The path and query of the request. For the console, the path alone: the query can have the login code of the identity provider. */
export function redactedTarget({ target, path }: AuditedRequest): string {
  return target.startsWith('/console/') ? path : target
}

/** Whether the body of this request can hold a secret or a token, which error messages could quote. */
export function isSecretPlace(info: AuditedRequest['info']): boolean {
  if (info.kind !== 'resource') return false
  const place = `${info.group}/${info.resource}/${info.subresource ?? ''}`
  return place.startsWith('/secrets/') || HIDES.has(place)
}

/** The Status without texts that may quote the body. */
export function redactedOutcome(outcome: AuditOutcome, info: AuditedRequest['info']): AuditOutcome {
  if (!QUOTING.has(outcome.code) || !isSecretPlace(info)) return outcome
  const { status, reason, code } = outcome
  return { status, message: HIDDEN, reason, code }
}

/** Answers with these codes can quote the body, because they describe its fault. */
const QUOTING: ReadonlySet<number> = new Set([400, 413, 415, 422, 500])

/** The body as it may be logged. Undefined: nothing of it may be logged. */
export function redacted(body: Value, { info, isPatch, omitManagedFields }: RedactOptions): Value | undefined {
  if (info.kind !== 'resource') return undefined
  const place = `${info.group}/${info.resource}/${info.subresource ?? ''}`
  const hide = place.startsWith('/secrets/') ? hideSecret : HIDES.get(place)
  // A patch, or a body that is not an object, can hold secrets anywhere.
  if (hide !== undefined && (isPatch || !isMap(body))) return undefined
  return eachObject(body, (object) => {
    const isMisplaced = hide === undefined && own(object, 'kind') === 'Secret' && own(object, 'apiVersion') === 'v1'
    const told = isMisplaced ? hideSecret(object) : (hide?.(object) ?? object)
    return omitManagedFields ? withoutManagedFields(told) : told
  })
}

const HIDES: ReadonlyMap<string, (object: ValueMap) => ValueMap> = new Map([
  ['/serviceaccounts/token', (object) => hideIn(object, 'status', 'token')],
  ['authentication.k8s.io/tokenreviews/', (object) => hideIn(object, 'spec', 'token')],
])

/** Changes the body, and the objects in its `items` and `rows`. A client can give any body the members of a list and of a table. */
function eachObject(body: Value, change: (object: ValueMap) => ValueMap): Value {
  if (!isMap(body)) return body
  const changed: Record<string, Value> = { ...body }
  const items = own(body, 'items')
  if (isList(items)) changed['items'] = items.map((item) => (isMap(item) ? change(item) : item))
  const rows = own(body, 'rows')
  if (isList(rows)) {
    changed['rows'] = rows.map((row) => {
      const object = isMap(row) ? own(row, 'object') : undefined
      return isMap(row) && isMap(object) ? { ...row, object: change(object) } : row
    })
  }
  return change(changed)
}

/** The members of a secret, a list, a table, a Status and delete options that hold no secret. A misspelt `data` is not among them. */
const SHOWN: ReadonlySet<string> = new Set(
  (
    'apiVersion kind metadata type immutable items rows columnDefinitions status code details ' +
    'propagationPolicy preconditions gracePeriodSeconds orphanDependents dryRun'
  ).split(' '),
)

function hideSecret(object: ValueMap): ValueMap {
  const hidden: Record<string, Value> = Object.fromEntries(
    Object.entries(object).map(([member, value]) => [member, SHOWN.has(member) ? value : hiddenValues(value)]),
  )
  const metadata = own(object, 'metadata')
  const annotations = isMap(metadata) ? own(metadata, 'annotations') : undefined
  if (isMap(metadata) && isMap(annotations) && Object.hasOwn(annotations, LAST_APPLIED)) {
    hidden['metadata'] = { ...metadata, annotations: { ...annotations, [LAST_APPLIED]: HIDDEN } }
  }
  return hidden
}

function hiddenValues(values: Value): Value {
  return isMap(values) ? Object.fromEntries(Object.keys(values).map((key) => [key, HIDDEN])) : HIDDEN
}

function hideIn(object: ValueMap, part: string, member: string): ValueMap {
  const value = own(object, part)
  if (!isMap(value) || !Object.hasOwn(value, member)) return object
  return { ...object, [part]: { ...value, [member]: HIDDEN } }
}
