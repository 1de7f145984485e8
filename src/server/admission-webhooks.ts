// The webhooks of the configurations that are stored: every replica follows those for itself.
import {
  type ConfiguredWebhooks,
  openMutatingWebhooks,
  openValidatingWebhooks,
  type WebhookParts,
} from '../admission/webhook/webhook.ts'
import type { AdmissionPlugin } from '../admission/admission.ts'
import { parseJson } from '../codec/json-parse.ts'
import { follow } from '../controllers/controllers.ts'
import { InvariantError } from '../lib/errors.ts'
import { applyJsonPatch } from '../patch/json-patch.ts'
import type { ResourceTable } from '../registry/registry.ts'
import type { Store } from '../store/store.ts'

export interface AdmissionWebhooks {
  readonly plugins: readonly AdmissionPlugin[]
  /** Until the signal fires. Where the cache is lost, what was known stays known. */
  follow(signal: AbortSignal): Promise<void>
  /** Resolves when everything that was stored at the start is known. */
  readonly loaded: Promise<void>
}

export interface AdmissionWebhookParts extends Omit<WebhookParts, 'json'> {
  readonly store: Store
  readonly resources: () => ResourceTable
}

export function openAdmissionWebhooks(parts: AdmissionWebhookParts): AdmissionWebhooks {
  const json = {
    parse: (bytes: Buffer) => parseJson(bytes).value,
    applyPatch: applyJsonPatch,
  }
  const kinds = [
    { resource: 'mutatingwebhookconfigurations', webhooks: openMutatingWebhooks({ ...parts, json }) },
    { resource: 'validatingwebhookconfigurations', webhooks: openValidatingWebhooks({ ...parts, json }) },
  ]
  const loaded = kinds.map(() => Promise.withResolvers<void>())
  return {
    plugins: kinds.map(({ webhooks }) => webhooks.plugin),
    loaded: Promise.all(loaded.map(({ promise }) => promise)).then(() => {}),
    async follow(signal) {
      await Promise.all(
        kinds.map(({ resource, webhooks }, i) =>
          followConfigurations(parts, { resource, webhooks, onSynced: () => loaded[i]?.resolve() }, signal),
        ),
      )
    },
  }
}

interface Followed {
  readonly resource: string
  readonly webhooks: ConfiguredWebhooks
  readonly onSynced: () => void
}

async function followConfigurations(
  { store, resources }: AdmissionWebhookParts,
  { resource, webhooks, onSynced }: Followed,
  signal: AbortSignal,
): Promise<void> {
  const found = resources().find({ group: 'admissionregistration.k8s.io', version: 'v1', resource })
  if (found === undefined) throw new InvariantError(`${resource} are not served`)
  await follow(
    store,
    found,
    {
      onPresent: (stored) => webhooks.put(stored.object()),
      onGone: ({ name }) => webhooks.remove(name),
      onSynced,
    },
    signal,
  )
}
