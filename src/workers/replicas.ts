// Requests from one replica to the others on behalf of a user. The addresses are in the identity leases of the replicas. The requests name
// the user. They are authenticated by the certificate that aggregated API servers trust for such requests. A credential of the user is
// never sent to an address from an object.
import { userHeaders } from '../handlers/user-headers.ts'
import type { User } from '../api/user.ts'
import type { ControllerParts } from '../controllers/controllers.ts'
import { serverLeases, type ServerLease } from '../controllers/server-identity.ts'
import type { ReplicaWatchers } from '../handlers/watchers-page.ts'
import type { WatcherStatus } from '../handlers/watchers.ts'
import { answerValue } from '../outgoing/answer.ts'
import type { OutgoingCaller, OutgoingTarget } from '../outgoing/call.ts'
import { OutgoingCallError } from '../outgoing/failure.ts'

/** The time to wait for a replica's answer. */
const WITHIN_MS = 1000
const MAX_BYTES = 64 * 1024 * 1024
/** Clients may create any number of leases. Real clusters have fewer replicas than this. */
const MOST_ASKED = 100
/** Pods call the API by this name, so the certificate of every replica is valid for it. */
const SERVER_NAME = 'kubernetes.default.svc'

export interface ReplicaParts extends Pick<ControllerParts, 'registry' | 'resources' | 'clock'> {
  /** The name of this replica's own lease. */
  readonly ownName: string
  readonly caller: OutgoingCaller
  /** The certificate for requests to the other replicas. Undefined: this replica cannot ask them. */
  readonly proxyCertificate: { readonly certificate: string; readonly key: string } | undefined
  /** The authority of the other replicas' certificates, in PEM. */
  readonly authority: string
}

/**
 * The watchers of the other replicas that this user may see. A replica that does not answer is listed with the reason. The replicas with
 * the oldest leases come last.
 */
export async function watchersOfReplicas(
  parts: ReplicaParts,
  user: User,
  signal: AbortSignal,
): Promise<readonly ReplicaWatchers[]> {
  const leases = await serverLeases(parts, signal)
  const others = leases
    .filter(({ name }) => name !== parts.ownName)
    .toSorted((a, b) => b.renewedAt - a.renewedAt)
    .slice(0, MOST_ASKED)
  return Promise.all(
    others.map(async (lease) => {
      const { name: replica } = lease
      try {
        return { replica, watchers: await watchersOf(parts, lease, { user, signal }) }
      } catch (error) {
        if (!(error instanceof OutgoingCallError)) throw error
        const ageSeconds = Math.max(0, Math.round((parts.clock.now() - lease.renewedAt) / 1000))
        return { replica, watchers: [], problem: `${error.message}; its lease was renewed ${ageSeconds} s ago` }
      }
    }),
  )
}

interface Asking {
  readonly user: User
  readonly signal: AbortSignal
}

async function watchersOf(
  parts: ReplicaParts,
  { peerAddress }: ServerLease,
  { user, signal }: Asking,
): Promise<readonly WatcherStatus[]> {
  const { caller, proxyCertificate, authority } = parts
  if (proxyCertificate === undefined) {
    throw new OutgoingCallError('settings', 'this server cannot ask it without --proxy-client-cert-file')
  }
  if (peerAddress === undefined) {
    throw new OutgoingCallError('settings', 'its lease has no address: it runs without --requestheader-client-ca-file')
  }
  // A user who may write a lease must not choose the URL of requests on behalf of others.
  if (!ADDRESS.test(peerAddress)) throw new OutgoingCallError('settings', 'its lease has no valid address')
  const target: OutgoingTarget = {
    url: `https://${peerAddress}/debug/watchers`,
    tls: { ca: authority, ...proxyCertificate, serverName: SERVER_NAME },
    headers: { ...userHeaders(user), accept: 'application/json' },
  }
  const call = { userAgent: 'quarterdeck', timeoutMs: WITHIN_MS, tellTimeout: false, maxAnswerBytes: MAX_BYTES }
  return readWatchers(answerValue(await caller.call(target, call, signal)))
}

const ADDRESS = /^(?:\[[0-9a-f:.]+\]|[0-9a-z.-]+):\d{1,5}$/i

/** Replicas of another version may answer in another form. */
function readWatchers(answer: unknown): readonly WatcherStatus[] {
  const { watchers } = (answer ?? {}) as { readonly watchers?: unknown }
  if (Array.isArray(watchers)) return watchers as readonly WatcherStatus[]
  throw new OutgoingCallError('answer', 'it did not answer with a list of watchers')
}
