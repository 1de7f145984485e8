// The stored webhook configurations, followed by informers.
import {
  type Hooks,
  openMutatingWebhooks,
  openValidatingWebhooks,
  type WebhookParts,
} from '../admission/webhook/webhook.ts'
import type { ValueMap } from '../api/value.ts'
import { parseJsonDocument } from '../codec/json-parse.ts'
import type { ReviewFunction } from '../outgoing/webhook-client.ts'
import { applyJsonPatch } from '../patch/json-patch.ts'
import {
  type ConfigurationParts,
  type ConfiguredPlugins,
  followConfigurations,
  type FollowedConfigurations,
} from '../controllers/admission-configurations.ts'
import { type ManifestParts, openManifests } from './admission-manifests.ts'

const MUTATING = 'mutatingwebhookconfigurations'
const VALIDATING = 'validatingwebhookconfigurations'

export interface AdmissionWebhookParts extends Omit<WebhookParts, 'json'>, ConfigurationParts {
  /** Called with the names of all webhooks when they change. */
  readonly onConfigured: (names: ReadonlySet<string>) => void
  readonly manifests: ManifestParts
}

export interface AdmissionWebhooks extends ConfiguredPlugins {
  /** Adds a function in place of a webhook. `webhook` has the form of a webhook in a configuration. Returns a function to remove it. */
  readonly addFunction: (type: 'mutating' | 'validating', webhook: ValueMap, answer: ReviewFunction) => () => void
}

export function openAdmissionWebhooks(parts: AdmissionWebhookParts): AdmissionWebhooks {
  const json = {
    parse: (bytes: Buffer) => parseJsonDocument(bytes).value,
    applyPatch: applyJsonPatch,
  }
  const mutating = openMutatingWebhooks({ ...parts, json })
  const validating = openValidatingWebhooks({ ...parts, json })
  const onChange = (): void => parts.onConfigured(new Set([...mutating.hooks.names(), ...validating.hooks.names()]))
  const followed = [ofType(MUTATING, mutating.hooks, onChange), ofType(VALIDATING, validating.hooks, onChange)]
  const folders = [
    openManifests(parts.manifests, { plugin: 'MutatingAdmissionWebhook', resource: MUTATING, hooks: mutating.hooks }),
    openManifests(parts.manifests, {
      plugin: 'ValidatingAdmissionWebhook',
      resource: VALIDATING,
      hooks: validating.hooks,
    }),
  ]
  onChange()
  return {
    plugins: [mutating.plugin, validating.plugin],
    ...followConfigurations(parts, followed, folders),
    addFunction: (type, webhook, answer) => {
      const remove = (type === 'mutating' ? mutating : validating).hooks.add(webhook, answer)
      onChange()
      return () => {
        remove()
        onChange()
      }
    },
  }
}

function ofType(resource: string, to: Hooks, onChange: () => void): FollowedConfigurations {
  return {
    resource,
    put: (object) => {
      to.put(object)
      onChange()
    },
    remove: (name) => {
      to.remove(name)
      onChange()
    },
  }
}
