// Those calls of etcd's Maintenance service that are about all that is stored: a snapshot, from which etcd can be restored, and
// hashes. All go through it in pieces, between which the event loop goes on.
import { createHash } from 'node:crypto'
import type { Clock } from '../../lib/clock.ts'
import { layOutBolt } from '../bolt/bolt.ts'
import { KvError } from '../kv.ts'
import type { TransactionalKv } from '../transactional.ts'
import { backendBuckets, STORAGE_VERSION, type Surroundings } from './backend.ts'
import { compactRevisionOf, hashOfAll, hashOfKeys } from './hashes.ts'
import { messageReader, number, readMessage, readNumber } from './requests.ts'
import { type Identity, writeHeader, written } from './responses.ts'
import type { Methods } from './service.ts'

const BLOB_BYTES = 64 * 1024

const readHashKv = messageReader(
  { revision: 0 },
  { [number(1)]: (reader, request) => (request.revision = readNumber(reader)) },
)

interface SnapshotParts {
  readonly kv: TransactionalKv
  readonly identity: Identity
  readonly clock: Clock
  readonly clientUrls: () => readonly string[]
}

export function snapshotMethods({ kv, identity, clock, clientUrls }: SnapshotParts): Methods {
  const surroundings = (): Surroundings => ({
    member: { ...identity, clientUrls: clientUrls() },
    nowMs: clock.now(),
  })
  return {
    '/etcdserverpb.Maintenance/Snapshot': {
      kind: 'answers',
      answers: (_, signal) => snapshotMessages(kv, surroundings(), signal),
    },
    '/etcdserverpb.Maintenance/Hash': {
      kind: 'unary',
      answer: async (_, signal) => {
        using history = kv.openHistory()
        const hash = await hashOfAll(history, surroundings(), signal)
        return written((writer) => {
          writer.number(2, hash)
          writeHeader(writer, identity, history.newest)
        })
      },
    },
    '/etcdserverpb.Maintenance/HashKV': {
      kind: 'unary',
      answer: async (message, signal) => {
        using history = kv.openHistory()
        const { newest, oldest } = history
        const revision = readMessage(message, readHashKv).revision || newest
        if (revision > newest) throw new KvError('future', `revision ${revision} has not happened yet`)
        if (revision < oldest) throw new KvError('compacted', `revision ${revision} was compacted`)
        const hash = await hashOfKeys(history, revision, signal)
        return written((writer) => {
          writer.number(4, revision)
          writer.integer(3, compactRevisionOf(history))
          writer.number(2, hash)
          writeHeader(writer, identity, newest)
        })
      },
    },
  }
}

/** The file in pieces, and behind it its SHA-256. */
async function* snapshotMessages(
  kv: TransactionalKv,
  surroundings: Surroundings,
  signal: AbortSignal,
): AsyncGenerator<Buffer> {
  using history = kv.openHistory()
  const file = await layOutBolt(backendBuckets(history, surroundings, signal))
  const hash = createHash('sha256')
  let remaining = file.bytes
  for await (const blob of inBlobs(file.pieces())) {
    hash.update(blob)
    remaining -= blob.length
    yield snapshotMessage(blob, remaining)
  }
  yield snapshotMessage(hash.digest(), 0)
}

function snapshotMessage(blob: Buffer, remainingBytes: number): Buffer {
  return written((writer) => {
    writer.text(4, STORAGE_VERSION)
    writer.bytes(3, blob)
    writer.number(2, remainingBytes)
  }, blob.length)
}

/** The same bytes, cut anew. */
async function* inBlobs(pieces: AsyncIterable<readonly Buffer[]>): AsyncGenerator<Buffer> {
  for await (const piece of pieces) {
    const bytes = Buffer.concat(piece)
    for (let at = 0; at < bytes.length; at += BLOB_BYTES) yield bytes.subarray(at, at + BLOB_BYTES)
  }
}
