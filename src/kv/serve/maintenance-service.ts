// etcd's Maintenance and Cluster services, as far as they can honestly be answered for a store of one member; what is about all that is
// stored is in `snapshot-service.ts`.
import { ALARM, AlarmRequestAction, AlarmType, DEFRAGMENT, MEMBER_LIST, STATUS } from '../gen/rpc.ts'
import { KvError } from '../kv.ts'
import type { TransactionalKv } from '../transactional.ts'
import { STORAGE_VERSION } from './backend.ts'
import { type Identity, RAFT_TERM } from './identity.ts'
import { unimplemented } from './rpc-failure.ts'
import { type Methods, unary } from './service.ts'

/** The version whose API this is: clients decide by it what they may ask for. */
const ETCD_VERSION = '3.6.14'

export function maintenanceMethods(
  kv: TransactionalKv,
  identity: Identity,
  clientUrls: () => readonly string[],
): Methods {
  const newest = (signal: AbortSignal): Promise<number> => kv.newestRevision(signal)
  const { memberId } = identity
  return {
    ...unary(STATUS, identity, async (_, signal) => {
      const [revision, size, isFull] = await Promise.all([newest(signal), kv.size(signal), isOutOfSpace(kv, signal)])
      return {
        header: { revision },
        version: ETCD_VERSION,
        dbSize: size?.bytes,
        leader: memberId,
        raftIndex: revision,
        raftTerm: RAFT_TERM,
        raftAppliedIndex: revision,
        errors: isFull ? [`memberID:${memberId} alarm:NOSPACE `] : [],
        dbSizeInUse: size?.inUseBytes,
        storageVersion: STORAGE_VERSION,
        // To etcd what is free in its file counts against the quota.
        dbSizeQuota: size?.limit && size.bytes + size.limit.availableBytes,
      }
    }),
    // Space that was freed is used again by itself.
    ...unary(DEFRAGMENT, identity, async (_, signal) => ({ header: { revision: await newest(signal) } })),
    // The one alarm that there is goes by itself when there is space again: to disarm it does nothing.
    ...unary(ALARM, identity, async ({ action }, signal) => {
      if (action !== AlarmRequestAction.GET && action !== AlarmRequestAction.DEACTIVATE)
        throw unimplemented('alarms cannot be raised by clients')
      const [revision, isFull] = await Promise.all([newest(signal), isOutOfSpace(kv, signal)])
      return { header: { revision }, alarms: isFull ? [{ memberId, alarm: AlarmType.NO_SPACE }] : [] }
    }),
    ...unary(MEMBER_LIST, identity, async (_, signal) => ({
      header: { revision: await newest(signal) },
      members: [{ id: memberId, name: identity.name, clientUrls: clientUrls() }],
    })),
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
