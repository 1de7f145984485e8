// Applies manifests. A dry run of each manifest comes first, and its changes are shown.
import type { Extension } from '@codemirror/state'
import { useState } from 'preact/hooks'
import { Alert } from './alert.tsx'
import { ApiFailure, askText, messageOf, statusOf } from './api.ts'
import { MANAGER } from './apply-intent.ts'
import { CodeView } from './code-view.tsx'
import { Contested } from './contested.tsx'
import { type Kind, kindOf, objectPath } from './kind.ts'
import { type Manifest, manifestsIn } from './manifests.ts'
import { useUnsaved } from './navigation.ts'
import { editable, YAML } from './object-source.ts'
import { type LineMark, marksOf } from './rejected-lines.ts'
import { conflictsIn, type FieldConflict, makeWrite, tryWrite, type Write } from './object-write.ts'
import { objectAddress } from './routes.ts'

interface Props {
  readonly kinds: readonly Kind[]
  /** The namespace of manifests without one. */
  readonly namespace: string
  /** The template of a new object. Absent: the text begins empty. */
  readonly start?: {
    readonly title: string
    readonly text: string
    readonly completion: Extension
  }
}

interface Tried {
  readonly write: Write
  readonly before: string
  readonly after: string
}

type Stage =
  | { readonly kind: 'writing' }
  | { readonly kind: 'reviewing'; readonly tried: readonly Tried[]; readonly force: boolean }
  | { readonly kind: 'contested'; readonly conflicts: readonly FieldConflict[] }
  | { readonly kind: 'done'; readonly applied: readonly Tried[] }

const WRITING: Stage = { kind: 'writing' }

export function ApplyPage({ kinds, namespace, start }: Props) {
  const [text, setText] = useState(start?.text ?? '')
  const [applied, setApplied] = useState(start?.text ?? '')
  useUnsaved(text.trim() !== '' && text !== applied)
  const [stage, setStage] = useState(WRITING)
  const [problem, setProblem] = useState('')
  const [marks, setMarks] = useState<readonly LineMark[]>([])
  const attempt = async (work: () => Promise<Stage>): Promise<void> => {
    setProblem('')
    setMarks([])
    try {
      setStage(await work())
    } catch (error) {
      const conflicts = conflictsIn(error)
      if (conflicts.length > 0) setStage({ kind: 'contested', conflicts })
      else setProblem(messageOf(error))
    }
  }
  const review = (force: boolean): Promise<void> =>
    attempt(async () => {
      const tried: Tried[] = []
      const how = { mode: start === undefined ? 'manifest' : 'create', force } as const
      for (const manifest of manifestsIn(text, namespace || 'default'))
        tried.push(
          await tryManifest(kinds, manifest, how).catch((error: unknown) => {
            setMarks(marksOf(statusOf(error), manifest.text, manifest.linesBefore))
            throw error
          }),
        )
      if (tried.length === 0) throw new Error('there is no manifest in the text')
      return { kind: 'reviewing', tried, force }
    })
  const apply = (tried: readonly Tried[]): Promise<void> =>
    attempt(async () => {
      for (const { write } of tried) await makeWrite(write)
      setApplied(text)
      return { kind: 'done', applied: tried }
    })
  return (
    <section class="page object-page">
      <header class="page-head">
        <h1>{start?.title ?? 'Apply YAML'}</h1>
        <span class="dim">
          {start === undefined
            ? `Server-side, as ${MANAGER}. Several manifests are separated by ---`
            : 'Fill in the fields. Ctrl Space offers further ones.'}
        </span>
      </header>
      <div class="toolbar">
        {stage.kind === 'writing' ? (
          <button type="button" class="primary" disabled={text.trim() === ''} onClick={() => void review(false)}>
            Review changes
          </button>
        ) : (
          <button type="button" onClick={() => setStage(WRITING)}>
            Back to the editor
          </button>
        )}
        {stage.kind === 'reviewing' && (
          <button type="button" class="primary" onClick={() => void apply(stage.tried)}>
            {start !== undefined ? 'Create' : stage.force ? 'Take ownership and apply' : 'Apply'}
          </button>
        )}
      </div>
      <Alert text={problem} />
      {stage.kind === 'contested' && <Contested conflicts={stage.conflicts} onForce={() => void review(true)} />}
      {stage.kind === 'writing' && (
        <CodeView
          label="Manifests"
          hint="Paste manifests here."
          text={text}
          marks={marks}
          onChange={setText}
          more={start?.completion ?? []}
        />
      )}
      {stage.kind === 'reviewing' && (
        <CodeView label="Difference" text={joined(stage.tried, 'after')} original={joined(stage.tried, 'before')} />
      )}
      {stage.kind === 'done' && (
        <div class="notice" role="status">
          <ul class="applied">
            {stage.applied.map(({ write: { kind, named, text: manifest } }) => (
              <li key={manifest}>
                <a href={objectAddress(kind, named)}>{`${kind.kind} ${named.name}`}</a>{' '}
                {start === undefined ? 'applied' : 'created'}
              </li>
            ))}
          </ul>
        </div>
      )}
    </section>
  )
}

function joined(tried: readonly Tried[], side: 'before' | 'after'): string {
  return tried.map((one) => one[side]).join('---\n')
}

async function tryManifest(
  kinds: readonly Kind[],
  manifest: Manifest,
  how: Pick<Write, 'mode' | 'force'>,
): Promise<Tried> {
  const kind = kindOf(kinds, manifest)
  if (kind === undefined) throw new Error(`the server serves no kind ${manifest.kind} of ${manifest.apiVersion}`)
  const { name, namespace, text } = manifest
  const named = { namespace: kind.namespaced ? namespace : '', name }
  const before = await askText(objectPath(kind, named), { accept: YAML }).catch((error: unknown) => {
    if (error instanceof ApiFailure && error.code === 404) return ''
    throw error
  })
  const write: Write = { kind, named, text, ...how }
  return { write, before: editable(before), after: await tryWrite(write) }
}
