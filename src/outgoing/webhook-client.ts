// The `clientConfig` of webhooks: the same for admission and for conversion. A function can replace a webhook.
import { mapOrAbsent, numberOrAbsent, textOrEmpty } from '../api/members.ts'
import type { OutgoingTarget } from './call.ts'
import type { Place } from './connections.ts'
import type { Value, ValueMap } from '../api/value.ts'

export interface ServiceReference {
  readonly namespace: string
  readonly name: string
  readonly port: number
}

/** The address of a service. Throws `OutgoingCallError`. */
export type ResolveService = (service: ServiceReference) => Promise<Place>

/**
 * Answers reviews as a webhook does, without HTTP. The review is JSON text. Throws `OutgoingCallError` if there is no answer in time, and
 * `CancelledError` when the signal fires.
 */
export type ReviewFunction = (review: string, timeoutMs: number, signal: AbortSignal) => Promise<Value>

const DEFAULT_PORT = 443

/** The user agent of all calls to webhooks. */
export const WEBHOOK_USER_AGENT = 'kube-apiserver-admission'

/** `config` is a `clientConfig`, with a `url` or a `service`. */
export function readWebhookTarget(config: ValueMap, locate: ResolveService): OutgoingTarget {
  const bundle = textOrEmpty(config, 'caBundle')
  const tls = bundle === '' ? {} : { ca: Buffer.from(bundle, 'base64').toString() }
  const service = mapOrAbsent(config, 'service')
  if (service === undefined) return { url: withPath(textOrEmpty(config, 'url')), tls }
  const reference = {
    namespace: textOrEmpty(service, 'namespace'),
    name: textOrEmpty(service, 'name'),
    port: numberOrAbsent(service, 'port') ?? DEFAULT_PORT,
  }
  const host = `${reference.name}.${reference.namespace}.svc`
  return {
    url: withPath(`https://${host}:${reference.port}${textOrEmpty(service, 'path')}`),
    tls: { ...tls, serverName: host },
    locate: () => locate(reference),
  }
}

/** The reference drops a slash at the end of the path, and calls the root if there is no path. */
function withPath(url: string): string {
  const [, place = '', path = ''] = /^([a-z]+:\/\/[^/]*)(.*)$/.exec(url) ?? []
  if (place === '') return url
  return `${place}/${path.split('/').filter(Boolean).join('/')}`
}
