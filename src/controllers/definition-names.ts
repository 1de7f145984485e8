// Accepts the names of definitions, and then the definitions themselves (P-345, P-346). Every replica does it: what is to be
// done follows from what is stored, so whoever comes second finds it done.
import type { ApiObject } from '../api/object.ts'
import type { StoredObject } from '../api/read.ts'
import { isTerminating } from '../registry/object-meta.ts'
import { updateObject } from '../registry/update.ts'
import { type Definition, readDefinition } from '../resources/resources.ts'
import type { Controller, ControllerParts } from './controllers.ts'
import { controllerContext, follow, isReason, resourceOf } from './controllers.ts'
import { TakenNames, withEstablished, withNames } from './definition-acceptance.ts'
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
        measures: parts.queues,
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
