// Carries out StorageVersionMigrations: one at a time for a type, the oldest first. The conditions show the progress. After a restart,
// objects that are newer than `status.resourceVersion` are skipped.
import type { StorageVersionMigration } from '../api/gen/kinds.ts'
import { metaText } from '../api/object-members.ts'
import type { ApiObject } from '../api/object.ts'
import type { StoredObject } from '../api/read.ts'
import { ApiError } from '../api/status.ts'
import type { Resource, ResourceTable } from '../registry/registry.ts'
import type { Controller, ControllerParts } from './controllers.ts'
import { withCondition } from './definition-acceptance.ts'
import { beginMigration, endMigration, storedApiVersion } from './definition-migration.ts'
import { type FollowedType, keyedController, type KeyedWork } from './keyed-controller.ts'
import { Pace, type Progress, rewriteAll, typeOf } from './storage-rewrite.ts'
import { asStored } from './stored-types.ts'
import type { WorkQueue } from './work-queue.ts'
import { controllerContext, isReason, updateLive } from './writes.ts'

const NAME = 'storage-version-migrator'
/** A type may be defined this much later than its migration. */
const TYPE_WAIT_MS = 60_000
const LOOK_AGAIN_MS = 1_000
const TELL_EVERY_MS = 5_000
/** The verbs that a type needs for a migration. */
const VERBS_NEEDED: readonly string[] = ['update', 'patch', 'list']
const GROUP = 'storagemigration.k8s.io'

/** The type of migrations; undefined if it is not served. */
export function migrationType(table: ResourceTable): Resource | undefined {
  const find = (version: string): Resource | undefined =>
    table.find({ group: GROUP, version, resource: 'storageversionmigrations' })
  return find('v1') ?? find('v1beta1')
}

export function storageVersionMigrator(parts: ControllerParts): Controller {
  const options = { name: NAME, canWait: true, workers: 4 }
  return keyedController(parts, options, (queue) => new Migrator(parts, queue))
}

/** The name of the type, in the form of the names of definitions. */
export function typeName({ spec: { resource } }: StorageVersionMigration): string {
  return `${resource.resource}.${resource.group}`
}

function isTrue({ status: { conditions = [] } }: StorageVersionMigration, type: string): boolean {
  return conditions.some((one) => one.type === type && one.status === 'True')
}

export function isOver(migration: StorageVersionMigration): boolean {
  return isTrue(migration, 'Succeeded') || isTrue(migration, 'Failed')
}

export function migrationIn(stored: StoredObject): StorageVersionMigration {
  return stored.object() as unknown as StorageVersionMigration
}

class Migrator implements KeyedWork {
  readonly followed: readonly FollowedType[]
  readonly #parts: ControllerParts
  readonly #migrations: Resource
  readonly #pace: Pace
  /** Migrations that have not ended, or still have the condition Running, by type and name. */
  readonly #due = new Map<string, Map<string, StorageVersionMigration>>()
  readonly #queue: WorkQueue

