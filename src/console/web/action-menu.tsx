// The menu of actions on an object, the actions on the selected rows of a table, and the part of the page that shows started actions.
import { useEffect, useState } from 'preact/hooks'
import { ActionDialog, type StartedAction } from './action-dialog.tsx'
import { type Action, actionsFor, type AnyObject, kubectlCommand, type ReadAction, type Target } from './actions.ts'
import { askText, messageOf } from './api.ts'
import { type Kind, objectPath, resourceName } from './kind.ts'
import { Menu } from './menu.tsx'
import { navigate } from './navigation.ts'
import { editable, YAML } from './object-source.ts'
import { createAddress } from './routes.ts'

/** Dispatched on `window` by `startAction`. */
const STARTED = 'action-started'

interface Start extends Omit<StartedAction, 'action'> {
  readonly action: Action
}

/** Starts an action from any place: a menu, a table or the search. `ActionHost` runs it. */
export function startAction(action: Action, targets: readonly Target[], onDone?: () => void): void {
  window.dispatchEvent(new CustomEvent<Start>(STARTED, { detail: { action, targets, onDone } }))
}

/** Shows the started action. The page has one such host. */
export function ActionHost() {
  const [started, setStarted] = useState<StartedAction>()
  const [message, setMessage] = useState('')
  useEffect(() => {
    const take = (event: Event): void => {
      const { action, targets, onDone } = (event as CustomEvent<Start>).detail
      const [first] = targets
      setMessage('')
      if (action.writes) setStarted({ action, targets, onDone })
      else if (first !== undefined) void readAction(action, first).catch(messageOf).then(setMessage)
    }
    window.addEventListener(STARTED, take)
    return () => window.removeEventListener(STARTED, take)
  }, [])
  useEffect(() => {
    if (message === '') return undefined
    const timer = setTimeout(() => setMessage(''), SHOWN_MS)
    return () => clearTimeout(timer)
  }, [message])
  const close = (told: string): void => {
    setStarted(undefined)
    if (told !== '') setMessage(told)
  }
  return (
    <>
      {started !== undefined && <ActionDialog {...started} onClose={close} />}
      <div class="toast" role="status">
        {message !== '' && <p class="notice">{message}</p>}
      </div>
    </>
  )
}

const SHOWN_MS = 6000

/** Runs the action, and returns a message about the success. */
async function readAction({ id }: ReadAction, target: Target): Promise<string> {
  const { kind, named } = target
  const copy = async (text: string, said: string): Promise<string> => {
    await navigator.clipboard.writeText(text)
    return `Copied ${said}.`
  }
  const yaml = async (): Promise<string> => editable(await askText(objectPath(kind, named), { accept: YAML }))
  if (id === 'copy-name') return copy(named.name, named.name)
  if (id === 'copy-command') return copy(kubectlCommand(target), 'the kubectl command')
  if (id === 'copy-yaml') return copy(await yaml(), `the YAML of ${named.name}`)
  if (id === 'duplicate') {
    navigate(createAddress(resourceName(kind), named.namespace, named.name))
    return ''
  }
  const link = document.createElement('a')
  link.href = URL.createObjectURL(new Blob([await yaml()], { type: YAML }))
  link.download = `${kind.kind.toLowerCase()}-${named.name.replaceAll(/[^\w.-]/g, '_')}.yaml`
  link.click()
  URL.revokeObjectURL(link.href)
  return `Downloaded ${link.download}.`
}

interface MenuProps {
  readonly target: Target
  readonly object: AnyObject
  readonly onDeleted: () => void
}

export function ActionMenu({ target, object, onDeleted }: MenuProps) {
  return (
    <Menu label="Actions">
      {(close) =>
        actionsFor(target.kind, object).map((action) => (
          <li key={action.id}>
            <button
              type="button"
              class={action.id === 'delete' ? 'danger' : ''}
              data-command={`${action.title}: ${target.named.name}`}
              onClick={() => {
                close()
                startAction(action, [target], action.id === 'delete' ? onDeleted : undefined)
              }}
            >
              {action.writes ? `${action.title} …` : action.title}
            </button>
          </li>
        ))
      }
    </Menu>
  )
}

interface BulkProps {
  readonly kind: Kind
  readonly targets: readonly Target[]
  readonly onClear: () => void
}

/** The actions on the selected rows of a table. */
export function BulkActions({ kind, targets, onClear }: BulkProps) {
  return (
    <div class="toolbar bulk" role="group" aria-label="Selected objects">
      <span role="status">{`${targets.length.toLocaleString('en')} selected`}</span>
      {actionsFor(kind).map((action) => (
        <button
          key={action.id}
          type="button"
          class={action.id === 'delete' ? 'danger' : ''}
          data-command={`${action.title}: selected ${kind.plural}`}
          onClick={() => startAction(action, targets, onClear)}
        >
          {`${action.title} …`}
        </button>
      ))}
      <button type="button" onClick={onClear}>
        Clear
      </button>
    </div>
  )
}
