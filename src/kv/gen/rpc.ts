// Made from proto/etcd/rpc.proto by `make generate`; changes made here are lost. Fields are written from the last to the first.
import { ProtobufReader } from '../../wire/protobuf-reader.ts'
import { keyFromBytes } from '../key-text.ts'
import { lengthOf, type Message, type Rpc, SMALL_BYTES, sizeOfAll, sizeOfOne, writeAll, writeKey, writeOne } from '../rpc.ts'

const NO_BYTES = Buffer.alloc(0)

export const AlarmType = { NONE: 0, NO_SPACE: 1, CORRUPT: 2 } as const
export const RangeRequestSortOrder = { NONE: 0, ASCEND: 1, DESCEND: 2 } as const
export const RangeRequestSortTarget = { KEY: 0, VERSION: 1, CREATE: 2, MOD: 3, VALUE: 4 } as const
export const CompareResult = { EQUAL: 0, GREATER: 1, LESS: 2, NOT_EQUAL: 3 } as const
export const CompareTarget = { VERSION: 0, CREATE: 1, MOD: 2, VALUE: 3, LEASE: 4 } as const
export const WatchCreateRequestFilterType = { NO_PUT: 0, NO_DELETE: 1 } as const
export const EventType = { PUT: 0, DELETE: 1 } as const
export const AlarmRequestAction = { GET: 0, ACTIVATE: 1, DEACTIVATE: 2 } as const

export interface Header {
  readonly clusterId: bigint
  readonly memberId: bigint
  readonly revision: number
  readonly raftTerm: number
}

export const Header: Message<Header> = {
  size: () => SMALL_BYTES,
  write(writer, message) {
    writer.integer(4, message.raftTerm)
    writer.integer(3, message.revision)
    writer.integer(2, message.memberId)
    writer.integer(1, message.clusterId)
  },
  read(reader) {
    let memberId: bigint = 0n
    let revision: number = 0
    let raftTerm: number = 0
    for (let tag = reader.nextTag(); tag !== 0; tag = reader.nextTag()) {
      switch (tag) {
        case 16:
          memberId = BigInt(reader.int64())
          break
        case 24:
          revision = reader.safeUint()
          break
        case 32:
          raftTerm = reader.safeUint()
          break
        default:
          reader.skip(tag)
      }
    }
    return { clusterId: 0n, memberId, revision, raftTerm }
  },
}

export interface KeyValue {
  readonly key: string
  readonly createRevision: number
  readonly revision: number
  readonly version: number
  readonly value: Buffer
  readonly lease: bigint
}

export const KeyValue: Message<KeyValue> = {
  size: (message) => SMALL_BYTES + lengthOf(message.key) + lengthOf(message.value),
  write(writer, message) {
    writer.integer(6, message.lease)
    writer.bytes(5, message.value)
    writer.integer(4, message.version)
    writer.integer(3, message.revision)
    writer.integer(2, message.createRevision)
    writeKey(writer, 1, message.key)
  },
  read(reader) {
    let key: string = ''
    let createRevision: number = 0
    let revision: number = 0
    let version: number = 0
    let value: Buffer = NO_BYTES
    let lease: bigint = 0n
    for (let tag = reader.nextTag(); tag !== 0; tag = reader.nextTag()) {
      switch (tag) {
        case 10:
          key = reader.looseText(keyFromBytes)
          break
        case 16:
          createRevision = reader.safeUint()
          break
        case 24:
          revision = reader.safeUint()
          break
        case 32:
          version = reader.safeUint()
          break
        case 42:
          value = reader.bytes()
          break
        case 48:
          lease = BigInt(reader.int64())
          break
        default:
          reader.skip(tag)
      }
    }
    return { key, createRevision, revision, version, value, lease }
  },
}

export interface RangeRequest {
  readonly key: string
  readonly rangeEnd: string
  readonly limit: number
  readonly revision: number
  readonly sortOrder: number
  readonly sortTarget: number
  readonly serializable: boolean
  readonly keysOnly: boolean
  readonly countOnly: boolean
  readonly minModRevision: number
  readonly maxModRevision: number
  readonly minCreateRevision: number
  readonly maxCreateRevision: number
}

export const RangeRequest: Message<RangeRequest> = {
  size: (message) => SMALL_BYTES + lengthOf(message.key) + lengthOf(message.rangeEnd),
  write(writer, message) {
    writer.integer(13, message.maxCreateRevision)
    writer.integer(12, message.minCreateRevision)
    writer.integer(11, message.maxModRevision)
    writer.integer(10, message.minModRevision)
    writer.flag(9, message.countOnly)
    writer.flag(8, message.keysOnly)
    writer.flag(7, message.serializable)
    writer.integer(6, message.sortTarget)
    writer.integer(5, message.sortOrder)
    writer.integer(4, message.revision)
    writer.integer(3, message.limit)
    writeKey(writer, 2, message.rangeEnd)
    writeKey(writer, 1, message.key)
  },
  read(reader) {
    let key: string = ''
    let rangeEnd: string = ''
    let limit: number = 0
    let revision: number = 0
    let sortOrder: number = 0
    let sortTarget: number = 0
    let serializable: boolean = false
    let keysOnly: boolean = false
    let countOnly: boolean = false
    let minModRevision: number = 0
    let maxModRevision: number = 0
    let minCreateRevision: number = 0
    let maxCreateRevision: number = 0
    for (let tag = reader.nextTag(); tag !== 0; tag = reader.nextTag()) {
      switch (tag) {
        case 10:
          key = reader.looseText(keyFromBytes)
          break
        case 18:
          rangeEnd = reader.looseText(keyFromBytes)
          break
        case 24:
          limit = Number(reader.int64())
          break
        case 32:
          revision = Number(reader.int64())
          break
        case 40:
          sortOrder = reader.int32()
          break
        case 48:
          sortTarget = reader.int32()
          break
        case 56:
          serializable = reader.bool()
          break
        case 64:
          keysOnly = reader.bool()
          break
        case 72:
          countOnly = reader.bool()
          break
        case 80:
          minModRevision = Number(reader.int64())
          break
        case 88:
          maxModRevision = Number(reader.int64())
          break
        case 96:
          minCreateRevision = Number(reader.int64())
          break
        case 104:
          maxCreateRevision = Number(reader.int64())
          break
        default:
          reader.skip(tag)
      }
    }
    return { key, rangeEnd, limit, revision, sortOrder, sortTarget, serializable, keysOnly, countOnly, minModRevision, maxModRevision, minCreateRevision, maxCreateRevision }
  },
}

export interface RangeResponse {
  readonly header: Header
  readonly kvs: readonly KeyValue[]
  readonly more: boolean
  readonly count: number
}

