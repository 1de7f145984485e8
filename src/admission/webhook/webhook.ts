// The front door: webhooks that are asked about writes. Mutating ones one after the other, each seeing what the one before
// made of the object; validating ones all at once, when the object is final (W-446, W-488).
import type { AdmissionPlugin } from '../admission.ts'
import { Dispatch, type DispatchParts } from './dispatch.ts'
import { Hooks, type TargetParts } from './hook.ts'
import type { WebhookType } from './measures.ts'
import { type JsonPatching, mutatingWebhooks } from './mutating.ts'
import { validatingWebhooks } from './validating.ts'

export type { Hooks } from './hook.ts'
export { type ServedKind, type ServedKinds, versionFor } from './invocation.ts'
export { type WebhookCall, WebhookMeasures, type WebhookRejection } from './measures.ts'
export { requestFacts } from './review.ts'

export interface WebhookParts extends DispatchParts, Pick<TargetParts, 'locate'> {
  /** What webhooks are shown, for each of the two kinds; absent: nothing. */
  readonly credentials?: { readonly [type in WebhookType]?: TargetParts['credentialsFor'] | undefined }
  readonly json: JsonPatching
}

/** One of the two kinds of configurations: what they configure, and what asks it. */
export interface ConfiguredWebhooks {
  readonly hooks: Hooks
  readonly plugin: AdmissionPlugin
}

export function openMutatingWebhooks(parts: WebhookParts): ConfiguredWebhooks {
  const hooks = hooksOf(parts, 'admit')
  return { hooks, plugin: mutatingWebhooks(hooks, new Dispatch(parts, 'admit'), parts.json) }
}

export function openValidatingWebhooks(parts: WebhookParts): ConfiguredWebhooks {
  const hooks = hooksOf(parts, 'validating')
  return { hooks, plugin: validatingWebhooks(hooks, new Dispatch(parts, 'validating')) }
}

function hooksOf({ locate, credentials = {} }: WebhookParts, type: WebhookType): Hooks {
  return new Hooks({ locate, credentialsFor: credentials[type] ?? (() => ({})) })
}
