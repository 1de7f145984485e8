// Follows the objects that configure admission (webhooks, policies and their bindings) for the plugins that apply them.
import type { AdmissionPlugin } from '../admission/admission.ts'
import type { ApiObject } from '../api/object.ts'
import { together } from '../lib/together.ts'
import { servedResource } from '../registry/served-resource.ts'
import type { ResourceTable } from '../registry/registry.ts'
import type { Store } from '../store/store.ts'
import { type InformerHandler, runInformer } from './informer.ts'

export interface ConfiguredPlugins {
  readonly plugins: readonly AdmissionPlugin[]
  /** Runs until the signal fires. If the cache is lost, the plugins keep the last known configurations. */
  follow(signal: AbortSignal): Promise<void>
  /** Resolves when all configurations that were stored at the start are known. */
  readonly loaded: Promise<void>
}

export interface ConfigurationParts {
  readonly store: Store
  readonly resources: () => ResourceTable
}

/** A type of configurations, and its handlers. */
export interface FollowedConfigurations {
  /** A resource of the group `admissionregistration.k8s.io`. */
  readonly resource: string
  readonly put: (object: ApiObject) => void
  readonly remove: (name: string) => void
}

/** `folders`: the loops that follow the configurations in files. */
export function followConfigurations(
  parts: ConfigurationParts,
  types: readonly FollowedConfigurations[],
  folders: readonly ((signal: AbortSignal) => Promise<void>)[],
): Omit<ConfiguredPlugins, 'plugins'> {
  const followed = types.map((type) => ({ type, synced: Promise.withResolvers<void>() }))
  return {
    loaded: Promise.all(followed.map(({ synced }) => synced.promise)).then(() => {}),
    async follow(signal) {
      await together(signal, (until) => [
        ...followed.map(({ type, synced }) => followType(parts, { ...type, onSynced: synced.resolve }, until)),
        ...folders.map((follow) => follow(until)),
      ])
    },
  }
}

async function followType(
  { store, resources }: ConfigurationParts,
  { resource, put, remove, onSynced }: FollowedConfigurations & Required<Pick<InformerHandler, 'onSynced'>>,
  signal: AbortSignal,
): Promise<void> {
  const found = servedResource(resources(), resource, 'admissionregistration.k8s.io')
  const handler: InformerHandler = {
    onPresent: (stored) => put(stored.object()),
    onGone: ({ name }) => remove(name),
    onSynced,
  }
  await runInformer(store, found, handler, signal)
}
