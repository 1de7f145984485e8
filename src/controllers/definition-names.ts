// Accepts the names of definitions, and then the definitions themselves (P-345, P-346). Every replica does it: what is to be
// done follows from what is stored, so whoever comes second finds it done.
import type { ApiObject } from '../api/object.ts'
import type { StoredObject } from '../api/read.ts'
import type { Value, ValueMap } from '../api/value.ts'
import { isList, own } from '../api/value.ts'
import { isTerminating, metaText } from '../registry/object-meta.ts'
import { updateObject } from '../registry/update.ts'
import { conditionOf, type Definition, readDefinition } from '../resources/resources.ts'
import type { Controller, ControllerParts } from './controllers.ts'
import { controllerContext, follow, isReason, resourceOf } from './controllers.ts'
import { approvalOf } from './definition-approval.ts'
import { partOf, withCondition } from './definition-conditions.ts'
import { WorkQueue } from './work-queue.ts'

export function definitionNames(parts: ControllerParts): Controller {
  return {
    name: 'definition-names',
    async run(signal) {
      const resource = resourceOf(parts, 'apiextensions.k8s.io', 'v1', 'customresourcedefinitions')
      const known = new Map<string, { readonly stored: StoredObject; readonly definition: Definition }>()
      const taken = new TakenNames()
      /** Those that did not get all their names. */
      const losers = new Map<string, Definition>()
      const queue = new WorkQueue({
        name: 'definition-names',
        log: parts.log,
        workers: 4,
        work: async (name, stop) => {
          for (const step of [withNames, withEstablished]) {
            if (!(await judge(name, step, stop))) break
          }
          return false
        },
      })
      type Step = (object: ApiObject, taken: TakenNames, now: string) => ApiObject
      const judge = async (name: string, step: Step, stop: AbortSignal): Promise<boolean> => {
        const entry = known.get(name)
        if (entry === undefined) return false
        const object = entry.stored.object()
        if (isTerminating(object)) return false
        const context = { ...controllerContext(parts, '', stop), fieldManager: 'kube-apiserver' }
        if (step(object, taken, context.now) === object) return true
        try {
          const written = await updateObject(
            parts.registry,
            resource,
            {
              name,
              subresource: 'status',
              wanted: (live) => (isTerminating(live!) ? live! : step(live!, taken, context.now)),
              tracksFields: false,
              absent: 'refuse',
              uid: '',
            },
            context,
          )
          if (isStored(written.object)) note(written.object)
        } catch (error) {
          if (!isReason(error, 'NotFound')) throw error
          return false
        }
        return true
      }
      const note = (stored: StoredObject): void => {
        const before = known.get(stored.name)
        // The same again is taken too: what was just written holds more than what comes out of the cache.
        if (before !== undefined && before.stored.revision > stored.revision) return
        const definition = readDefinition(stored.object())
        known.set(stored.name, { stored, definition })
        if (before !== undefined) taken.remove(before.definition)
        taken.add(definition)
        if (definition.isJudged && !definition.isServed) losers.set(definition.name, definition)
        else losers.delete(definition.name)
      }
      /** What one definition gives up another may take. */
      const lookAgain = (group: string): void => {
        for (const loser of losers.values()) if (loser.group === group) queue.add(loser.name)
      }
      const followed = follow(
        parts.registry.store,
        resource,
        {
          onPresent: (stored) => {
            const before = known.get(stored.name)?.definition
            note(stored)
            queue.add(stored.name)
            const after = known.get(stored.name)?.definition
            if (before !== undefined && after !== undefined && namesIn(before) !== namesIn(after))
              lookAgain(after.group)
          },
          onGone: ({ name }) => {
            const gone = known.get(name)?.definition
            known.delete(name)
            losers.delete(name)
            if (gone === undefined) return
            taken.remove(gone)
            lookAgain(gone.group)
          },
        },
        signal,
      )
      await Promise.all([followed, queue.run(signal)])
    },
  }
}

function isStored(object: ApiObject | StoredObject): object is StoredObject {
  return Buffer.isBuffer((object as StoredObject).bytes)
}

function namesIn({ accepted }: Definition): string {
  return JSON.stringify(accepted)
}

/** Who has which name, group by group: plurals, singulars and short names are one set, kinds and lists of them another. */
class TakenNames {
  readonly #owners = new Map<string, Set<string>>()

  add(definition: Definition): void {
    for (const key of keysOf(definition)) {
      const owners = this.#owners.get(key) ?? new Set()
      this.#owners.set(key, owners.add(definition.name))
    }
  }

  remove(definition: Definition): void {
    for (const key of keysOf(definition)) {
      const owners = this.#owners.get(key)
      owners?.delete(definition.name)
      if (owners?.size === 0) this.#owners.delete(key)
    }
  }