export const RangeResponse: Message<RangeResponse> = {
  size: (message) => SMALL_BYTES + sizeOfOne(Header, message.header) + sizeOfAll(KeyValue, message.kvs),
  write(writer, message) {
    writer.integer(4, message.count)
    writer.flag(3, message.more)
    writeAll(writer, 2, KeyValue, message.kvs)
    writeOne(writer, 1, Header, message.header)
  },
  read(reader) {
    let header: Header = NO_HEADER
    const kvs: KeyValue[] = []
    let more: boolean = false
    let count: number = 0
    for (let tag = reader.nextTag(); tag !== 0; tag = reader.nextTag()) {
      switch (tag) {
        case 10:
          header = reader.message(Header.read)
          break
        case 18:
          kvs.push(reader.message(KeyValue.read))
          break
        case 24:
          more = reader.bool()
          break
        case 32:
          count = reader.safeUint()
          break
        default:
          reader.skip(tag)
      }
    }
    return { header, kvs, more, count }
  },
}

export interface RangeStreamResponse {
  readonly rangeResponse: RangeResponse
}

export const RangeStreamResponse: Message<RangeStreamResponse> = {
  size: (message) => SMALL_BYTES + sizeOfOne(RangeResponse, message.rangeResponse),
  write(writer, message) {
    writeOne(writer, 1, RangeResponse, message.rangeResponse)
  },
  read(reader) {
    let rangeResponse: RangeResponse = NO_RANGE_RESPONSE
    for (let tag = reader.nextTag(); tag !== 0; tag = reader.nextTag()) {
      switch (tag) {
        case 10:
          rangeResponse = reader.message(RangeResponse.read)
          break
        default:
          reader.skip(tag)
      }
    }
    return { rangeResponse }
  },
}

export interface PutRequest {
  readonly key: string
  readonly value: Buffer
  readonly lease: bigint
  readonly prevKv: boolean
  readonly ignoreValue: boolean
  readonly ignoreLease: boolean
}

export const PutRequest: Message<PutRequest> = {
  size: (message) => SMALL_BYTES + lengthOf(message.key) + lengthOf(message.value),
  write(writer, message) {
    writer.flag(6, message.ignoreLease)
    writer.flag(5, message.ignoreValue)
    writer.flag(4, message.prevKv)
    writer.integer(3, message.lease)
    writer.bytes(2, message.value)
    writeKey(writer, 1, message.key)
  },
  read(reader) {
    let key: string = ''
    let value: Buffer = NO_BYTES
    let lease: bigint = 0n
    let prevKv: boolean = false
    let ignoreValue: boolean = false
    let ignoreLease: boolean = false
    for (let tag = reader.nextTag(); tag !== 0; tag = reader.nextTag()) {
      switch (tag) {
        case 10:
          key = reader.looseText(keyFromBytes)
          break
        case 18:
          value = reader.bytes()
          break
        case 24:
          lease = BigInt(reader.int64())
          break
        case 32:
          prevKv = reader.bool()
          break
        case 40:
          ignoreValue = reader.bool()
          break
        case 48:
          ignoreLease = reader.bool()
          break
        default:
          reader.skip(tag)
      }
    }
    return { key, value, lease, prevKv, ignoreValue, ignoreLease }
  },
}

export interface PutResponse {
  readonly header: Header
  readonly prevKv: KeyValue | undefined
}

export const PutResponse: Message<PutResponse> = {
  size: (message) => SMALL_BYTES + sizeOfOne(Header, message.header) + sizeOfOne(KeyValue, message.prevKv),
  write(writer, message) {
    writeOne(writer, 2, KeyValue, message.prevKv)
    writeOne(writer, 1, Header, message.header)
  },
  read(reader) {
    let header: Header = NO_HEADER
    let prevKv: KeyValue | undefined
    for (let tag = reader.nextTag(); tag !== 0; tag = reader.nextTag()) {
      switch (tag) {
        case 10:
          header = reader.message(Header.read)
          break
        case 18:
          prevKv = reader.message(KeyValue.read)
          break
        default:
          reader.skip(tag)
      }
    }
    return { header, prevKv }
  },
}

export interface DeleteRangeRequest {
  readonly key: string
  readonly rangeEnd: string
  readonly prevKv: boolean
}

export const DeleteRangeRequest: Message<DeleteRangeRequest> = {
  size: (message) => SMALL_BYTES + lengthOf(message.key) + lengthOf(message.rangeEnd),
  write(writer, message) {
    writer.flag(3, message.prevKv)
    writeKey(writer, 2, message.rangeEnd)
    writeKey(writer, 1, message.key)
  },
  read(reader) {
    let key: string = ''
    let rangeEnd: string = ''
    let prevKv: boolean = false
    for (let tag = reader.nextTag(); tag !== 0; tag = reader.nextTag()) {
      switch (tag) {
        case 10:
          key = reader.looseText(keyFromBytes)
          break
        case 18:
          rangeEnd = reader.looseText(keyFromBytes)
          break
        case 24:
          prevKv = reader.bool()
          break
        default:
          reader.skip(tag)
      }
    }
    return { key, rangeEnd, prevKv }
  },
}

export interface DeleteRangeResponse {
  readonly header: Header
  readonly deleted: number
  readonly prevKvs: readonly KeyValue[]
}

export const DeleteRangeResponse: Message<DeleteRangeResponse> = {
  size: (message) => SMALL_BYTES + sizeOfOne(Header, message.header) + sizeOfAll(KeyValue, message.prevKvs),
  write(writer, message) {
    writeAll(writer, 3, KeyValue, message.prevKvs)
    writer.integer(2, message.deleted)
    writeOne(writer, 1, Header, message.header)
  },
  read(reader) {
    let header: Header = NO_HEADER
    let deleted: number = 0
    const prevKvs: KeyValue[] = []
    for (let tag = reader.nextTag(); tag !== 0; tag = reader.nextTag()) {
      switch (tag) {
        case 10:
          header = reader.message(Header.read)
          break
        case 16:
          deleted = reader.safeUint()
          break
        case 26:
          prevKvs.push(reader.message(KeyValue.read))
          break
        default:
          reader.skip(tag)
      }
    }
    return { header, deleted, prevKvs }
  },
}

export interface Compare {
  readonly result: number
  readonly target: number
  readonly key: string
  readonly version: bigint | undefined
  readonly createRevision: bigint | undefined
  readonly modRevision: bigint | undefined
  readonly value: Buffer | undefined
  readonly lease: bigint | undefined
  readonly rangeEnd: string
}

