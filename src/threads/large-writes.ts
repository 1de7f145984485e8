// Writes with much to compute run in worker threads, from their body to their answer, by the same handlers (`write-thread.ts`). This file
// decides which writes run in threads, and makes the input of their thread.
import { availableParallelism } from 'node:os'
import type { Admission, AdmissionOperation, AdmissionPhase } from '../admission/admission.ts'
import type { BodyText } from '../audit/redact.ts'
import type { WriteElsewhere } from '../codec/large-values.ts'
import type { HandedWrite, LargeWrites, ResourceParts } from '../handlers/resource-parts.ts'
import { writeCost } from '../handlers/write-cost.ts'
import type { HttpResponse } from '../http/http.ts'
import { getOrInsert } from '../lib/map-entries.ts'
import { type Family, gauge } from '../lib/measure.ts'
import type { Resource } from '../registry/registry.ts'
import { keyOf } from '../registry/steps.ts'
import type { Random } from '../lib/random.ts'
import type { RuleMeasures } from '../schema/custom/custom.ts'
import type { SchemaTable } from '../schema/table.ts'
import type { StoredItem } from '../store/store.ts'
import { alone, bufferOf } from './messages.ts'
import { Threads } from './threads.ts'
import { auditedText, auditingCost } from './audited-body.ts'
import { type EffectOptions, WriteEffects } from './write-effects.ts'
import type {
  AuditInput,
  EncodeInput,
  SentDefinition,
  WriteInput,
  WriteNote,
  WriteResponse,
  WriteThreadSettings,
} from './write-messages.ts'

export interface LargeWriteOptions extends EffectOptions {
  /** Writes that are estimated to take at least this long, in milliseconds, run in a thread. */
  readonly inPlaceMs: number
  /** The number of processes that share the cores. */
  readonly workers: number
  readonly settings: WriteThreadSettings
  /** The stored definition of a custom resource. Undefined: it is not in memory. */
  readonly definitionOf: (resource: Resource) => StoredItem | undefined
  /** A number that changes when the served kinds change. */
  readonly kindsVersion: () => number
  readonly rules: RuleMeasures
  readonly random: Random
  readonly schema: SchemaTable
  readonly onSpent: (user: string, milliseconds: number) => void
}

/** The state that a thread has been sent. */
interface Told {
  readonly definitions: Map<string, number>
  kindsVersion: number
}

export interface WorkerThreads extends AsyncDisposable {
  readonly families: readonly Family[]
  readonly largeWrites: LargeWrites
  readonly writeElsewhere: WriteElsewhere
  readonly bodyText: BodyText
}

