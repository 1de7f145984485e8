// The calls of etcd's Maintenance service for the content of the store: snapshots, from which etcd can be restored, and hashes. The calls
// read the content in pieces, with turns of the event loop between them.
import { createHash } from 'node:crypto'
import type { Clock } from '../../lib/clock.ts'
import { PREFIX_BYTES } from '../../wire/grpc-messages.ts'
import { layOutBolt } from '../bolt/bolt.ts'
import { HASH, HASH_KV, SNAPSHOT } from '../gen/rpc.ts'
import { KvError } from '../kv.ts'
import { encode } from '../rpc.ts'
import type { TransactionalKv } from '../transactional.ts'
import { backendBuckets, STORAGE_VERSION, type Surroundings } from './backend.ts'
import { compactRevisionOf, hashOfAll, hashOfKeys } from './hashes.ts'
import type { Identity } from './identity.ts'
import { type Methods, unary } from './service.ts'

const BLOB_BYTES = 64 * 1024

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
    [SNAPSHOT.path]: { kind: 'answers', answers: (_, signal) => snapshotMessages(kv, surroundings(), signal) },
    ...unary(HASH, identity, async (_, signal) => {
      using history = kv.openHistory()
      const hash = await hashOfAll(history, surroundings(), signal)
      return { header: { revision: history.newest }, hash }
    }),
    ...unary(HASH_KV, identity, async (request, signal) => {
      using history = kv.openHistory()
      const { newest, oldest } = history
      const revision = request.revision || newest
      if (revision > newest) throw new KvError('future', `revision ${revision} has not happened yet`)
      if (revision < oldest) throw new KvError('compacted', `revision ${revision} was compacted`)
      const hash = await hashOfKeys(history, revision, signal)
      const compactRevision = compactRevisionOf(history)
      return { header: { revision: newest }, hash, compactRevision, hashRevision: revision }
    }),
  }
}

/** The file in pieces, and its SHA-256 at the end. */
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
  return encode(SNAPSHOT.response, { remainingBytes, blob, version: STORAGE_VERSION }, PREFIX_BYTES)
}

/** The same bytes in pieces of at most `BLOB_BYTES`. */
async function* inBlobs(pieces: AsyncIterable<readonly Buffer[]>): AsyncGenerator<Buffer> {
  for await (const piece of pieces) {
    const bytes = Buffer.concat(piece)
    for (let at = 0; at < bytes.length; at += BLOB_BYTES) yield bytes.subarray(at, at + BLOB_BYTES)
  }
}
