// Waits for a pod to change.
import type { Pod } from '../../../api/gen/kinds.ts'
import { isKind } from '../../../api/kind-guard.ts'
import type { StoredObject } from '../../../api/read.ts'
import type { FieldTerm } from '../../../api/selector.ts'
import type { Store, StoredResource } from '../../../store/store.ts'
import { runInformer } from '../../informer.ts'

interface Change {
  readonly isSame: (now: Pod) => boolean
  readonly signal: AbortSignal
}

/** Resolves when the pod is gone, when `isSame` is false for it, or when the signal fires. */
export async function untilPodChanged(
  { store, stored }: { readonly store: Store; readonly stored: StoredResource },
  { metadata }: Pod,
  { isSame, signal }: Change,
): Promise<void> {
  const changed = new AbortController()
  const stop = (): void => changed.abort()
  signal.addEventListener('abort', stop, { once: true })
  if (signal.aborted) stop()
  const term = (field: 'name' | 'namespace'): FieldTerm => ({
    field: `metadata.${field}`,
    operator: '=',
    value: metadata[field] ?? '',
  })
  let isThere = false
  const handler = {
    onPresent: (item: StoredObject): void => {
      isThere = true
      const now = item.object()
      if (!isKind(now, 'core_v1.Pod') || now.metadata.uid !== metadata.uid || !isSame(now)) stop()
    },
    onGone: stop,
    onSynced: () => {
      if (!isThere) stop()
    },
  }
  const selection = { fields: { terms: [term('namespace'), term('name')] } }
  await runInformer(store, { stored, selection }, handler, changed.signal)
  signal.removeEventListener('abort', stop)
}
