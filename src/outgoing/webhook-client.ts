// How configurations say which webhook to call: the same words stand in those of admission and in custom resource
// definitions.
import type { OutgoingTarget } from './call.ts'
import type { Place } from './connections.ts'
import { isMap, own, type ValueMap } from '../api/value.ts'

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
  const bundle = textIn(config, 'caBundle')
  const tls = bundle === '' ? {} : { ca: Buffer.from(bundle, 'base64').toString() }
  const service = own(config, 'service')
  if (!isMap(service)) return { url: withPath(textIn(config, 'url')), tls }
  const port = own(service, 'port')
  const reference = {
    namespace: textIn(service, 'namespace'),
    name: textIn(service, 'name'),
    port: typeof port === 'number' ? port : DEFAULT_PORT,
  }
  const host = `${reference.name}.${reference.namespace}.svc`
  return {
    url: withPath(`https://${host}:${reference.port}${textIn(service, 'path')}`),
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

function textIn(map: ValueMap, name: string): string {
  const value = own(map, name)
  return typeof value === 'string' ? value : ''
}
