// The store of another process on this machine, over a Unix socket. Start here: `openLink`. `link-server.ts` is the other end. The link is
// for workers: their supervisor has the store. If the link is lost, the supervisor has ended, and the store with it. So the client does not
// retry and does not look up the outcome of writes. A write takes a third of the time that it takes through etcd's API.
import { connect, type Socket } from 'node:net'
import { CancelledError, throwIfCancelled } from '../../lib/errors.ts'
import { TurnoverMap } from '../../lib/turnover-map.ts'
import {
  checkCommit,
  type Commit,
  type GetResult,
  type Kv,
  KvError,
  type KvErrorCode,
  type KvWatch,
  type ListResult,
  type Range,
  type Revision,
  type StoreSize,
  type WatchRequest,
  type WriteResult,
} from '../kv.ts'
import { FrameSplitter } from '../../wire/frame-splitter.ts'
import * as frame from './frames.ts'
import { FieldReader, type FieldWriter, LINK_FRAMES, NEWEST_REVISION, roomForText } from './frames.ts'
import { type LinkEnd, LinkWatch } from './link-watch.ts'
import { LinkOutbox } from './link-outbox.ts'
import { revisionFileOf, RevisionReader } from './revision-file.ts'

/** Raise this number with every change of the frames: a worker may be of a newer version than its supervisor. */
export const LINK_LEVEL = 2

const READ_BYTES = 1 << 16

/** The largest number of bytes of answers that have only numbers. All other answers are copied, since the read buffer is used again. */
const NUMBERS_BYTES = 16

/** Resolves when the link is connected. Throws `KvError` `unavailable` if there is no listener. */
export function openLink(path: string, signal: AbortSignal): Promise<LinkedKv> {
  return new Promise((resolve, reject) => {
    // A new buffer for each read would keep the garbage collector busier than the received data does.
    const buffer = Buffer.allocUnsafeSlow(READ_BYTES)
    const callback = (size: number): boolean => {
      kv.take(buffer.subarray(0, size))
      return true
    }
    const socket = connect({ path, onread: { buffer, callback } })
    const kv = new LinkedKv(socket)
    const giveUp = (): void => void socket.destroy()
    signal.addEventListener('abort', giveUp, { once: true })
    socket.once('connect', () => {
      signal.removeEventListener('abort', giveUp)
      kv.useRevisions(openRevisions(path))
      resolve(kv)
    })
    socket.once('close', () => {
      const why = signal.aborted ? new CancelledError(signal.reason) : lost()
      reject(why)
    })
  })
}

/** Undefined: there is no file, and the client asks the server. */
function openRevisions(path: string): RevisionReader | undefined {
  try {
    return new RevisionReader(revisionFileOf(path))
  } catch {
    return undefined
  }
}

interface Waiting {
  readonly answer: (reader: FieldReader) => void
  readonly fail: (error: unknown) => void
  /** A write that gets no answer may have been applied. */
  readonly isWrite: boolean
}

interface Asked<T> {
  readonly type: number
  readonly room: number
  readonly write: (writer: FieldWriter) => void
  readonly read: (reader: FieldReader) => T
  readonly isWrite?: boolean
}

const NOTHING = (): void => {}

class LinkedKv implements Kv, LinkEnd {
  readonly #socket: Socket
  readonly #outbox: LinkOutbox
  readonly #splitter = new FrameSplitter(LINK_FRAMES)
  readonly #calls = new TurnoverMap<number, Waiting>()
  readonly #watches = new Map<number, LinkWatch>()
  #revisions: RevisionReader | undefined
  /** The watches have received all of their events up to this revision. */
  #received: Revision = 0
  #lastCall = 0
  /** The reason why the link takes no more calls. */
  #ended: KvError | undefined
  #whenIdle: (() => void) | undefined

