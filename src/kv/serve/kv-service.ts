// etcd's KV service: Range, Put, DeleteRange, Txn and Compact on an engine.
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { MessageWriter } from '../../wire/message-writer.ts'
import type { Revision } from '../kv.ts'
import type { TransactionalKv } from '../transactional.ts'
import { arranged, checkRange, needsAll, toKeyRange } from './ranges.ts'
import {
  messageReader,
  number,
  type RangeRequest,
  readDeleteRange,
  readMessage,
  readNumber,
  readPut,
  readRange,
  readTxn,
  type RequestOp,
  type TxnRequest,
} from './requests.ts'
import {
  type Identity,
  type RangeAnswer,
  sizeOfItem,
  sizeOfRange,
  type TxnAnswer,
  writeDeleteRange,
  writeHeader,
  writePut,
  writeRange,
  writeTxn,
  written,
} from './responses.ts'
import { failure } from './rpc-failure.ts'
import type { Methods } from './service.ts'
import { type PastReads, runDelete, runPut, runTxn } from './txn.ts'
import { checkDeleteRange, checkPut, checkTxn } from './txn-check.ts'

/** etcd's default for what is to be written. */
const MAX_WRITE_BYTES = 1.5 * 1024 * 1024

const readCompaction = messageReader(
  { revision: 0, physical: false },
  {
    [number(1)]: (reader, compaction) => (compaction.revision = readNumber(reader)),
    [number(2)]: (reader, compaction) => (compaction.physical = reader.bool()),
  },
)

export function kvMethods(kv: TransactionalKv, identity: Identity): Methods {
  const withHeader = <Answer extends { readonly revision: Revision }>(
    answer: Answer,
    write: (writer: MessageWriter, answer: Answer) => void,
    bytes = 0,
  ): Buffer =>
    written((writer) => {
      write(writer, answer)
      writeHeader(writer, identity, answer.revision)
    }, bytes)
  return {
    '/etcdserverpb.KV/Range': {
      kind: 'unary',
      answer: async (message, signal) => {
        const answer = await readRangeOf(kv, readMessage(message, readRange), signal)
        return withHeader(answer, writeRange, sizeOfRange(answer))
      },
    },
    '/etcdserverpb.KV/Put': {
      kind: 'unary',
      answer: async (message, signal) => {
        const request = readMessage(message, readPut)
        checkPut(request)
        checkSize(message)
        const answer = await kv.transact(
          { bytes: message.length, freesSpace: false, run: (transaction) => runPut(transaction, request) },
          signal,
        )
        return withHeader(answer, writePut)
      },
    },
    '/etcdserverpb.KV/DeleteRange': {
      kind: 'unary',
      answer: async (message, signal) => {
        const request = readMessage(message, readDeleteRange)
        checkDeleteRange(request)
        checkSize(message)
        const answer = await kv.transact(
          { bytes: 0, freesSpace: true, run: (transaction) => runDelete(transaction, request) },
          signal,
        )
        return withHeader(answer, writeDeleteRange)
      },
    },
    '/etcdserverpb.KV/Txn': {
      kind: 'unary',
      answer: async (message, signal) => {
        const request = readMessage(message, readTxn)
        checkTxn(request)
        if (hasOp(request, isWrite)) checkSize(message)
        const past = await readPast(kv, request, signal)
        const answer = await kv.transact(
          {
            bytes: message.length,
            freesSpace: !hasOp(request, ({ kind }) => kind === 'put'),
            run: (transaction) => runTxn(transaction, request, past),
          },
          signal,
        )
        return withHeader(answer, writeTxn, sizeOfTxn(answer))
      },
    },
    '/etcdserverpb.KV/Compact': {
      kind: 'unary',
      answer: async (message, signal) => {
        const { revision, physical } = readMessage(message, readCompaction)
        if (revision < kv.oldest || (revision === kv.oldest && kv.oldest > 1)) throw failure('compacted')
        const removal = kv.compact(revision, signal)
        await (physical ? removal : untilOutOfReach(kv, revision, removal))
        const newest = await kv.newestRevision(signal)
        return written((writer) => writeHeader(writer, identity, newest))
      },
    },
  }
}

/** History is out of reach soon, and removed later: only who asks for that waits for it. */
async function untilOutOfReach(kv: TransactionalKv, revision: Revision, removal: Promise<void>): Promise<void> {
  // Where it fails before, the call does too; later nobody is there to be told.
  const removed = removal.then(() => true)
  removed.catch(() => undefined)
  while (kv.oldest < revision) if (await Promise.race([removed, nextTurn(false)])) return
}

async function readRangeOf(kv: TransactionalKv, request: RangeRequest, signal: AbortSignal): Promise<RangeAnswer> {
  checkRange(request)
  const { rangeEnd, limit, keysOnly, countOnly } = request
  const at = request.revision > 0 ? { at: request.revision } : {}
  if (rangeEnd === '' && !countOnly) {
    const { revision, item } = await kv.get(request.key, at, signal)
    const items = item === undefined ? [] : [item]
    return { revision, ...arranged(items, request), count: items.length, keysOnly }
  }
  const isLimited = limit > 0 && !needsAll(request)
  const wanted = { ...toKeyRange(request), ...at, countAll: true }
  const list = await kv.list(countOnly ? { ...wanted, limit: 0 } : isLimited ? { ...wanted, limit } : wanted, signal)
  const { revision, items, count = 0 } = list
  if (countOnly) return { revision, items: [], more: false, count, keysOnly }
  return isLimited
    ? { revision, items, more: list.more, count, keysOnly }
    : { revision, ...arranged(items, request), count, keysOnly }
}

/** Reads of a transaction at a past revision, done before it; what went wrong matters only where its way is taken. */
async function readPast(kv: TransactionalKv, request: TxnRequest, signal: AbortSignal): Promise<PastReads> {
  const reads: RangeRequest[] = []
  hasOp(request, (op) => {
    if (op.kind === 'range' && op.range.revision > 0) reads.push(op.range)
    return false
  })
  const past = new Map<RangeRequest, RangeAnswer | Error>()
  for (const read of reads) {
    const found = await readRangeOf(kv, read, signal).catch((error: unknown) => error as Error)
    past.set(read, found)
  }
  return past
}

/** Whether it has such an operation, at any depth and on either way. */
function hasOp({ success, failure: otherwise }: TxnRequest, is: (op: RequestOp) => boolean): boolean {
  const isOrHas = (op: RequestOp): boolean => is(op) || (op.kind === 'txn' && hasOp(op.txn, is))
  return success.some(isOrHas) || otherwise.some(isOrHas)
}

function isWrite({ kind }: RequestOp): boolean {
  return kind === 'put' || kind === 'deleteRange'
}

function checkSize(message: Buffer): void {
  if (message.length > MAX_WRITE_BYTES) throw failure('tooLarge')
}

function sizeOfTxn({ responses }: TxnAnswer): number {
  let bytes = 0
  for (const response of responses) {
    if (response.kind === 'range') bytes += sizeOfRange(response.range)
    else if (response.kind === 'txn') bytes += sizeOfTxn(response.txn)
    else if (response.kind === 'put' && response.put.previous !== undefined) bytes += sizeOfItem(response.put.previous)
  }
  return bytes
}
