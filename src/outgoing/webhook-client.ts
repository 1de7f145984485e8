// The `clientConfig` of webhooks: the same for admission and for conversion.
import { mapOrAbsent, numberOrAbsent, textOrEmpty } from '../api/members.ts'
import type { OutgoingTarget } from './call.ts'
import type { Place } from './connections.ts'
import type { ValueMap } from '../api/value.ts'

export interface ServiceReference {
  readonly namespace: string
  readonly name: string
  readonly port: number
}

/** Where a service is reached. Throws `OutgoingCallError`. */
export type ResolveService = (service: ServiceReference) => Promise<Place>

const DEFAULT_PORT = 443

/** What calls of webhooks say who they are from, whatever is asked. */
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

/** The reference calls the path without a slash at its end, and the root where there is none. */
function withPath(url: string): string {
  const [, place = '', path = ''] = /^([a-z]+:\/\/[^/]*)(.*)$/.exec(url) ?? []
  if (place === '') return url
  return `${place}/${path.split('/').filter(Boolean).join('/')}`
}