export function openWorkerThreads(options: LargeWriteOptions): WorkerThreads {
  const program = import.meta.url.endsWith('.ts') ? './write-thread.ts' : './write-thread.js'
  const threads = new Threads({
    program: new URL(program, import.meta.url),
    settings: options.settings,
    most: threadCount(options.workers),
    onSpent: options.onSpent,
  })
  const told = new WeakMap<object, Told>()
  options.rules.mostCost = options.inPlaceMs * RULE_COST_PER_MS
  let auditedBytes = 0
  const dear = new WeakSet<Resource>()
  return {
    families: [
      gauge('quarterdeck_thread_queue_requests', 'Requests that wait for a worker thread.', [], {
        refresh: (family) => {
          family.of().value = threads.waiting
        },
      }),
    ],
    largeWrites: {
      take: (write) => {
        const definition = definitionOf(options, write)
        const isDear = 'resource' in write.request && dear.has(write.request.resource)
        const cost = Math.max(costOf(options, write) + definitionCost(definition), isDear ? DEAR_MS : 0)
        if (cost >= options.inPlaceMs && definition !== 'unknown') {
          return runElsewhere({ options, threads, told }, write, { cost, definition })
        }
        // If the rules of the kind turn out to be expensive, the handler starts again with the same body.
        if (definition !== undefined) write.request.http.body.putBack(write.bytes)
        return undefined
      },
      takeAll: (resource) => void dear.add(resource),
    },
    writeElsewhere: async (json, { encoding, kind, list }, { user, signal }) => {
      const type = kind && { group: kind.group, version: kind.version, kind: kind.kind }
      const form = { encoding, kind: type, ...(list === undefined ? {} : { list }) }
      const input = (): EncodeInput => ({ verb: 'encode', form, json: alone(json) })
      return bufferOf((await threads.run({ user, cost: encodingCost(json), input, signal })) as Uint8Array)
    },
    bodyText: (body) => {
      const cost = auditingCost(body)
      if (cost < options.inPlaceMs) return auditedText(body, options.schema)
      const size = body.bytes.length
      if (auditedBytes + size > MOST_AUDITED_BYTES) return undefined
      auditedBytes += size
      const input = (): AuditInput => ({ verb: 'audit', body: { ...body, bytes: alone(body.bytes) } })
      // The client may be gone already. The write is recorded even then.
      const text = threads.run({ user: body.user, cost, input, signal: NEVER }) as Promise<string | undefined>
      return text.catch(() => undefined).finally(() => (auditedBytes -= size))
    },
    [Symbol.asyncDispose]: () => threads[Symbol.asyncDispose](),
  }
}

/** The largest total size of bodies that wait for their text in the audit log. The log has no text of further bodies. */
const MOST_AUDITED_BYTES = 256 * 1024 * 1024
const NEVER = new AbortController().signal

/** The CEL cost that expensive functions, such as those of quantities, reach in a millisecond. */
const RULE_COST_PER_MS = 20_000

/**
 * The number of threads for long requests. One core is left to the event loops, and the others are divided among the processes. Each
 * process has one more thread for short requests.
 */
function threadCount(workers: number): number {
  const MOST_THREADS = 4
  return Math.max(1, Math.floor(Math.min(MOST_THREADS, availableParallelism() - 1) / workers))
}

/** The approximate time of a write with expensive rules: too long to count as short. */
const DEAR_MS = 1000
/** A long definition has much to check and to default, even in small objects. */
const DEFINITION_BYTES_PER_MS = 10_000
/** For a write of a definition: its rules are type-checked, and its patterns are compiled. */
const WRITTEN_DEFINITION_BYTES_PER_MS = 2000

function definitionCost(definition: FoundDefinition | undefined | 'unknown'): number {
  return typeof definition === 'object' ? definition.item.bytes.length / DEFINITION_BYTES_PER_MS : 0
}

/** In milliseconds. */
function encodingCost(json: Buffer): number {
  return json.length / 2000
}

function costOf({ store, random }: LargeWriteOptions, { verb, request, bytes }: HandedWrite): number {
  if (!('resource' in request)) return writeCost(bytes, undefined, random)
  const { resource, namespace, info } = request
  const item = verb === 'create' ? undefined : store.peek?.(keyOf(resource, namespace, info.name ?? ''))
  const stored = item?.kind === 'object' ? item.bytes : undefined
  const cost = writeCost(bytes, stored, random)
  if (resource.resource !== 'customresourcedefinitions') return cost
  return cost + (bytes.length + (stored?.length ?? 0)) / WRITTEN_DEFINITION_BYTES_PER_MS
}

type FoundDefinition = { readonly item: Extract<StoredItem, { readonly kind: 'object' }>; readonly resource: Resource }

function definitionOf(options: LargeWriteOptions, { request }: HandedWrite): FoundDefinition | undefined | 'unknown' {
  if (!('resource' in request) || !request.resource.isCustom) return undefined
  const item = options.definitionOf(request.resource)
  return item?.kind === 'object' ? { item, resource: request.resource } : 'unknown'
}

interface Elsewhere {
  readonly options: LargeWriteOptions
  readonly threads: Threads
  readonly told: WeakMap<object, Told>
}

