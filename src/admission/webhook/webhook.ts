// The front door of admission webhooks. Mutating webhooks are called one after the other. Validating webhooks are called in parallel, with
// the final object (W-446, W-488).
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
  /** Credentials for webhooks, by type. Absent: none. */
  readonly credentials?: { readonly [type in WebhookType]?: TargetParts['credentialsFor'] | undefined }
  readonly json: JsonPatching
  /** Webhooks are not called for reviews. */
  readonly exemptsReviews: boolean
}

/** The webhooks of one type, and the plugin that calls them. */
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

function hooksOf({ locate, credentials = {}, exemptsReviews }: WebhookParts, type: WebhookType): Hooks {
  return new Hooks({ locate, credentialsFor: credentials[type] ?? (() => ({})) }, exemptsReviews)
}
