// etcd's Lease service: Grant, Revoke, KeepAlive, TimeToLive and Leases.
import { LEASE_GRANT, LEASE_KEEP_ALIVE, LEASE_LEASES, LEASE_REVOKE, LEASE_TIME_TO_LIVE } from '../gen/rpc.ts'
import { decode } from '../rpc.ts'
import type { TransactionalKv } from '../transactional.ts'
import type { Leases } from './lessor.ts'
import type { Identity } from './identity.ts'
import { encodeAnswer, eachMessage, type Methods, unary } from './service.ts'

export function leaseMethods(kv: TransactionalKv, lessor: Leases, identity: Identity): Methods {
  const { signal: always } = new AbortController()
  const newest = (): Promise<number> => kv.newestRevision(always)
  return {
    ...unary(LEASE_GRANT, identity, async ({ ttl: wantedSeconds, id: wanted }, signal) => {
      const { id, seconds } = await lessor.grant(wanted, wantedSeconds, signal)
      return { header: { revision: await newest() }, id, ttl: seconds }
    }),
    ...unary(LEASE_REVOKE, identity, async ({ id }, signal) => ({
      header: { revision: await lessor.revoke(id, signal) },
    })),
    [LEASE_KEEP_ALIVE.path]: {
      kind: 'stream',
      run: (call) =>
        eachMessage(
          call,
          async (message) => {
            const { id } = decode(LEASE_KEEP_ALIVE.request, message)
            // Undefined for a missing lease: the TTL in the answer is then 0.
            const ttl = lessor.keepAlive(id)
            const answer = { header: { revision: await newest() }, id, ttl }
            call.send(encodeAnswer(LEASE_KEEP_ALIVE.response, identity, answer))
          },
          'ends',
        ),
    },
    ...unary(LEASE_TIME_TO_LIVE, identity, async ({ id, keys: withKeys }, signal) => {
      const time = lessor.timeOf(id)
      const keys = time !== undefined && withKeys ? await lessor.keysOf(id, signal) : []
      const header = { revision: await newest() }
      return { header, id, ttl: time?.leftSeconds ?? -1, grantedTtl: time?.grantedSeconds, keys }
    }),
    ...unary(LEASE_LEASES, identity, async () => ({
      header: { revision: await newest() },
      leases: lessor.ids.map((id) => ({ id })),
    })),
  }
}
