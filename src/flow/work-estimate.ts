// Estimates the seats of a request. Lists and watches with initial events take seats by the bytes that they read, and writes by the number
// of watchers. All other requests take one seat (P-211 to P-213).
import { readsAll } from '../api/query-parameters.ts'
import type { FindLoad, FlowRequest, TypeLoad } from './flow.ts'

export interface Work {
  readonly seats: number
  /** The seats that are held for `afterMs` after the request is done, for the cost of notifying watchers. */
  readonly seatsAfter: number
  readonly afterMs: number
}

const BYTES_A_SEAT = 100_000
const MOST_SEATS = 10
const WATCHERS_A_SEAT = 10
const NOTIFY_MS = 5
const OPERATIONS_A_SEAT = 10
const ONE_SEAT: Work = { seats: 1, seatsAfter: 0, afterMs: 0 }

/** `most`: the most seats of its level that one request may take. */
export function estimateWork(request: FlowRequest, findLoad: FindLoad, most: number): Work {
  const { info } = request
  if (info.kind !== 'resource') return ONE_SEAT
  switch (info.verb) {
    case 'get':
      return ONE_SEAT
    case 'list':
      return reading(request, findLoad(info), most)
    case 'watch':
      return beginsWithState(request) ? reading(request, findLoad(info), most) : ONE_SEAT
    case 'create':
      return request.operations === undefined ? writing(findLoad(info), most) : together(request.operations, most)
    case 'update':
    case 'patch':
    case 'delete':
      return writing(findLoad(info), most)
    default:
      return ONE_SEAT
  }
}

function beginsWithState({ query }: FlowRequest): boolean {
  if (query.get('sendInitialEvents') === 'true') return true
  const version = query.get('resourceVersion') ?? ''
  return version === '' || version === '0'
}

function reading({ info, query }: FlowRequest, load: TypeLoad | undefined, most: number): Work {
  if (load === undefined || load.objects === 0) return ONE_SEAT
  const limit = readsAll(query) ? 0 : Number(query.get('limit') ?? '0')
  const isOne = info.kind === 'resource' && info.selectedName !== undefined
  const objects = isOne ? 1 : limit > 0 ? Math.min(limit, load.objects) : load.objects
  const bytes = (load.bytes / load.objects) * objects
  const seats = Math.min(Math.max(1, Math.ceil(bytes / BYTES_A_SEAT)), MOST_SEATS, most)
  return seats === 1 ? ONE_SEAT : { seats, seatsAfter: 0, afterMs: 0 }
}

/**
 * The work of the operations of a transaction. They run one after the other, so they block other requests for longer than a single write.
 */
function together(operations: number, most: number): Work {
  const seats = Math.min(Math.max(1, Math.ceil(operations / OPERATIONS_A_SEAT)), MOST_SEATS, most)
  return seats === 1 ? ONE_SEAT : { seats, seatsAfter: 0, afterMs: 0 }
}

function writing(load: TypeLoad | undefined, most: number): Work {
  const watchers = load?.watchers ?? 0
  if (watchers < WATCHERS_A_SEAT) return ONE_SEAT
  const wanted = Math.ceil(watchers / WATCHERS_A_SEAT)
  const seatsAfter = Math.min(wanted, MOST_SEATS, most)
  return { seats: 1, seatsAfter, afterMs: (wanted * NOTIFY_MS) / seatsAfter }
}
