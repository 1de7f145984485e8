// The supervisor's part in the questions between workers. It passes the questions on to the workers, and keeps the counts of workers that
// have ended.
import { type Log, setLogLevel } from '../lib/log.ts'
import type { Family } from '../lib/measure.ts'
import { countsOf, type FamilySnapshot, PastCounts, snapshotOf } from '../telemetry/worker-metrics.ts'
import type { WorkerMeasures } from './measures.ts'
import type { WorkerProcess } from './workers.ts'
import { notServing, type PageAnswer, type PageRequest } from '../telemetry/management/management.ts'
import { type LastCounts, type PeerQuestion, peerWithinMs, type PeerTopics } from './peers.ts'

interface Answer {
  readonly worker: string | undefined
  readonly answer: unknown
}

export class WorkerAnswers {
  readonly #alive: () => ReadonlySet<WorkerProcess>
  readonly #log: Log
  readonly #past = new PastCounts()
  /** The last counts of each worker. */
  readonly #last = new Map<WorkerProcess, readonly FamilySnapshot[]>()
  /** The supervisor's own metrics. */
  readonly #own: readonly Family[]

  constructor(alive: () => ReadonlySet<WorkerProcess>, measures: WorkerMeasures, log: Log) {
    this.#alive = alive
    this.#own = measures.all()
    this.#log = log
  }

  async answer(question: PeerQuestion | LastCounts, asker: WorkerProcess): Promise<readonly Answer[]> {
    switch (question.kind) {
      case 'lastCounts':
        this.#last.set(asker, question.families)
        return []
      case 'metrics':
        return this.#metrics(question)
      case 'resetMetrics':
        this.#past.forget(question.names)
        for (const family of this.#own) if (question.names.includes(family.name)) family.reset()
        for (const [worker, families] of this.#last) {
          this.#last.set(
            worker,
            families.filter(({ name }) => !question.names.includes(name)),
          )
        }
        return this.#ask(question, asker)
      case 'forgetSeries':
        this.#past.forgetSeries(question.gone)
        return []
      case 'logLevel':
        // Workers that are started later begin with the levels of this log.
        setLogLevel(this.#log, question.level, question.component)
        return this.#ask(question, asker)
      case 'profile':
        return this.#askOne(question)
      default:
        return this.#ask(question, asker)
    }
  }

  /** A page of the management address, by the first worker that can make it. While all workers stop, a stopping worker makes it. */
  async page(request: PageRequest): Promise<PageAnswer> {
    const question = { kind: 'page', request } as const
    const able = [...this.#alive()].filter(({ stage }) => stage === 'ready' || stage === 'leaving')
    for (const worker of able.sort((a, b) => Number(a.stage === 'leaving') - Number(b.stage === 'leaving'))) {
      try {
        const answer = (await worker.ask(question, peerWithinMs(question))) as PeerTopics['page']['answer']
        return { ...answer, body: Buffer.from(answer.body, 'base64') }
      } catch {
        // The worker is busy, or has ended meanwhile.
      }
    }
    return notServing('no worker answers')
  }

  /** Call this when workers may be gone. Keeps their last counts. */
  onChange(): void {
    for (const [worker, families] of this.#last) {
      if (this.#alive().has(worker)) continue
      this.#last.delete(worker)
      this.#past.add(families)
    }
  }

  async #askOne(question: PeerQuestion & { readonly kind: 'profile' }): Promise<readonly Answer[]> {
    const asked = [...this.#alive()].find(({ stage, name }) => stage === 'ready' && name === question.worker)
    if (asked === undefined) return []
    return [{ worker: asked.name, answer: await asked.ask(question, peerWithinMs(question)) }]
  }

  async #metrics(question: PeerQuestion): Promise<readonly Answer[]> {
    await this.#ask(question, undefined, (worker, answer) =>
      this.#last.set(worker, answer as readonly FamilySnapshot[]),
    )
    const { PROCESS_FIGURES } = await import('../telemetry/process-figures.ts')
    const own = await snapshotOf([...PROCESS_FIGURES, ...this.#own])
    // If a worker is late or ending, its last answer counts: a counter must not go down. An ending worker is not named, because its
    // successor has the same name.
    const byName = [...this.#last].sort(([a], [b]) => Number(a.name) - Number(b.name))
    const answers = byName.map(([{ name, stage }, families]): Answer => {
      return stage === 'leaving'
        ? { worker: undefined, answer: countsOf(families) }
        : { worker: name, answer: families }
    })
    const { worker, families } = this.#past.snapshot()
    return [...answers, { worker: 'supervisor', answer: own }, { worker, answer: families }]
  }

  async #ask(
    question: PeerQuestion,
    asker: WorkerProcess | undefined,
    onAnswer?: (worker: WorkerProcess, answer: unknown) => void,
  ): Promise<readonly Answer[]> {
    const asked = [...this.#alive()].filter((worker) => worker.stage === 'ready' && worker !== asker)
    const answers = asked.map(async (worker): Promise<Answer[]> => {
      try {
        const answer = await worker.ask(question, peerWithinMs(question))
        onAnswer?.(worker, answer)
        return [{ worker: worker.name, answer }]
      } catch {
        // The worker is busy or gone. The answer leaves it out. The supervisor replaces stalled workers.
        return []
      }
    })
    return (await Promise.all(answers)).flat()
  }
}