export const Compare: Message<Compare> = {
  size: (message) => SMALL_BYTES + lengthOf(message.key) + lengthOf(message.value) + lengthOf(message.rangeEnd),
  write(writer, message) {
    writeKey(writer, 64, message.rangeEnd)
    writer.integer(8, message.lease)
    writer.bytes(7, message.value)
    writer.integer(6, message.modRevision)
    writer.integer(5, message.createRevision)
    writer.integer(4, message.version)
    writeKey(writer, 3, message.key)
    writer.integer(2, message.target)
    writer.integer(1, message.result)
  },
  read(reader) {
    let result: number = 0
    let target: number = 0
    let key: string = ''
    let version: bigint | undefined
    let createRevision: bigint | undefined
    let modRevision: bigint | undefined
    let value: Buffer | undefined
    let lease: bigint | undefined
    let rangeEnd: string = ''
    for (let tag = reader.nextTag(); tag !== 0; tag = reader.nextTag()) {
      switch (tag) {
        case 8:
          result = reader.int32()
          break
        case 16:
          target = reader.int32()
          break
        case 26:
          key = reader.looseText(keyFromBytes)
          break
        case 32:
          version = BigInt(reader.int64())
          createRevision = modRevision = value = lease = undefined
          break
        case 40:
          createRevision = BigInt(reader.int64())
          version = modRevision = value = lease = undefined
          break
        case 48:
          modRevision = BigInt(reader.int64())
          version = createRevision = value = lease = undefined
          break
        case 58:
          value = reader.bytes()
          version = createRevision = modRevision = lease = undefined
          break
        case 64:
          lease = BigInt(reader.int64())
          version = createRevision = modRevision = value = undefined
          break
        case 514:
          rangeEnd = reader.looseText(keyFromBytes)
          break
        default:
          reader.skip(tag)
      }
    }
    return { result, target, key, version, createRevision, modRevision, value, lease, rangeEnd }
  },
}

export interface RequestOp {
  readonly range: RangeRequest | undefined
  readonly put: PutRequest | undefined
  readonly deleteRange: DeleteRangeRequest | undefined
  readonly txn: TxnRequest | undefined
}

export const RequestOp: Message<RequestOp> = {
  size: (message) => SMALL_BYTES + sizeOfOne(RangeRequest, message.range) + sizeOfOne(PutRequest, message.put) + sizeOfOne(DeleteRangeRequest, message.deleteRange) + sizeOfOne(TxnRequest, message.txn),
  write(writer, message) {
    writeOne(writer, 4, TxnRequest, message.txn)
    writeOne(writer, 3, DeleteRangeRequest, message.deleteRange)
    writeOne(writer, 2, PutRequest, message.put)
    writeOne(writer, 1, RangeRequest, message.range)
  },
  read(reader) {
    let range: RangeRequest | undefined
    let put: PutRequest | undefined
    let deleteRange: DeleteRangeRequest | undefined
    let txn: TxnRequest | undefined
    for (let tag = reader.nextTag(); tag !== 0; tag = reader.nextTag()) {
      switch (tag) {
        case 10:
          range = reader.message(RangeRequest.read)
          put = deleteRange = txn = undefined
          break
        case 18:
          put = reader.message(PutRequest.read)
          range = deleteRange = txn = undefined
          break
        case 26:
          deleteRange = reader.message(DeleteRangeRequest.read)
          range = put = txn = undefined
          break
        case 34:
          txn = reader.message(TxnRequest.read)
          range = put = deleteRange = undefined
          break
        default:
          reader.skip(tag)
      }
    }
    return { range, put, deleteRange, txn }
  },
}

export interface ResponseOp {
  readonly range: RangeResponse | undefined
  readonly put: PutResponse | undefined
  readonly deleteRange: DeleteRangeResponse | undefined
  readonly txn: TxnResponse | undefined
}

export const ResponseOp: Message<ResponseOp> = {
  size: (message) => SMALL_BYTES + sizeOfOne(RangeResponse, message.range) + sizeOfOne(PutResponse, message.put) + sizeOfOne(DeleteRangeResponse, message.deleteRange) + sizeOfOne(TxnResponse, message.txn),
  write(writer, message) {
    writeOne(writer, 4, TxnResponse, message.txn)
    writeOne(writer, 3, DeleteRangeResponse, message.deleteRange)
    writeOne(writer, 2, PutResponse, message.put)
    writeOne(writer, 1, RangeResponse, message.range)
  },
  read(reader) {
    let range: RangeResponse | undefined
    let put: PutResponse | undefined
    let deleteRange: DeleteRangeResponse | undefined
    let txn: TxnResponse | undefined
    for (let tag = reader.nextTag(); tag !== 0; tag = reader.nextTag()) {
      switch (tag) {
        case 10:
          range = reader.message(RangeResponse.read)
          put = deleteRange = txn = undefined
          break
        case 18:
          put = reader.message(PutResponse.read)
          range = deleteRange = txn = undefined
          break
        case 26:
          deleteRange = reader.message(DeleteRangeResponse.read)
          range = put = txn = undefined
          break
        case 34:
          txn = reader.message(TxnResponse.read)
          range = put = deleteRange = undefined
          break
        default:
          reader.skip(tag)
      }
    }
    return { range, put, deleteRange, txn }
  },
}

export interface TxnRequest {
  readonly compare: readonly Compare[]
  readonly success: readonly RequestOp[]
  readonly failure: readonly RequestOp[]
}

export const TxnRequest: Message<TxnRequest> = {
  size: (message) => SMALL_BYTES + sizeOfAll(Compare, message.compare) + sizeOfAll(RequestOp, message.success) + sizeOfAll(RequestOp, message.failure),
  write(writer, message) {
    writeAll(writer, 3, RequestOp, message.failure)
    writeAll(writer, 2, RequestOp, message.success)
    writeAll(writer, 1, Compare, message.compare)
  },
  read(reader) {
    const compare: Compare[] = []
    const success: RequestOp[] = []
    const failure: RequestOp[] = []
    for (let tag = reader.nextTag(); tag !== 0; tag = reader.nextTag()) {
      switch (tag) {
        case 10:
          compare.push(reader.message(Compare.read))
          break
        case 18:
          success.push(reader.message(RequestOp.read))
          break
        case 26:
          failure.push(reader.message(RequestOp.read))
          break
        default:
          reader.skip(tag)
      }
    }
    return { compare, success, failure }
  },
}

export interface TxnResponse {
  readonly header: Header
  readonly succeeded: boolean
  readonly responses: readonly ResponseOp[]
}

export const TxnResponse: Message<TxnResponse> = {
  size: (message) => SMALL_BYTES + sizeOfOne(Header, message.header) + sizeOfAll(ResponseOp, message.responses),
  write(writer, message) {
    writeAll(writer, 3, ResponseOp, message.responses)
    writer.flag(2, message.succeeded)
    writeOne(writer, 1, Header, message.header)
  },
  read(reader) {
    let header: Header = NO_HEADER
    let succeeded: boolean = false
    const responses: ResponseOp[] = []
    for (let tag = reader.nextTag(); tag !== 0; tag = reader.nextTag()) {
      switch (tag) {
        case 10:
          header = reader.message(Header.read)
          break
        case 16:
          succeeded = reader.bool()
          break
        case 26:
          responses.push(reader.message(ResponseOp.read))
          break
        default:
          reader.skip(tag)
      }
    }
    return { header, succeeded, responses }
  },
}

export interface CompactionRequest {
  readonly revision: number
  readonly physical: boolean
}

export const CompactionRequest: Message<CompactionRequest> = {
  size: () => SMALL_BYTES,
  write(writer, message) {
    writer.flag(2, message.physical)
    writer.integer(1, message.revision)
  },
  read(reader) {
    let revision: number = 0
    let physical: boolean = false
    for (let tag = reader.nextTag(); tag !== 0; tag = reader.nextTag()) {
      switch (tag) {
        case 8:
          revision = Number(reader.int64())
          break
        case 16:
          physical = reader.bool()
          break
        default:
          reader.skip(tag)
      }
    }
    return { revision, physical }
  },
}