  /** Whether another definition of the group has it. */
  isTaken(name: string, by: { readonly group: string; readonly set: NameSet; readonly self: string }): boolean {
    const owners = this.#owners.get(`${by.group}/${by.set}/${name}`)
    return owners !== undefined && (owners.size > 1 || !owners.has(by.self))
  }
}

type NameSet = 'resource' | 'kind'

function keysOf({ group, accepted }: Definition): readonly string[] {
  const resources = [accepted.plural, accepted.singular, ...accepted.shortNames]
  return [
    ...resources.map((name) => `${group}/resource/${name}`),
    ...[accepted.kind, accepted.listKind].map((name) => `${group}/kind/${name}`),
  ]
}

/** The definition with those of its names accepted that no other in its group has. */
function withNames(object: ApiObject, taken: TakenNames, now: string): ApiObject {
  const status = partOf(object, 'status')
  const requested = partOf(partOf(object, 'spec'), 'names')
  const accepted = partOf(status, 'acceptedNames')
  const place = { group: textOf(partOf(object, 'spec'), 'group'), self: metaText(object, 'name') }
  const isTaken = (name: string, set: NameSet): boolean => taken.isTaken(name, { ...place, set })
  const names: Record<string, Value> = { ...accepted }
  let conflict: readonly [string, string] | undefined
  const take = (field: string, set: NameSet, reason: string): void => {
    const wanted = textOf(requested, field)
    if (wanted !== textOf(accepted, field) && isTaken(wanted, set)) conflict = [reason, inUse(wanted)]
    else if (wanted !== '' || Object.hasOwn(accepted, field)) names[field] = wanted
  }
  take('plural', 'resource', 'PluralConflict')
  take('singular', 'resource', 'SingularConflict')
  const ours = new Set(textsOf(accepted, 'shortNames'))
  const lost = textsOf(requested, 'shortNames').filter((name) => !ours.has(name) && isTaken(name, 'resource'))
  if (lost.length > 0) {
    const texts = lost.map(inUse)
    conflict = ['ShortNamesConflict', texts.length === 1 ? texts.join() : `[${texts.join(', ')}]`]
  } else setList(names, 'shortNames', textsOf(requested, 'shortNames'))
  take('kind', 'kind', 'KindConflict')
  take('listKind', 'kind', 'ListKindConflict')
  setList(names, 'categories', textsOf(requested, 'categories'))
  const [reason, message] = conflict ?? ['NoConflicts', 'no conflicts found']
  const isAccepted = conflict === undefined
  const named =
    JSON.stringify(sorted(names)) === JSON.stringify(sorted(accepted)) ? object : withAccepted(object, names)
  const judged = withCondition(named, { type: 'NamesAccepted', status: isAccepted, reason, message }, now)
  const established = conditionOf(judged, 'Established')
  if (established?.['status'] === 'True') return withApproval(judged, now)
  const next = isAccepted
    ? { reason: 'Installing', message: 'the initial names have been accepted' }
    : { reason: 'NotAccepted', message: 'not all names are accepted' }
  return withApproval(withCondition(judged, { type: 'Established', status: false, ...next }, now), now)
}

function withApproval(object: ApiObject, now: string): ApiObject {
  const approval = approvalOf(object)
  return approval === undefined ? object : withCondition(object, approval, now)
}

/** The second step: what was accepted is there. */
function withEstablished(object: ApiObject, _taken: TakenNames, now: string): ApiObject {
  if (conditionOf(object, 'NamesAccepted')?.['status'] !== 'True') return object
  if (conditionOf(object, 'Established')?.['status'] === 'True') return object
  const message = 'the initial names have been accepted'
  return withCondition(object, { type: 'Established', status: true, reason: 'InitialNamesAccepted', message }, now)
}

function withAccepted(object: ApiObject, names: ValueMap): ApiObject {
  return { ...object, status: { ...partOf(object, 'status'), acceptedNames: names } }
}

function inUse(name: string): string {
  return `${JSON.stringify(name)} is already in use`
}

function setList(names: Record<string, Value>, field: string, list: readonly string[]): void {
  if (list.length > 0) names[field] = list
  else delete names[field]
}

function sorted(map: ValueMap): readonly (readonly [string, Value])[] {
  return Object.entries(map).toSorted(([a], [b]) => (a < b ? -1 : 1))
}

function textOf(map: ValueMap, name: string): string {
  const value = own(map, name)
  return typeof value === 'string' ? value : ''
}

function textsOf(map: ValueMap, name: string): readonly string[] {
  const value = own(map, name)
  return isList(value) ? value.filter((one) => typeof one === 'string') : []
}
