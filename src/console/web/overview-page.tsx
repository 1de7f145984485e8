// The first page: the things that are wrong in the cluster.
import type { Kind } from './kind.ts'

interface Props {
  readonly kinds: readonly Kind[]
  /** Empty: all namespaces. */
  readonly namespace: string
}

export function OverviewPage({ namespace }: Props) {
  return (
    <section class="page">
      <header class="page-head">
        <h1>Overview</h1>
        <span class="dim">{namespace === '' ? 'all namespaces' : `namespace ${namespace}`}</span>
      </header>
    </section>
  )
}