export interface CompactionResponse {
  readonly header: Header
}

export const CompactionResponse: Message<CompactionResponse> = {
  size: (message) => SMALL_BYTES + sizeOfOne(Header, message.header),
  write(writer, message) {
    writeOne(writer, 1, Header, message.header)
  },
  read(reader) {
    let header: Header = NO_HEADER
    for (let tag = reader.nextTag(); tag !== 0; tag = reader.nextTag()) {
      switch (tag) {
        case 10:
          header = reader.message(Header.read)
          break
        default:
          reader.skip(tag)
      }
    }
    return { header }
  },
}

export interface WatchCreateRequest {
  readonly key: string
  readonly rangeEnd: string
  readonly startRevision: number
  readonly progressNotify: boolean
  readonly filters: readonly number[]
  readonly prevKv: boolean
  readonly watchId: number
  readonly fragment: boolean
}

export const WatchCreateRequest: Message<WatchCreateRequest> = {
  size: (message) => SMALL_BYTES + lengthOf(message.key) + lengthOf(message.rangeEnd),
  write(writer, message) {
    writer.flag(8, message.fragment)
    writer.integer(7, message.watchId)
    writer.flag(6, message.prevKv)
    for (const item of message.filters?.toReversed() ?? []) writer.integer(5, item, true)
    writer.flag(4, message.progressNotify)
    writer.integer(3, message.startRevision)
    writeKey(writer, 2, message.rangeEnd)
    writeKey(writer, 1, message.key)
  },
  read(reader) {
    let key: string = ''
    let rangeEnd: string = ''
    let startRevision: number = 0
    let progressNotify: boolean = false
    const filters: number[] = []
    let prevKv: boolean = false
    let watchId: number = 0
    let fragment: boolean = false
    for (let tag = reader.nextTag(); tag !== 0; tag = reader.nextTag()) {
      switch (tag) {
        case 10:
          key = reader.looseText(keyFromBytes)
          break
        case 18:
          rangeEnd = reader.looseText(keyFromBytes)
          break
        case 24:
          startRevision = Number(reader.int64())
          break
        case 32:
          progressNotify = reader.bool()
          break
        case 40:
          filters.push(reader.int32())
          break
        case 42:
          for (const outer = reader.enter(); ; filters.push(reader.int32()))
            if (!reader.hasMore) {
              reader.leave(outer)
              break
            }
          break
        case 48:
          prevKv = reader.bool()
          break
        case 56:
          watchId = Number(reader.int64())
          break
        case 64:
          fragment = reader.bool()
          break
        default:
          reader.skip(tag)
      }
    }
    return { key, rangeEnd, startRevision, progressNotify, filters, prevKv, watchId, fragment }
  },
}

export interface WatchCancelRequest {
  readonly watchId: number
}

export const WatchCancelRequest: Message<WatchCancelRequest> = {
  size: () => SMALL_BYTES,
  write(writer, message) {
    writer.integer(1, message.watchId)
  },
  read(reader) {
    let watchId: number = 0
    for (let tag = reader.nextTag(); tag !== 0; tag = reader.nextTag()) {
      switch (tag) {
        case 8:
          watchId = Number(reader.int64())
          break
        default:
          reader.skip(tag)
      }
    }
    return { watchId }
  },
}

export interface WatchProgressRequest {
}

export const WatchProgressRequest: Message<WatchProgressRequest> = {
  size: () => SMALL_BYTES,
  write() {
  },
  read(reader) {
    for (let tag = reader.nextTag(); tag !== 0; tag = reader.nextTag()) {
      switch (tag) {
        default:
          reader.skip(tag)
      }
    }
    return {  }
  },
}

export interface WatchRequest {
  readonly createRequest: WatchCreateRequest | undefined
  readonly cancelRequest: WatchCancelRequest | undefined
  readonly progressRequest: WatchProgressRequest | undefined
}

export const WatchRequest: Message<WatchRequest> = {
  size: (message) => SMALL_BYTES + sizeOfOne(WatchCreateRequest, message.createRequest) + sizeOfOne(WatchCancelRequest, message.cancelRequest) + sizeOfOne(WatchProgressRequest, message.progressRequest),
  write(writer, message) {
    writeOne(writer, 3, WatchProgressRequest, message.progressRequest)
    writeOne(writer, 2, WatchCancelRequest, message.cancelRequest)
    writeOne(writer, 1, WatchCreateRequest, message.createRequest)
  },
  read(reader) {
    let createRequest: WatchCreateRequest | undefined
    let cancelRequest: WatchCancelRequest | undefined
    let progressRequest: WatchProgressRequest | undefined
    for (let tag = reader.nextTag(); tag !== 0; tag = reader.nextTag()) {
      switch (tag) {
        case 10:
          createRequest = reader.message(WatchCreateRequest.read)
          cancelRequest = progressRequest = undefined
          break
        case 18:
          cancelRequest = reader.message(WatchCancelRequest.read)
          createRequest = progressRequest = undefined
          break
        case 26:
          progressRequest = reader.message(WatchProgressRequest.read)
          createRequest = cancelRequest = undefined
          break
        default:
          reader.skip(tag)
      }
    }
    return { createRequest, cancelRequest, progressRequest }
  },
}

export interface Event {
  readonly type: number
  readonly kv: KeyValue
  readonly prevKv: KeyValue | undefined
}

export const Event: Message<Event> = {
  size: (message) => SMALL_BYTES + sizeOfOne(KeyValue, message.kv) + sizeOfOne(KeyValue, message.prevKv),
  write(writer, message) {
    writeOne(writer, 3, KeyValue, message.prevKv)
    writeOne(writer, 2, KeyValue, message.kv)
    writer.integer(1, message.type)
  },
  read(reader) {
    let type: number = 0
    let kv: KeyValue = NO_KEY_VALUE
    let prevKv: KeyValue | undefined
    for (let tag = reader.nextTag(); tag !== 0; tag = reader.nextTag()) {
      switch (tag) {
        case 8:
          type = reader.int32()
          break
        case 18:
          kv = reader.message(KeyValue.read)
          break
        case 26:
          prevKv = reader.message(KeyValue.read)
          break
        default:
          reader.skip(tag)
      }
    }
    return { type, kv, prevKv }
  },
}

export interface WatchResponse {
  readonly header: Header
  readonly watchId: bigint
  readonly created: boolean
  readonly canceled: boolean
  readonly compactRevision: number
  readonly cancelReason: string
  readonly fragment: boolean
  readonly events: readonly Event[]
}

