// The program of a thread for large writes. It has the same resources and runs the same handlers as the main thread. Each effect is a call
// to the main thread (`write-effects.ts`).
import { workerData } from 'node:worker_threads'
import type { Admission, AdmissionPhase, AdmissionRequest } from '../admission/admission.ts'
import { jsonText } from '../api/json-text.ts'
import type { ApiObject, GroupVersionResource } from '../api/object.ts'
import type { DeniedExplanation } from '../api/explanation.ts'
import type { Access, Authorizer, Decision } from '../auth/authorizer.ts'
import { canonicalJson } from '../codec/json-encode.ts'
import { writeOtherForm } from '../codec/other-form.ts'
import { rememberingManagedFields } from '../codec/stored-managed-fields.ts'
import { handleAction } from '../handlers/action.ts'
import { handleCreate } from '../handlers/create.ts'
import { handleDelete } from '../handlers/delete.ts'
import { handlePatch } from '../handlers/patch.ts'
import type { CallersRequest, ResourceParts } from '../handlers/resource-parts.ts'
import { handleUpdate } from '../handlers/update.ts'
import type { HttpResponse, NamedObject } from '../http/http.ts'
import { parseQuery } from '../http/query.ts'
import { pageNotFound } from '../http/responses.ts'
import {
  accessReviewActions,
  type BuiltInTable,
  builtInResources,
  DefinitionTable,
  RENAME_VERSION,
  tokenRequestAction,
  tokenReviewAction,
} from '../kinds/kinds.ts'
import type { Clock } from '../lib/clock.ts'
import { InvariantError } from '../lib/errors.ts'
import { getOrInsert } from '../lib/map-entries.ts'
import type { Action, ActionAnswer, RegistryParts, Reservation, Resource, WriteContext } from '../registry/registry.ts'
import { ServedObject, ServedStore } from '../registry/served-store.ts'
import type { RuleMeasures } from '../schema/custom/custom.ts'
import { loadBuiltInSchema } from '../schema/schema.ts'
import { dryRunOf } from '../store/dry-run.ts'
import { BytesObject } from '../store/stored-object.ts'
import { alone, bufferOf, readObject } from './messages.ts'
import { type MainThread, serveMainThread } from './thread-side.ts'
import { auditedText } from './audited-body.ts'
import { changed } from './object-changes.ts'
import { RemoteStore } from './remote-store.ts'
import { wireParts } from '../codec/wire-parts.ts'
import type {
  SentAccess,
  SentAction,
  SentActionAnswer,
  SentAdmission,
  SentContext,
  SentConversion,
  SentDefinition,
  SentDenial,
  SentGuardedWrite,
  SentReservation,
  SentReserve,
  SentVerdict,
  ThreadInput,
  WriteInput,
  WriteNote,
  WriteResponse,
  WriteThreadSettings,
} from './write-messages.ts'

type ConvertObjects = NonNullable<NonNullable<Resource['custom']>['convert']>

type Shared = Omit<ResourceParts, 'registry' | 'now' | 'clock' | 'authorize'>

function openWrites(
  settings: WriteThreadSettings,
): (input: unknown, main: MainThread) => Promise<WriteResponse | Uint8Array | string | undefined> {
  const schema = loadBuiltInSchema(settings.level)
  const mains: MainThreads = new WeakMap()
  const builtIn = builtInResources(schema, canonicalJson, {
    ...settings,
    texts: rememberingManagedFields,
    // The main thread answers requests for tokens and guards roles. This thread needs only the kinds of their bodies.
    actions: [
      ...accessReviewActions(schema, remoteAuthorizer(mains)),
      tokenRequestAction(schema, NOT_HERE),
      tokenReviewAction(schema, NOT_HERE),
    ],
    roleGuard: NOT_HERE,
  })
  const custom = new CustomKinds(schema, withRemoteEffects(builtIn), mains)
  const wire = wireParts(schema, {})
  const shared: Shared = { ...wire, ...settings, resources: () => custom.table, watches: NOT_HERE, queries: NOT_HERE }
  return async (input, main) => {
    const write = input as ThreadInput
    if (write.verb === 'encode') return alone(writeOtherForm(wire.encoding, bufferOf(write.json), write.form))
    if (write.verb === 'audit') return auditedText(write.body, schema)
    mains.set(main.signal, main)
    custom.take(write)
    try {
      return sentResponse(await handle(partsOf(shared, write, main), write, main))
    } finally {
      for (const note of custom.takeDurations()) main.note(note)
    }
  }
}

/** The main thread of a write, by the write's signal. */
type MainThreads = WeakMap<AbortSignal, MainThread>

/** A part of the server that only the main thread has. */
const NOT_HERE = Object.freeze({}) as never

