// POST of a transaction: operations on several objects, which are stored in one revision or not at all. Each operation is a request of its
// own with the caller's rights. An operation sees the results of earlier operations.
import { formatGroupVersion } from '../../api/object.ts'
import { ApiError } from '../../api/status.ts'
import { methodNotAllowedError, unknownResourceError } from '../../http/errors.ts'
import type { AuditNotes, AuditPart, HttpRequest, HttpResponse } from '../../http/http.ts'
import { NOT_AUDITED } from '../../http/http.ts'
import type { ResourceInfo } from '../../http/request-info.ts'
import { Turns } from '../../lib/turns.ts'
import type { BatchCommit, BatchedWrite, ObjectBatch } from '../../registry/object-batch.ts'
import type { Resource } from '../../registry/registry.ts'
import { keyOf } from '../../registry/steps.ts'
import { handleCreate } from '../create.ts'
import { handleDelete } from '../delete.ts'
import { handlePatch } from '../patch.ts'
import type { CallersRequest, ResourceParts, ResourceRequest } from '../resource-parts.ts'
import { headerOf } from '../resource-parts.ts'
import { handleUpdate } from '../update.ts'
import { parseWriteOptions } from '../write-options.ts'
import { requestOf, resourceOf, type SharedOptions } from './operation-request.ts'
import { MOST_BYTES, type Operation, type OperationVerb, readOperations } from './operations.ts'

const TRANSACTIONS = { group: 'transactions.quarterdeck.io', version: 'v1', resource: 'transactions' } as const
const API_VERSION = formatGroupVersion(TRANSACTIONS)

/** The number of attempts if other writes come first. */
const MOST_ATTEMPTS = 10

/**
 * The limit for the objects of all operations together. Without it, a small body with many operations on one large object would cost much
 * time.
 */
const MOST_OBJECT_BYTES = 8 * 1024 * 1024

export async function handleTransaction(
  parts: ResourceParts,
  { http, caller }: CallersRequest,
  info: ResourceInfo,
): Promise<HttpResponse> {
  const { openBatch } = parts
  const isElsewhere = info.name !== undefined || info.namespace !== undefined || info.subresource !== undefined
  if (openBatch === undefined || isElsewhere) throw unknownResourceError()
  if (http.method !== 'POST') throw methodNotAllowedError()
  checkType(http)
  const options = parseWriteOptions(http.query, 'CreateOptions')
  const { fieldManager, dryRun } = options
  const shared = { dryRun, fieldManager, fieldValidation: http.query.get('fieldValidation') ?? '' }
  const operations = readOperations(await readBody(http), API_VERSION)
  const id = http.auditId
  caller.audit.annotate(ID_ANNOTATION, id)
  let revision: number | undefined
  for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt++) {
    const batch = openBatch(revision)
    const run = new TransactionRun(parts, { http, caller }, { batch, id, shared })
    const done = await run.all(operations)
    const committed = dryRun ? undefined : await run.commit()
    if (committed?.ok !== false) {
      return answer({ id, revision: committed?.revision, results: await run.results(done, committed) })
    }
    revision = committed.revision
  }
  const why = `other clients changed its objects ${MOST_ATTEMPTS} times during the attempts, please try again`
  throw new ApiError('Conflict', `the transaction was not carried out: ${why}`)
}

const ID_ANNOTATION = 'transactions.quarterdeck.io/id'

function checkType(http: HttpRequest): void {
  const [type = ''] = headerOf(http, 'content-type').split(';')
  if (type === '' || type.trim().toLowerCase() === 'application/json') return
  const message = 'the body of a transaction must be application/json'
  throw new ApiError('UnsupportedMediaType', message)
}

async function readBody({ body }: HttpRequest): Promise<Buffer> {
  const bytes = await body.read()
  if (bytes.length <= MOST_BYTES) return bytes
  throw new ApiError('RequestEntityTooLarge', `Request entity too large: a transaction has at most ${MOST_BYTES} bytes`)
}

interface Done {
  readonly operation: Operation
  /** Absent: the operation has only compared. */
  readonly write: BatchedWrite | undefined
}

