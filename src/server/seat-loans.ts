// The supervisor's part in lending: workers lend each other seats of flow control, and it keeps the account of who has how many of
// whose. All of it is said one way and in order, so that an answer which comes late, or from one that is gone, changes no sum.
import type { Stage } from '../workers/workers.ts'

/** To a worker. */
export type SeatNews =
  /** Another one wants so many. It answers how many it can do without, also where that is none. */
  | { readonly kind: 'lendSeats'; readonly level: string; readonly seats: number; readonly borrower: number }
  | { readonly kind: 'seatsBorrowed'; readonly level: string; readonly seats: number }
  /** Those that it has borrowed are wanted by their worker. */
  | { readonly kind: 'seatsAskedBack'; readonly level: string; readonly seats: number }
  /** Those that it had lent are its own again. */
  | { readonly kind: 'seatsReturned'; readonly level: string; readonly seats: number }

/** From a worker. */
export type SeatWord =
  | { readonly kind: 'wantSeats'; readonly level: string; readonly seats: number }
  | { readonly kind: 'seatsLent'; readonly level: string; readonly seats: number; readonly borrower: number }
  | { readonly kind: 'giveBackSeats'; readonly level: string; readonly seats: number }

export interface SeatWorker {
  /** Of its place: whoever comes into it has what its predecessor has lent. */
  readonly name: string
  readonly stage: Stage
  tell(news: SeatNews): void
}

interface Loan {
  readonly level: string
  readonly lender: string
  readonly borrower: SeatWorker
  seats: number
  isAskedBack: boolean
}

export class SeatLoans {
  /** In the order in which they were started. */
  readonly #alive: () => Iterable<SeatWorker>
  readonly #numbers = new WeakMap<SeatWorker, number>()
  #lastNumber = 0
  #loans: Loan[] = []

  constructor(alive: () => Iterable<SeatWorker>) {
    this.#alive = alive
  }

  /** By level, what a place has lent: who is started for it begins without that. */
  lentBy(name: string): Readonly<Record<string, number>> {
    const lent: Record<string, number> = {}
    for (const { level, lender, seats } of this.#loans) {
      if (lender === name) lent[level] = (lent[level] ?? 0) + seats
    }
    return lent
  }

  receive(word: SeatWord, worker: SeatWorker): void {
    switch (word.kind) {
      case 'wantSeats':
        return this.#want(word.level, word.seats, worker)
      case 'seatsLent':
        return this.#lend(word, worker)
      case 'giveBackSeats':
        return this.#giveBack(word, worker)
    }
  }

  /** Some may be gone: what they had borrowed is not in use any more. */
  onChange(): void {
    const alive = new Set(this.#alive())
    for (const loan of this.#loans) if (!alive.has(loan.borrower)) this.#end(loan, loan.seats)
    this.#forgetEnded()
  }

  /** What it has lent itself comes first. */
  #want(level: string, seats: number, worker: SeatWorker): void {
    const lent = this.#loans.filter((loan) => loan.level === level && loan.lender === worker.name)
    for (const loan of lent) this.#askBack(loan)
    if (lent.length > 0) return
    const others = this.#lenders().filter(({ name }) => name !== worker.name)
    const borrower = this.#numberOf(worker)
    const each = Math.ceil(seats / others.length)
    for (const other of others) other.tell({ kind: 'lendSeats', level, seats: each, borrower })
  }

  #askBack(loan: Loan): void {
    if (loan.isAskedBack) return
    loan.isAskedBack = true
    loan.borrower.tell({ kind: 'seatsAskedBack', level: loan.level, seats: loan.seats })
  }

  #lend({ level, seats, borrower: number }: SeatWord & { readonly kind: 'seatsLent' }, lender: SeatWorker): void {
    if (seats === 0) return
    const borrower = this.#lenders().find((worker) => this.#numbers.get(worker) === number)
    // Who has come in its place meanwhile does not know of it.
    const isInPlace = this.#lenders().includes(lender)
    if (borrower === undefined || !isInPlace) return lender.tell({ kind: 'seatsReturned', level, seats })
    this.#loans.push({ level, lender: lender.name, borrower, seats, isAskedBack: false })
    borrower.tell({ kind: 'seatsBorrowed', level, seats })
  }

  /** First those that were asked back. */
  #giveBack({ level, seats }: SeatWord & { readonly kind: 'giveBackSeats' }, worker: SeatWorker): void {
    const loans = this.#loans.filter((loan) => loan.level === level && loan.borrower === worker)
    let left = seats
    for (const loan of loans.sort((a, b) => Number(b.isAskedBack) - Number(a.isAskedBack))) {
      const given = Math.min(left, loan.seats)
      this.#end(loan, given)
      left -= given
    }
    this.#forgetEnded()
  }

  #end(loan: Loan, seats: number): void {
    if (seats === 0) return
    loan.seats -= seats
    const { level, lender } = loan
    // While one is replaced there are two, of which one will be left.
    for (const worker of this.#alive()) {
      if (worker.name === lender) worker.tell({ kind: 'seatsReturned', level, seats })
    }
  }

  #forgetEnded(): void {
    this.#loans = this.#loans.filter(({ seats }) => seats > 0)
  }

  #numberOf(worker: SeatWorker): number {
    const known = this.#numbers.get(worker) ?? ++this.#lastNumber
    this.#numbers.set(worker, known)
    return known
  }

  /** Of each place whoever was started last for it, once it serves. */
  #lenders(): readonly SeatWorker[] {
    const last = new Map(Array.from(this.#alive(), (worker) => [worker.name, worker]))
    return [...last.values()].filter(({ stage }) => stage === 'ready')
  }
}
