// The front door: webhooks that are asked about writes. Mutating ones one after the other, each seeing what the one before
// made of the object; validating ones all at once, when the object is final (W-446, W-488).
import type { ApiObject } from '../../api/object.ts'
import type { Value } from '../../api/value.ts'
import type { Authorizer } from '../../auth/authorizer.ts'
import type { Log } from '../../lib/log.ts'
import type { OutgoingCaller } from '../../outgoing/call.ts'
import type { AdmissionPlugin } from '../admission.ts'
import type { ObjectReader } from '../object-reader.ts'
import { Dispatch } from './dispatch.ts'
import type { TargetParts } from './hook.ts'
import { Hooks } from './hooks.ts'
import type { ServedKinds } from './invocation.ts'
import { mutatingWebhooks } from './mutating.ts'
import type { WebhookObserver, WebhookType } from './observer.ts'
import { validatingWebhooks } from './validating.ts'

export type { ServedKind, ServedKinds } from './invocation.ts'
export { WebhookMeasures } from './measures.ts'
export type { WebhookCall, WebhookObserver, WebhookRejection } from './observer.ts'
export { requestFacts } from './review.ts'

export interface WebhookParts extends Pick<TargetParts, 'locate'> {
  readonly caller: OutgoingCaller
  /** What webhooks are shown, for each of the two kinds; absent: nothing. */
  readonly credentials?: { readonly [type in WebhookType]?: TargetParts['credentialsFor'] | undefined }
  readonly servedKinds: ServedKinds
  readonly namespaces: ObjectReader
  readonly authorizer: Authorizer
  readonly json: PatchTools
  readonly observer: WebhookObserver
  readonly log: Log
}

export interface PatchTools {
  /** Throws where the bytes are no JSON. */
  parse(bytes: Buffer): Value
  /** Throws where the patch does not fit. */
  applyPatch(document: Value, patch: Value): Value
}

/** One of the two kinds of configurations. */
export interface ConfiguredWebhooks {
  readonly plugin: AdmissionPlugin
  /** A configuration is there, in this state. */
  put(configuration: ApiObject): void
  remove(name: string): void
  /** Of all webhooks that are configured now. */
  names(): readonly string[]
}

export function openMutatingWebhooks(parts: WebhookParts): ConfiguredWebhooks {
  const hooks = hooksOf(parts, 'admit')
  return configured(hooks, mutatingWebhooks(hooks, new Dispatch(parts, 'admit'), parts.json))
}

export function openValidatingWebhooks(parts: WebhookParts): ConfiguredWebhooks {
  const hooks = hooksOf(parts, 'validating')
  return configured(hooks, validatingWebhooks(hooks, new Dispatch(parts, 'validating')))
}

function hooksOf({ locate, credentials = {} }: WebhookParts, type: WebhookType): Hooks {
  return new Hooks({ locate, credentialsFor: credentials[type] ?? (() => ({})) })
}

function configured(hooks: Hooks, plugin: AdmissionPlugin): ConfiguredWebhooks {
  return {
    plugin,
    put: (configuration) => hooks.put(configuration),
    remove: (name) => hooks.remove(name),
    names: () => hooks.all.map(({ name }) => name),
  }
}