  constructor(parts: ControllerParts, queue: WorkQueue) {
    this.#parts = parts
    this.#migrations = migrationType(parts.resources())!
    this.#pace = new Pace(parts.clock)
    this.#queue = queue
    const onPresent = (stored: StoredObject): void => {
      const migration = migrationIn(stored)
      this.#note(stored.name, migration, !isOver(migration) || isTrue(migration, 'Running'))
    }
    const onGone = (stored: StoredObject): void => this.#note(stored.name, migrationIn(stored), false)
    this.followed = [{ type: this.#migrations, onPresent, onGone }]
  }

  #note(name: string, migration: StorageVersionMigration, isDue: boolean): void {
    const type = typeName(migration)
    const due = this.#due.get(type) ?? new Map<string, StorageVersionMigration>()
    if (isDue) this.#due.set(type, due.set(name, migration))
    else if (due.delete(name) && due.size === 0) this.#due.delete(type)
    if (due.size > 0) this.#queue.add(type)
  }

  /** Resolves to true if the type must be processed again after a pause. */
  async work(type: string, signal: AbortSignal): Promise<boolean> {
    let first: StorageVersionMigration | undefined
    for (const one of this.#due.get(type)?.values() ?? []) {
      if (first === undefined || isBefore(one, first)) first = one
    }
    if (first === undefined) return false
    const isGone = (): boolean => this.#due.get(type)?.has(metaText(first, 'name')) !== true
    const run: Run = { parts: this.#parts, migrations: this.#migrations, pace: this.#pace, first, isGone, signal }
    const outcome = await migrate(run)
    if (outcome === 'type missing') this.#queue.addAfter(type, LOOK_AGAIN_MS)
    return outcome === 'failed for now'
  }
}

/** Running migrations come before others, and then older ones before newer ones. */
function isBefore(a: StorageVersionMigration, b: StorageVersionMigration): boolean {
  const rank = (one: StorageVersionMigration): string =>
    [isTrue(one, 'Running') ? 0 : 1, one.metadata.creationTimestamp ?? '', one.metadata.name].join(' ')
  return rank(a) < rank(b)
}

interface Run {
  readonly parts: ControllerParts
  readonly migrations: Resource
  readonly pace: Pace
  /** The last known state of the migration. */
  readonly first: StorageVersionMigration
  /** Whether the migration was deleted, or another program has ended it. */
  readonly isGone: () => boolean
  readonly signal: AbortSignal
}

type Outcome = 'over' | 'type missing' | 'failed for now'

/** The end of a migration: it has succeeded, failed, or was deleted. */
type End = { readonly kind: 'succeeded' | 'deleted' } | { readonly kind: 'failed'; readonly message: string }

async function migrate(run: Run): Promise<Outcome> {
  const { parts, first, signal } = run
  const type = typeName(first)
  let progress: Progress | undefined
  try {
    const live = await readLive(run)
    const isRunning = isTrue(live, 'Running')
    if (isOver(live)) return isRunning ? await conclude(run, endOf(live)) : 'over'
    if (!isRunning) {
      await beginMigration(parts, { name: type, migration: metaText(first, 'name') }, signal)
      await tell(run, (one) => running(one, parts.now()))
    }
    const resource = typeOf(parts.resources(), live.spec.resource)
    if (resource === undefined) {
      const bornMs = Date.parse(live.metadata.creationTimestamp ?? '')
      if (parts.clock.timeOfDay() < bornMs + TYPE_WAIT_MS) return 'type missing'
      return await conclude(run, failed('resource does not exist in discovery'))
    }
    if (!VERBS_NEEDED.every((verb) => resource.verbs.has(verb))) return await conclude(run, failed(notServed(resource)))
    const after = await startRevision(run, live, resource)
    const unreadable = await walk(run, { after, isCustom: resource.isCustom, onProgress: (now) => (progress = now) })
    return await conclude(run, unreadable === undefined ? { kind: 'succeeded' } : failed(unhandled(unreadable)))
  } catch (error) {
    if (error instanceof MigrationGone) return conclude(run, { kind: 'deleted' })
    if (error instanceof TypeGone) return 'type missing'
    if (!(error instanceof ApiError)) throw error
    if (error.code < 500 && error.code !== 429) {
      const left = progress === undefined ? '' : `${progress.left}/${progress.total} not yet migrated. `
      return conclude(run, failed(`${left}${unhandled(error.message)}`))
    }
    parts.log.warn({ err: error, migration: first.metadata.name }, 'storage migration failed for now, will retry')
    await tell(run, (live) => running(live, parts.now(), progress, `; transient error: ${error.message}`))
    return 'failed for now'
  }
}

function failed(message: string): End {
  return { kind: 'failed', message }
}

function unhandled(message: string): string {
  return `migration encountered unhandled error: ${message}`
}

function notServed({ group, version, resource }: Resource): string {
  const place = `${group === '' ? '' : `${group}/`}${version}, Resource=${resource}`
  return `resource "${place}" does not support discovery operations: [${VERBS_NEEDED.join(' ')}]`
}

function endOf(migration: StorageVersionMigration): End {
  return isTrue(migration, 'Succeeded') ? { kind: 'succeeded' } : failed('')
}

/** Thrown if the type is no longer served. */
class TypeGone extends Error {}

/** Thrown if the migration was deleted, or has another uid now. */
class MigrationGone extends Error {}

/** The stored migration, which can be newer than the informer's. Throws `MigrationGone`. */
async function readLive({ parts, migrations, first, signal }: Run): Promise<StorageVersionMigration> {
  const key = { resource: migrations.stored, namespace: '', name: metaText(first, 'name') }
  const { item } = await parts.registry.store.get(key, { kind: 'latest' }, signal)
  if (item?.kind !== 'object') throw new MigrationGone()
  const live = migrationIn(item)
  if (live.metadata.uid !== first.metadata.uid) throw new MigrationGone()
  return live
}

/** Changes the status. Throws `MigrationGone`. */
async function tell(
  { parts, migrations, first, signal }: Run,
  change: (live: StorageVersionMigration) => StorageVersionMigration,
): Promise<void> {
  const [name, uid] = [metaText(first, 'name'), metaText(first, 'uid')]
  const write = (live: ApiObject): ApiObject => change(live as unknown as StorageVersionMigration)
  try {
    const update = { name, uid, subresource: 'status', change: write } as const
    await updateLive(parts, migrations, update, controllerContext(parts, '', signal))
  } catch (error) {
    if (isReason(error, 'NotFound', 'Conflict')) throw new MigrationGone()
    throw error
  }
}

function running(live: StorageVersionMigration, now: string, progress?: Progress, more = ''): StorageVersionMigration {
  const { left, total } = progress ?? { left: 0, total: 0 }
  const state = left > 0 ? `, ${left}/${total} objects not yet migrated` : `, ${total} objects verified migrated`
  const message = `The migration is running${total === 0 ? '' : state}${more}`
  return withCondition(live, { type: 'Running', status: true, reason: 'MigrationRunning', message }, now)
}

/** The revision after which objects need no rewrite. The status keeps its first value. */
async function startRevision(run: Run, live: StorageVersionMigration, type: Resource): Promise<number> {
  const set = live.status.resourceVersion ?? ''
  if (set !== '') return Number(set)
  const newest = { resource: asStored(type), at: { kind: 'latest' }, limit: 1, skipUnreadable: true } as const
  const { revision } = await run.parts.registry.store.list(newest, run.signal)
  await tell(run, (one) => ({ ...one, status: { ...one.status, resourceVersion: String(revision) } }))
  return revision
}

interface Walk {
  readonly after: number
  readonly isCustom: boolean
  readonly onProgress: (progress: Progress) => void
}

/**
 * Walks over custom resources again until all are in the storage version: a replica may have learned late that this version has changed.
 * Resolves to the reason why an object could not be read. Undefined: all could be read.
 */
async function walk(run: Run, { after, isCustom, onProgress }: Walk): Promise<string | undefined> {
  const { parts, pace, first, signal } = run
  const { clock, registry, resources } = parts
  let toldMs = clock.now()
  for (let since = after; ; since = 0) {
    const apiVersion = isCustom ? await storedApiVersion(parts, typeName(first), signal) : undefined
    const rewrite = {
      resource: () => {
        const found = typeOf(resources(), first.spec.resource)
        if (found === undefined) throw new TypeGone()
        return found
      },
      after: since,
      apiVersion,
      pace,
      onProgress: async (progress: Progress) => {
        onProgress(progress)
        if (run.isGone()) throw new MigrationGone()
        if (clock.now() - toldMs < TELL_EVERY_MS) return
        toldMs = clock.now()
        await tell(run, (live) => running(live, parts.now(), progress))
      },
    }
    const { foundOthers, unreadable } = await rewriteAll(registry.store, rewrite, signal)
    if (!foundOthers || unreadable !== undefined) return unreadable
  }
}

async function conclude(run: Run, end: End): Promise<Outcome> {
  const { parts, first, signal } = run
  await endMigration(parts, { name: typeName(first), hasSucceeded: end.kind === 'succeeded' }, signal)
  if (end.kind === 'deleted') return 'over'
  const now = parts.now()
  const telling = tell(run, (live) => {
    const isRunning = { type: 'Running', status: false, reason: 'MigrationCompleted', message: 'Migration completed' }
    const told = withCondition(live, isRunning, now)
    if (isOver(live)) return told
    const condition =
      end.kind === 'failed'
        ? { type: 'Failed', status: true, reason: 'StorageVersionMigrationFailed', message: end.message }
        : {
            type: 'Succeeded',
            status: true,
            reason: 'StorageVersionMigrationSucceeded',
            message: 'Migration completed',
          }
    return withCondition(told, condition, now)
  })
  await telling.catch((error: unknown) => {
    if (!(error instanceof MigrationGone)) throw error
  })
  return 'over'
}
