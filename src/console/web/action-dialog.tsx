// Asks for the input of an action, shows its dry run, and runs it when the user confirms. There is a result for each object.
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { type Attempt, runAttempt, tryAction } from './action-run.ts'
import type { Target, WriteAction } from './actions.ts'
import { Alert } from './alert.tsx'
import { inTurn } from './in-turn.ts'
import { placeText } from './kind.ts'
import { PlainTable, Toned } from './listing.tsx'

export interface StartedAction {
  readonly action: WriteAction
  /** Objects of one kind. */
  readonly targets: readonly Target[]
  /** Called after the action, if it succeeded for at least one object. */
  readonly onDone?: (() => void) | undefined
}

interface Props extends StartedAction {
  /** Gets the message about a success. Empty: there is no message. */
  readonly onClose: (message: string) => void
}

const AT_ONCE = 8

type Stage = 'asking' | 'trying' | 'reviewing' | 'running' | 'done'

export function ActionDialog({ action, targets, onDone, onClose }: Props) {
  const dialog = useRef<HTMLDialogElement>(null)
  const isOpen = useRef(true)
  const [stage, setStage] = useState<Stage>(action.input === undefined ? 'trying' : 'asking')
  const [input, setInput] = useState('')
  const [problem, setProblem] = useState<string>()
  const [attempts, setAttempts] = useState<readonly Attempt[]>([])
  const [count, setCount] = useState(0)
  const ready = attempts.filter(({ request }) => request !== undefined)
  /** Works on the items until the dialog is closed. The remaining objects are left alone then. */
  const each = async <T,>(items: readonly T[], work: (item: T) => Promise<Attempt>): Promise<readonly Attempt[]> => {
    const results = new Map<T, Attempt>()
    setCount(0)
    await inTurn(items, AT_ONCE, async (item) => {
      if (!isOpen.current) return
      results.set(item, await work(item))
      setCount(results.size)
    })
    return items.flatMap((item) => results.get(item) ?? [])
  }
  const attempt = async (): Promise<void> => {
    const wrong = action.input?.check(input)
    setProblem(wrong)
    if (wrong !== undefined) return
    setStage('trying')
    const wish = { action, input, now: new Date() }
    setAttempts(await each(targets, (target) => tryAction(wish, target)))
    setStage('reviewing')
  }
  const run = async (): Promise<void> => {
    setStage('running')
    const results = await each(ready, runAttempt)
    const byTarget = new Map(results.map((result) => [result.target, result]))
    const done = results.filter(({ isDone }) => isDone === true)
    setAttempts(attempts.map((tried) => byTarget.get(tried.target) ?? tried))
    setStage('done')
    if (done.length > 0) onDone?.()
    if (done.length === targets.length) onClose(`${titleOf(action, targets)}: done.`)
  }
  useLayoutEffect(() => {
    dialog.current?.showModal()
    if (stage === 'trying') void attempt()
    return () => {
      isOpen.current = false
    }
  }, [])
  const isBusy = stage === 'trying' || stage === 'running'
  const total = stage === 'running' ? ready.length : targets.length
  const hasInput = action.input !== undefined && stage !== 'running' && stage !== 'done'
  return (
    <dialog ref={dialog} class="action" aria-labelledby="action-title" onClose={() => onClose('')}>
      <h2 id="action-title">{titleOf(action, targets)}</h2>
      {hasInput && (
        <form
          class="row"
          onSubmit={(event) => {
            event.preventDefault()
            void attempt()
          }}
        >
          <label class="selector">
            <span>{action.input?.label}</span>
            <input
              class="mono"
              inputMode={action.input?.type === 'number' ? 'numeric' : 'text'}
              placeholder={action.input?.hint}
              autofocus
              value={input}
              readOnly={isBusy}
              onInput={({ currentTarget }) => {
                // The dry run was for another input.
                setInput(currentTarget.value)
                setAttempts([])
                setStage('asking')
              }}
            />
          </label>
          <button type="submit" disabled={isBusy} class={stage === 'asking' ? 'primary' : ''}>
            Try
          </button>
        </form>
      )}
      <Alert text={problem} />
      <p class="dim" role="status">
        {isBusy ? `${stage === 'trying' ? 'Dry run' : 'Running'}: ${count} of ${total}` : summaryOf(stage, attempts)}
      </p>
      {!isBusy && attempts.length > 0 && <Attempts attempts={attempts} isDone={stage === 'done'} />}
      <div class="row">
        {stage === 'reviewing' && ready.length > 0 && (
          <button type="button" class={action.id === 'delete' ? 'danger solid' : 'primary'} onClick={() => void run()}>
            {confirmText(action, ready.length, targets.length)}
          </button>
        )}
        <button type="button" autofocus={action.input === undefined} onClick={() => dialog.current?.close()}>
          {stage === 'done' ? 'Close' : 'Cancel'}
        </button>
      </div>
    </dialog>
  )
}

function Attempts({ attempts, isDone }: { readonly attempts: readonly Attempt[]; readonly isDone: boolean }) {
  return (
    <PlainTable
      title="Objects"
      columns={['Object', isDone ? 'Result' : 'Dry run']}
      rows={attempts.map(({ target, effects, problem, isDone: succeeded }) => [
        <span class="mono">{placeText(target.named)}</span>,
        problem !== undefined ? (
          <Toned tone="bad" text={problem} />
        ) : (
          <>
            {succeeded === true && <Toned tone="good" text="done " />}
            {effects.length === 0 ? 'no change' : effects.map((effect) => <div key={effect}>{effect}</div>)}
          </>
        ),
      ])}
    />
  )
}

function summaryOf(stage: Stage, attempts: readonly Attempt[]): string {
  if (stage === 'asking') return 'Nothing is written before you confirm.'
  const failed = attempts.filter(({ problem }) => problem !== undefined).length
  const [past, next] = stage === 'done' ? ['failed', 'done'] : ['refused', 'can be done']
  const others = attempts.length - failed
  return failed === 0 ? (stage === 'done' ? '' : 'The dry run succeeded.') : `${failed} ${past}, ${others} ${next}.`
}

function confirmText({ title }: WriteAction, ready: number, all: number): string {
  return all === 1 ? title : ready === all ? `${title} all ${all}` : `${title} ${ready} of ${all}`
}

export function titleOf({ title }: WriteAction, targets: readonly Target[]): string {
  const [first] = targets
  if (first === undefined) return title
  const { kind, named } = first
  return targets.length === 1
    ? `${title} ${kind.kind} ${placeText(named)}`
    : `${title} ${targets.length} ${kind.plural}`
}
