// The connection of one client to the servers of an explored world, with its faults. Nothing here is random: the world decides about each
// fault.
import {
  type AnswerBody,
  ConnectionError,
  type IncomingAnswer,
  type OutgoingRequest,
  type Transport,
} from '../../client/client.ts'

export class ExploredLink implements Transport {
  /** No request gets through. */
  isCut = false
  /** This many of the next writes are carried out, and their answers are lost. */
  lostAnswers = 0
  /** This many of the next updates find that another client was faster. */
  conflicts = 0
  /** The next write calls `now` and gets no answer. `isSent`: the write is carried out first. */
  crash: { readonly isSent: boolean; readonly now: () => void } | undefined
  /** The index of the server that gets the requests. */
  target = 0
  readonly #ways: readonly Transport[]
  readonly #watches = new Set<WatchBody>()
  #held: PromiseWithResolvers<void> | undefined
  #meddled = 0

  constructor(ways: readonly Transport[]) {
    this.#ways = ways
  }

  async send(request: OutgoingRequest, signal: AbortSignal): Promise<IncomingAnswer> {
    this.#checkOpen()
    const isWrite = request.method !== 'GET'
    if (isWrite && this.crash?.isSent === false) this.#crashNow()
    if (request.method === 'PUT' && this.conflicts > 0) {
      this.conflicts--
      await this.#meddle(request, signal)
    }
    const way = this.#ways[this.target]!
    const answer = await way.send(request, signal)
    if (isWrite && (this.crash !== undefined || this.lostAnswers > 0 || this.isCut)) {
      // The write is complete when its answer has been read.
      for await (const _ of answer.body);
      if (this.crash !== undefined) this.#crashNow()
      if (this.lostAnswers > 0) this.lostAnswers--
      throw new ConnectionError('sent', `${request.method} ${request.path}: the answer was lost`)
    }
    if (!/[?&]watch=(1|true)/.test(request.path)) return answer
    const body = new WatchBody(answer.body, () => this.#held?.promise)
    this.#watches.add(body)
    body.onOver = () => this.#watches.delete(body)
    return { ...answer, body }
  }

  /** Breaks off the open watches, and returns their number. */
  breakWatches(): number {
    const { size } = this.#watches
    for (const watch of this.#watches) watch.break()
    return size
  }

  /** Holds back watch events until `release`. */
  hold(): void {
    this.#held ??= Promise.withResolvers<void>()
  }

  release(): void {
    this.#held?.resolve()
    this.#held = undefined
  }

  mend(): void {
    Object.assign(this, { isCut: false, lostAnswers: 0, conflicts: 0, crash: undefined })
    this.release()
  }

  close(): void {
    this.release()
    for (const way of this.#ways) way.close()
  }

  #checkOpen(): void {
    if (this.isCut) throw new ConnectionError('connecting', 'the connection to the server is cut')
  }

  #crashNow(): never {
    this.crash?.now()
    this.crash = undefined
    throw new ConnectionError('sent', 'the program has crashed')
  }

  /** Changes the object before the update does, as another client would. */
  async #meddle({ path, headers }: OutgoingRequest, signal: AbortSignal): Promise<void> {
    const of = path.replace(/\?.*$/, '').replace(/\/(status|scale)$/, '')
    const way = this.#ways[0]!
    const { status, body } = await way.send({ method: 'GET', path: of, headers }, signal)
    const pieces: Uint8Array[] = []
    for await (const piece of body) pieces.push(piece)
    if (status !== 200) return
    const object = JSON.parse(Buffer.concat(pieces).toString()) as {
      metadata: { annotations?: Record<string, string> }
    }
    object.metadata.annotations = { ...object.metadata.annotations, 'explore/changed': String(++this.#meddled) }
    const changed = await way.send({ method: 'PUT', path: of, headers, body: JSON.stringify(object) }, signal)
    for await (const _ of changed.body);
  }
}

class WatchBody implements AnswerBody {
  readableEnded = false
  onOver: () => void = () => {}
  readonly #body: AnswerBody
  readonly #held: () => Promise<void> | undefined
  readonly #broken = Promise.withResolvers<never>()

  constructor(body: AnswerBody, held: () => Promise<void> | undefined) {
    this.#body = body
    this.#held = held
    this.#broken.promise.catch(() => undefined)
  }

  break(): void {
    this.#broken.reject(new ConnectionError('sent', 'the watch was broken off'))
  }

  destroy(): void {
    this.onOver()
    this.#body.destroy()
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array, void, undefined> {
    const pieces = this.#body[Symbol.asyncIterator]()
    try {
      for (;;) {
        const next = await Promise.race([pieces.next(), this.#broken.promise])
        await Promise.race([this.#held(), this.#broken.promise])
        if (next.done === true) break
        yield next.value
      }
      this.readableEnded = this.#body.readableEnded
    } finally {
      this.destroy()
    }
  }
}
