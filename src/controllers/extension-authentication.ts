// The config maps for extension API servers: CA bundles and request headers of authenticating proxies, and the day from which
// the use of legacy tokens is tracked (P-053, P-079, W-629).
import type { ApiObject } from '../api/object.ts'
import { isKind } from '../api/kind-guard.ts'
import { equalValues, type MapOf, own } from '../api/value.ts'
import { pause } from '../lib/pause.ts'
import type { Controller, ControllerParts } from './controllers.ts'
import { servedResource } from '../registry/served-resource.ts'
import { ensureObject, newObject, serverContext, succeeds } from './writes.ts'

/** The current authorities. They are replaced while the server runs. */
export interface PublishedAuthentication {
  /** In PEM. */
  readonly clientCa: string | undefined
  readonly proxy:
    | {
        readonly ca: string
        readonly allowedNames: readonly string[]
        readonly userHeaders: readonly string[]
        readonly uidHeaders: readonly string[]
        readonly groupHeaders: readonly string[]
        readonly extraPrefixes: readonly string[]
      }
    | undefined
}

const NAMESPACE = 'kube-system'
const TRUST = 'extension-apiserver-authentication'
const TRACKING = 'kube-apiserver-legacy-service-account-token-tracking'
const LOOK_AGAIN_MS = 60_000

export function extensionAuthentication(parts: ControllerParts, trust: () => PublishedAuthentication): Controller {
  return {
    name: 'authentication-trust',
    async run(signal) {
      // The server makes the config maps before it serves anything, so they exist when this loop begins.
      while (await pause(parts.clock, LOOK_AGAIN_MS, signal)) await publishAuthentication(parts, trust(), signal)
    },
  }
}

/** Publishes the data once. If it cannot be written now, the next round writes it. */
export async function publishAuthentication(
  parts: ControllerParts,
  trust: PublishedAuthentication,
  signal: AbortSignal,
): Promise<void> {
  await keep(parts, TRUST, (kept) => ({ ...kept, ...published(trust, kept) }), signal)
  await keep(parts, TRACKING, (kept) => tracked(kept, parts.now()), signal)
}

/** Makes the config map, or repairs its data. */
async function keep(
  parts: ControllerParts,
  name: string,
  wanted: (kept: MapOf<string>) => MapOf<string>,
  signal: AbortSignal,
): Promise<void> {
  const resource = servedResource(parts.resources(), 'configmaps')
  const withData = (object: ApiObject): ApiObject => {
    const data = wanted((isKind(object, 'core_v1.ConfigMap') ? object.data : undefined) ?? {})
    return Object.keys(data).length === 0 ? object : { ...object, data }
  }
  const repaired = (live: ApiObject): ApiObject | undefined => {
    const changed = withData(live)
    return equalValues(own(live, 'data'), own(changed, 'data')) ? undefined : changed
  }
  const make = (): ApiObject => withData(newObject(resource, { name }))
  const ensured = ensureObject(parts, { resource, name, make, repaired }, serverContext(parts, NAMESPACE, signal))
  // Another replica was faster, or the namespace does not exist yet. The next round tries again.
  await succeeds(ensured, 'AlreadyExists', 'Conflict', 'NotFound', 'Forbidden')
}

/** Replicas may have different CAs during a rotation: all of them are published. */
function published({ clientCa, proxy }: PublishedAuthentication, kept: MapOf<string>): MapOf<string> {
  const data: Record<string, string> = {}
  if (clientCa !== undefined) data['client-ca-file'] = joined(own(kept, 'client-ca-file'), clientCa)
  if (proxy === undefined) return data
  const list = (name: string, values: readonly string[]): void => {
    if (values.length > 0) data[`requestheader-${name}`] = JSON.stringify(values)
  }
  data['requestheader-client-ca-file'] = joined(own(kept, 'requestheader-client-ca-file'), proxy.ca)
  data['requestheader-allowed-names'] = JSON.stringify(proxy.allowedNames)
  list('username-headers', proxy.userHeaders)
  list('uid-headers', proxy.uidHeaders)
  list('group-headers', proxy.groupHeaders)
  list('extra-headers-prefix', proxy.extraPrefixes)
  return data
}

/** A certificate in both bundles appears once. */
function joined(kept: string | undefined, more: string): string {
  const blocks = [kept ?? '', more].flatMap(
    (pem) => pem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [],
  )
  return `${[...new Set(blocks.map((block) => block.trim()))].join('\n')}\n`
}

function tracked(kept: MapOf<string>, now: string): MapOf<string> {
  const since: MapOf<string> = Object.fromEntries([['since', now.slice(0, 10)]])
  return /^\d{4}-\d\d-\d\d$/.test(own(kept, 'since') ?? '') ? kept : { ...kept, ...since }
}
