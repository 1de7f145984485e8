// The key that seals sessions of the console, in a Secret that all replicas share. The first login makes the Secret. Deleting it ends all
// sessions.
import { randomBytes } from 'node:crypto'
import { isKind } from '../api/kind-guard.ts'
import type { ApiObject } from '../api/object.ts'
import { ApiError } from '../api/status.ts'
import { own } from '../api/value.ts'
import { servedResource } from '../registry/served-resource.ts'
import type { ControllerParts } from './controllers.ts'
import { createMissing, newObject, serverContext } from './writes.ts'

const NAMESPACE = 'kube-system'
const NAME = 'quarterdeck-console-session-key'
const KEY_BYTES = 32

/** Undefined if there is no key yet. */
export async function findConsoleKey(parts: ControllerParts, signal: AbortSignal): Promise<Buffer | undefined> {
  // Another replica may have made the key a moment ago, so the second read is current.
  return (await stored(parts, 'any', signal)) ?? stored(parts, 'latest', signal)
}

export async function makeConsoleKey(parts: ControllerParts, signal: AbortSignal): Promise<Buffer> {
  const known = await findConsoleKey(parts, signal)
  if (known !== undefined) return known
  const resource = servedResource(parts.resources(), 'secrets')
  const data = { key: randomBytes(KEY_BYTES).toString('base64') }
  const made = newObject(resource, { name: NAME }, { type: 'Opaque', data })
  await createMissing(parts, resource, made, serverContext(parts, NAMESPACE, signal))
  const kept = await stored(parts, 'latest', signal)
  if (kept === undefined) throw new ApiError('Conflict', `the Secret ${NAMESPACE}/${NAME} was deleted; log in again`)
  return kept
}

async function stored(
  parts: ControllerParts,
  kind: 'any' | 'latest',
  signal: AbortSignal,
): Promise<Buffer | undefined> {
  const { stored: resource } = servedResource(parts.resources(), 'secrets')
  const { item } = await parts.registry.store.get({ resource, namespace: NAMESPACE, name: NAME }, { kind }, signal)
  return item?.kind === 'object' ? keyOf(item.object()) : undefined
}

function keyOf(secret: ApiObject): Buffer {
  const { data = {} } = isKind(secret, 'core_v1.Secret') ? secret : {}
  const key = Buffer.from(own(data, 'key') ?? '', 'base64')
  if (key.length === KEY_BYTES) return key
  throw new ApiError('InternalError', `the Secret ${NAMESPACE}/${NAME} has no key of ${KEY_BYTES} bytes; delete it`)
}