async function runElsewhere(
  { options, threads, told }: Elsewhere,
  write: HandedWrite,
  { cost, definition }: { readonly cost: number; readonly definition: FoundDefinition | undefined },
): Promise<HttpResponse> {
  const { http, caller } = write.request
  const effects = new WriteEffects(options, write)
  try {
    const response = (await threads.run({
      user: caller.user.name,
      cost,
      input: (thread) => inputFor(options, write, { definition, told: getOrInsert(told, thread, newTold) }),
      effects: effects.all,
      onNote: (note: WriteNote) => takeNote(options, write, note),
      signal: http.signal,
    })) as WriteResponse
    return responseOf(response)
  } finally {
    effects.end()
  }
}

function newTold(): Told {
  return { definitions: new Map(), kindsVersion: -1 }
}

function inputFor(
  options: LargeWriteOptions,
  write: HandedWrite,
  { definition, told }: { readonly definition: FoundDefinition | undefined; readonly told: Told },
): WriteInput {
  const { verb, request, bytes } = write
  const { http, caller, info, namespace } = request
  const parts = options.parts()
  const at = http.target.indexOf('?')
  const version = options.kindsVersion()
  const areKindsNew = told.kindsVersion !== version
  told.kindsVersion = version
  return {
    verb,
    info,
    method: http.method,
    search: at < 0 ? '' : http.target.slice(at + 1),
    headers: http.headers,
    namespace,
    isInBatch: write.batch !== undefined,
    user: caller.user,
    body: alone(bytes),
    now: parts.now(),
    timeOfDay: parts.clock.timeOfDay(),
    hasExtensions: {
      mutate: parts.registry.admission.hasExtensions('mutate'),
      validate: parts.registry.admission.hasExtensions('validate'),
    },
    readsObjects: readsObjects(parts.registry.admission, write.request),
    definition: definition && sentDefinition(definition, told),
    customKinds: areKindsNew ? customKinds(parts) : undefined,
  }
}

const OPERATIONS = ['CREATE', 'UPDATE', 'DELETE'] as const

/** The operations on the resource whose objects admission reads. */
function readsObjects(admission: Admission, { info, namespace }: HandedWrite['request']): WriteInput['readsObjects'] {
  const read = (phase: AdmissionPhase): readonly AdmissionOperation[] =>
    OPERATIONS.filter((operation) => admission.readsObjects(phase, { resource: info, operation, namespace }))
  return { mutate: read('mutate'), validate: read('validate') }
}

/** A definition goes to a thread once, and again when it has changed. */
function sentDefinition({ item, resource }: FoundDefinition, { definitions }: Told): SentDefinition {
  const { name, revision, bytes } = item
  const isKnown = definitions.get(name) === revision
  definitions.set(name, revision)
  const convertsElsewhere = resource.stored.form?.isLocal === false
  return { name, revision, bytes: isKnown ? undefined : alone(bytes), convertsElsewhere }
}

function customKinds({ resources }: ResourceParts): readonly string[] {
  const kinds: string[] = []
  for (const { isCustom, group, version, kind } of resources().all()) {
    if (isCustom) kinds.push(`${group}/${version}/${kind}`)
  }
  return kinds
}

function takeNote({ rules }: LargeWriteOptions, { request }: HandedWrite, note: WriteNote): void {
  const { http, caller } = request
  switch (note.kind) {
    case 'warn':
      return http.responder.warn(note.text)
    case 'annotate':
      return caller.audit.annotate(note.key, note.value)
    case 'name':
      return caller.audit.nameObject(note.object)
    case 'rules':
      return rules[note.of].of().observe(note.seconds)
  }
}

function responseOf({ status, headers, body, compress }: WriteResponse): HttpResponse {
  if (body === undefined) return { status, headers, body: { kind: 'empty' } }
  return { status, headers, body: { kind: 'bytes', bytes: bufferOf(body), compress } }
}
