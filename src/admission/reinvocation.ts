// Reinvocation: decides which webhooks and policies of the first mutating pass are called again in the second pass (W-447, W-448).
import type { ApiObject } from '../api/object.ts'
import { equalValues } from '../api/value.ts'
import type { AdmissionRequest } from './admission.ts'

export class Reinvocation {
  /** The webhooks and policies that were called before the last change. */
  #due = new Set<string>()
  /** The webhooks and policies that were called since the last change. */
  #recent = new Set<string>()
  #last: ApiObject | undefined

  called(key: string): void {
    this.#recent.add(key)
  }

  changed(): void {
    for (const key of this.#recent) this.#due.add(key)
    this.#recent = new Set()
  }

  isDue(key: string): boolean {
    return this.#due.has(key)
  }

  end(object: ApiObject | undefined): void {
    this.#last = object
  }

  /** Other plugins may have changed the object between the two passes. */
  beginAgain(object: ApiObject | undefined): void {
    if (!equalValues(object, this.#last)) this.changed()
  }
}

export function reinvocationOf({ walk }: AdmissionRequest, plugin: string): Reinvocation {
  const known = walk?.memory.get(plugin)
  if (known instanceof Reinvocation) return known
  const fresh = new Reinvocation()
  walk?.memory.set(plugin, fresh)
  return fresh
}