function handle(parts: ResourceParts, write: WriteInput, main: MainThread): Promise<HttpResponse> {
  const { verb, info, namespace } = write
  const callers = requestOf(write, main)
  if (verb === 'action') {
    const action = parts.resources().findAction({ ...info, subresource: info.subresource ?? '' })
    if (action === undefined) throw new InvariantError('the thread does not know the action')
    return handleAction(parts, { ...callers, info, action, namespace })
  }
  const resource = parts.resources().find(info)
  // The definition of the resource has changed since the main thread found it.
  if (resource === undefined) return Promise.resolve(pageNotFound())
  return HANDLERS[verb](parts, { ...callers, info, resource, namespace })
}

const HANDLERS = { create: handleCreate, update: handleUpdate, patch: handlePatch, delete: handleDelete } as const

/** The part of the request that these handlers read. */
function requestOf({ search, headers, method, info, body, user }: WriteInput, main: MainThread): CallersRequest {
  const note = (said: WriteNote): void => main.note(said)
  const http = {
    method,
    info,
    headers,
    query: parseQuery(search),
    signal: main.signal,
    resume: () => {},
    body: { read: async () => bufferOf(body) },
    responder: { warn: (text: string) => note({ kind: 'warn', text }) },
  }
  const audit = {
    annotate: (key: string, value: string) => note({ kind: 'annotate', key, value }),
    nameObject: ({ name, uid, resourceVersion }: NamedObject = {}) =>
      note({ kind: 'name', object: { name, uid, resourceVersion } as Readonly<Record<string, string>> }),
  }
  return { http, caller: { user, audit } } as unknown as CallersRequest
}

function sentResponse({ status, headers, body }: HttpResponse): WriteResponse {
  if (body.kind === 'empty') return { status, headers, body: undefined, compress: false }
  if (body.kind !== 'bytes') throw new InvariantError('the answer to a write is streamed')
  return { status, headers, body: alone(body.bytes), compress: body.compress === true }
}

/** The registry of one write: its effects are calls to the main thread. */
interface RemoteParts extends RegistryParts {
  readonly main: MainThread
}

function partsOf(shared: Shared, write: WriteInput, main: MainThread): ResourceParts {
  const store = new RemoteStore(main)
  const served = new ServedStore(store)
  const registry: RemoteParts = {
    main,
    store: served,
    // Like a write, a dry run converts the object to the stored version. In a batch, the batch handles dry runs.
    dryRunStore: write.isInBatch ? served : new ServedStore(dryRunOf(store)),
    admission: remoteAdmission(main, write),
  }
  return {
    ...shared,
    registry,
    now: () => write.now,
    clock: clockAt(write.timeOfDay),
    authorize: async (_request, asked) => void (await main.call('authorize', asked)),
  }
}

/** The clock stands still during a write. */
function clockAt(time: number): Clock {
  return {
    now: () => time,
    timeOfDay: () => time,
    callAfter: () => {
      throw new InvariantError('a write in a thread cannot wait for a time')
    },
  }
}

function remoteAdmission(main: MainThread, { hasExtensions, readsObjects }: WriteInput): Admission {
  const ask = async (phase: AdmissionPhase, request: AdmissionRequest): Promise<SentVerdict> => {
    const isRead = readsObjects[phase].includes(request.operation)
    const verdict = (await main.call(phase, sentAdmission(request, isRead))) as SentVerdict
    if (verdict.kind !== 'objectsMissing') return verdict
    return (await main.call(phase, sentAdmission(request, true))) as SentVerdict
  }
  return {
    mutate: async (request) => {
      const verdict = await ask('mutate', request)
      return verdict.kind === 'changed' ? (changed(request.object ?? null, verdict.change) as ApiObject) : undefined
    },
    validate: async (request) => void (await ask('validate', request)),
    hasExtensions: (phase) => hasExtensions[phase],
    readsObjects: () => true,
  }
}

function sentAdmission(request: AdmissionRequest, withTexts: boolean): SentAdmission {
  const { object, oldObject, user: _user, warn: _warn, annotate: _annotate, deadline: _deadline, ...step } = request
  const texts = withTexts ? { object: textOf(object), oldObject: textOf(oldObject) } : undefined
  return { ...step, texts }
}

function textOf(object: ApiObject | undefined): string | undefined {
  return object === undefined ? undefined : jsonText(object)
}

function sentContext({ dryRun, fieldManager, options }: WriteContext): SentContext {
  return { dryRun, fieldManager, options }
}

/** The built-in resources. Their reservations, guards and actions run in the main thread. */
function withRemoteEffects(builtIn: BuiltInTable): BuiltInTable {
  const known = new Map<Resource, Resource>()
  const remote = (resource: Resource): Resource => getOrInsert(known, resource, withRemoteStrategy)
  return {
    ...builtIn,
    find: (place: GroupVersionResource) => {
      const found = builtIn.find(place)
      return found && remote(found)
    },
    findAction: (place) => {
      const found = builtIn.findAction(place)
      return found && remoteAction(found)
    },
  }
}