export const WatchResponse: Message<WatchResponse> = {
  size: (message) => SMALL_BYTES + sizeOfOne(Header, message.header) + lengthOf(message.cancelReason) + sizeOfAll(Event, message.events),
  write(writer, message) {
    writeAll(writer, 11, Event, message.events)
    writer.flag(7, message.fragment)
    writer.text(6, message.cancelReason)
    writer.integer(5, message.compactRevision)
    writer.flag(4, message.canceled)
    writer.flag(3, message.created)
    writer.integer(2, message.watchId)
    writeOne(writer, 1, Header, message.header)
  },
  read(reader) {
    let header: Header = NO_HEADER
    let created: boolean = false
    let canceled: boolean = false
    let compactRevision: number = 0
    let cancelReason: string = ''
    let fragment: boolean = false
    const events: Event[] = []
    for (let tag = reader.nextTag(); tag !== 0; tag = reader.nextTag()) {
      switch (tag) {
        case 10:
          header = reader.message(Header.read)
          break
        case 24:
          created = reader.bool()
          break
        case 32:
          canceled = reader.bool()
          break
        case 40:
          compactRevision = reader.safeUint()
          break
        case 50:
          cancelReason = reader.looseText()
          break
        case 56:
          fragment = reader.bool()
          break
        case 90:
          events.push(reader.message(Event.read))
          break
        default:
          reader.skip(tag)
      }
    }
    return { header, watchId: 0n, created, canceled, compactRevision, cancelReason, fragment, events }
  },
}

export interface LeaseGrantRequest {
  readonly ttl: number
  readonly id: bigint
}

export const LeaseGrantRequest: Message<LeaseGrantRequest> = {
  size: () => SMALL_BYTES,
  write(writer, message) {
    writer.integer(2, message.id)
    writer.integer(1, message.ttl)
  },
  read(reader) {
    let ttl: number = 0
    let id: bigint = 0n
    for (let tag = reader.nextTag(); tag !== 0; tag = reader.nextTag()) {
      switch (tag) {
        case 8:
          ttl = Number(reader.int64())
          break
        case 16:
          id = BigInt(reader.int64())
          break
        default:
          reader.skip(tag)
      }
    }
    return { ttl, id }
  },
}

export interface LeaseGrantResponse {
  readonly header: Header
  readonly id: bigint
  readonly ttl: number
}

export const LeaseGrantResponse: Message<LeaseGrantResponse> = {
  size: (message) => SMALL_BYTES + sizeOfOne(Header, message.header),
  write(writer, message) {
    writer.integer(3, message.ttl)
    writer.integer(2, message.id)
    writeOne(writer, 1, Header, message.header)
  },
  read(reader) {
    let header: Header = NO_HEADER
    let id: bigint = 0n
    let ttl: number = 0
    for (let tag = reader.nextTag(); tag !== 0; tag = reader.nextTag()) {
      switch (tag) {
        case 10:
          header = reader.message(Header.read)
          break
        case 16:
          id = BigInt(reader.int64())
          break
        case 24:
          ttl = Number(reader.int64())
          break
        default:
          reader.skip(tag)
      }
    }
    return { header, id, ttl }
  },
}

export interface LeaseRevokeRequest {
  readonly id: bigint
}

export const LeaseRevokeRequest: Message<LeaseRevokeRequest> = {
  size: () => SMALL_BYTES,
  write(writer, message) {
    writer.integer(1, message.id)
  },
  read(reader) {
    let id: bigint = 0n
    for (let tag = reader.nextTag(); tag !== 0; tag = reader.nextTag()) {
      switch (tag) {
        case 8:
          id = BigInt(reader.int64())
          break
        default:
          reader.skip(tag)
      }
    }
    return { id }
  },
}

export interface LeaseRevokeResponse {
  readonly header: Header
}

export const LeaseRevokeResponse: Message<LeaseRevokeResponse> = {
  size: (message) => SMALL_BYTES + sizeOfOne(Header, message.header),
  write(writer, message) {
    writeOne(writer, 1, Header, message.header)
  },
  read(reader) {
    let header: Header = NO_HEADER
    for (let tag = reader.nextTag(); tag !== 0; tag = reader.nextTag()) {
      switch (tag) {
        case 10:
          header = reader.message(Header.read)
          break
        default:
          reader.skip(tag)
      }
    }
    return { header }
  },
}

export interface LeaseKeepAliveRequest {
  readonly id: bigint
}

export const LeaseKeepAliveRequest: Message<LeaseKeepAliveRequest> = {
  size: () => SMALL_BYTES,
  write(writer, message) {
    writer.integer(1, message.id)
  },
  read(reader) {
    let id: bigint = 0n
    for (let tag = reader.nextTag(); tag !== 0; tag = reader.nextTag()) {
      switch (tag) {
        case 8:
          id = BigInt(reader.int64())
          break
        default:
          reader.skip(tag)
      }
    }
    return { id }
  },
}

export interface LeaseKeepAliveResponse {
  readonly header: Header
  readonly id: bigint
  readonly ttl: number
}

export const LeaseKeepAliveResponse: Message<LeaseKeepAliveResponse> = {
  size: (message) => SMALL_BYTES + sizeOfOne(Header, message.header),
  write(writer, message) {
    writer.integer(3, message.ttl)
    writer.integer(2, message.id)
    writeOne(writer, 1, Header, message.header)
  },
  read(reader) {
    let header: Header = NO_HEADER
    let id: bigint = 0n
    let ttl: number = 0
    for (let tag = reader.nextTag(); tag !== 0; tag = reader.nextTag()) {
      switch (tag) {
        case 10:
          header = reader.message(Header.read)
          break
        case 16:
          id = BigInt(reader.int64())
          break
        case 24:
          ttl = Number(reader.int64())
          break
        default:
          reader.skip(tag)
      }
    }
    return { header, id, ttl }
  },
}

export interface LeaseTimeToLiveRequest {
  readonly id: bigint
  readonly keys: boolean
}

export const LeaseTimeToLiveRequest: Message<LeaseTimeToLiveRequest> = {
  size: () => SMALL_BYTES,
  write(writer, message) {
    writer.flag(2, message.keys)
    writer.integer(1, message.id)
  },
  read(reader) {
    let id: bigint = 0n
    let keys: boolean = false
    for (let tag = reader.nextTag(); tag !== 0; tag = reader.nextTag()) {
      switch (tag) {
        case 8:
          id = BigInt(reader.int64())
          break
        case 16:
          keys = reader.bool()
          break
        default:
          reader.skip(tag)
      }
    }
    return { id, keys }
  },
}

export interface LeaseTimeToLiveResponse {
  readonly header: Header
  readonly id: bigint
  readonly ttl: number
  readonly grantedTtl: number
  readonly keys: readonly string[]
}

export const LeaseTimeToLiveResponse: Message<LeaseTimeToLiveResponse> = {
  size: (message) => SMALL_BYTES + sizeOfOne(Header, message.header),
  write(writer, message) {
    for (const item of message.keys?.toReversed() ?? []) writeKey(writer, 5, item, true)
    writer.integer(4, message.grantedTtl)
    writer.integer(3, message.ttl)
    writer.integer(2, message.id)
    writeOne(writer, 1, Header, message.header)
  },
  read(reader) {
    let header: Header = NO_HEADER
    let id: bigint = 0n
    let ttl: number = 0
    let grantedTtl: number = 0
    const keys: string[] = []
    for (let tag = reader.nextTag(); tag !== 0; tag = reader.nextTag()) {
      switch (tag) {
        case 10:
          header = reader.message(Header.read)
          break
        case 16:
          id = BigInt(reader.int64())
          break
        case 24:
          ttl = Number(reader.int64())
          break
        case 32:
          grantedTtl = Number(reader.int64())
          break
        case 42:
          keys.push(reader.looseText(keyFromBytes))
          break
        default:
          reader.skip(tag)
      }
    }
    return { header, id, ttl, grantedTtl, keys }
  },
}

