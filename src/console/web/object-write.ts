// Writes an object. A dry run comes before each write, and its answer is shown.
import { ask, ApiFailure, askText } from './api.ts'
import { applyIntent, MANAGER, type ManagedObject } from './apply-intent.ts'
import { collectionPath, type Kind, type ObjectName, objectPath } from './kind.ts'
import { editable, YAML } from './object-source.ts'

const JSON_TYPE = 'application/json'

/** `update` replaces the object. `apply` claims the changed fields only. `manifest` claims all fields of the text.
 * `create` is refused if the object exists. */
export type WriteMode = 'update' | 'apply' | 'manifest' | 'create'

export interface Write {
  readonly kind: Kind
  readonly named: ObjectName
  readonly mode: WriteMode
  readonly text: string
  /** Takes fields away from their owners. */
  readonly force: boolean
}

/** The resulting text of a dry run. Throws an `ApiFailure`. */
export async function tryWrite(write: Write): Promise<string> {
  // A refusal comes in the requested form, so the first request is for JSON.
  await send(write, { dryRun: true, accept: JSON_TYPE })
  return editable(await send(write, { dryRun: true, accept: YAML }))
}

export async function makeWrite(write: Write): Promise<void> {
  await send(write, { dryRun: false, accept: JSON_TYPE })
}

interface Sending {
  readonly dryRun: boolean
  readonly accept: string
}

async function send({ kind, named, mode, text, force }: Write, { dryRun, accept }: Sending): Promise<string> {
  const address = (more: Readonly<Record<string, string>>, path = objectPath(kind, named)): string => {
    const query = new URLSearchParams({ fieldManager: MANAGER, fieldValidation: 'Strict', ...more })
    return `${path}?${query.toString()}`
  }
  const put = { method: 'PUT', contentType: YAML, body: text }
  const dry = { dryRun: 'All' }
  const asked = dryRun ? dry : {}
  if (mode === 'create')
    return askText(address(asked, collectionPath(kind, named.namespace)), { ...put, method: 'POST', accept })
  if (mode === 'update') return askText(address(asked), { ...put, accept })
  return askText(address({ ...asked, force: String(force) }), {
    method: 'PATCH',
    contentType: 'application/apply-patch+yaml',
    accept,
    body: mode === 'manifest' ? text : JSON.stringify(applyIntent(await ask<ManagedObject>(address(dry), put))),
  })
}

export interface FieldConflict {
  readonly field: string
  readonly owner: string
}

/** The conflicting fields of an apply. Empty: the apply failed for another reason. */
export function conflictsIn(error: unknown): readonly FieldConflict[] {
  const causes = error instanceof ApiFailure ? (error.status.details?.causes ?? []) : []
  return causes
    .filter(({ reason }) => reason === 'FieldManagerConflict')
    .map(({ field = '', message = '' }) => ({ field, owner: /^conflict with (.*)$/.exec(message)?.[1] ?? message }))
}

/** Whether another user or program has written the object since it was read. */
export function isStale(error: unknown): boolean {
  return error instanceof ApiFailure && error.code === 409 && conflictsIn(error).length === 0
}