function withRemoteStrategy(resource: Resource): Resource {
  const { reserve, authorizeWrite } = resource.strategy
  return {
    ...resource,
    strategy: {
      ...resource.strategy,
      reserve: reserve && ((change, context, parts) => reserveRemotely(change, context, parts as RemoteParts)),
      authorizeWrite:
        authorizeWrite &&
        (async ({ object, stored, name }, context, parts) => {
          const write: SentGuardedWrite = {
            ...sentContext(context),
            object: jsonText(object),
            oldObject: textOf(stored),
            name,
          }
          await (parts as RemoteParts).main.call('authorizeWrite', write)
        }),
    },
  }
}

async function reserveRemotely(
  { object, stored }: { readonly object: ApiObject | undefined; readonly stored: ApiObject | undefined },
  context: WriteContext,
  { main }: RemoteParts,
): Promise<Reservation> {
  const change: SentReserve = { ...sentContext(context), object: textOf(object), oldObject: textOf(stored) }
  const { id, object: reserved } = (await main.call('reserve', change)) as SentReservation
  return {
    object: readObject(reserved) ?? object,
    settle: async (isStored) => void (await main.call('settle', { id, stored: isStored })),
  }
}

/** The authorizer of the main thread, for access reviews. The thread itself checks and answers these reviews. */
function remoteAuthorizer(mains: MainThreads): Authorizer {
  const sent = (access: Access): SentAccess => {
    if (access.kind === 'path') return { access, selectors: undefined }
    const { selectors, ...rest } = access
    return { access: rest, selectors: selectors?.() }
  }
  return {
    authorize: async (access, signal) => (await mains.get(signal)?.call('authorizeAccess', sent(access))) as Decision,
    explain: async ({ access, ...denied }, signal) => {
      const denial: SentDenial = { ...denied, asked: sent(access) }
      return (await mains.get(signal)?.call('explainAccess', denial)) as DeniedExplanation
    },
  }
}

function isAnsweredHere({ at }: Action): boolean {
  return at.group === 'authorization.k8s.io' && at.resource.endsWith('accessreviews')
}

function remoteAction(action: Action): Action {
  if (isAnsweredHere(action)) return action
  return {
    ...action,
    run: async (body, context): Promise<ActionAnswer> => {
      const sent: SentAction = { ...sentContext(context), body: jsonText(body), explain: context.explain === true }
      const { main } = context.parts as RemoteParts
      const answer = (await main.call('act', sent)) as SentActionAnswer
      if (answer.kind === 'done') return answer
      return {
        kind: 'object',
        object: answer.change === undefined ? body : (changed(body, answer.change) as ApiObject),
      }
    },
  }
}

/** The custom kinds that the main thread has sent. */
class CustomKinds {
  readonly table: DefinitionTable
  #served: ReadonlySet<string> = new Set()
  readonly #convertedElsewhere = new Set<string>()
  readonly #mains: MainThreads
  readonly #durations: WriteNote[] = []

  constructor(schema: ReturnType<typeof loadBuiltInSchema>, builtIn: BuiltInTable, mains: MainThreads) {
    this.#mains = mains
    const knowsKind: BuiltInTable['knowsKind'] = (kind) =>
      builtIn.knowsKind(kind) || this.#served.has(`${kind.group}/${kind.version}/${kind.kind}`)
    this.table = new DefinitionTable({
      schema,
      builtIn: { ...builtIn, knowsKind },
      encode: canonicalJson,
      rules: this.#rules(),
      serve: (stored, object, type) => new ServedObject(stored, object, type),
      converter: ({ name }) => (this.#convertedElsewhere.has(name) ? this.#convert : RENAME_VERSION),
      onRetired: () => {},
    })
  }

  take({ definition, customKinds }: WriteInput): void {
    if (customKinds !== undefined) this.#served = new Set(customKinds)
    if (definition !== undefined) this.#put(definition)
  }

  /** The durations of rules since the last call. */
  takeDurations(): readonly WriteNote[] {
    return this.#durations.splice(0)
  }

  #rules(): RuleMeasures {
    const family = (of: 'compilations' | 'evaluations') => ({
      of: () => ({ observe: (seconds: number) => this.#durations.push({ kind: 'rules', of, seconds }) }),
    })
    return { compilations: family('compilations'), evaluations: family('evaluations') } as unknown as RuleMeasures
  }

  readonly #convert: ConvertObjects = async (objects, toApiVersion, signal) => {
    const conversion: SentConversion = { objects: objects.map((object) => jsonText(object)), toApiVersion }
    const converted = (await this.#mains.get(signal)?.call('convert', conversion)) as readonly string[]
    return converted.map((text) => readObject(text)!)
  }

  #put({ name, revision, bytes, convertsElsewhere }: SentDefinition): void {
    const isAsBefore = this.#convertedElsewhere.has(name) === convertsElsewhere
    if (convertsElsewhere) this.#convertedElsewhere.add(name)
    else this.#convertedElsewhere.delete(name)
    if (bytes !== undefined) this.table.put(new BytesObject({ namespace: '', name }, revision, bufferOf(bytes)))
    const known = this.table.definition(name)
    if (!isAsBefore && known !== undefined) this.table.reconvert({ group: known.group, kind: known.names.kind })
  }
}

serveMainThread(openWrites(workerData as WriteThreadSettings))
