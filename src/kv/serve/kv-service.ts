// etcd's KV service: Range, Put, DeleteRange, Txn and Compact on an engine.
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Clock } from '../../lib/clock.ts'
import {
  COMPACT,
  DELETE_RANGE,
  PUT,
  RANGE,
  RANGE_STREAM,
  type RangeRequest,
  type RangeResponse,
  type RequestOp,
  TXN,
  type TxnRequest,
} from '../gen/rpc.ts'
import type { Revision } from '../kv.ts'
import { decode } from '../rpc.ts'
import type { TransactionalKv } from '../transactional.ts'
import { AnswerPlaces } from './answer-places.ts'
import type { Identity } from './identity.ts'
import { rangeStream } from './range-stream.ts'
import { rangePieces } from './range-pieces.ts'
import { arranged, checkRange, needsAll, shown, toKeyRange } from './ranges.ts'
import { failure } from './rpc-failure.ts'
import { type Answer, encodeAnswer, type Methods, unary } from './service.ts'
import { type PastReads, runDelete, runPut, runTxn } from './txn.ts'
import { checkDeleteRange, checkPut, checkTxn } from './txn-check.ts'

/** etcd's default limit for the size of a write. */
const MAX_WRITE_BYTES = 1.5 * 1024 * 1024

export function kvMethods(kv: TransactionalKv, identity: Identity, clock: Clock): Methods {
  const places = new AnswerPlaces(clock)
  return {
    [RANGE.path]: {
      kind: 'large',
      answer: async (message, { connection, signal }) => {
        const request = decode(RANGE.request, message)
        if (request.rangeEnd === '' || request.countOnly)
          return encodeAnswer(RANGE.response, identity, await readRangeOf(kv, request, signal))
        const place = await places.take(connection, signal)
        try {
          const answer = await readRangeOf(kv, request, signal)
          return { place, ...rangePieces(answer, identity) }
        } catch (error) {
          place[Symbol.dispose]()
          throw error
        }
      },
    },
    [RANGE_STREAM.path]: {
      kind: 'answers',
      answers: (message, signal) =>
        rangeStream(kv, identity, { request: decode(RANGE_STREAM.request, message), signal }),
    },
    ...unary(PUT, identity, async (request, signal, bytes) => {
      checkPut(request)
      checkSize(bytes)
      return kv.transact({ bytes, freesSpace: false, run: (transaction) => runPut(transaction, request) }, signal)
    }),
    ...unary(DELETE_RANGE, identity, async (request, signal, bytes) => {
      checkDeleteRange(request)
      checkSize(bytes)
      return kv.transact({ bytes: 0, freesSpace: true, run: (transaction) => runDelete(transaction, request) }, signal)
    }),
    ...unary(TXN, identity, async (request, signal, bytes) => {
      checkTxn(request)
      if (hasOp(request, ({ put, deleteRange }) => put !== undefined || deleteRange !== undefined)) checkSize(bytes)
      const past = await readPast(kv, request, signal)
      const freesSpace = !hasOp(request, ({ put }) => put !== undefined)
      return kv.transact({ bytes, freesSpace, run: (transaction) => runTxn(transaction, request, past) }, signal)
    }),
    ...unary(COMPACT, identity, async ({ revision, physical }, signal) => {
      if (revision < kv.oldest || (revision === kv.oldest && kv.oldest > 1)) throw failure('compacted')
      const removal = kv.compact(revision, signal)
      await (physical ? removal : untilOutOfReach(kv, revision, removal))
      return { header: { revision: await kv.newestRevision(signal) } }
    }),
  }
}

/**
 * Resolves when the history before `revision` can no longer be read. It is removed later. Only physical compactions wait for the removal.
 */
async function untilOutOfReach(kv: TransactionalKv, revision: Revision, removal: Promise<void>): Promise<void> {
  // If the removal fails before that moment, the call fails. A later failure has no effect on the call.
  const removed = removal.then(() => true)
  removed.catch(() => undefined)
  while (kv.oldest < revision) if (await Promise.race([removed, nextTurn(false)])) return
}

async function readRangeOf(
  kv: TransactionalKv,
  request: RangeRequest,
  signal: AbortSignal,
): Promise<Answer<RangeResponse>> {
  checkRange(request)
  const { rangeEnd, limit, countOnly } = request
  const at = request.revision > 0 ? { at: request.revision } : {}
  if (rangeEnd === '' && !countOnly) {
    const { revision, item } = await kv.get(request.key, at, signal)
    const items = item === undefined ? [] : [item]
    return { header: { revision }, ...arranged(items, request), count: items.length }
  }
  const isLimited = limit > 0 && !needsAll(request)
  const wanted = { ...toKeyRange(request), ...at, countAll: true }
  const list = await kv.list(countOnly ? { ...wanted, limit: 0 } : isLimited ? { ...wanted, limit } : wanted, signal)
  const { revision, items, count, more } = list
  const header = { revision }
  if (countOnly) return { header, count }
  return isLimited
    ? { header, kvs: shown(items, request), more, count }
    : { header, ...arranged(items, request), count }
}

/**
 * Makes the reads of a transaction at past revisions, before the transaction runs. The error of a read counts only if its branch is taken.
 */
async function readPast(kv: TransactionalKv, request: TxnRequest, signal: AbortSignal): Promise<PastReads> {
  const reads: RangeRequest[] = []
  hasOp(request, ({ range }) => {
    if (range !== undefined && range.revision > 0) reads.push(range)
    return false
  })
  const past = new Map<RangeRequest, Answer<RangeResponse> | Error>()
  for (const read of reads) {
    const found = await readRangeOf(kv, read, signal).catch((error: unknown) => error as Error)
    past.set(read, found)
  }
  return past
}

/** Whether a transaction has such an operation, at any depth and in either branch. */
function hasOp({ success, failure: otherwise }: TxnRequest, is: (op: RequestOp) => boolean): boolean {
  const isOrHas = (op: RequestOp): boolean => is(op) || (op.txn !== undefined && hasOp(op.txn, is))
  return success.some(isOrHas) || otherwise.some(isOrHas)
}

function checkSize(bytes: number): void {
  if (bytes > MAX_WRITE_BYTES) throw failure('tooLarge')
}
