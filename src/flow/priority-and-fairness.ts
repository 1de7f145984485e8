// Priority and fairness, configured by the objects of the API. A request is classified, and its priority level runs, queues or rejects it.
// Until the objects are known, the bootstrap objects apply. They also replace mandatory objects that are missing.
import type { ValueMap } from '../api/value.ts'
import type { Clock } from '../lib/clock.ts'
import type { MaybePromise } from '../lib/maybe-promise.ts'
import { pause } from '../lib/pause.ts'
import { BOOTSTRAP_LEVELS, BOOTSTRAP_SCHEMAS, type FlowObject } from './bootstrap.ts'
import { Classifier } from './classifier.ts'
import type { Entry, FindLoad, FlowControl, FlowHeaders, FlowRequest } from './flow.ts'
import { type LevelSpec, levelSpecOf, type SchemaSpec, schemaSpecOf } from './flow-objects.ts'
import { FlowMeasures, measuresOf } from './measures.ts'
import { PriorityLevel } from './priority-level.ts'
import { mostSeatsOfOne, nominalSeats, shareOut, smoothedDemand } from './seat-limits.ts'
import { Ticket, type TicketSchema } from './ticket.ts'
import { estimateWork } from './work-estimate.ts'

/** The interval at which levels lend each other seats and give them back. */
const ADJUST_EVERY_MS = 10_000

const READS: ReadonlySet<string> = new Set(['get', 'list', 'watch'])

export interface PriorityAndFairnessOptions {
  /** The number of all seats (P-200). */
  readonly seats: number
  readonly findLoad: FindLoad
  readonly clock: Clock
}

/** A schema that is in use, with its level. */
export interface Flow extends TicketSchema {
  readonly spec: SchemaSpec
  readonly level: PriorityLevel
  readonly mostSeats: number
  readonly end: (ticket: Ticket) => void
}

export class PriorityAndFairness implements FlowControl {
  readonly measures = new FlowMeasures()
  readonly #waitingReads = this.measures.waiting.of('readOnly')
  readonly #waitingWrites = this.measures.waiting.of('mutating')
  readonly #options: PriorityAndFairnessOptions
  readonly #levels = new Map<string, PriorityLevel>()
  #seats: number
  #flows: readonly Flow[] = []
  #classifier = new Classifier<Flow>([])
  #rest: Flow | undefined

  constructor(options: PriorityAndFairnessOptions) {
    this.#options = options
    this.#seats = options.seats
    this.configure(BOOTSTRAP_LEVELS.map(asObject), BOOTSTRAP_SCHEMAS.map(asObject))
  }

