// Serves a store to other processes of this user over a Unix socket. `link.ts` is the other end.
import { once } from 'node:events'
import { chmod } from 'node:fs/promises'
import { createServer, type Socket } from 'node:net'
import { CancelledError } from '../../lib/errors.ts'
import {
  type Batch,
  type Kv,
  KvError,
  type KvWatch,
  type Range,
  type Revision,
  type WatchRequest,
  type WriteResult,
} from '../kv.ts'
import { FrameSplitter } from '../../wire/frame-splitter.ts'
import * as frame from './frames.ts'
import { FieldReader, type FieldWriter, FIXED_BYTES, LINK_FRAMES, roomForItem, roomForText } from './frames.ts'
import type { Failure } from './link.ts'
import { WINDOW_BYTES } from './link-watch.ts'
import { LinkOutbox } from './link-outbox.ts'
import { revisionFileOf, RevisionWriter } from './revision-file.ts'

export interface ServedLink {
  /** Ends all links. The store stays open. */
  close(): Promise<void>
}

export interface ServeLinkOptions {
  /** Clients see a write from outside the links in `newestRevision` only after an answer or event of a link had its revision. */
  readonly kv: Kv
  readonly path: string
  /** Called for a fault of this server. */
  readonly onFault: (error: unknown) => void
}

/** Resolves when the server listens. Throws Node's error if it cannot listen. */
export async function serveLink({ kv, path, onFault }: ServeLinkOptions): Promise<ServedLink> {
  const sockets = new Set<Socket>()
  const revisions = new RevisionWriter(revisionFileOf(path))
  const publish = (): void => {
    try {
      revisions.publish()
    } catch (error) {
      for (const socket of sockets) socket.destroy()
      onFault(error)
    }
  }
  const server = createServer((socket) => {
    sockets.add(socket)
    const session = new LinkSession(socket, { kv, revisions, publish, onFault })
    socket.on('error', () => {})
    socket.on('data', (chunk) => session.take(chunk))
    socket.on('close', () => {
      sockets.delete(socket)
      session.end()
    })
  })
  server.listen({ path })
  await once(server, 'listening')
  await chmod(path, 0o600)
  server.on('error', onFault)
  return {
    close: async () => {
      const closed = once(server, 'close')
      server.close()
      for (const socket of sockets) socket.destroy()
      await closed
      revisions.close()
    },
  }
}

interface OpenWatch {
  readonly watch: KvWatch
  readonly stop: AbortController
  /** All events up to this revision were sent. */
  sentRevision: Revision
  /** The bytes that were sent and not read. */
  unreadBytes: number
  whenRead: (() => void) | undefined
}

type Write = (writer: FieldWriter) => void

const NOTHING = (): void => {}

interface SessionParts {
  readonly kv: Kv
  readonly revisions: RevisionWriter
  /** Writes the noted revision to the file. */
  readonly publish: () => void
  readonly onFault: (error: unknown) => void
}

class LinkSession {
  readonly #kv: Kv
  readonly #revisions: RevisionWriter
  readonly #onFault: (error: unknown) => void
  readonly #outbox: LinkOutbox
  readonly #splitter = new FrameSplitter(LINK_FRAMES)
  readonly #watches = new Map<number, OpenWatch>()
  readonly #life = new AbortController()
  /** The newest revision that the client knows. The client waits for all events up to this revision. */
  #awaited: Revision = 0

  constructor(socket: Socket, { kv, revisions, publish, onFault }: SessionParts) {
    this.#kv = kv
    this.#revisions = revisions
    this.#onFault = onFault
    this.#outbox = new LinkOutbox(socket, publish)
  }

