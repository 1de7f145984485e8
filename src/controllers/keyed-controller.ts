// Controllers that follow types of objects, and work on the keys of the objects that a change concerns.
import { cancellable } from '../lib/cancellable.ts'
import { together } from '../lib/together.ts'
import type { Controller, ControllerParts } from './controllers.ts'
import { type Informed, type InformerHandler, runInformer } from './informer.ts'
import { WorkQueue, type WorkQueueOptions } from './work-queue.ts'

export interface FollowedType extends Omit<InformerHandler, 'onSynced'> {
  readonly type: Informed
}

export interface KeyedWork extends Pick<WorkQueueOptions, 'work'> {
  readonly followed: readonly FollowedType[]
  /** Called when the objects of all followed types are known, for the first time or after a break. */
  readonly onSynced?: () => void
  /** Further loops of the controller. */
  readonly loops?: readonly ((signal: AbortSignal) => Promise<void>)[]
}

export interface KeyedOptions extends Pick<Controller, 'name' | 'canWait'>, Pick<WorkQueueOptions, 'workers'> {
  /** Whether the work begins only when the objects of all followed types are known. */
  readonly whenSynced?: boolean
}

/** `open` is called at each start of the controller. If one of the loops fails, all of them end. */
export function keyedController(
  parts: ControllerParts,
  { workers, whenSynced = false, ...about }: KeyedOptions,
  open: (queue: WorkQueue) => KeyedWork,
): Controller {
  return {
    ...about,
    async run(signal) {
      const queue = new WorkQueue(parts, { name: about.name, workers, work: (key, inner) => opened.work(key, inner) })
      const opened = open(queue)
      const { followed, loops = [] } = opened
      const unknown = new Set(followed)
      const known = Promise.withResolvers<void>()
      const follow = (one: FollowedType, until: AbortSignal): Promise<void> => {
        const noteSynced = (): void => {
          unknown.delete(one)
          if (unknown.size > 0) return
          known.resolve()
          opened.onSynced?.()
        }
        return runInformer(parts.registry.store, one.type, { ...one, onSynced: noteSynced }, until)
      }
      const work = async (until: AbortSignal): Promise<void> => {
        if (whenSynced) await cancellable(known.promise, until).catch(() => {})
        await queue.run(until)
      }
      await together(signal, (until) => [
        work(until),
        ...followed.map((one) => follow(one, until)),
        ...loops.map((loop) => loop(until)),
      ])
    },
  }
}
