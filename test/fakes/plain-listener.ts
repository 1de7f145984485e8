// The listener alone, without an API behind it: handlers are looked up by path.
import { SILENT_LOG } from '../../src/lib/log.ts'
import { catchFaults } from '../../src/http/filters/faults.ts'
import { statusWriter } from '../../src/http/errors.ts'
import type { Handler } from '../../src/http/http.ts'
import { type Listener, type ListenerOptions, openListener } from '../../src/http/listener.ts'
import { plainText } from '../../src/http/responses.ts'
import { makeAuthority, makeServing } from '../../src/pki/certificate-maker.ts'
import { tlsRules } from '../../src/config/tls-config.ts'

export const authority = makeAuthority(60_000)
const serving = makeServing(authority, { dns: ['localhost'], addresses: ['127.0.0.1'] }, 60_000)

const writeStatus = statusWriter(() => Buffer.of(), false)

export function openPlainListener(
  handlers: Readonly<Record<string, Handler>>,
  options: Partial<ListenerOptions> = {},
): Promise<Listener> {
  const handler: Handler = (request) => (handlers[request.path] ?? (() => plainText(404, 'no')))(request)
  return openListener({
    host: '127.0.0.1',
    port: 0,
    tls: { certificate: serving.certificate, key: serving.key, clientCa: undefined, proxyCa: undefined },
    handler: catchFaults({ log: SILENT_LOG, writeStatus })(handler),
    log: SILENT_LOG,
    requestTimeoutMs: 60_000,
    ...tlsRules({ text: 'VersionTLS12', source: '' }, []),
    maxStreamsPerConnection: 100,
    observe: () => {},
    ...options,
  })
}
