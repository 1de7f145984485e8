// The objects of a kind, live.
import type { ComponentChildren } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { BulkActions } from './action-menu.tsx'
import { actionsFor } from './actions.ts'
import { Alert } from './alert.tsx'
import { ask } from './api.ts'
import { ColumnMenu, useColumns } from './column-menu.tsx'
import type { Definition } from './definition-rules.ts'
import { isCustom } from './kind-sections.ts'
import { type Kind, oneNamespace, resourceName } from './kind.ts'
import { LiveTable, type LiveState } from './live-table.ts'
import { navigate } from './navigation.ts'
import { orderByOf, type OrderFields, orderFields } from './order-fields.ts'
import { podsByNode } from './overview.ts'
import { ONCE, usePolled } from './polling.ts'
import { createAddress, objectAddress, tableAddress, type TableQuery } from './routes.ts'
import { NOTHING_SELECTED, selectedOf } from './selection.ts'
import { StarButton } from './star-button.tsx'
import { BY_NAME, type Column, isAge, type Order, type Row } from './table-rows.ts'
import { VirtualTable } from './virtual-table.tsx'

const SELECTORS = [
  ['labels', 'Labels', 'app=web,tier!=test'],
  ['fields', 'Fields', 'spec.nodeName=n1'],
  ['where', 'Where', 'object.spec.replicas > 1'],
] as const

type SortedBy = Parameters<LiveTable['sortBy']>

interface Props {
  readonly kind: Kind
  readonly query: TableQuery
}

export function TablePage({ kind, query }: Props) {
  const [, redraw] = useState(0)
  const sorted = useRef<SortedBy>([BY_NAME, false, ''])
  const named = useRef('')
  const table = useLiveTable(kind, query, {
    change: () => redraw((n) => n + 1),
    // A new query keeps the order and the filter.
    open: (opened) => {
      opened.sortBy(...sorted.current)
      opened.filterBy(named.current)
    },
  })
  const [order] = sorted.current
  const isLong = table?.isLong === true
  const fields = useOrderFields(kind, isLong)
  usePodCounts(resourceName(kind), table)
  const [selection, setSelection] = useState(NOTHING_SELECTED)
  const selected = table === undefined ? [] : selectedOf(selection, table.rows.shown)
  const targets = selected.flatMap((key) => {
    const row = table?.rows.get(key)
    return row === undefined ? [] : [{ kind, named: { namespace: row.namespace, name: row.name }, uid: row.uid }]
  })
  const resource = resourceName(kind)
  const columns = useColumns(resource, table?.columns ?? [])
  const sort = (column: number | undefined): void => {
    const [before] = sorted.current
    const next: Order = { column, descending: before.column === column && !before.descending }
    const chosen = column === undefined ? undefined : table?.columns[column]
    sorted.current = [next, chosen !== undefined && isAge(chosen), orderByOf(next, table?.columns ?? [], fields) ?? '']
    table?.sortBy(...sorted.current)
  }
  const filter = (text: string): void => {
    named.current = text
    table?.filterBy(text)
  }
  const canSort = (column: number | undefined): boolean =>
    table?.left === 0 || orderByOf({ column, descending: false }, table?.columns ?? [], fields) !== undefined
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
          {table === undefined ? '' : countText(table)}
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
        <MoreFilters isNarrow={columns.isNarrow} isOpen={query.labels + query.fields + query.where !== ''}>
          {SELECTORS.map(([name, label, placeholder]) => (
            <SelectorField
              key={name}
              label={label}
              placeholder={placeholder}
              value={query[name]}
              onCommit={(text) => narrow({ [name]: text })}
            />
          ))}
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
        </MoreFilters>
      </div>
      {table !== undefined && 'message' in table.state && <Alert text={table.state.message} />}
      {table !== undefined && table.left !== 0 && table.state.kind === 'live' && (
        <p class="notice" role="status">
          The list is long: these are the first objects in this order. The filter and the headings ask the server for
          others.
        </p>
      )}
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
          canSort={canSort}
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

/** The order fields of a custom kind are only in its definition. They are needed if the server sorts. */
function useOrderFields(kind: Kind, isLong: boolean): OrderFields {
  const resource = resourceName(kind)
  const place = `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${resource}`
  const read = async (): Promise<Definition | undefined> => (isLong && isCustom(kind) ? ask(place) : undefined)
  return orderFields(resource, kind.version, usePolled(read, ONCE, isLong).value)
}

const PODS: Column = { name: 'Pods', type: 'integer', description: 'The pods on the node.', priority: 0 }
const PODS_EVERY_MS = 5000

/** Nodes have a column with the number of their pods. */
function usePodCounts(resource: string, table: LiveTable | undefined): void {
  const isCounted = resource === 'nodes'
  const read = async (): Promise<ReadonlyMap<string, number> | undefined> => (isCounted ? podsByNode() : undefined)
  const { value } = usePolled(read, isCounted ? PODS_EVERY_MS : ONCE)
  useEffect(() => {
    if (value !== undefined) table?.extend(PODS, value)
  }, [table, value])
}

interface TableOwner {
  readonly open: (table: LiveTable) => void
  readonly change: () => void
}

function useLiveTable(kind: Kind, query: TableQuery, owner: TableOwner): LiveTable | undefined {
  const table = useRef<LiveTable>(undefined)
  const tell = useRef(owner)
  tell.current = owner
  useEffect(() => {
    const opened = new LiveTable(kind, query, () => tell.current.change())
    table.current = opened
    tell.current.open(opened)
    tell.current.change()
    return () => opened.close()
  }, [kind, JSON.stringify(query)])
  return table.current
}

function countText({ rows, left }: LiveTable): string {
  const [shown, loaded] = [rows.shown.length.toLocaleString('en'), rows.size.toLocaleString('en')]
  if (left === undefined) return `${shown} of more than ${loaded}`
  return shown === loaded && left === 0 ? shown : `${shown} of ${(rows.size + left).toLocaleString('en')}`
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

interface MoreProps {
  readonly isNarrow: boolean
  readonly isOpen: boolean
  readonly children: ComponentChildren
}

/** A phone has no room for fields that are seldom used. */
function MoreFilters({ isNarrow, isOpen, children }: MoreProps) {
  if (!isNarrow) return <>{children}</>
  return (
    <details open={isOpen}>
      <summary class="dim">More filters</summary>
      {children}
    </details>
  )
}

interface SelectorProps {
  readonly label: string
  readonly placeholder: string
  readonly value: string
  readonly onCommit: (value: string) => void
}

/** The text takes effect with Enter or when the field loses the focus: a half-written selector has another meaning. */
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
        size={placeholder.length + 1}
        spellcheck={false}
        onBlur={({ currentTarget }) => commit(currentTarget.value)}
        onKeyDown={({ key, currentTarget }) => {
          if (key === 'Enter') commit(currentTarget.value)
        }}
      />
    </label>
  )
}
