// GET on a collection with `watch`: a stream of events.
import { parseWatchQuery } from '../api/list-query.ts'
import { hasQuery } from '../api/query-parameters.ts'
import type { StoredObject, WatchEvent } from '../api/read.ts'
import { ApiError, statusOf } from '../api/status.ts'
import { withoutManagedFields } from '../codec/dropped-fields.ts'
import type { ListItem } from '../codec/list-json.ts'
import { EVENT_STREAM } from '../codec/negotiate.ts'
import { EVENT_STREAM_FRAMES, frameEncoding } from '../codec/watch-encodings.ts'
import { type WatchForm, WatchFrames, type WatchFramesOptions } from '../codec/watch-frames.ts'
import type { ByteSink, HttpResponse, Piece } from '../http/http.ts'
import { LightSignal } from '../lib/light-signal.ts'
import { systemRandom } from '../lib/random.ts'
import type { Turns } from '../lib/turns.ts'
import { changedEvents, type Condition, type Selected, watchAccessible } from '../registry/query/query.ts'
import { type Watch, watchObjects } from '../registry/read.ts'
import { keepAlive, resumedQuery } from './event-stream.ts'
import { objectIn, reachOf } from './query-run.ts'
import { clientOf, listRulesOf, type ResourceParts, type ResourceRequest } from './resource-parts.ts'
import { listTypeOf, servedItem, type View, watchViewOf } from './respond.ts'
import { selectedView } from './selected-view.ts'
import type { OneWatch } from './watch-measures.ts'
import type { WatchMemoryHolder } from './watch-memory.ts'
import type { OpenWatch, Watched } from './watchers.ts'

const COMPRESSION_GATE = 'WatchListCompression'

/** The number of moments over which the ends of watches are spread. */
const SPREAD = 2 ** 20

export async function handleWatch(parts: ResourceParts, request: ResourceRequest): Promise<HttpResponse> {
  const { http, resource, info } = request
  // The form of the answer is checked before the query.
  const plainView = watchViewOf(parts, request)
  const isEventStream = plainView.contentType === EVENT_STREAM
  const query = parseWatchQuery(
    isEventStream ? resumedQuery(http) : http.query,
    listRulesOf(parts, resource),
    info.name,
  )
  const asked = hasQuery(http.query) ? openQuery(parts, request) : undefined
  const rights = asked?.isAccessible === true ? reachOf(request) : undefined
  const view = selectedView(plainView, asked?.select)
  const headers = { 'content-type': view.contentType }
  const scope = info.namespace === undefined ? 'cluster' : 'namespace'
  const counts = parts.watches.measures.of(resource, scope)
  // Without `timeoutSeconds`, watches end at different times, so that clients do not all come back at once.
  const timeoutSeconds =
    query.timeoutSeconds ?? parts.watches.shortestSeconds * (1 + (parts.random ?? systemRandom).below(SPREAD) / SPREAD)
  if (timeoutSeconds < 0) return { status: 200, headers, body: { kind: 'stream', run: () => Promise.resolve() } }
  const signal = new LightSignal()
  let isOver = false
  const end = (): void => {
    isOver = true
    signal.fire(undefined)
  }
  // `AbortSignal.any` would do the same, but costs many times as much.
  http.signal.addEventListener('abort', () => signal.fire(http.signal.reason), { once: true })
  if (http.signal.aborted) signal.fire(http.signal.reason)
  // Bookmarks tell a browser where to resume.
  const bookmarks = query.bookmarks || isEventStream
  const { watchers } = parts.watches
  const open = watchers.begin(watchedBy(request), query.start, holderOf(request, asked))
  http.responder.whenOver(() => watchers.end(open))
  const wanted = { ...query, bookmarks, timeoutSeconds, where: asked?.where }
  const found = await (rights === undefined
    ? watchObjects(parts.registry, request, wanted, signal)
    : watchAccessible({ parts: parts.registry, place: request, rights }, wanted, signal)
  ).catch((error: unknown) => failInStream(error, isEventStream))
  const told = asked?.isChanged === undefined ? found : changedEvents(found, asked.isChanged)
  const opened = parts.watches.wrap === undefined ? told : parts.watches.wrap(request, told)
  const watch = view.transform?.as === 'PartialObjectMetadataList' ? untilFirst(opened) : opened
  // If the definition has changed meanwhile, all other watches of its objects were ended before this watch was open.
  if (resource.isCustom && parts.resources().find(info) !== resource) end()
  const frames = new WatchFrames({
    form: watchFormOf(view),
    encoding: isEventStream ? EVENT_STREAM_FRAMES : frameEncoding(view.encoding, view.tools),
    type: listTypeOf(request),
    ...convertedBy(request, asked, view.dropsManagers === true && view.table === undefined),
    now: () => parts.clock.timeOfDay(),
  })
  return {
    status: 200,
    headers,
    body: {
      kind: 'stream',
      latency: counts.latency,
      isPaced: isEventStream,
      compress: !isEventStream && query.bookmarks && query.start.kind === 'state' && parts.gates.has(COMPRESSION_GATE),
      run: async (sink) => {
        open.flows(watch, sink)
        const callOff = parts.clock.callAfter(timeoutSeconds * 1000, end)
        const stopComments = isEventStream ? keepAlive(sink, parts.clock) : undefined
        try {
          const turns = frames.isMade ? parts.encoding.turns : undefined
          await pump(watch, { frames, counts, open, turns, since: http.receivedAt }, sink)
        } catch (error) {
          if (!isOver) throw error
        } finally {
          callOff()
          stopComments?.()
        }
      },
    },
  }
}