  take(chunk: Buffer): void {
    this.#splitter.push(chunk, ({ type, call }, content) => {
      this.#takeFrame(type, call, new FieldReader(content))
      return true
    })
  }

  end(): void {
    this.#life.abort()
    for (const call of this.#watches.keys()) this.#forget(call)
  }

  #takeFrame(type: number, call: number, reader: FieldReader): void {
    switch (type) {
      case frame.WATCH:
        return this.#watch(call, JSON.parse(reader.text()) as WatchRequest)
      case frame.CANCEL:
        return this.#forget(call)
      case frame.PROGRESS:
        return void this.#watches.get(call)?.watch.requestProgress()
      case frame.TAKEN:
        return this.#taken(call, reader.number())
      default:
        this.#carryOut(type, call, reader).catch((error: unknown) => this.#fail(call, error))
    }
  }

  async #carryOut(type: number, call: number, reader: FieldReader): Promise<void> {
    const kv = this.#kv
    const { signal } = this.#life
    switch (type) {
      case frame.COMMIT:
        return this.#written(call, await kv.commit(frame.readCommit(reader), signal))
      case frame.NEWEST: {
        const revision = await kv.newestRevision(signal)
        this.#awaited = Math.max(this.#awaited, revision)
        this.#revisions.note(revision)
        return this.#answer(call, FIXED_BYTES, (writer) => writer.number(revision))
      }
      case frame.GET: {
        const at = reader.number()
        const found = await kv.get(reader.text(), at === frame.NEWEST_REVISION ? {} : { at }, signal)
        this.#revisions.note(found.revision)
        const room = found.item === undefined ? FIXED_BYTES : FIXED_BYTES + roomForItem(found.item)
        return this.#answer(call, room, (writer) => frame.writeFound(writer, found))
      }
      case frame.LIST: {
        const list = await kv.list(JSON.parse(reader.text()) as Range, signal)
        this.#revisions.note(list.revision)
        return this.#answer(call, frame.roomForList(list), (writer) => frame.writeList(writer, list))
      }
      case frame.COMPACT:
        await kv.compact(Number(reader.text()), signal)
        return this.#answer(call, 0, NOTHING)
      case frame.HEALTH:
        await kv.checkHealth(signal)
        return this.#answer(call, 0, NOTHING)
      case frame.SIZE: {
        const text = JSON.stringify((await kv.size(signal)) ?? null)
        return this.#answer(call, roomForText(text), (writer) => writer.text(text))
      }
      default:
        throw new Error(`frame ${type} is unknown`)
    }
  }

  #written(call: number, result: WriteResult): void {
    this.#revisions.note(result.revision)
    this.#answer(call, frame.roomForWritten(result), (writer) => frame.writeWritten(writer, result))
  }

  #answer(call: number, room: number, write: Write): void {
    if (!this.#life.signal.aborted) this.#outbox.add(frame.DONE, call, room, write)
  }

  #fail(call: number, error: unknown): void {
    if (this.#life.signal.aborted) return
    if (!(error instanceof KvError)) this.#onFault(error)
    const { message } = error as Error
    const failure: Failure =
      error instanceof KvError ? { code: error.code, message, compactRevision: error.compactRevision } : { message }
    const text = JSON.stringify(failure)
    this.#outbox.add(frame.FAILED, call, roomForText(text), (writer) => writer.text(text))
  }

  #watch(call: number, request: WatchRequest): void {
    const stop = new AbortController()
    const watch = this.#kv.watch(request, stop.signal)
    const open = { watch, stop, sentRevision: request.after, unreadBytes: 0, whenRead: undefined }
    this.#watches.set(call, open)
    void this.#follow(call, open)
  }

  async #follow(call: number, open: OpenWatch): Promise<void> {
    try {
      for await (const batch of open.watch) {
        if (open.stop.signal.aborted) return
        this.#sendBatch(call, open, batch)
        if (open.unreadBytes >= WINDOW_BYTES) await new Promise<void>((resolve) => (open.whenRead = resolve))
      }
    } catch (error) {
      this.#watches.delete(call)
      if (!(error instanceof CancelledError)) this.#fail(call, error)
    }
  }

  #sendBatch(call: number, open: OpenWatch, batch: Batch): void {
    this.#revisions.note(batch.revision)
    const write = (writer: FieldWriter): void => {
      const start = writer.at
      frame.writeBatch(writer, batch)
      open.unreadBytes += writer.at - start
    }
    this.#outbox.add(frame.BATCH, call, frame.roomForBatch(batch), write, open.sentRevision >= this.#awaited)
    open.sentRevision = batch.revision
  }

  #taken(call: number, bytes: number): void {
    const open = this.#watches.get(call)
    if (open === undefined) return
    open.unreadBytes -= bytes
    if (open.unreadBytes < WINDOW_BYTES) wake(open)
  }

  #forget(call: number): void {
    const open = this.#watches.get(call)
    if (open === undefined) return
    this.#watches.delete(call)
    open.stop.abort()
    wake(open)
  }
}

function wake(open: OpenWatch): void {
  const { whenRead } = open
  open.whenRead = undefined
  whenRead?.()
}