export interface StoredLease {
  readonly id: bigint
  readonly ttl: number
}

export const StoredLease: Message<StoredLease> = {
  size: () => SMALL_BYTES,
  write(writer, message) {
    writer.integer(2, message.ttl)
    writer.integer(1, message.id)
  },
  read(reader) {
    let id: bigint = 0n
    let ttl: number = 0
    for (let tag = reader.nextTag(); tag !== 0; tag = reader.nextTag()) {
      switch (tag) {
        case 8:
          id = BigInt(reader.int64())
          break
        case 16:
          ttl = reader.safeUint()
          break
        default:
          reader.skip(tag)
      }
    }
    return { id, ttl }
  },
}

export interface LeaseLeasesRequest {
}

export const LeaseLeasesRequest: Message<LeaseLeasesRequest> = {
  size: () => SMALL_BYTES,
  write() {
  },
  read(reader) {
    for (let tag = reader.nextTag(); tag !== 0; tag = reader.nextTag()) {
      switch (tag) {
        default:
          reader.skip(tag)
      }
    }
    return {  }
  },
}

export interface LeaseStatus {
  readonly id: bigint
}

export const LeaseStatus: Message<LeaseStatus> = {
  size: () => SMALL_BYTES,
  write(writer, message) {
    writer.integer(1, message.id)
  },
  read(reader) {
    let id: bigint = 0n
    for (let tag = reader.nextTag(); tag !== 0; tag = reader.nextTag()) {
      switch (tag) {
        case 8:
          id = BigInt(reader.int64())
          break
        default:
          reader.skip(tag)
      }
    }
    return { id }
  },
}

export interface LeaseLeasesResponse {
  readonly header: Header
  readonly leases: readonly LeaseStatus[]
}

export const LeaseLeasesResponse: Message<LeaseLeasesResponse> = {
  size: (message) => SMALL_BYTES + sizeOfOne(Header, message.header) + sizeOfAll(LeaseStatus, message.leases),
  write(writer, message) {
    writeAll(writer, 2, LeaseStatus, message.leases)
    writeOne(writer, 1, Header, message.header)
  },
  read(reader) {
    let header: Header = NO_HEADER
    const leases: LeaseStatus[] = []
    for (let tag = reader.nextTag(); tag !== 0; tag = reader.nextTag()) {
      switch (tag) {
        case 10:
          header = reader.message(Header.read)
          break
        case 18:
          leases.push(reader.message(LeaseStatus.read))
          break
        default:
          reader.skip(tag)
      }
    }
    return { header, leases }
  },
}

export interface Member {
  readonly id: bigint
  readonly name: string
  readonly clientUrls: readonly string[]
}

export const Member: Message<Member> = {
  size: (message) => SMALL_BYTES + lengthOf(message.name),
  write(writer, message) {
    for (const item of message.clientUrls?.toReversed() ?? []) writer.text(4, item, true)
    writer.text(2, message.name)
    writer.integer(1, message.id)
  },
  read(reader) {
    let id: bigint = 0n
    let name: string = ''
    const clientUrls: string[] = []
    for (let tag = reader.nextTag(); tag !== 0; tag = reader.nextTag()) {
      switch (tag) {
        case 8:
          id = BigInt(reader.int64())
          break
        case 18:
          name = reader.looseText()
          break
        case 34:
          clientUrls.push(reader.looseText())
          break
        default:
          reader.skip(tag)
      }
    }
    return { id, name, clientUrls }
  },
}

export interface MemberListRequest {
}

export const MemberListRequest: Message<MemberListRequest> = {
  size: () => SMALL_BYTES,
  write() {
  },
  read(reader) {
    for (let tag = reader.nextTag(); tag !== 0; tag = reader.nextTag()) {
      switch (tag) {
        default:
          reader.skip(tag)
      }
    }
    return {  }
  },
}

export interface MemberListResponse {
  readonly header: Header
  readonly members: readonly Member[]
}

export const MemberListResponse: Message<MemberListResponse> = {
  size: (message) => SMALL_BYTES + sizeOfOne(Header, message.header) + sizeOfAll(Member, message.members),
  write(writer, message) {
    writeAll(writer, 2, Member, message.members)
    writeOne(writer, 1, Header, message.header)
  },
  read(reader) {
    let header: Header = NO_HEADER
    const members: Member[] = []
    for (let tag = reader.nextTag(); tag !== 0; tag = reader.nextTag()) {
      switch (tag) {
        case 10:
          header = reader.message(Header.read)
          break
        case 18:
          members.push(reader.message(Member.read))
          break
        default:
          reader.skip(tag)
      }
    }
    return { header, members }
  },
}

export interface StatusRequest {
}

export const StatusRequest: Message<StatusRequest> = {
  size: () => SMALL_BYTES,
  write() {
  },
  read(reader) {
    for (let tag = reader.nextTag(); tag !== 0; tag = reader.nextTag()) {
      switch (tag) {
        default:
          reader.skip(tag)
      }
    }
    return {  }
  },
}

export interface StatusResponse {
  readonly header: Header
  readonly version: string
  readonly dbSize: number
  readonly leader: bigint
  readonly raftIndex: bigint
  readonly raftTerm: bigint
  readonly raftAppliedIndex: bigint
  readonly errors: readonly string[]
  readonly dbSizeInUse: number
  readonly isLearner: boolean
  readonly storageVersion: string
  readonly dbSizeQuota: number
}

export const StatusResponse: Message<StatusResponse> = {
  size: (message) => SMALL_BYTES + sizeOfOne(Header, message.header) + lengthOf(message.version) + lengthOf(message.storageVersion),
  write(writer, message) {
    writer.integer(12, message.dbSizeQuota)
    writer.text(11, message.storageVersion)
    writer.flag(10, message.isLearner)
    writer.integer(9, message.dbSizeInUse)
    for (const item of message.errors?.toReversed() ?? []) writer.text(8, item, true)
    writer.integer(7, message.raftAppliedIndex)
    writer.integer(6, message.raftTerm)
    writer.integer(5, message.raftIndex)
    writer.integer(4, message.leader)
    writer.integer(3, message.dbSize)
    writer.text(2, message.version)
    writeOne(writer, 1, Header, message.header)
  },
  read(reader) {
    let header: Header = NO_HEADER
    let version: string = ''
    let dbSize: number = 0
    let leader: bigint = 0n
    const errors: string[] = []
    let dbSizeInUse: number = 0
    let isLearner: boolean = false
    let dbSizeQuota: number = 0
    for (let tag = reader.nextTag(); tag !== 0; tag = reader.nextTag()) {
      switch (tag) {
        case 10:
          header = reader.message(Header.read)
          break
        case 18:
          version = reader.looseText()
          break
        case 24:
          dbSize = reader.safeUint()
          break
        case 32:
          leader = BigInt(reader.int64())
          break
        case 66:
          errors.push(reader.looseText())
          break
        case 72:
          dbSizeInUse = reader.safeUint()
          break
        case 80:
          isLearner = reader.bool()
          break
        case 96:
          dbSizeQuota = reader.safeUint()
          break
        default:
          reader.skip(tag)
      }
    }
    return { header, version, dbSize, leader, raftIndex: 0n, raftTerm: 0n, raftAppliedIndex: 0n, errors, dbSizeInUse, isLearner, storageVersion: '', dbSizeQuota }
  },
}

