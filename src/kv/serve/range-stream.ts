// RangeStream of etcd's KV service: a range in pieces of one revision. A piece is made when the client has read the earlier pieces.
import { PREFIX_BYTES } from '../../wire/grpc-messages.ts'
import { RANGE_STREAM, type RangeRequest, type RangeResponse } from '../gen/rpc.ts'
import { encode, type Given } from '../rpc.ts'
import type { TransactionalKv } from '../transactional.ts'
import { headerOf, type Identity } from './identity.ts'
import { checkRange, hasBounds, isSorted, shown, toKeyRange } from './ranges.ts'
import { unimplemented } from './rpc-failure.ts'

const FIRST_KEYS = 10
/** The wanted size of a piece. The number of keys changes only if a piece is smaller than half or larger than twice this size. */
const PIECE_BYTES = 1.5 * 1024 * 1024

interface StreamedRequest {
  readonly request: RangeRequest
  readonly signal: AbortSignal
}

export async function* rangeStream(
  kv: TransactionalKv,
  identity: Identity,
  { request, signal }: StreamedRequest,
): AsyncGenerator<Buffer> {
  checkRange(request)
  if (isSorted(request)) throw unimplemented('RangeStream does not support custom sort orders')
  if (hasBounds(request)) throw unimplemented('RangeStream does not support revision filters')
  const range = toKeyRange(request)
  const most = request.limit > 0 ? request.limit : Infinity
  let at = request.revision > 0 ? request.revision : undefined
  let header: Given<RangeResponse>['header']
  if (request.countOnly) {
    const { revision, count } = await kv.list({ ...range, at, limit: 0, countAll: true }, signal)
    return yield piece({ header: headerOf(identity, revision), count })
  }
  for (let { start } = range, sent = 0, limit = FIRST_KEYS; ; ) {
    const page = await kv.list({ ...range, start, at, limit: Math.min(limit, most - sent) }, signal)
    header ??= headerOf(identity, page.revision)
    at ??= page.revision
    sent += page.items.length
    start = `${page.items.at(-1)?.key}\0`
    const kvs = shown(page.items, request)
    if (page.more && sent < most) {
      yield piece({ kvs })
    } else {
      // The count includes the keys beyond the limit.
      const behind = page.more ? await kv.list({ ...range, start, at, limit: 0, countAll: true }, signal) : undefined
      return yield piece({ kvs, header, more: page.more, count: sent + (behind?.count ?? 0) })
    }
    limit = nextLimit(limit, bytesOf(kvs))
  }
}

function piece(rangeResponse: Given<RangeResponse>): Buffer {
  return encode(RANGE_STREAM.response, { rangeResponse }, PREFIX_BYTES)
}

function bytesOf(kvs: NonNullable<Given<RangeResponse>['kvs']>): number {
  return kvs.reduce((bytes, { key = '', value }) => bytes + key.length + (value?.length ?? 0), 0)
}

function nextLimit(limit: number, bytes: number): number {
  if (bytes < PIECE_BYTES / 2) return limit * 2
  return bytes > PIECE_BYTES * 2 ? Math.max(1, Math.floor(limit / 2)) : limit
}
