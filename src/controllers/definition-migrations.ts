// Starts a migration when a definition stores objects in a new version and lists older ones in `status.storedVersions`. The definition owns
// the migration, so that it is deleted with the definition.
import type { StoredObject } from '../api/read.ts'
import { type Definition, readDefinition } from '../kinds/kinds.ts'
import { addToSet, removeFromSet } from '../lib/map-entries.ts'
import type { Controller, ControllerParts } from './controllers.ts'
import { definitionType } from './definition-migration.ts'
import { type FollowedType, keyedController, type KeyedWork } from './keyed-controller.ts'
import { isOver, migrationIn, migrationType, typeName } from './storage-version-migrator.ts'
import type { WorkQueue } from './work-queue.ts'
import { controllerContext, createMissing, newObject } from './writes.ts'

const NAME = 'definition-migration'
/**
 * The time from the last change of a definition to its migration. Definitions are often changed several times in a row, and every replica
 * must have learned of the last change.
 */
const SETTLED_MS = 10_000
const MOST_NAME = 253

interface Seen {
  readonly definition: Definition
  /** The time when this generation was first seen. */
  readonly sinceMs: number
}

export function definitionMigrations(parts: ControllerParts): Controller {
  const options = { name: NAME, canWait: true, workers: 1 }
  return keyedController(parts, options, (queue) => new Starter(parts, queue))
}

class Starter implements KeyedWork {
  readonly followed: readonly FollowedType[]
  readonly #parts: ControllerParts
  /** The definitions that need a migration. */
  readonly #seen = new Map<string, Seen>()
  /** The names of the migrations that are not over, by type. */
  readonly #underWay = new Map<string, Set<string>>()
  readonly #queue: WorkQueue

  constructor(parts: ControllerParts, queue: WorkQueue) {
    this.#parts = parts
    this.#queue = queue
    this.followed = [
      {
        type: definitionType(parts.resources()),
        onPresent: (stored) => this.#onDefinition(readDefinition(stored.object())),
        onGone: ({ name }) => void this.#seen.delete(name),
      },
      {
        type: migrationType(parts.resources())!,
        onPresent: (stored) => this.#onMigration(stored, !isOver(migrationIn(stored))),
        onGone: (stored) => this.#onMigration(stored, false),
      },
    ]
  }

  #onDefinition(definition: Definition): void {
    const { name, generation, uid, isEstablished, isTerminating, storedVersions, storageVersion } = definition
    if (!isEstablished || isTerminating || storedVersions.every((version) => version === storageVersion)) {
      this.#seen.delete(name)
      return
    }
    const before = this.#seen.get(name)
    const isSame = before?.definition.generation === generation && before.definition.uid === uid
    this.#seen.set(name, { definition, sinceMs: isSame ? before.sinceMs : this.#parts.clock.now() })
    this.#queue.add(name)
  }

  #onMigration(stored: StoredObject, isUnderWay: boolean): void {
    const type = typeName(migrationIn(stored))
    if (isUnderWay) addToSet(this.#underWay, type, stored.name)
    else removeFromSet(this.#underWay, type, stored.name)
    if (!isUnderWay && this.#seen.has(type)) this.#queue.add(type)
  }

  async work(name: string, signal: AbortSignal): Promise<void> {
    const seen = this.#seen.get(name)
    if (seen === undefined || this.#underWay.has(name)) return
    const restMs = seen.sinceMs + SETTLED_MS - this.#parts.clock.now()
    if (restMs > 0) return this.#queue.addAfter(name, restMs)
    const { uid, group, names } = seen.definition
    const migrations = migrationType(this.#parts.resources())!
    const owner = { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition', name, uid }
    const metadata = { name: migrationName(seen.definition), ownerReferences: [owner] }
    const object = newObject(migrations, metadata, { spec: { resource: { group, resource: names.plural } } })
    // A failed migration stays, and is not repeated until it is deleted or the definition changes.
    await createMissing(this.#parts, migrations, object, controllerContext(this.#parts, '', signal))
  }
}

/** The name of the migration. It differs for every change of the definition. */
function migrationName({ name, storageVersion, generation }: Definition): string {
  const suffix = `-${storageVersion}-${generation}`
  return `${name.slice(0, MOST_NAME - suffix.length).replace(/[.-]+$/, '')}${suffix}`
}
