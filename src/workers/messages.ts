// Messages between a supervisor and its workers, as JSON on the channel that Node opens between a process and its child.

export type ToWorker =
  /** The first message: the task of the worker. */
  | { readonly kind: 'start'; readonly order: unknown }
  /** Comes with an accepted connection. */
  | { readonly kind: 'socket' }
  | { readonly kind: 'ping' }
  /** A fact that all workers need. */
  | { readonly kind: 'news'; readonly news: unknown }
  /** The worker must finish all requests and end. `isLast`: no other worker takes its place. */
  | { readonly kind: 'stop'; readonly isLast: boolean }
  | Exchanged

export type FromWorker =
  /** The worker takes connections. */
  | { readonly kind: 'listening' }
  /** The worker can answer all requests. */
  | { readonly kind: 'ready' }
  /** The worker cannot start. It ends by itself. */
  | { readonly kind: 'failed'; readonly message: string }
  /** The worker has the connection, and has not yet read from it. `connections`: the number of its open connections. */
  | { readonly kind: 'taken'; readonly connections: number }
  | { readonly kind: 'pong'; readonly connections: number }
  | Exchanged

/** Questions and their answers go both ways. */
export type Exchanged =
  | { readonly kind: 'ask'; readonly id: number; readonly question: unknown }
  | { readonly kind: 'answer'; readonly id: number; readonly answer: unknown }
  | { readonly kind: 'refusal'; readonly id: number; readonly message: string }

type Waiting = PromiseWithResolvers<unknown>

/** One end of the questions and answers on a channel. */
export class Questions {
  readonly #send: (message: Exchanged) => void
  readonly #answer: (question: unknown) => Promise<unknown>
  readonly #waiting = new Map<number, Waiting>()
  #last = 0

  constructor(send: (message: Exchanged) => void, answer: (question: unknown) => Promise<unknown>) {
    this.#send = send
    this.#answer = answer
  }

  /** Resolves with the answer. Throws if the other end refuses, takes too long or is gone. */
  async ask(question: unknown, withinMs: number): Promise<unknown> {
    const id = ++this.#last
    const waiting = Promise.withResolvers<unknown>()
    const timer = setTimeout(() => waiting.reject(new Error(`no answer within ${withinMs} ms`)), withinMs)
    this.#waiting.set(id, waiting)
    try {
      this.#send({ kind: 'ask', id, question })
      return await waiting.promise
    } finally {
      clearTimeout(timer)
      this.#waiting.delete(id)
    }
  }

  receive(message: Exchanged): void {
    if (message.kind === 'ask') void this.#reply(message.id, message.question)
    else if (message.kind === 'answer') this.#waiting.get(message.id)?.resolve(message.answer)
    else this.#waiting.get(message.id)?.reject(new Error(message.message))
  }

  /** Call this when the other end is gone. */
  end(reason: string): void {
    for (const { reject } of this.#waiting.values()) reject(new Error(reason))
  }

  async #reply(id: number, question: unknown): Promise<void> {
    try {
      this.#send({ kind: 'answer', id, answer: await this.#answer(question) })
    } catch (error) {
      this.#send({ kind: 'refusal', id, message: error instanceof Error ? error.message : String(error) })
    }
  }
}
