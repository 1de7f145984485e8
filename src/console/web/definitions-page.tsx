// The page with all definitions: their kinds, the served and stored versions, and the rules for their objects.
import { Alert } from './alert.tsx'
import { ask } from './api.ts'
import { type Definition, rulesIn } from './definition-rules.ts'
import { ObjectLink, PlainTable } from './listing.tsx'
import { usePolled } from './polling.ts'
import { tableAddress } from './routes.ts'
import { RuleList } from './rule-list.tsx'

const PLACE = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
const EVERY_MS = 5000

export function DefinitionsPage({ namespace }: { readonly namespace: string }) {
  const { value, problem } = usePolled(() => ask<{ readonly items: readonly Definition[] }>(PLACE), EVERY_MS)
  return (
    <section class="page">
      <header class="page-head">
        <h1>Definitions</h1>
        <span class="dim count">{value?.items.length}</span>
      </header>
      <Alert text={problem?.message} />
      {value?.items.length === 0 && <p class="empty">No custom resource definitions.</p>}
      <div class="cards">
        {value?.items.map((definition) => (
          <DefinitionCard key={definition.metadata.name} definition={definition} namespace={namespace} />
        ))}
      </div>
    </section>
  )
}

interface CardProps {
  readonly definition: Definition
  readonly namespace: string
}

function DefinitionCard({ definition: { metadata, spec, status }, namespace }: CardProps) {
  const established = status?.conditions?.find(({ type }) => type === 'Established')
  const isServed = established?.status === 'True'
  const stored = status?.storedVersions ?? []
  return (
    <article class="card">
      <header class="row">
        <h2>
          <a href={tableAddress(metadata.name, spec.scope === 'Namespaced' ? { namespace } : {})}>{spec.names.kind}</a>
        </h2>
        <span class="dim mono">{metadata.name}</span>
        <span class={`tone badge ${isServed ? 'good' : 'bad'}`}>
          {isServed ? 'established' : (established?.message ?? 'not established')}
        </span>
        <span class="dim">{spec.scope === 'Namespaced' ? 'Namespaced' : 'Cluster-scoped'}</span>
        {spec.conversion?.strategy === 'Webhook' && <span class="dim">converted by a webhook</span>}
        <ObjectLink
          kind={{ plural: 'customresourcedefinitions', group: 'apiextensions.k8s.io' }}
          named={{ namespace: '', name: metadata.name }}
          text="YAML"
        />
      </header>
      <PlainTable
        title={`Versions of ${spec.names.kind}`}
        columns={['Version', 'Served', 'Stored', 'Subresources', 'Rules']}
        rows={spec.versions.map((version) => [
          <span class="mono">{`${version.name}${version.deprecated === true ? ' (deprecated)' : ''}`}</span>,
          version.served ? 'yes' : 'no',
          version.storage ? 'yes' : stored.includes(version.name) ? 'objects remain' : 'no',
          Object.keys(version.subresources ?? {}).join(', ') || '–',
          <RuleList
            rules={rulesIn(version.schema?.openAPIV3Schema)}
            version={version.name}
            place={`${PLACE}/${metadata.name}`}
            resourceVersion={metadata.resourceVersion}
          />,
        ])}
      />
    </article>
  )
}
