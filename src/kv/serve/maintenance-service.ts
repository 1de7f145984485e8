// etcd's Maintenance and Cluster services, as far as they can honestly be answered for a store of one member; what is about all that is
// stored is in `snapshot-service.ts`.
import { KvError } from '../kv.ts'
import type { TransactionalKv } from '../transactional.ts'
import { STORAGE_VERSION } from './backend.ts'
import { messageReader, number, readMessage, readNumber } from './requests.ts'
import { type Identity, RAFT_TERM, writeHeader, written } from './responses.ts'
import { unimplemented } from './rpc-failure.ts'
import type { Methods } from './service.ts'

/** The version whose API this is: clients decide by it what they may ask for. */
const ETCD_VERSION = '3.6.14'

const GET = 0
const DEACTIVATE = 2
const NO_SPACE = 1

const readAlarm = messageReader({ action: 0 }, { [number(1)]: (reader, alarm) => (alarm.action = readNumber(reader)) })

export function maintenanceMethods(
  kv: TransactionalKv,
  identity: Identity,
  clientUrls: () => readonly string[],
): Methods {
  const newest = (signal: AbortSignal): Promise<number> => kv.newestRevision(signal)
  const { memberId } = identity
  return {
    '/etcdserverpb.Maintenance/Status': {
      kind: 'unary',
      answer: async (_, signal) => {
        const [revision, size, isFull] = await Promise.all([newest(signal), kv.size(signal), isOutOfSpace(kv, signal)])
        return written((writer) => {
          // To etcd what is free in its file counts against the quota.
          writer.number(12, size?.limit && size.bytes + size.limit.availableBytes)
          writer.text(11, STORAGE_VERSION)
          writer.number(9, size?.inUseBytes)
          if (isFull) writer.text(8, `memberID:${memberId} alarm:NOSPACE `)
          writer.number(7, revision)
          writer.number(6, RAFT_TERM)
          writer.number(5, revision)
          writer.integer(4, memberId)
          writer.number(3, size?.bytes)
          writer.text(2, ETCD_VERSION)
          writeHeader(writer, identity, revision)
        })
      },
    },
    // Space that was freed is used again by itself.
    '/etcdserverpb.Maintenance/Defragment': {
      kind: 'unary',
      answer: async (_, signal) => {
        const revision = await newest(signal)
        return written((writer) => writeHeader(writer, identity, revision))
      },
    },
    // The one alarm that there is goes by itself when there is space again: to disarm it does nothing.
    '/etcdserverpb.Maintenance/Alarm': {
      kind: 'unary',
      answer: async (message, signal) => {
        const { action } = readMessage(message, readAlarm)
        if (action !== GET && action !== DEACTIVATE) throw unimplemented('alarms cannot be raised by clients')
        const [revision, isFull] = await Promise.all([newest(signal), isOutOfSpace(kv, signal)])
        return written((writer) => {
          if (isFull)
            writer.message(2, () => {
              writer.number(2, NO_SPACE)
              writer.integer(1, memberId)
            })
          writeHeader(writer, identity, revision)
        })
      },
    },
    '/etcdserverpb.Cluster/MemberList': {
      kind: 'unary',
      answer: async (_, signal) => {
        const revision = await newest(signal)
        return written((writer) => {
          writer.message(2, () => {
            for (const url of clientUrls().toReversed()) writer.text(4, url)
            writer.text(2, identity.name)
            writer.integer(1, memberId)
          })
          writeHeader(writer, identity, revision)
        })
      },
    },
  }
}

async function isOutOfSpace(kv: TransactionalKv, signal: AbortSignal): Promise<boolean> {
  try {
    await kv.checkHealth(signal)
    return false
  } catch (error) {
    if (error instanceof KvError && error.code === 'full') return true
    throw error
  }
}