  get levels(): readonly PriorityLevel[] {
    return [...this.#levels.values()]
  }

  get flows(): readonly Flow[] {
    return this.#flows
  }

  /** Replaces the objects. Schemas whose level is missing are left out (P-206). */
  configure(levels: readonly ValueMap[], schemas: readonly ValueMap[]): void {
    const specs = withMandatory(levels.map(levelSpecOf), BOOTSTRAP_LEVELS, levelSpecOf)
    this.#setLevels(specs)
    const known = withMandatory(schemas.map(schemaSpecOf), BOOTSTRAP_SCHEMAS, schemaSpecOf)
    this.#flows = known.flatMap((spec) => this.#flowOf(spec))
    this.#classifier = new Classifier(this.#flows)
    this.#rest = this.#flows.find(({ spec }) => spec.name === 'catch-all')
    const pairs = this.#flows.map(({ spec }) => ({ level: spec.level, schema: spec.name }))
    this.measures.configured(pairs, new Set(this.#levels.keys()))
  }

  /** Changes the number of all seats. Requests that have seats keep them. */
  setSeats(seats: number): void {
    this.#seats = seats
    this.#setLevels(this.levels.map(({ spec }) => spec))
  }

  enter(request: FlowRequest, waitMs: number): MaybePromise<Entry> {
    const flow = this.#classifier.find(request) ?? this.#rest!
    const { level } = flow
    const { info, user } = request
    const { distinguisher } = flow.spec
    const ticket = new Ticket({
      schema: flow,
      flow: distinguisher === 'user' ? user.name : distinguisher === 'namespace' ? namespaceOf(request) : '',
      work: estimateWork(request, this.#options.findLoad, flow.mostSeats),
      isWatch: info.kind === 'resource' && info.verb === 'watch',
      waiting: info.kind !== 'broken' && READS.has(info.verb) ? this.#waitingReads : this.#waitingWrites,
      nowMs: this.#options.clock.now(),
      end: flow.end,
    })
    return level.enter(ticket, { waitMs, signal: request.signal })
  }

  /** Lends seats to the levels that need them, until the signal fires. */
  async run(signal: AbortSignal): Promise<void> {
    while (await pause(this.#options.clock, ADJUST_EVERY_MS, signal)) this.adjust()
  }

  adjust(): void {
    const nowMs = this.#options.clock.now()
    let seats = this.#seats
    const demands = this.levels.flatMap((level) => {
      const demand = level.demand.take(nowMs)
      const { name, isExempt } = level.spec
      const { nominal, lower, upper } = level.bounds
      level.smoothedDemand = smoothedDemand(level.smoothedDemand, demand)
      this.measures.average.of(name).value = demand.average
      this.measures.deviation.of(name).value = demand.deviation
      this.measures.highest.of(name).value = demand.highest
      this.measures.smoothed.of(name).value = level.smoothedDemand
      if (isExempt) seats -= demand.highest
      // A level lends only the nominal seats that it did not need.
      const least = Math.max(lower, Math.min(nominal, demand.highest))
      const target = Math.max(least, Math.min(upper, level.smoothedDemand))
      return isExempt ? [] : [{ name, lower: least, upper, target }]
    })
    for (const [name, limit] of shareOut(demands, Math.max(0, seats))) this.#setLimit(this.#levels.get(name)!, limit)
  }

  #setLevels(specs: readonly LevelSpec[]): void {
    const names = new Set(specs.map(({ name }) => name))
    // Requests in a removed level finish there: tickets know their level.
    for (const name of this.#levels.keys()) if (!names.has(name)) this.#levels.delete(name)
    const bounds = nominalSeats(specs, this.#seats)
    for (const spec of specs) {
      const known = this.#levels.get(spec.name)
      const level = known ?? new PriorityLevel(spec, this.#options.clock)
      this.#levels.set(spec.name, level)
      level.bounds = bounds.get(spec.name)!
      level.reconfigure(spec)
      const { nominal, lower, upper } = level.bounds
      this.measures.nominal.of(spec.name).value = nominal
      this.measures.lower.of(spec.name).value = lower
      this.measures.upper.of(spec.name).value = upper
      this.#setLimit(level, known === undefined ? nominal : Math.min(upper, Math.max(lower, level.limit)))
    }
  }

  #setLimit(level: PriorityLevel, limit: number): void {
    level.setLimit(limit)
    this.measures.current.of(level.spec.name).value = limit
  }

  #flowOf(spec: SchemaSpec): Flow[] {
    const level = this.#levels.get(spec.level)
    if (level === undefined) return []
    const { measures } = this
    return [
      {
        spec,
        level,
        name: spec.name,
        headers: headersOf(spec.uid, level.spec.uid),
        measures: measuresOf(measures, spec.level, spec.name),
        mostSeats: mostSeatsOfOne(level.bounds.nominal, level.spec.queuing?.handSize),
        end: (ticket) => level.end(ticket),
        reject: (reason, waitedMs) => {
          measures.rejected.of(spec.level, spec.name, reason).value++
          measures.waitSeconds.of(spec.level, spec.name, 'false').observe(waitedMs / 1000)
        },
      },
    ]
  }
}

function namespaceOf({ info }: FlowRequest): string {
  return info.kind === 'resource' ? (info.namespace ?? '') : ''
}

function headersOf(schemaUid: string, levelUid: string): FlowHeaders {
  return {
    ...(schemaUid === '' ? {} : { 'x-kubernetes-pf-flowschema-uid': schemaUid }),
    ...(levelUid === '' ? {} : { 'x-kubernetes-pf-prioritylevel-uid': levelUid }),
  }
}

/** Adds the mandatory objects that are missing. They apply even if the storage has lost them. */
function withMandatory<S extends { readonly name: string }>(
  specs: readonly S[],
  builtIn: readonly FlowObject[],
  read: (object: ValueMap) => S,
): readonly S[] {
  const names = new Set(specs.map(({ name }) => name))
  const missing = builtIn.filter(({ name, mandatory }) => mandatory && !names.has(name))
  return [...specs, ...missing.map((object) => read(asObject(object)))]
}

function asObject({ name, spec }: FlowObject): ValueMap {
  return { metadata: { name }, spec }
}
