// What the first walk of a mutating pass leaves for the second: who had been asked before the last change, and wants to be
// asked again (W-447, W-448).
import type { ApiObject } from '../api/object.ts'
import { equalValues } from '../api/value.ts'
import type { AdmissionRequest } from './admission.ts'

export class Reinvocation {
  /** Asked before the last change, and to be asked again. */
  #due = new Set<string>()
  /** Asked since the last change. */
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

  /** Others may have changed what was left. */
  beginAgain(object: ApiObject | undefined): void {
    if (!equalValues(object, this.#last)) this.changed()
  }
}

/** Each plugin keeps its own under its name. */
export function reinvocationOf({ walk }: AdmissionRequest, plugin: string): Reinvocation {
  const known = walk?.memory.get(plugin)
  if (known instanceof Reinvocation) return known
  const fresh = new Reinvocation()
  walk?.memory.set(plugin, fresh)
  return fresh
}
