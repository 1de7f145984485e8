// Flow control: priority and fairness, with informers on its objects, or plain limits on requests in flight.
import { DUMP_NAMES, type DumpName, dumpRows, dumpText, type Row } from '../flow/dump.ts'
import type { FindLoad, FlowControl } from '../flow/flow.ts'
import { InFlight } from '../flow/in-flight.ts'
import { PriorityAndFairness } from '../flow/priority-and-fairness.ts'
import type { ApiObject, GroupVersionResource } from '../api/object.ts'
import { plainText } from '../http/responses.ts'
import type { Route } from '../http/router.ts'
import { systemClock } from '../lib/clock.ts'
import { servedResource } from '../registry/served-resource.ts'
import type { Family } from '../lib/measure.ts'
import { together } from '../lib/together.ts'
import type { Resource } from '../registry/registry.ts'
import type { Store } from '../store/store.ts'
import { runInformer } from '../controllers/informer.ts'

export interface FlowOptions {
  /** False: only the two limits below apply. */
  readonly priorityAndFairness: boolean
  readonly maxReads: number
  readonly maxWrites: number
}

export interface FlowParts {
  readonly store: Store
  readonly find: (resource: GroupVersionResource) => Resource | undefined
  readonly findLoad: FindLoad
  /** With several workers: returns the rows of all workers for a page. Each row ends with the name of its worker. */
  readonly rowsOfWorkers?: ((page: DumpName, own: readonly Row[]) => Promise<readonly Row[]>) | undefined
}

export interface RunningFlowControl {
  readonly control: FlowControl
  readonly measures: readonly Family[]
  readonly routes: readonly Route[]
  /** The rows of this worker, for the pages of all workers. */
  readonly rows: (page: DumpName) => readonly Row[]
  /** Resolves when the objects that were stored at the start are in effect. */
  readonly loaded: Promise<void>
  /** Changes the limits. */
  limit(limits: Pick<FlowOptions, 'maxReads' | 'maxWrites'>): void
  /** Follows the objects until the signal fires. */
  run(signal: AbortSignal): Promise<void>
}

export function openFlowControl(options: FlowOptions, parts: FlowParts): RunningFlowControl {
  const { maxReads: reads, maxWrites: writes } = options
  if (!options.priorityAndFairness) {
    const none = Promise.resolve()
    const control = new InFlight({ reads, writes })
    const limit: RunningFlowControl['limit'] = ({ maxReads, maxWrites }) =>
      control.limit({ reads: maxReads, writes: maxWrites })
    return { control, limit, measures: [], routes: [], rows: () => [], loaded: none, run: () => none }
  }
  const control = new PriorityAndFairness({ seats: reads + writes, findLoad: parts.findLoad, clock: systemClock })
  const loaded = Promise.withResolvers<void>()
  const dump = async (page: DumpName): Promise<string> => {
    const own = dumpRows(page, control)
    if (parts.rowsOfWorkers === undefined) return dumpText(page, own)
    return dumpText(page, await parts.rowsOfWorkers(page, own), true)
  }
  return {
    control,
    loaded: loaded.promise,
    limit: ({ maxReads, maxWrites }) => control.setSeats(maxReads + maxWrites),
    measures: control.measures.all(),
    routes: [
      ...DUMP_NAMES.map((page) => ({
        path: `/debug/api_priority_and_fairness/${page}`,
        handler: async () => plainText(200, await dump(page)),
      })),
      {
        path: '/debug/flow',
        handler: async () => plainText(200, (await Promise.all(DUMP_NAMES.map(dump))).join('\n')),
        listed: () => [],
      },
    ],
    rows: (page) => dumpRows(page, control),
    async run(signal) {
      const followed = { ...parts, onLoaded: loaded.resolve }
      await together(signal, (until) => [control.run(until), followObjects(control, followed, until)])
    },
  }
}

/** All changes within one turn of the event loop lead to one new configuration. */
async function followObjects(
  control: PriorityAndFairness,
  parts: FlowParts & { readonly onLoaded: () => void },
  signal: AbortSignal,
): Promise<void> {
  const levels = new Followed()
  const schemas = new Followed()
  let isDue = false
  const reconfigure = (): void => {
    isDue = false
    if (!levels.isComplete || !schemas.isComplete) return
    control.configure(levels.all(), schemas.all())
    parts.onLoaded()
  }
  const onChange = (): void => {
    if (isDue) return
    isDue = true
    setImmediate(reconfigure)
  }
  const following = async (name: string, objects: Followed, until: AbortSignal): Promise<void> => {
    const resource = servedResource(parts, name, 'flowcontrol.apiserver.k8s.io')
    await runInformer(
      parts.store,
      resource,
      {
        onPresent: (stored) => {
          objects.set(stored.name, stored.object())
          onChange()
        },
        onGone: ({ name: gone }) => {
          objects.remove(gone)
          onChange()
        },
        onSynced: () => {
          objects.isComplete = true
          onChange()
        },
      },
      until,
    )
  }
  await together(signal, (until) => [
    following('prioritylevelconfigurations', levels, until),
    following('flowschemas', schemas, until),
  ])
}

class Followed {
  isComplete = false
  readonly #objects = new Map<string, ApiObject>()

  set(name: string, object: ApiObject): void {
    this.#objects.set(name, object)
  }

  remove(name: string): void {
    this.#objects.delete(name)
  }

  all(): readonly ApiObject[] {
    return [...this.#objects.values()]
  }
}
