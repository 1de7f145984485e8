// Creates the bootstrap flow schemas and priority levels at the start and restores them once a minute (P-201 to P-204). Sets the
// condition Dangling of every flow schema (P-206).
import type { FlowSchema } from '../api/gen/kinds.ts'
import { isKind } from '../api/kind-guard.ts'
import { annotationsOf, specOf, withMeta } from '../api/object-members.ts'
import type { ApiObject } from '../api/object.ts'
import { equalValues, own, type ValueMap } from '../api/value.ts'
import { pause } from '../lib/pause.ts'
import { together } from '../lib/together.ts'
import { metaNumber } from '../registry/object-meta.ts'
import type { Resource } from '../registry/registry.ts'
import { withAppliedCondition } from './applied-condition.ts'
import type { Controller, ControllerParts } from './controllers.ts'
import { type FollowedType, keyedController, type KeyedWork } from './keyed-controller.ts'
import type { WorkQueue } from './work-queue.ts'
import { controllerContext, ensureObject, newObject, succeeds, updateLive } from './writes.ts'
import { servedResource } from '../registry/served-resource.ts'

export interface FlowObjects {
  readonly levels: readonly WantedObject[]
  readonly schemas: readonly WantedObject[]
}

export interface WantedObject {
  readonly name: string
  /** The spec of a mandatory object is always restored. An operator can take over the others by an annotation. */
  readonly mandatory: boolean
  readonly spec: ValueMap
}

const GROUP = 'flowcontrol.apiserver.k8s.io'
const SCHEMA = 'flowcontrol.apiserver.k8s.io_v1.FlowSchema'
const AUTO_UPDATE = 'apf.kubernetes.io/autoupdate-spec'
const PRODUCER = 'api-priority-and-fairness-config-producer-v1'
const CONSUMER = 'api-priority-and-fairness-config-consumer-v1'
const LOOK_AGAIN_MS = 60_000

export function flowControlObjects(parts: ControllerParts, wanted: FlowObjects): Controller {
  return keyedController(parts, { name: 'flow-control-objects', workers: 1 }, (queue) => ({
    ...danglingReports(parts, queue),
    loops: [
      // The objects exist when the loop begins: the server makes them before it serves anything.
      async (signal) => {
        while (await pause(parts.clock, LOOK_AGAIN_MS, signal)) await makeFlowObjects(parts, wanted, signal)
      },
    ],
  }))
}

/** Creates or restores all objects once. */
export async function makeFlowObjects(parts: ControllerParts, wanted: FlowObjects, signal: AbortSignal): Promise<void> {
  const levels = servedResource(parts.resources(), 'prioritylevelconfigurations', GROUP)
  const schemas = servedResource(parts.resources(), 'flowschemas', GROUP)
  await together(signal, (until) => [
    ...wanted.levels.map((object) => ensureFlowObject(parts, levels, object, until)),
    ...wanted.schemas.map((object) => ensureFlowObject(parts, schemas, object, until)),
  ])
}

async function ensureFlowObject(
  parts: ControllerParts,
  resource: Resource,
  wanted: WantedObject,
  signal: AbortSignal,
): Promise<void> {
  const { name } = wanted
  const context = { ...controllerContext(parts, '', signal), fieldManager: PRODUCER }
  const metadata = { name, annotations: { [AUTO_UPDATE]: 'true' } }
  const made = resource.withDefaults(newObject(resource, metadata, { spec: wanted.spec }), {
    gates: context.gates,
    now: () => context.now,
  })
  const repaired = (live: ApiObject): ApiObject | undefined => revised(live, resource, { made, wanted })
  const ensured = ensureObject(parts, { resource, name, make: () => made, repaired }, context)
  await succeeds(ensured, 'AlreadyExists', 'NotFound', 'Conflict')
}

/** The object as it should be. Undefined: nothing has to change. */
function revised(
  live: ApiObject,
  resource: Resource,
  { made, wanted }: { readonly made: ApiObject; readonly wanted: WantedObject },
): ApiObject | undefined {
  const said = own(annotationsOf(live), AUTO_UPDATE)
  // An object without the annotation is ours while it has generation 1: its spec is unchanged.
  const isOurs = wanted.mandatory || said === 'true' || (said !== 'false' && metaNumber(live, 'generation') === 1)
  const spec = isOurs ? keptSpec(specOf(resource.toCanonical(made)), live) : specOf(live)
  const word = isOurs ? 'true' : 'false'
  if (said === word && equalValues(spec, specOf(live))) return undefined
  const annotations = { ...annotationsOf(live), [AUTO_UPDATE]: word }
  return withMeta({ ...live, spec }, { annotations })
}

