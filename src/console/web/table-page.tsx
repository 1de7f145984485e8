// The objects of a kind, live.
import { useEffect, useRef, useState } from 'preact/hooks'
import { BulkActions } from './action-menu.tsx'
import { actionsFor } from './actions.ts'
import { Alert } from './alert.tsx'
import { ColumnMenu, useColumns } from './column-menu.tsx'
import { type Kind, oneNamespace, resourceName } from './kind.ts'
import { LiveTable, type LiveState } from './live-table.ts'
import { navigate } from './navigation.ts'
import { createAddress, objectAddress, tableAddress, type TableQuery } from './routes.ts'
import { NOTHING_SELECTED, selectedOf } from './selection.ts'
import { StarButton } from './star-button.tsx'
import { BY_NAME, isAge, type Order, type Row } from './table-rows.ts'
import { VirtualTable } from './virtual-table.tsx'

interface Props {
  readonly kind: Kind
  readonly query: TableQuery
}

export function TablePage({ kind, query }: Props) {
  const [, redraw] = useState(0)
  const [order, setOrder] = useState(BY_NAME)
  const table = useLiveTable(kind, query, () => redraw((n) => n + 1))
  const [selection, setSelection] = useState(NOTHING_SELECTED)
  const selected = table === undefined ? [] : selectedOf(selection, table.rows.shown)
  const targets = selected.flatMap((key) => {
    const row = table?.rows.get(key)
    return row === undefined ? [] : [{ kind, named: { namespace: row.namespace, name: row.name }, uid: row.uid }]
  })
  const resource = resourceName(kind)
  const columns = useColumns(resource, table?.columns ?? [])
  const sort = (column: number | undefined): void => {
    const next: Order = { column, descending: order.column === column && !order.descending }
    const sorted = column === undefined ? undefined : table?.columns[column]
    table?.rows.sortBy(next, sorted !== undefined && isAge(sorted))
    setOrder(next)
  }
  const filter = (text: string): void => {
    table?.rows.filterBy(text)
    redraw((n) => n + 1)
  }
  const goToRows = (event: KeyboardEvent): void => {
    const [first = '', ...others] = table?.rows.shown ?? []
    const only = others.length === 0 ? table?.rows.get(first) : undefined
    event.preventDefault()
    if (event.key === 'Enter' && only !== undefined) navigate(addressOf(only))
    else document.querySelector<HTMLElement>('.scroller')?.focus()
  }
  const narrow = (change: Partial<TableQuery>): void =>
    navigate(tableAddress(resource, { ...query, ...change }), 'replace')
  const addressOf = ({ namespace, name }: Row): string => objectAddress(kind, { namespace, name })
  return (
    <section class="page table-page">
      <header class="page-head">
        <h1>{kind.kind}</h1>
        <StarButton resource={resource} />
        <span class="dim mono">{`${resource}/${kind.version}`}</span>
        <LiveBadge state={table?.state ?? { kind: 'loading' }} />
        <span class="dim count" role="status">
          {table === undefined ? '' : countText(table.rows.shown.length, table.rows.size)}
        </span>
        <span class="spring" />
        {table !== undefined && table.columns.length > 0 && <ColumnMenu columns={table.columns} {...columns} />}
        {kind.verbs.includes('create') && (
          <a class="button primary" data-command={`New ${kind.kind}`} href={createAddress(resource, query.namespace)}>
            New
          </a>
        )}
      </header>
      <div class="filters">
        <input
          type="search"
          aria-label="Filter by name"
          placeholder="Filter by name  ( / )"
          data-hotkey="/"
          onInput={({ currentTarget }) => filter(currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key === 'Enter' || event.key === 'ArrowDown') goToRows(event)
          }}
        />
        <SelectorField
          label="Labels"
          placeholder="app=web,tier!=test"
          value={query.labels}
          onCommit={(labels) => narrow({ labels })}
        />
        <SelectorField
          label="Fields"
          placeholder="spec.nodeName=n1"
          value={query.fields}
          onCommit={(fields) => narrow({ fields })}
        />
        <SelectorField
          label="Where"
          placeholder="object.metadata.generation > 1"
          value={query.where}
          onCommit={(where) => narrow({ where })}
        />
        {query.namespace === '' && (
          <label class="selector">
            <input
              type="checkbox"
              checked={query.accessible !== ''}
              onChange={({ currentTarget }) => narrow({ accessible: currentTarget.checked ? 'true' : '' })}
            />
            <span>Only what I may see</span>
          </label>
        )}
      </div>
      {table !== undefined && 'message' in table.state && <Alert text={table.state.message} />}
      {table !== undefined && table.columns.length > 0 && (
        <VirtualTable
          rows={table.rows}
          columns={table.columns}
          shown={columns.shown}
          isNarrow={columns.isNarrow}
          hasNamespaces={kind.namespaced && oneNamespace(query.namespace) === ''}
          order={order}
          label={`${kind.kind} objects`}
          selection={actionsFor(kind).length === 0 ? undefined : selection}
          onSelect={setSelection}
          onSort={sort}
          addressOf={addressOf}
          onOpen={(row) => navigate(addressOf(row))}
        />
      )}
      {targets.length > 0 && (
        <BulkActions kind={kind} targets={targets} onClear={() => setSelection(NOTHING_SELECTED)} />
      )}
      {table?.state.kind === 'live' && table.rows.size === 0 && <p class="empty">No objects.</p>}
    </section>
  )
}

function useLiveTable(
  kind: Kind,
  { namespace, labels, fields, where, accessible }: TableQuery,
  onChange: () => void,
): LiveTable | undefined {
  const table = useRef<LiveTable>(undefined)
  const tell = useRef(onChange)
  tell.current = onChange
  useEffect(() => {
    const opened = new LiveTable(kind, { namespace, labels, fields, where, accessible }, () => tell.current())
    table.current = opened
    tell.current()
    return () => opened.close()
  }, [kind, namespace, labels, fields, where, accessible])
  return table.current
}

function countText(shown: number, all: number): string {
  return shown === all ? all.toLocaleString('en') : `${shown.toLocaleString('en')} of ${all.toLocaleString('en')}`
}

const STATES: Readonly<Record<LiveState['kind'], readonly [text: string, tone: string]>> = {
  loading: ['Loading', 'waiting'],
  live: ['Live', 'good'],
  reconnecting: ['Reconnecting', 'waiting'],
  forbidden: ['No permission', 'bad'],
  unreachable: ['Server unreachable', 'bad'],
  failed: ['Error', 'bad'],
}

export function LiveBadge({ state }: { readonly state: LiveState }) {
  const [text, tone] = STATES[state.kind]
  return <span class={`tone badge ${tone}`}>{text}</span>
}

interface SelectorProps {
  readonly label: string
  readonly placeholder: string
  readonly value: string
  readonly onCommit: (value: string) => void
}

/** Takes effect with Enter or when the field loses the focus: a half-written selector has another meaning. */
function SelectorField({ label, placeholder, value, onCommit }: SelectorProps) {
  const commit = (text: string): void => {
    if (text.trim() !== value) onCommit(text.trim())
  }
  return (
    <label class="selector">
      <span>{label}</span>
      <input
        class="mono"
        defaultValue={value}
        placeholder={placeholder}
        spellcheck={false}
        onBlur={({ currentTarget }) => commit(currentTarget.value)}
        onKeyDown={({ key, currentTarget }) => {
          if (key === 'Enter') commit(currentTarget.value)
        }}
      />
    </label>
  )
}