interface RunOptions {
  readonly batch: ObjectBatch
  readonly id: string
  readonly shared: SharedOptions
}

class TransactionRun {
  readonly #parts: ResourceParts
  readonly #request: CallersRequest
  readonly #options: RunOptions
  readonly #audited: AuditPart[] = []
  readonly #turns = new Turns()
  #objectBytes = 0

  constructor(parts: ResourceParts, request: CallersRequest, options: RunOptions) {
    const { batch } = options
    const { largeWrites } = parts
    const inBatch: ResourceParts = { ...parts, registry: batch.parts, batch, openBatch: undefined }
    this.#parts = {
      ...inBatch,
      largeWrites: largeWrites && {
        take: (write) => largeWrites.take({ ...write, batch: { parts: inBatch, store: batch.stored } }),
        takeAll: (resource) => largeWrites.takeAll(resource),
      },
    }
    this.#request = request
    this.#options = options
  }

  /** Runs all operations. Throws the error of the first operation that fails, after it has given up all reservations. */
  async all(operations: readonly Operation[]): Promise<readonly Done[]> {
    const done: Done[] = []
    try {
      for (const operation of operations) {
        // An operation takes no longer than a request. Other requests get a turn between two operations.
        if (done.length > 0) await this.#giveTurn()
        done.push(await this.#one(operation, done.length))
      }
      return done
    } catch (error) {
      await this.#options.batch.end(false)
      const refused = error instanceof ApiError ? ofOperation(error, done.length) : error
      await this.#audit(refused)
      throw refused
    }
  }

  async commit(): Promise<BatchCommit> {
    const { batch } = this.#options
    try {
      const committed = await batch.commit(this.#request.http.signal)
      await batch.end(committed.ok)
      if (committed.ok) await this.#audit(undefined)
      return committed
    } catch (error) {
      // An error below 500 means that the transaction was not stored. After other errors, it may have been stored.
      if (error instanceof ApiError && error.code < 500) await batch.end(false)
      await this.#audit(error)
      throw error
    }
  }

  async #one(operation: Operation, at: number): Promise<Done> {
    const { batch, shared } = this.#options
    const { http, caller } = this.#request
    const resource = await this.#resourceOf(operation)
    const plain = requestOf({ http, operation, at, options: shared }, resource, caller)
    const request = { ...plain, caller: { ...caller, audit: this.#notesOf(plain, operation) } }
    const { verb } = plain.info
    if (!resource.verbs.has(verb)) throw methodNotAllowedError()
    for (const text of resource.deprecations) http.responder.warn(text)
    await this.#parts.authorize(request, { verb })
    batch.last = undefined
    const handler = HANDLERS[operation.verb]
    if (handler === undefined) await expectVersion(batch, request, operation)
    else await batch.run(() => handler(this.#parts, request))
    this.#countBytes(batch.last)
    return { operation, write: batch.last }
  }

  #countBytes(write: BatchedWrite | undefined): void {
    const object = write?.result.object
    this.#objectBytes += object?.kind === 'object' ? object.bytes.length : 0
    if (this.#objectBytes <= MOST_OBJECT_BYTES) return
    const what = `the objects of all operations of a transaction have at most ${MOST_OBJECT_BYTES} bytes together`
    throw new ApiError('RequestEntityTooLarge', `Request entity too large: ${what}`)
  }

  async #giveTurn(): Promise<void> {
    if (this.#turns.isOver) await this.#turns.next()
  }

  async results(done: readonly Done[], committed: Committed | undefined): Promise<readonly Result[]> {
    const results: Result[] = []
    for (const { operation, write } of done) {
      const { apiVersion, kind, namespace, name } = operation.target
      const common = { operation: operation.verb, apiVersion, kind, ...(namespace === '' ? {} : { namespace }) }
      if (write === undefined) {
        results.push({ ...common, result: 'expected', name })
        continue
      }
      await this.#giveTurn()
      const { key, result } = write
      const object = result.object?.kind === 'object' ? result.object : undefined
      const isStored = result.kind === 'put' && result.created ? undefined : object?.revision
      const version = committed?.versionOf(key) ?? isStored
      const uid = object === undefined ? '' : this.#options.batch.uidOf(key, object)
      results.push({
        ...common,
        result: wordOf(operation, write),
        name: key.name,
        ...(uid === '' ? {} : { uid }),
        ...(version === undefined || version === 0 ? {} : { resourceVersion: String(version) }),
      })
    }
    return results
  }

  async #resourceOf(operation: Operation): Promise<Resource> {
    const table = this.#parts.resources()
    const found = resourceOf(table, operation)
    if (found !== undefined) return found
    const { apiVersion, kind } = operation.target
    const why = 'definitions are those from before the transaction'
    throw new ApiError('NotFound', `the server has no kind ${JSON.stringify(kind)} of ${apiVersion}: ${why}`)
  }

  #notesOf({ http }: ResourceRequest, { body }: Operation): AuditNotes {
    const part = this.#request.caller.audit.part?.(http, body)
    if (part === undefined) return NOT_AUDITED
    part.notes.annotate(ID_ANNOTATION, this.#options.id)
    this.#audited.push(part)
    return part.notes
  }

  /** Ends the audit events of the operations, with the error that ends the whole transaction. */
  async #audit(error: unknown): Promise<void> {
    for (const part of this.#audited) await part.end(error)
  }
}

/** The handlers of the writes. `expect` has no handler, because it only compares. */
const HANDLERS: Readonly<Partial<Record<OperationVerb, typeof handleCreate>>> = {
  create: handleCreate,
  update: handleUpdate,
  apply: handlePatch,
  patch: handlePatch,
  delete: handleDelete,
}

/** Throws `Conflict` unless the object had the expected version before the transaction. */
async function expectVersion(batch: ObjectBatch, request: ResourceRequest, operation: Operation): Promise<void> {
  const { resource, namespace, http, info } = request
  const { resourceVersion } = operation
  const name = info.name ?? ''
  const found = await batch.before(keyOf(resource, namespace, name), http.signal)
  const version = found === undefined ? '' : String(found.revision)
  if (version === resourceVersion) return
  const asked = resourceVersion === '' ? 'not to be there' : `to have the resourceVersion ${resourceVersion}`
  const is = version === '' ? 'it is not there' : `it has ${version}`
  const what = `${resource.resource} ${JSON.stringify(name)}`
  throw new ApiError('Conflict', `the transaction expects ${what} ${asked}, but ${is}`, {
    details: { name, kind: resource.resource, ...(resource.group === '' ? {} : { group: resource.group }) },
  })
}

/** The refusal of an operation, with its index. */
function ofOperation(error: ApiError, at: number): ApiError {
  const { reason, message, code, details = {}, explanation } = error
  const cause = { ...(reason === '' ? {} : { reason }), message, field: `operations[${at}]` }
  const causes = [cause, ...(details.causes ?? [])]
  return new ApiError(reason, message, { code, details: { ...details, causes }, explanation, cause: error })
}

interface Result {
  readonly operation: OperationVerb
  readonly result: string
  readonly apiVersion: string
  readonly kind: string
  readonly namespace?: string
  readonly name: string
  readonly uid?: string
  readonly resourceVersion?: string
}

type Committed = Extract<BatchCommit, { ok: true }>

function wordOf({ verb }: Operation, { result }: BatchedWrite): string {
  if (result.kind === 'removed') return 'deleted'
  if (verb === 'delete') return 'deleting'
  if (result.kind === 'kept') return 'unchanged'
  return result.created ? 'created' : 'updated'
}

interface Answered {
  readonly id: string
  /** Absent: a dry run. */
  readonly revision: number | undefined
  readonly results: readonly Result[]
}

function answer({ id, revision, results }: Answered): HttpResponse {
  const status = { id, ...(revision === undefined ? {} : { resourceVersion: String(revision) }), results }
  const document = { kind: 'Transaction', apiVersion: API_VERSION, metadata: {}, status }
  return {
    status: 200,
    headers: { 'content-type': 'application/json' },
    body: { kind: 'bytes', bytes: Buffer.from(`${JSON.stringify(document)}\n`), compress: true },
  }
}