/** The bootstrap spec. The operator may change the seats of an exempt level (P-205). */
function keptSpec(spec: ValueMap, live: ApiObject): ValueMap {
  const exempt = own(specOf(live), 'exempt')
  return own(spec, 'type') === 'Exempt' && exempt !== undefined ? { ...spec, exempt } : spec
}

function danglingReports(parts: ControllerParts, queue: WorkQueue): KeyedWork {
  const schemas = servedResource(parts.resources(), 'flowschemas', GROUP)
  const levels = servedResource(parts.resources(), 'prioritylevelconfigurations', GROUP)
  const present = new Set<string>()
  const levelOf = new Map<string, string>()
  let isSynced = false
  const enqueue = (concerns: (level: string) => boolean): void => {
    if (isSynced) for (const [name, level] of levelOf) if (concerns(level)) queue.add(name)
  }
  const ofLevels: FollowedType = {
    type: levels,
    onPresent: ({ name }) => {
      if (present.has(name)) return
      present.add(name)
      enqueue((level) => level === name)
    },
    onGone: ({ name }) => {
      present.delete(name)
      enqueue((level) => level === name)
    },
  }
  const ofSchemas: FollowedType = {
    type: schemas,
    onPresent: (stored) => {
      levelOf.set(stored.name, levelNameOf(stored.object()))
      if (isSynced) queue.add(stored.name)
    },
    onGone: ({ name }) => void levelOf.delete(name),
  }
  return {
    followed: [ofLevels, ofSchemas],
    onSynced: () => {
      isSynced = true
      enqueue(() => true)
    },
    work: (name, signal) =>
      updateSchemaStatus({ parts, resource: schemas, hasLevel: (level) => present.has(level) }, name, signal),
  }
}

interface SchemaParts {
  readonly parts: ControllerParts
  readonly resource: Resource
  readonly hasLevel: (level: string) => boolean
}

async function updateSchemaStatus(
  { parts, resource, hasLevel }: SchemaParts,
  name: string,
  signal: AbortSignal,
): Promise<void> {
  const key = { resource: resource.stored, namespace: '', name }
  const { item } = await parts.registry.store.get(key, { kind: 'any' }, signal)
  if (item?.kind !== 'object') return
  const context = controllerContext(parts, '', signal)
  const told = (live: ApiObject): ApiObject | undefined =>
    isKind(live, SCHEMA) ? withCondition(live, hasLevel(levelNameOf(live)), context.now) : undefined
  if (told(item.object()) === undefined) return
  const change = (live: ApiObject): ApiObject => told(live) ?? live
  const update = { name, subresource: 'status', change, tracksFields: true } as const
  await succeeds(updateLive(parts, resource, update, context), 'NotFound', 'Conflict')
}

/** The flow schema with the current condition. Undefined: the condition is up to date. */
function withCondition(live: FlowSchema, exists: boolean, now: string): FlowSchema | undefined {
  const level = JSON.stringify(levelNameOf(live))
  const named = `This FlowSchema references the PriorityLevelConfiguration object named ${level}`
  const wanted = exists
    ? { status: 'False', reason: 'Found', message: `${named} and it exists` }
    : { status: 'True', reason: 'NotFound', message: `${named} but there is no such object` }
  const before = live.status.conditions?.find(({ type }) => type === 'Dangling')
  const isSame = (['status', 'reason', 'message'] as const).every((member) => before?.[member] === wanted[member])
  if (isSame) return undefined
  const lastTransitionTime = (before?.status === wanted.status ? before.lastTransitionTime : undefined) ?? now
  return withAppliedCondition(live, { type: 'Dangling', lastTransitionTime, ...wanted }, { manager: CONSUMER, now })
}

function levelNameOf(schema: ApiObject): string {
  return isKind(schema, SCHEMA) ? schema.spec.priorityLevelConfiguration.name : ''
}
