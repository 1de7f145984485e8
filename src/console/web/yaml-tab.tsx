// Edits an object as YAML. A dry run shows the difference before the object is written. Changes that other clients made in the meantime are
// merged into the edit, and shown.
import { useEffect, useMemo, useState } from 'preact/hooks'
import { Alert } from './alert.tsx'
import { messageOf, statusOf } from './api.ts'
import { CodeView } from './code-view.tsx'
import { completionOf } from './completion.ts'
import { Contested } from './contested.tsx'
import { type ManagedFields, ownersByLine, writersSince } from './field-owners.ts'
import type { Kind, ObjectName } from './kind.ts'
import { useUnsaved } from './navigation.ts'
import type { Loaded, ObjectNews } from './object-source.ts'
import { conflictsIn, type FieldConflict, isStale, makeWrite, tryWrite, type WriteMode } from './object-write.ts'
import { type LineMark, marksOf } from './rejected-lines.ts'
import { type Clash, mergeTexts } from './three-way-merge.ts'

interface Props {
  readonly kind: Kind
  readonly named: ObjectName
  readonly loaded: Loaded
  readonly news: ObjectNews | undefined
  /** Resolves to undefined if the read failed. */
  readonly reload: () => Promise<Loaded | undefined>
}

type Stage =
  | { readonly kind: 'editing' }
  | { readonly kind: 'reviewing'; readonly result: string; readonly force: boolean }
  | { readonly kind: 'contested'; readonly conflicts: readonly FieldConflict[] }

const EDITING: Stage = { kind: 'editing' }

