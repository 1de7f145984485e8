// A worker's own end of the channel to its supervisor.
import type { Socket } from 'node:net'
import { type FromWorker, Questions, type ToWorker } from './messages.ts'

export interface LinkHandlers {
  readonly onSocket: (socket: Socket) => void
  readonly onNews: (news: unknown) => void
  readonly onQuestion: (question: unknown) => Promise<unknown>
  readonly onStop: (isLast: boolean) => void
  /** The supervisor is gone. */
  readonly onLost: () => void
}

export class SupervisorLink {
  #handlers: LinkHandlers | undefined
  /** The messages that came before `listen` was called. */
  #early: (() => void)[] = []
  readonly #order = Promise.withResolvers<unknown>()
  readonly #questions: Questions
  #connections = 0

  private constructor() {
    this.#questions = new Questions(
      (message) => this.#send(message),
      (question) => new Promise((resolve) => this.#pass(({ onQuestion }) => resolve(onQuestion(question)))),
    )
    process.on('message', (message, socket) => this.#receive(message as ToWorker, socket as Socket | undefined))
    process.once('disconnect', () => this.#pass(({ onLost }) => onLost()))
  }

  /** Undefined if no supervisor has started this process. */
  static open(): SupervisorLink | undefined {
    return process.send === undefined ? undefined : new SupervisorLink()
  }

  /** The task of the worker. */
  get order(): Promise<unknown> {
    return this.#order.promise
  }

  listen(handlers: LinkHandlers): void {
    this.#handlers = handlers
    for (const pass of this.#early.splice(0)) pass()
  }

  isListening(): void {
    this.#send({ kind: 'listening' })
  }

  isReady(): void {
    this.#send({ kind: 'ready' })
  }

  hasFailed(message: string): void {
    this.#send({ kind: 'failed', message })
  }

  ask(question: unknown, withinMs: number): Promise<unknown> {
    return this.#questions.ask(question, withinMs)
  }

  /** Closes the channel, so that the process can end. */
  close(): void {
    this.#handlers = undefined
    if (process.connected) process.disconnect()
  }

  #send(message: FromWorker): void {
    if (process.connected) process.send?.(message, undefined, undefined, () => {})
  }

  #receive(message: ToWorker, socket: Socket | undefined): void {
    switch (message.kind) {
      case 'start':
        return this.#order.resolve(message.order)
      case 'ping':
        return this.#send({ kind: 'pong', connections: this.#connections })
      case 'socket':
        return this.#take(socket)
      case 'news':
        return this.#pass(({ onNews }) => onNews(message.news))
      case 'stop':
        return this.#pass(({ onStop }) => onStop(message.isLast))
      default:
        return this.#questions.receive(message)
    }
  }

  #take(socket: Socket | undefined): void {
    if (socket !== undefined) this.#connections++
    this.#send({ kind: 'taken', connections: this.#connections })
    // Node does not pass on a connection that its client has closed meanwhile.
    if (socket === undefined) return
    socket.once('close', () => this.#connections--)
    this.#pass(({ onSocket }) => onSocket(socket))
  }

  #pass(how: (handlers: LinkHandlers) => void): void {
    const handlers = this.#handlers
    if (handlers === undefined) this.#early.push(() => this.#pass(how))
    else how(handlers)
  }
}
