// The help for keys.
import { useEffect, useRef } from 'preact/hooks'
import { pageKey } from './keys.ts'

const KEYS: readonly (readonly [keys: string, meaning: string])[] = [
  ['Ctrl K', 'search kinds, objects, pages and actions'],
  ['/', 'filter the table by name; Enter goes to the rows, or opens the only one'],
  ['f', 'find a kind; Enter opens the first'],
  ['n', 'choose the namespace'],
  ['↓ ↑ or j k', 'move along the rows'],
  ['Enter', 'open the row'],
  ['Space', 'select the row; with Shift, all rows from the last selected one'],
  ['Shift ↓ ↑', 'select rows'],
  ['Escape', 'clear the selection'],
  ['Ctrl Space', 'offer fields and values in the editor'],
  ['?', 'show this'],
]

export function KeyHelp() {
  const dialog = useRef<HTMLDialogElement>(null)
  useEffect(() => {
    const press = (event: KeyboardEvent): void => {
      if (pageKey(event) === '?') dialog.current?.showModal()
    }
    document.addEventListener('keydown', press)
    return () => document.removeEventListener('keydown', press)
  }, [])
  return (
    <>
      <button
        type="button"
        class="keys-button"
        data-command="Show the keys"
        aria-label="Keys"
        title="Keys ( ? )"
        onClick={() => dialog.current?.showModal()}
      >
        ?
      </button>
      <dialog ref={dialog} aria-label="Keys">
        <h2>Keys</h2>
        <dl class="keys">
          {KEYS.map(([keys, meaning]) => (
            <div key={keys}>
              <dt class="mono">{keys}</dt>
              <dd>{meaning}</dd>
            </div>
          ))}
        </dl>
        <form method="dialog">
          <button type="submit">Close</button>
        </form>
      </dialog>
    </>
  )
}
