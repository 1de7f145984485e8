// Reads an object, and reports every later version.
import { API, ask, askText, STREAM_RETRY_MS } from './api.ts'
import type { ManagedObject } from './apply-intent.ts'
import { collectionPath, type Kind, type ObjectName, objectPath } from './kind.ts'
import { withoutField } from './yaml-tree.ts'

export const YAML = 'application/yaml'
const MANAGED_FIELDS = ['metadata', 'managedFields'] as const

export interface Loaded {
  readonly object: ManagedObject
  /** The text to edit, without managed fields, which are shown beside it. */
  readonly text: string
}

/** Reads the object in both forms, until both have the same version. */
export async function readObject(kind: Kind, named: ObjectName): Promise<Loaded> {
  const path = objectPath(kind, named)
  for (;;) {
    const [object, text] = await Promise.all([ask<ManagedObject>(path), askText(path, { accept: YAML })])
    if (text.includes(`resourceVersion: "${object.metadata.resourceVersion ?? ''}"`))
      return { object, text: editable(text) }
  }
}

export function editable(text: string): string {
  return withoutField(text, MANAGED_FIELDS)
}

export type ObjectNews = { readonly kind: 'changed'; readonly object: ManagedObject } | { readonly kind: 'deleted' }

interface Listener {
  readonly tell: (news: ObjectNews) => void
  /** Called when the stream opens or breaks. */
  readonly connected: (isOpen: boolean) => void
  /** Called some time after the server has refused the stream, since the browser does not reconnect then. */
  readonly lost: () => void
}

/** Follows the object until the returned function is called. A user who may not watch gets no news. */
export function followObject(
  kind: Kind,
  { namespace, name }: ObjectName,
  version: string,
  { tell, connected, lost }: Listener,
): () => void {
  const search = new URLSearchParams({ watch: '1', resourceVersion: version, fieldSelector: `metadata.name=${name}` })
  const source = new EventSource(`${API}${collectionPath(kind, namespace)}?${search.toString()}`)
  let timer: number | undefined
  const changed = ({ data }: MessageEvent<string>): void => {
    tell({ kind: 'changed', object: JSON.parse(data) as ManagedObject })
  }
  source.addEventListener('MODIFIED', changed)
  source.addEventListener('ADDED', changed)
  source.addEventListener('DELETED', () => tell({ kind: 'deleted' }))
  source.addEventListener('open', () => connected(true))
  source.addEventListener('error', () => {
    connected(false)
    if (source.readyState === EventSource.CLOSED) timer = window.setTimeout(lost, STREAM_RETRY_MS)
  })
  return () => {
    window.clearTimeout(timer)
    source.close()
  }
}
