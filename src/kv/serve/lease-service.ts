// etcd's Lease service: Grant, Revoke, KeepAlive, TimeToLive and Leases.
import type { TransactionalKv } from '../transactional.ts'
import type { Lessor } from './lessor.ts'
import { messageReader, number, readInteger, readMessage, readNumber } from './requests.ts'
import { type Identity, writeHeader, writeKey, written } from './responses.ts'
import { eachMessage, type Methods } from './service.ts'

const readGrant = messageReader(
  { ttl: 0, id: 0n },
  {
    [number(1)]: (reader, grant) => (grant.ttl = readNumber(reader)),
    [number(2)]: (reader, grant) => (grant.id = readInteger(reader)),
  },
)

const readId = messageReader({ id: 0n }, { [number(1)]: (reader, lease) => (lease.id = readInteger(reader)) })

const readTimeToLive = messageReader(
  { id: 0n, keys: false },
  {
    [number(1)]: (reader, lease) => (lease.id = readInteger(reader)),
    [number(2)]: (reader, lease) => (lease.keys = reader.bool()),
  },
)

export function leaseMethods(kv: TransactionalKv, lessor: Lessor, identity: Identity): Methods {
  const { signal: always } = new AbortController()
  const newest = (): Promise<number> => kv.newestRevision(always)
  return {
    '/etcdserverpb.Lease/LeaseGrant': {
      kind: 'unary',
      answer: async (message, signal) => {
        const { ttl, id: wanted } = readMessage(message, readGrant)
        const { id, seconds } = await lessor.grant(wanted, ttl, signal)
        const revision = await newest()
        return written((writer) => {
          writer.number(3, seconds)
          writer.integer(2, id)
          writeHeader(writer, identity, revision)
        })
      },
    },
    '/etcdserverpb.Lease/LeaseRevoke': {
      kind: 'unary',
      answer: async (message, signal) => {
        const revision = await lessor.revoke(readMessage(message, readId).id, signal)
        return written((writer) => writeHeader(writer, identity, revision))
      },
    },
    '/etcdserverpb.Lease/LeaseKeepAlive': {
      kind: 'stream',
      run: (call) =>
        eachMessage(
          call,
          async (message) => {
            const { id } = readMessage(message, readId)
            const seconds = lessor.keepAlive(id)
            const revision = await newest()
            // A lease that is not there has no time left.
            const answer = written((writer) => {
              writer.number(3, seconds)
              writer.integer(2, id)
              writeHeader(writer, identity, revision)
            })
            call.send(answer)
          },
          'ends',
        ),
    },
    '/etcdserverpb.Lease/LeaseTimeToLive': {
      kind: 'unary',
      answer: async (message, signal) => {
        const { id, keys: withKeys } = readMessage(message, readTimeToLive)
        const time = lessor.timeOf(id)
        const keys = time !== undefined && withKeys ? await lessor.keysOf(id, signal) : []
        const revision = await newest()
        return written((writer) => {
          for (const key of keys.toReversed()) writeKey(writer, 5, key)
          writer.number(4, time?.grantedSeconds)
          writer.integer(3, time?.leftSeconds ?? -1)
          writer.integer(2, id)
          writeHeader(writer, identity, revision)
        })
      },
    },
    '/etcdserverpb.Lease/LeaseLeases': {
      kind: 'unary',
      answer: async () => {
        const revision = await newest()
        return written((writer) => {
          for (const id of lessor.ids.toReversed()) writer.message(2, () => writer.integer(1, id))
          writeHeader(writer, identity, revision)
        })
      },
    },
  }
}
