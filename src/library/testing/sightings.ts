// The versions of one object that a watch has shown, and their description in the message of a failure.
import type { KubernetesObject, Stored } from '../../client/client.ts'
import type { Value } from '../../api/value.ts'
import { emitYaml } from '../../codec/yaml-emit.ts'
import { changedPaths } from './differences.ts'

export type Sighting = 'ADDED' | 'MODIFIED' | 'DELETED'

const MOST_LINES = 10
const MOST_PATHS = 6
const MOST_OBJECT_LINES = 80

export class Sightings<T extends KubernetesObject> {
  readonly #lines: string[] = []
  #count = 0
  #latest: Stored<T> | undefined

  /** The last seen version of the object, even if the object is gone by now. */
  get latest(): Stored<T> | undefined {
    return this.#latest
  }

  add(sighting: Sighting, object: Stored<T>): void {
    const changes = sighting === 'MODIFIED' ? changesOf(this.#latest, object) : ''
    this.#count++
    this.#lines.push(`  ${sighting} with resourceVersion ${object.metadata.resourceVersion}${changes}`)
    if (this.#lines.length > MOST_LINES) this.#lines.shift()
    this.#latest = object
  }

  /** The last changes, one on each line. Empty if nothing was seen. */
  toString(): string {
    if (this.#count === 0) return ''
    const rest = this.#count - this.#lines.length
    return ['What was seen of it:', ...(rest > 0 ? [`  … ${rest} earlier changes`] : []), ...this.#lines].join('\n')
  }

  /** The object as YAML, without its managed fields. Empty if nothing was seen. */
  objectText(): string {
    if (this.#latest === undefined) return ''
    const lines = emitYaml(shownPart(this.#latest) as unknown as Value)
      .trimEnd()
      .split('\n')
    const rest = lines.length - MOST_OBJECT_LINES
    const shown = [...lines.slice(0, MOST_OBJECT_LINES), ...(rest > 0 ? [`… ${rest} more lines`] : [])]
    return ['As it was last seen:', ...shown.map((line) => `  ${line}`)].join('\n')
  }
}

function changesOf(before: KubernetesObject | undefined, after: KubernetesObject): string {
  const paths = changedPaths(comparedPart(before), comparedPart(after))
  if (paths.length === 0) return ''
  const rest = paths.length - MOST_PATHS
  return `: ${paths.slice(0, MOST_PATHS).join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`
}

/** The object without the members that change with every write. */
function comparedPart(object: KubernetesObject | undefined): object | undefined {
  if (object === undefined) return undefined
  const { managedFields: _fields, resourceVersion: _version, ...metadata } = object.metadata
  return { ...object, metadata }
}

function shownPart(object: KubernetesObject): object {
  const { managedFields: _fields, ...metadata } = object.metadata
  return { ...object, metadata }
}