export interface DefragmentRequest {
}

export const DefragmentRequest: Message<DefragmentRequest> = {
  size: () => SMALL_BYTES,
  write() {
  },
  read(reader) {
    for (let tag = reader.nextTag(); tag !== 0; tag = reader.nextTag()) {
      switch (tag) {
        default:
          reader.skip(tag)
      }
    }
    return {  }
  },
}

export interface DefragmentResponse {
  readonly header: Header
}

export const DefragmentResponse: Message<DefragmentResponse> = {
  size: (message) => SMALL_BYTES + sizeOfOne(Header, message.header),
  write(writer, message) {
    writeOne(writer, 1, Header, message.header)
  },
  read(reader) {
    let header: Header = NO_HEADER
    for (let tag = reader.nextTag(); tag !== 0; tag = reader.nextTag()) {
      switch (tag) {
        case 10:
          header = reader.message(Header.read)
          break
        default:
          reader.skip(tag)
      }
    }
    return { header }
  },
}

export interface AlarmRequest {
  readonly action: number
  readonly memberId: bigint
  readonly alarm: number
}

export const AlarmRequest: Message<AlarmRequest> = {
  size: () => SMALL_BYTES,
  write(writer, message) {
    writer.integer(3, message.alarm)
    writer.integer(2, message.memberId)
    writer.integer(1, message.action)
  },
  read(reader) {
    let action: number = 0
    let memberId: bigint = 0n
    let alarm: number = 0
    for (let tag = reader.nextTag(); tag !== 0; tag = reader.nextTag()) {
      switch (tag) {
        case 8:
          action = reader.int32()
          break
        case 16:
          memberId = BigInt(reader.int64())
          break
        case 24:
          alarm = reader.int32()
          break
        default:
          reader.skip(tag)
      }
    }
    return { action, memberId, alarm }
  },
}

export interface AlarmMember {
  readonly memberId: bigint
  readonly alarm: number
}

export const AlarmMember: Message<AlarmMember> = {
  size: () => SMALL_BYTES,
  write(writer, message) {
    writer.integer(2, message.alarm)
    writer.integer(1, message.memberId)
  },
  read(reader) {
    let memberId: bigint = 0n
    let alarm: number = 0
    for (let tag = reader.nextTag(); tag !== 0; tag = reader.nextTag()) {
      switch (tag) {
        case 8:
          memberId = BigInt(reader.int64())
          break
        case 16:
          alarm = reader.int32()
          break
        default:
          reader.skip(tag)
      }
    }
    return { memberId, alarm }
  },
}

export interface AlarmResponse {
  readonly header: Header
  readonly alarms: readonly AlarmMember[]
}

export const AlarmResponse: Message<AlarmResponse> = {
  size: (message) => SMALL_BYTES + sizeOfOne(Header, message.header) + sizeOfAll(AlarmMember, message.alarms),
  write(writer, message) {
    writeAll(writer, 2, AlarmMember, message.alarms)
    writeOne(writer, 1, Header, message.header)
  },
  read(reader) {
    let header: Header = NO_HEADER
    const alarms: AlarmMember[] = []
    for (let tag = reader.nextTag(); tag !== 0; tag = reader.nextTag()) {
      switch (tag) {
        case 10:
          header = reader.message(Header.read)
          break
        case 18:
          alarms.push(reader.message(AlarmMember.read))
          break
        default:
          reader.skip(tag)
      }
    }
    return { header, alarms }
  },
}

export interface HashRequest {
}

export const HashRequest: Message<HashRequest> = {
  size: () => SMALL_BYTES,
  write() {
  },
  read(reader) {
    for (let tag = reader.nextTag(); tag !== 0; tag = reader.nextTag()) {
      switch (tag) {
        default:
          reader.skip(tag)
      }
    }
    return {  }
  },
}

export interface HashResponse {
  readonly header: Header
  readonly hash: number
}

export const HashResponse: Message<HashResponse> = {
  size: (message) => SMALL_BYTES + sizeOfOne(Header, message.header),
  write(writer, message) {
    writer.integer(2, message.hash)
    writeOne(writer, 1, Header, message.header)
  },
  read(reader) {
    let header: Header = NO_HEADER
    let hash: number = 0
    for (let tag = reader.nextTag(); tag !== 0; tag = reader.nextTag()) {
      switch (tag) {
        case 10:
          header = reader.message(Header.read)
          break
        case 16:
          hash = reader.safeUint()
          break
        default:
          reader.skip(tag)
      }
    }
    return { header, hash }
  },
}

export interface HashKVRequest {
  readonly revision: number
}

export const HashKVRequest: Message<HashKVRequest> = {
  size: () => SMALL_BYTES,
  write(writer, message) {
    writer.integer(1, message.revision)
  },
  read(reader) {
    let revision: number = 0
    for (let tag = reader.nextTag(); tag !== 0; tag = reader.nextTag()) {
      switch (tag) {
        case 8:
          revision = Number(reader.int64())
          break
        default:
          reader.skip(tag)
      }
    }
    return { revision }
  },
}

export interface HashKVResponse {
  readonly header: Header
  readonly hash: number
  readonly compactRevision: number
  readonly hashRevision: number
}

export const HashKVResponse: Message<HashKVResponse> = {
  size: (message) => SMALL_BYTES + sizeOfOne(Header, message.header),
  write(writer, message) {
    writer.integer(4, message.hashRevision)
    writer.integer(3, message.compactRevision)
    writer.integer(2, message.hash)
    writeOne(writer, 1, Header, message.header)
  },
  read(reader) {
    let header: Header = NO_HEADER
    let hash: number = 0
    let compactRevision: number = 0
    let hashRevision: number = 0
    for (let tag = reader.nextTag(); tag !== 0; tag = reader.nextTag()) {
      switch (tag) {
        case 10:
          header = reader.message(Header.read)
          break
        case 16:
          hash = reader.safeUint()
          break
        case 24:
          compactRevision = Number(reader.int64())
          break
        case 32:
          hashRevision = reader.safeUint()
          break
        default:
          reader.skip(tag)
      }
    }
    return { header, hash, compactRevision, hashRevision }
  },
}

export interface SnapshotRequest {
}

