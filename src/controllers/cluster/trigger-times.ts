// The time of the change for which endpoints are written, as an annotation. Other programs measure the delay of endpoints by it.
import type { Pod, Service } from '../../api/gen/kinds.ts'
import { withMembers } from '../../api/object-members.ts'

const ANNOTATION = 'endpoints.kubernetes.io/last-change-trigger-time'

interface Seen {
  /** The time when each pod became ready or unready, in milliseconds since 1970, by the name of the pod. */
  readonly pods: ReadonlyMap<string, number>
}

export class TriggerTimes {
  readonly #seen = new Map<string, Seen>()

  /** The time of the first change since the last call for the service, in RFC 3339. Undefined: there was no change. */
  next({ metadata }: Service, selected: readonly Pod[]): string | undefined {
    const { uid = '', creationTimestamp = '' } = metadata
    const before = this.#seen.get(uid)
    const pods = new Map<string, number>()
    let first = Number.POSITIVE_INFINITY
    for (const pod of selected) {
      const ready = pod.status.conditions?.find(({ type }) => type === 'Ready')
      const atMs = Date.parse(ready?.lastTransitionTime ?? '')
      if (Number.isNaN(atMs)) continue
      const name = pod.metadata.name ?? ''
      pods.set(name, atMs)
      if (atMs > (before?.pods.get(name) ?? 0)) first = Math.min(first, atMs)
    }
    this.#seen.set(uid, { pods })
    if (before === undefined) return creationTimestamp ?? undefined
    return first === Number.POSITIVE_INFINITY ? undefined : new Date(first).toISOString().replace('.000Z', 'Z')
  }

  forget({ metadata }: Service): void {
    this.#seen.delete(metadata.uid ?? '')
  }
}

type Annotations = Readonly<Record<string, string>>

/** The annotations with the time. Undefined: there are none. */
export function withTriggerTime(annotations: Annotations, time: string | undefined): Annotations | undefined {
  const all = withMembers(annotations, { [ANNOTATION]: time })
  return Object.keys(all).length === 0 ? undefined : all
}
