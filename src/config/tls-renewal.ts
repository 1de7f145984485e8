// Renews the TLS files while the server runs: certificates and authorities when their files change, and the keys of session tickets at the
// same time and twice a day. The keys are never stored, and replicas do not share them. If they were derived from a shared secret, a thief
// of that secret could decrypt earlier connections of TLS 1.2. A client that connects to another replica needs a full handshake there: 2.2
// ms of the server's processor time. A resumed handshake takes 1.5 ms (TLS 1.3, one small request each, medians of six alternating rounds).
// With TLS 1.2, full and resumed handshakes cost about the same.
import { randomBytes } from 'node:crypto'
import type { TlsFiles, TlsRenewal } from '../http/tls-server.ts'
import type { Clock } from '../lib/clock.ts'
import { pause } from '../lib/pause.ts'
import { renewServing, type ServingRenewal } from './certificate-reload.ts'

/** Node has one set of keys at a time. A client with an older ticket needs a full handshake. */
const ROTATE_EVERY_MS = 12 * 3_600_000
/** A name, a key for HMAC and one for AES, of 16 bytes each. */
const TICKET_KEY_BYTES = 48

/** Returns new keys in base64. */
export function newTicketKeys(): string {
  return randomBytes(TICKET_KEY_BYTES).toString('base64')
}

/** Renews until the signal fires. */
export async function renewTls(
  serving: ServingRenewal & { readonly clock: Clock },
  use: (renewal: TlsRenewal) => void,
  signal: AbortSignal,
): Promise<void> {
  const renew = (files?: TlsFiles): void => use({ files, ticketKeys: newTicketKeys() })
  await Promise.all([renewServing(serving, renew, signal), rotateTicketKeys(renew, serving.clock, signal)])
}

async function rotateTicketKeys(renew: () => void, clock: Clock, signal: AbortSignal): Promise<void> {
  while (await pause(clock, ROTATE_EVERY_MS, signal)) renew()
}