  constructor(socket: Socket) {
    this.#socket = socket
    this.#outbox = new LinkOutbox(socket)
    socket.on('error', NOTHING)
    socket.on('close', () => this.#lose())
  }

  useRevisions(revisions: RevisionReader | undefined): void {
    this.#revisions = revisions
  }

  /** The number of open watches and calls, for tests. */
  get liveHandles(): number {
    return this.#watches.size + this.#calls.size
  }

  /** The bytes of batches that have arrived and are unread. */
  get unreadBytes(): number {
    return this.#watches.values().reduce((sum, { unreadBytes }) => sum + unreadBytes, 0)
  }

  /** Takes received bytes, which are valid until `take` returns. */
  take(chunk: Buffer): void {
    this.#splitter.push(chunk, ({ type, call }, content) => {
      this.#takeFrame(type, call, content)
      return true
    })
  }

  get(key: string, { at = NEWEST_REVISION }: { readonly at?: Revision }, signal: AbortSignal): Promise<GetResult> {
    const write = (writer: FieldWriter): void => {
      writer.number(at)
      writer.text(key)
    }
    return this.#ask({ type: frame.GET, room: roomForText(key), write, read: frame.readFound }, signal)
  }

  list(range: Range, signal: AbortSignal): Promise<ListResult> {
    return this.#ask({ type: frame.LIST, ...json(range), read: frame.readList }, signal)
  }

  async commit(commit: Commit, signal: AbortSignal): Promise<WriteResult> {
    checkCommit(commit)
    const write = (writer: FieldWriter): void => frame.writeCommit(writer, commit)
    const isWrite = commit.writes.length > 0
    const asked = { type: frame.COMMIT, room: frame.roomForCommit(commit), write, read: frame.readWritten, isWrite }
    return this.#ask(asked, signal)
  }

  watch(request: WatchRequest, signal: AbortSignal): KvWatch {
    return new LinkWatch(this, request, signal)
  }

  compact(upTo: Revision, signal: AbortSignal): Promise<void> {
    return this.#ask({ type: frame.COMPACT, ...json(upTo), read: NOTHING }, signal)
  }

  /** If the watches lack events up to the newest revision, the client asks the server, which then sends these events at once. */
  newestRevision(signal: AbortSignal): Promise<Revision> {
    const newest = this.#ended === undefined ? this.#revisions?.read() : undefined
    if (newest !== undefined && newest <= this.#received) return Promise.resolve(newest)
    return this.#ask({ type: frame.NEWEST, room: 0, write: NOTHING, read: (reader) => reader.number() }, signal)
  }

  checkHealth(signal: AbortSignal): Promise<void> {
    return this.#ask({ type: frame.HEALTH, room: 0, write: NOTHING, read: NOTHING }, signal)
  }

  size(signal: AbortSignal): Promise<StoreSize | undefined> {
    const read = (reader: FieldReader): StoreSize | undefined =>
      (JSON.parse(reader.text()) as StoreSize | null) ?? undefined
    return this.#ask({ type: frame.SIZE, room: 0, write: NOTHING, read }, signal)
  }

  async close(): Promise<void> {
    this.#ended ??= new KvError('closed', 'the store is closed')
    for (const watch of this.#watches.values()) watch.end(this.#ended)
    if (this.#calls.size > 0) await new Promise<void>((resolve) => (this.#whenIdle = resolve))
    this.#outbox.end()
    this.#socket.destroySoon()
  }

  openWatch(watch: LinkWatch, request: WatchRequest): number {
    if (this.#ended !== undefined) throw this.#ended
    const call = this.#nextCall()
    this.#watches.set(call, watch)
    this.#receivedUpTo(request.after)
    this.tell(frame.WATCH, call, json(request))
    return call
  }

  closeWatch(call: number): void {
    if (this.#watches.delete(call)) this.tell(frame.CANCEL, call, { room: 0, write: NOTHING })
  }

  tell(type: number, call: number, { room, write }: Pick<Asked<void>, 'room' | 'write'>): void {
    this.#outbox.add(type, call, room, write)
  }

  #nextCall(): number {
    // When a number is used again, its earlier call is long over.
    this.#lastCall = (this.#lastCall + 1) >>> 0
    return this.#lastCall
  }

  #ask<T>({ type, room, write, read, isWrite = false }: Asked<T>, signal: AbortSignal): Promise<T> {
    return new Promise((resolve, reject) => {
      throwIfCancelled(signal)
      if (this.#ended !== undefined) throw this.#ended
      const call = this.#nextCall()
      const leave = (): void => {
        this.#over(call)
        reject(new CancelledError(signal.reason))
      }
      this.#calls.set(call, {
        answer: (reader) => {
          signal.removeEventListener('abort', leave)
          resolve(read(reader))
        },
        fail: (error) => {
          signal.removeEventListener('abort', leave)
          reject(error)
        },
        isWrite,
      })
      signal.addEventListener('abort', leave)
      this.#outbox.add(type, call, room, write)
    })
  }

  #takeFrame(type: number, call: number, content: Buffer): void {
    if (type === frame.BATCH) return this.#takeBatch(call, Buffer.from(content))
    const waiting = this.#calls.get(call)
    if (type === frame.FAILED) {
      const error = readFailure(new FieldReader(content))
      this.#watches.get(call)?.end(error)
      waiting?.fail(error)
    } else waiting?.answer(new FieldReader(content.length > NUMBERS_BYTES ? Buffer.from(content) : content))
    if (waiting !== undefined) this.#over(call)
  }

  #takeBatch(call: number, batch: Buffer): void {
    this.#receivedUpTo(frame.revisionOfBatch(batch))
    this.#watches.get(call)?.take(batch)
  }

  #receivedUpTo(revision: Revision): void {
    if (revision > this.#received) this.#received = revision
  }

  #over(call: number): void {
    this.#calls.delete(call)
    if (this.#calls.size === 0) this.#whenIdle?.()
  }

  #lose(): void {
    this.#ended ??= lost()
    this.#revisions?.close()
    for (const watch of this.#watches.values()) watch.end(this.#ended)
    for (const [call, { fail, isWrite }] of this.#calls.entries()) {
      fail(
        isWrite
          ? new KvError('unknown', 'unknown outcome: the store is gone, and the write may have been applied')
          : lost(),
      )
      this.#over(call)
    }
  }
}

export type { LinkedKv }

function lost(): KvError {
  return new KvError('unavailable', 'the connection to the store of the supervisor is lost')
}

function json(value: unknown): { room: number; write: (writer: FieldWriter) => void } {
  const text = JSON.stringify(value)
  return { room: roomForText(text), write: (writer) => writer.text(text) }
}

export interface Failure {
  /** Absent: the error is not a `KvError`. */
  readonly code?: KvErrorCode
  readonly message: string
  readonly compactRevision?: Revision | undefined
}

function readFailure(reader: FieldReader): Error {
  const { code, message, compactRevision } = JSON.parse(reader.text()) as Failure
  return code === undefined ? new Error(message) : new KvError(code, message, { compactRevision })
}
