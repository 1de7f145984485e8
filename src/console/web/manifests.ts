// Finds the manifests in a text, with their kinds and names.
import { fieldAt, scalarText } from './yaml-tree.ts'

export interface Manifest {
  readonly apiVersion: string
  readonly kind: string
  readonly namespace: string
  readonly name: string
  readonly text: string
  /** The lines of the whole text before the manifest. */
  readonly linesBefore: number
}

/** Throws for a manifest without a kind or a name. Empty parts are left out. */
export function manifestsIn(text: string, defaultNamespace: string): readonly Manifest[] {
  let linesBefore = 0
  const parts = text.split(/^---.*$/m).map((part) => {
    const placed = { part, linesBefore }
    linesBefore += part.split('\n').length - 1
    return placed
  })
  return parts
    .filter(({ part }) => part.replace(/^\s*#.*$/gm, '').trim() !== '')
    .map(({ part, ...place }) => {
      const read = (...path: readonly string[]): string => scalarAt(part, path) ?? ''
      const manifest = { apiVersion: read('apiVersion'), kind: read('kind'), name: read('metadata', 'name') }
      for (const [field, value] of Object.entries(manifest)) {
        if (value === '') throw new Error(`a manifest has no ${field === 'name' ? 'metadata.name' : field}`)
      }
      return { ...manifest, namespace: read('metadata', 'namespace') || defaultNamespace, text: part, ...place }
    })
}

function scalarAt(text: string, path: readonly string[]): string | undefined {
  const node = fieldAt(text, path)?.value
  return node === undefined ? undefined : scalarText(node, text)
}
