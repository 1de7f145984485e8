// The summary of an object: the columns of its table, its conditions, the parts of its kind, its relatives and its labels. The page stays
// up to date.
import type { ComponentChildren } from 'preact'
import { ask } from './api.ts'
import type { ManagedObject } from './apply-intent.ts'
import { type Fields, fieldsAt, itemsAt, nameOf, textAt } from './fields.ts'
import { conditionTone, healthOf, SEVERITY, wordTone } from './health.ts'
import { type Kind, objectPath, resourceName } from './kind.ts'
import { Listing, ObjectLink, Toned } from './listing.tsx'
import { ONCE, usePolled } from './polling.ts'
import { readRelatives, type Relative } from './relatives.ts'
import { rolloutOf } from './rollout.ts'
import { partsOf } from './summary-parts.tsx'
import { ageText, cellText, isAge, type TableDocument } from './table-rows.ts'

interface Props {
  readonly kinds: readonly Kind[]
  readonly kind: Kind
  readonly object: ManagedObject
}

/** A change of the object itself reads its relatives too. */
const RELATIVES_EVERY_MS = 2000

export function SummaryTab({ kinds, kind, object: managed }: Props) {
  const object = managed as unknown as Fields
  const conditions = itemsAt(object, 'status.conditions')
  const { reason } = healthOf(object)
  const rollout = rolloutOf(object)
  return (
    <div class="summary">
      {reason !== '' && <p class="notice">{reason}</p>}
      {rollout !== undefined && (
        <p class="rollout" role="status">
          <progress max={Math.max(1, rollout.wanted)} value={rollout.done} aria-label="Rollout" />
          <Toned tone={rollout.tone} text={rollout.text} />
        </p>
      )}
      <Columns key={managed.metadata.uid} kind={kind} object={managed} />
      {conditions.length > 0 && (
        <Listing
          title="Conditions"
          columns={['Type', 'Status', 'Reason', 'Message', 'Since']}
          rows={conditions.map(conditionRow)}
        />
      )}
      {partsOf(resourceName(kind), object).map((part) => (
        <Listing key={part.title} {...part} />
      ))}
      <Family key={managed.metadata.uid} kinds={kinds} kind={kind} object={managed} />
      <Entries title="Labels" entries={fieldsAt(object, 'metadata.labels')} />
      <Entries title="Annotations" entries={fieldsAt(object, 'metadata.annotations')} />
    </div>
  )
}

function conditionRow(condition: Fields): readonly ComponentChildren[] {
  const since = textAt(condition, 'lastTransitionTime')
  return [
    textAt(condition, 'type'),
    <Toned tone={conditionTone(condition)} text={textAt(condition, 'status')} />,
    textAt(condition, 'reason') || '–',
    textAt(condition, 'message') || '–',
    since === '' ? '–' : ageText(since, Date.now()),
  ]
}

function Entries({ title, entries }: { readonly title: string; readonly entries: Fields }) {
  const rows = Object.entries(entries).map(([key, value]) => [<span class="mono">{key}</span>, cellText(value)])
  return rows.length === 0 ? null : <Listing title={title} columns={['Key', 'Value']} rows={rows} />
}

const TABLE = 'application/json;as=Table;v=v1;g=meta.k8s.io'

/** The columns of the kind's table, including the columns of a definition. */
function Columns({ kind, object: { metadata } }: Pick<Props, 'kind' | 'object'>) {
  const path = objectPath(kind, { namespace: metadata.namespace ?? '', name: metadata.name })
  const read = (signal: AbortSignal): Promise<TableDocument> =>
    ask(`${path}?includeObject=None`, { accept: TABLE, signal })
  const { value: table } = usePolled(read, ONCE, metadata.resourceVersion)
  const cells = table?.rows[0]?.cells ?? []
  const facts = (table?.columnDefinitions ?? []).flatMap((column, i) => {
    const text = isAge(column) ? ageText(textAt(metadata, 'creationTimestamp'), Date.now()) : cellText(cells[i])
    return column.name === 'Name' || text === '' || text === '<none>' ? [] : [{ column, text }]
  })
  return (
    <dl class="facts">
      {facts.map(({ column, text }) => (
        <div class="card" key={column.name} title={column.description ?? ''}>
          <dt class="dim">{column.name}</dt>
          <dd>
            <Toned tone={wordTone(text)} text={text} />
          </dd>
        </div>
      ))}
    </dl>
  )
}

function Family({ kinds, kind, object }: Props) {
  const { value, problem } = usePolled(
    () => readRelatives(kinds, kind, object),
    RELATIVES_EVERY_MS,
    object.metadata.resourceVersion,
  )
  if (value === undefined) return problem === undefined ? null : <p class="tone bad">{problem.message}</p>
  const { owners, dependents, pods, hidden } = value
  return (
    <>
      {owners.length > 0 && <RelativeTable title="Owners" relatives={owners} />}
      {dependents.length > 0 && <RelativeTable title="Dependents" relatives={dependents} />}
      {pods !== undefined && <RelativeTable title="Pods" relatives={pods} />}
      {hidden.length > 0 && <p class="dim">{`No permission to read related objects: ${hidden.join(', ')}`}</p>}
    </>
  )
}

const REVISION = 'deployment.kubernetes.io/revision'

/** The least healthy relatives come first. */
function RelativeTable({ title, relatives }: { readonly title: string; readonly relatives: readonly Relative[] }) {
  const hasRevisions = relatives.some(({ object }) => REVISION in fieldsAt(object, 'metadata.annotations'))
  const hasKinds = title !== 'Pods'
  const known = relatives.map((relative) => ({ ...relative, health: healthOf(relative.object) }))
  const sorted = known.toSorted((a, b) => SEVERITY.indexOf(b.health.tone) - SEVERITY.indexOf(a.health.tone))
  const rows = sorted.map(({ kind, object, health: { tone, text, reason } }) => {
    return [
      ...(hasKinds ? [kind.kind] : []),
      <ObjectLink kind={kind} named={nameOf(object)} />,
      ...(hasRevisions ? [cellText(fieldsAt(object, 'metadata.annotations')[REVISION])] : []),
      <Toned tone={tone} text={text || '–'} />,
      reason || '–',
      ageText(textAt(object, 'metadata.creationTimestamp'), Date.now()),
    ]
  })
  const columns = [
    ...(hasKinds ? ['Kind'] : []),
    'Name',
    ...(hasRevisions ? ['Revision'] : []),
    'Status',
    'Reason',
    'Age',
  ]
  return <Listing title={title} columns={columns} rows={rows} />
}