interface WatchQuery {
  readonly where: Condition | undefined
  readonly select: Selected | undefined
  /** Whether a requested field has changed. Absent: all fields are requested. */
  readonly isChanged: ((event: WatchEvent) => boolean) | undefined
  readonly digest: string
  readonly isAccessible: boolean
}

function openQuery(parts: ResourceParts, request: ResourceRequest): WatchQuery {
  const { where, select, digest, isAccessible } = parts.queries.parse(request.resource, request.http.query, 'watch')
  const objectOf = objectIn(parts, request)
  const contentOf = (object: StoredObject): string | undefined => select?.contentOf({ object: () => objectOf(object) })
  const isChanged = (event: WatchEvent): boolean => {
    if (event.type !== 'MODIFIED' || event.before === undefined) return true
    const { before, object, memo } = event
    return memo.get(`changed ${digest}`, () => Buffer.of(contentOf(before) === contentOf(object) ? 0 : 1))[0] === 1
  }
  return {
    where: where && parts.queries.condition(where, objectOf, 'watch'),
    select,
    isChanged: select && isChanged,
    digest,
    isAccessible,
  }
}

/** The conversion of every object, and the name of the conversion. */
function convertedBy(
  request: ResourceRequest,
  asked: WatchQuery | undefined,
  dropsManagers: boolean,
): Pick<WatchFramesOptions, 'convert' | 'select'> {
  const { isIdentity } = request.resource.conversion
  const select = asked?.select
  if (select === undefined && !dropsManagers) {
    return isIdentity ? {} : { convert: (item) => servedItem(request, item as never) }
  }
  const convert = (item: ListItem): ListItem => {
    const served = servedItem(request, item as never)
    const selected = select === undefined ? served : select.of(served)
    return dropsManagers ? withoutManagedFields(selected) : selected
  }
  return { convert, select: `${dropsManagers ? 'dropped ' : ''}${asked?.digest ?? ''}` }
}

/**
 * If a version is not reached in time, the error is an event of the stream. Other errors are answers without a stream. A
 * browser does not show such an answer to its page, so browsers also get an event if a version is too old.
 */
function failInStream(error: unknown, isEventStream: boolean): Watch {
  const reason = error instanceof ApiError ? error.reason : undefined
  if (reason !== 'Timeout' && !(isEventStream && reason === 'Expired')) throw error
  return { [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(error) }) }
}

/** Ends the watch at its first event, because events have no list form. */
async function* untilFirst(watch: Watch): Watch {
  for await (const _ of watch) {
    yield []
    return
  }
}

function watchFormOf({ transform, table }: View): WatchForm {
  if (table !== undefined) return { kind: 'table', table }
  return transform === undefined ? { kind: 'object' } : { kind: 'metadata', apiVersion: transform.apiVersion }
}

/** The memory of a watch: it keeps its request as long as it runs. */
function holderOf({ http, caller }: ResourceRequest, asked: WatchQuery | undefined): WatchMemoryHolder {
  let bytes = http.target.length
  for (const value of Object.values(http.headers)) bytes += value?.length ?? 0
  return { user: caller.user.name, connection: http.remote, bytes, conditionBytes: asked?.where?.bytes ?? 0 }
}

function watchedBy(request: ResourceRequest): Watched {
  const { http, info, resource } = request
  return {
    ...clientOf(request),
    version: resource.version,
    namespace: info.namespace ?? '',
    labelSelector: http.query.get('labelSelector') ?? '',
    fieldSelector: http.query.get('fieldSelector') ?? '',
  }
}

interface Pumped {
  readonly frames: WatchFrames
  readonly counts: OneWatch
  readonly open: OpenWatch
  /** Present if a frame costs much. Many watches may begin in one turn of the event loop. */
  readonly turns: Turns | undefined
  /** The time when the request came, in milliseconds of `performance.now()`. */
  readonly since: number
}

/** Writes events as they come, at the client's pace. An error that ends the watch is its last event. */
async function pump(watch: Watch, { frames, counts, open, turns, since }: Pumped, sink: ByteSink): Promise<void> {
  const send = (event: WatchEvent, piece: Piece, bytes: number): boolean => {
    counts.events.value++
    counts.sizes.observe(bytes)
    if (event.type === 'BOOKMARK') {
      open.revision = event.revision
      if (event.initialEventsEnd) counts.lists.observe((performance.now() - since) / 1000)
      return sink.write(piece)
    }
    const { revision } = event.object
    // The events of a state come in the order of names, not of revisions.
    if (revision > open.revision) open.revision = revision
    // Changes before the watch began were late for other reasons, so they are not measured.
    return sink.write(piece, event.at !== undefined && event.at > since ? event.at : undefined)
  }
  const take = (event: WatchEvent): boolean => {
    const frame = frames.frame(event)
    return send(event, frame, frame.length) && turns?.isOver !== true
  }
  const takeOwn = (event: WatchEvent): boolean => {
    const parts = frames.parts(event)
    const bytes = parts.reduce((sum, { length }) => sum + length, 0)
    return send(event, parts, bytes)
  }
  const rest = async (): Promise<void> => {
    await sink.drained()
    if (turns?.isOver === true) await turns.next()
  }
  const steps = watch[Symbol.asyncIterator]()
  try {
    for (;;) {
      while (watch.follow !== undefined && !(await watch.follow(take))) await rest()
      const { done, value } = await steps.next()
      if (done === true) return
      for (const event of value) if (!takeOwn(event) || turns?.isOver === true) await rest()
    }
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    sink.write(frames.error(statusOf(error)))
  } finally {
    await steps.return?.()
  }
}
