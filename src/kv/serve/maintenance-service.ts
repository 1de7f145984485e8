// etcd's Maintenance and Cluster services, as far as they apply to a store of one member. Snapshots and hashes of the
// content are in `snapshot-service.ts`.
import { ALARM, AlarmRequestAction, AlarmType, DEFRAGMENT, MEMBER_LIST, STATUS } from '../gen/rpc.ts'
import { KvError } from '../kv.ts'
import type { TransactionalKv } from '../transactional.ts'
import { STORAGE_VERSION } from './backend.ts'
import type { Identity } from './identity.ts'
import { unimplemented } from './rpc-failure.ts'
import { type Methods, unary } from './service.ts'

/** The version of etcd with this API. Clients choose their requests by the version. */
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
        raftTerm: identity.raftTerm,
        raftAppliedIndex: revision,
        errors: isFull ? [`memberID:${memberId} alarm:NOSPACE `] : [],
        dbSizeInUse: size?.inUseBytes,
        storageVersion: STORAGE_VERSION,
        // In etcd, free space in the file counts against the quota.
        dbSizeQuota: size?.limit && size.bytes + size.limit.availableBytes,
      }
    }),
    // Freed space is used again without defragmentation.
    ...unary(DEFRAGMENT, identity, async (_, signal) => ({ header: { revision: await newest(signal) } })),
    // The only alarm ends when there is space again, so disarming has no effect.
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