export const SnapshotRequest: Message<SnapshotRequest> = {
  size: () => SMALL_BYTES,
  write() {
  },
  read(reader) {
    for (let tag = reader.nextTag(); tag !== 0; tag = reader.nextTag()) {
      switch (tag) {
        default:
          reader.skip(tag)
      }
    }
    return {  }
  },
}

export interface SnapshotResponse {
  readonly remainingBytes: number
  readonly blob: Buffer
  readonly version: string
}

export const SnapshotResponse: Message<SnapshotResponse> = {
  size: (message) => SMALL_BYTES + lengthOf(message.blob) + lengthOf(message.version),
  write(writer, message) {
    writer.text(4, message.version)
    writer.bytes(3, message.blob)
    writer.integer(2, message.remainingBytes)
  },
  read(reader) {
    let remainingBytes: number = 0
    let blob: Buffer = NO_BYTES
    let version: string = ''
    for (let tag = reader.nextTag(); tag !== 0; tag = reader.nextTag()) {
      switch (tag) {
        case 16:
          remainingBytes = reader.safeUint()
          break
        case 26:
          blob = reader.bytes()
          break
        case 34:
          version = reader.looseText()
          break
        default:
          reader.skip(tag)
      }
    }
    return { remainingBytes, blob, version }
  },
}

export interface AuthenticateRequest {
  readonly name: string
  readonly password: string
}

export const AuthenticateRequest: Message<AuthenticateRequest> = {
  size: (message) => SMALL_BYTES + lengthOf(message.name) + lengthOf(message.password),
  write(writer, message) {
    writer.text(2, message.password)
    writer.text(1, message.name)
  },
  read(reader) {
    let name: string = ''
    let password: string = ''
    for (let tag = reader.nextTag(); tag !== 0; tag = reader.nextTag()) {
      switch (tag) {
        case 10:
          name = reader.looseText()
          break
        case 18:
          password = reader.looseText()
          break
        default:
          reader.skip(tag)
      }
    }
    return { name, password }
  },
}

export interface AuthenticateResponse {
  readonly header: Header
  readonly token: string
}

export const AuthenticateResponse: Message<AuthenticateResponse> = {
  size: (message) => SMALL_BYTES + sizeOfOne(Header, message.header) + lengthOf(message.token),
  write(writer, message) {
    writer.text(2, message.token)
    writeOne(writer, 1, Header, message.header)
  },
  read(reader) {
    let header: Header = NO_HEADER
    let token: string = ''
    for (let tag = reader.nextTag(); tag !== 0; tag = reader.nextTag()) {
      switch (tag) {
        case 10:
          header = reader.message(Header.read)
          break
        case 18:
          token = reader.looseText()
          break
        default:
          reader.skip(tag)
      }
    }
    return { header, token }
  },
}

const NO_HEADER: Header = Header.read(new ProtobufReader(NO_BYTES))
const NO_RANGE_RESPONSE: RangeResponse = RangeResponse.read(new ProtobufReader(NO_BYTES))
const NO_KEY_VALUE: KeyValue = KeyValue.read(new ProtobufReader(NO_BYTES))

export const RANGE: Rpc<RangeRequest, RangeResponse> = { path: '/etcdserverpb.KV/Range', request: RangeRequest, response: RangeResponse }
export const RANGE_STREAM: Rpc<RangeRequest, RangeStreamResponse> = { path: '/etcdserverpb.KV/RangeStream', request: RangeRequest, response: RangeStreamResponse }
export const PUT: Rpc<PutRequest, PutResponse> = { path: '/etcdserverpb.KV/Put', request: PutRequest, response: PutResponse }
export const DELETE_RANGE: Rpc<DeleteRangeRequest, DeleteRangeResponse> = { path: '/etcdserverpb.KV/DeleteRange', request: DeleteRangeRequest, response: DeleteRangeResponse }
export const TXN: Rpc<TxnRequest, TxnResponse> = { path: '/etcdserverpb.KV/Txn', request: TxnRequest, response: TxnResponse }
export const COMPACT: Rpc<CompactionRequest, CompactionResponse> = { path: '/etcdserverpb.KV/Compact', request: CompactionRequest, response: CompactionResponse }

export const WATCH: Rpc<WatchRequest, WatchResponse> = { path: '/etcdserverpb.Watch/Watch', request: WatchRequest, response: WatchResponse }

export const LEASE_GRANT: Rpc<LeaseGrantRequest, LeaseGrantResponse> = { path: '/etcdserverpb.Lease/LeaseGrant', request: LeaseGrantRequest, response: LeaseGrantResponse }
export const LEASE_REVOKE: Rpc<LeaseRevokeRequest, LeaseRevokeResponse> = { path: '/etcdserverpb.Lease/LeaseRevoke', request: LeaseRevokeRequest, response: LeaseRevokeResponse }
export const LEASE_KEEP_ALIVE: Rpc<LeaseKeepAliveRequest, LeaseKeepAliveResponse> = { path: '/etcdserverpb.Lease/LeaseKeepAlive', request: LeaseKeepAliveRequest, response: LeaseKeepAliveResponse }
export const LEASE_TIME_TO_LIVE: Rpc<LeaseTimeToLiveRequest, LeaseTimeToLiveResponse> = { path: '/etcdserverpb.Lease/LeaseTimeToLive', request: LeaseTimeToLiveRequest, response: LeaseTimeToLiveResponse }
export const LEASE_LEASES: Rpc<LeaseLeasesRequest, LeaseLeasesResponse> = { path: '/etcdserverpb.Lease/LeaseLeases', request: LeaseLeasesRequest, response: LeaseLeasesResponse }

export const MEMBER_LIST: Rpc<MemberListRequest, MemberListResponse> = { path: '/etcdserverpb.Cluster/MemberList', request: MemberListRequest, response: MemberListResponse }

export const ALARM: Rpc<AlarmRequest, AlarmResponse> = { path: '/etcdserverpb.Maintenance/Alarm', request: AlarmRequest, response: AlarmResponse }
export const STATUS: Rpc<StatusRequest, StatusResponse> = { path: '/etcdserverpb.Maintenance/Status', request: StatusRequest, response: StatusResponse }
export const DEFRAGMENT: Rpc<DefragmentRequest, DefragmentResponse> = { path: '/etcdserverpb.Maintenance/Defragment', request: DefragmentRequest, response: DefragmentResponse }
export const HASH: Rpc<HashRequest, HashResponse> = { path: '/etcdserverpb.Maintenance/Hash', request: HashRequest, response: HashResponse }
export const HASH_KV: Rpc<HashKVRequest, HashKVResponse> = { path: '/etcdserverpb.Maintenance/HashKV', request: HashKVRequest, response: HashKVResponse }
export const SNAPSHOT: Rpc<SnapshotRequest, SnapshotResponse> = { path: '/etcdserverpb.Maintenance/Snapshot', request: SnapshotRequest, response: SnapshotResponse }

export const AUTHENTICATE: Rpc<AuthenticateRequest, AuthenticateResponse> = { path: '/etcdserverpb.Auth/Authenticate', request: AuthenticateRequest, response: AuthenticateResponse }