export function YamlTab({ kind, named, loaded, news, reload }: Props) {
  const [text, setText] = useState(loaded.text)
  const [base, setBase] = useState(loaded.text)
  const [edition, setEdition] = useState(0)
  const [mode, setMode] = useState<WriteMode>('update')
  const [stage, setStage] = useState(EDITING)
  const [problem, setProblem] = useState('')
  const [notice, setNotice] = useState('')
  const [marks, setMarks] = useState<readonly LineMark[]>([])
  const [clashes, setClashes] = useState<readonly Clash[]>([])
  const isEdited = text !== base
  useUnsaved(isEdited)
  const mayWrite = kind.verbs.includes('update')
  const owners = useMemo(() => ownersByLine(text, managedOf(loaded)), [text, loaded])
  const completion = useMemo(() => completionOf(kind), [kind])
  const startFrom = (fresh: Loaded): void => {
    setText(fresh.text)
    setEdition((before) => before + 1)
    setBase(fresh.text)
    setClashes([])
    setMarks([])
  }
  useEffect(() => {
    if (news?.kind === 'changed' && !isEdited && stage.kind === 'editing') void reload()
  }, [news])
  useEffect(() => {
    if (!isEdited && loaded.text !== base) startFrom(loaded)
  }, [loaded])
  const merge = async (): Promise<void> => {
    const fresh = await reload()
    if (fresh === undefined) return
    const merged = mergeTexts(base, text, fresh.text)
    setText(merged.text)
    setEdition((before) => before + 1)
    setBase(fresh.text)
    setClashes(merged.clashes)
    setStage(EDITING)
    const who = writersSince(managedOf(loaded), managedOf(fresh)).join(' and ')
    setNotice(
      `${who || 'Another client'} changed the object in the meantime. Your edits were merged into the new version: review them again.`,
    )
  }
  const failed = async (error: unknown): Promise<void> => {
    const conflicts = conflictsIn(error)
    if (conflicts.length > 0) setStage({ kind: 'contested', conflicts })
    else if (isStale(error)) await merge()
    else {
      const rejected = marksOf(statusOf(error), text)
      if (rejected.length > 0) setStage(EDITING)
      setMarks(rejected)
      setProblem(messageOf(error))
    }
  }
  const attempt = async (work: () => Promise<void>): Promise<void> => {
    setProblem('')
    setNotice('')
    setMarks([])
    await work().catch(failed)
  }
  const review = (force: boolean): Promise<void> =>
    attempt(async () =>
      setStage({ kind: 'reviewing', result: await tryWrite({ kind, named, mode, text, force }), force }),
    )
  const write = (force: boolean): Promise<void> =>
    attempt(async () => {
      await makeWrite({ kind, named, mode, text, force })
      setBase(text)
      await reload()
      setStage(EDITING)
      setNotice('Written.')
    })
  return (
    <>
      <div class="toolbar">
        {stage.kind === 'editing' ? (
          <>
            <button type="button" class="primary" disabled={!isEdited} onClick={() => void review(false)}>
              Review changes
            </button>
            <button type="button" disabled={!isEdited} onClick={() => startFrom({ ...loaded, text: base })}>
              Discard
            </button>
            <ModeField mode={mode} onChoose={setMode} isDisabled={!mayWrite} />
          </>
        ) : (
          <button type="button" onClick={() => setStage(EDITING)}>
            Back to the editor
          </button>
        )}
        {stage.kind === 'reviewing' && (
          <button
            type="button"
            class="primary"
            disabled={stage.result === base}
            onClick={() => void write(stage.force)}
          >
            {stage.force ? 'Take ownership and write' : 'Write'}
          </button>
        )}
        <span class="dim">{hintOf(stage, isEdited, base)}</span>
      </div>
      {news?.kind === 'changed' && isEdited && stage.kind === 'editing' && (
        <p class="notice row">
          <span>The object has changed since you began to edit.</span>
          <button type="button" onClick={() => void merge()}>
            Merge my edits
          </button>
        </p>
      )}
      {notice !== '' && (
        <p class="notice" role="status">
          {notice}
        </p>
      )}
      {clashes.length > 0 && <Clashes clashes={clashes} />}
      <Alert text={problem} />
      {stage.kind === 'contested' && <Contested conflicts={stage.conflicts} onForce={() => void review(true)} />}
      {stage.kind === 'reviewing' && <CodeView label="Difference" text={stage.result} original={base} />}
      {stage.kind === 'editing' &&
        (mayWrite ? (
          <CodeView
            label="YAML"
            text={text}
            edition={edition}
            owners={owners}
            marks={marks}
            onChange={setText}
            more={completion}
          />
        ) : (
          <CodeView label="YAML" text={text} edition={edition} owners={owners} />
        ))}
    </>
  )
}

function managedOf({ object }: Loaded): readonly ManagedFields[] {
  return object.metadata.managedFields ?? []
}

function hintOf(stage: Stage, isEdited: boolean, base: string): string {
  if (stage.kind === 'reviewing')
    return stage.result === base ? 'A dry run shows that nothing would change.' : 'The result of a dry run.'
  return stage.kind === 'editing' && !isEdited ? 'The owners of the fields are beside the lines.' : ''
}

interface ModeProps {
  readonly mode: WriteMode
  readonly onChoose: (mode: WriteMode) => void
  readonly isDisabled: boolean
}

function ModeField({ mode, onChoose, isDisabled }: ModeProps) {
  return (
    <label class="selector">
      <span>Write by</span>
      <select
        disabled={isDisabled}
        value={mode}
        onChange={({ currentTarget }) => onChoose(currentTarget.value as WriteMode)}
      >
        <option value="update">update: the whole object</option>
        <option value="apply">apply: the changed fields</option>
      </select>
    </label>
  )
}

function Clashes({ clashes }: { readonly clashes: readonly Clash[] }) {
  return (
    <div class="notice bad" role="alert">
      <p>You and another client changed these lines. The editor has your version.</p>
      {clashes.map(({ mine, theirs }) => (
        <dl class="clash mono" key={mine}>
          <dt>Yours</dt>
          <dd>{mine}</dd>
          <dt>Theirs</dt>
          <dd>{theirs}</dd>
        </dl>
      ))}
    </div>
  )
}
