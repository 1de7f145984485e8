// For whom a node may have tokens made: for the audiences that the pod asks for, itself or through the drivers of its volumes, and
// for those that the node was given leave for (P-107).
import { quoted } from '../api/field-error.ts'
import type { ApiObject } from '../api/object.ts'
import type { Authorizer } from '../auth/authorizer.ts'
import type { AdmissionRequest } from './admission.ts'
import { mapIn, mapsIn, partIn, specOf, textIn, textsIn } from './members.ts'
import type { ObjectReader } from './object-reader.ts'
import { volumeClaimsOf } from './pod-references.ts'

export interface TokenParts {
  readonly authorizer: Authorizer
  readonly nodes: ObjectReader
  readonly pods: ObjectReader
  readonly claims: ObjectReader
  readonly volumes: ObjectReader
  readonly drivers: ObjectReader
}

interface TokenOfPod {
  readonly request: AdmissionRequest
  readonly pod: ApiObject
}

/** Why no such token is made; undefined: it is. */
export async function refuseAudience(
  parts: TokenParts,
  { request, pod }: TokenOfPod,
  signal: AbortSignal,
): Promise<string | undefined> {
  const audiences = textsIn(request.object === undefined ? {} : specOf(request.object), 'audiences')
  if (audiences.length > 1) return 'node may only request 0 or 1 audiences'
  const audience = audiences[0] ?? ''
  const sources = mapsIn(specOf(pod), 'volumes').flatMap((volume) => mapsIn(mapIn(volume, 'projected'), 'sources'))
  const tokens = sources.flatMap((source) => {
    const token = partIn(source, 'serviceAccountToken')
    return token === undefined ? [] : [token]
  })
  if (tokens.some((token) => textIn(token, 'audience') === audience)) return undefined
  if (await isOfDriver(parts, { pod, namespace: request.namespace, audience }, signal)) return undefined
  const access = {
    kind: 'resource',
    user: request.user,
    verb: 'request-serviceaccounts-token-audience',
    group: '',
    version: '*',
    resource: audience,
    subresource: undefined,
    namespace: request.namespace,
    name: request.name,
  } as const
  if ((await parts.authorizer.authorize(access, signal)).kind === 'allow') return undefined
  return `audience ${quoted(audience)} not found in pod spec volume, ${quoted(request.user.name)} is not authorized to request tokens for this audience`
}

interface AskedDriver {
  readonly pod: ApiObject
  readonly namespace: string
  readonly audience: string
}

async function isOfDriver(
  parts: TokenParts,
  { pod, namespace, audience }: AskedDriver,
  signal: AbortSignal,
): Promise<boolean> {
  const names = mapsIn(specOf(pod), 'volumes').map((volume) => textIn(mapIn(volume, 'csi'), 'driver'))
  for (const claim of volumeClaimsOf(pod)) {
    const found = await parts.claims.find(namespace, claim, signal)
    const volume =
      found === undefined ? undefined : await parts.volumes.find('', textIn(specOf(found), 'volumeName'), signal)
    if (volume !== undefined) names.push(textIn(mapIn(specOf(volume), 'csi'), 'driver'))
  }
  for (const name of new Set(names.filter((each) => each !== ''))) {
    const driver = await parts.drivers.find('', name, signal)
    const asked = driver === undefined ? [] : mapsIn(specOf(driver), 'tokenRequests')
    if (asked.some((token) => textIn(token, 'audience') === audience)) return true
  }
  return false
}
