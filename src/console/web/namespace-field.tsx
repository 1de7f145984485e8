// The field for the namespace, or for several of them: `a,b`. A user who may not list namespaces types the name.
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { ask } from './api.ts'
import type { ManagedObject } from './apply-intent.ts'
import { namespacesIn } from './kind.ts'
import { ONCE, usePolled } from './polling.ts'

interface Props {
  readonly value: string
  readonly onChoose: (namespace: string) => void
}

/** The names of all namespaces. `accessible`: only of the namespaces that the user may get, for users who may not list all. */
export async function readNamespaces(accessible: boolean): Promise<readonly string[]> {
  const path = `/api/v1/namespaces?select=metadata.name${accessible ? '&accessible=true' : ''}`
  const { items } = await ask<{ readonly items: readonly ManagedObject[] }>(path)
  return items.map(({ metadata }) => metadata.name)
}

export function NamespaceField({ value: chosen, onChoose }: Props) {
  const [isChoosing, setChoosing] = useState(false)
  const [visits, setVisits] = useState(0)
  const { value, problem } = usePolled(() => readNamespaces(false), ONCE, visits)
  const names = problem?.kind === 'forbidden' ? [] : (value ?? [])
  return (
    <div class="namespace">
      <span aria-hidden="true">Namespace</span>
      {names.length === 0 ? (
        <input
          key={chosen}
          class="mono"
          aria-label="Namespace"
          data-hotkey="n"
          placeholder="all"
          defaultValue={chosen}
          onChange={({ currentTarget }) => onChoose(namespacesIn(currentTarget.value).join(','))}
        />
      ) : (
        <select
          aria-label="Namespace"
          data-hotkey="n"
          value={chosen}
          onFocus={() => setVisits(visits + 1)}
          onChange={({ currentTarget }) => {
            if (currentTarget.value !== SEVERAL) return onChoose(currentTarget.value)
            currentTarget.value = chosen
            setChoosing(true)
          }}
        >
          <option value="">all</option>
          <option value={SEVERAL}>several …</option>
          {(chosen === '' || names.includes(chosen) ? names : [chosen, ...names]).map((name) => (
            <option key={name} value={name}>
              {name.replaceAll(',', ', ')}
            </option>
          ))}
        </select>
      )}
      {isChoosing && (
        <SeveralDialog
          names={names}
          value={chosen}
          onClose={(several) => {
            setChoosing(false)
            if (several !== undefined) onChoose(several)
          }}
        />
      )}
    </div>
  )
}

/** No namespace has this name. */
const SEVERAL = '…'

interface SeveralProps {
  readonly names: readonly string[]
  readonly value: string
  /** Undefined: nothing was chosen. */
  readonly onClose: (chosen: string | undefined) => void
}

function SeveralDialog({ names, value, onClose }: SeveralProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  const [chosen, setChosen] = useState(() => namespacesIn(value))
  useLayoutEffect(() => dialog.current?.showModal(), [])
  return (
    <dialog ref={dialog} class="action" aria-label="Namespaces" onClose={() => onClose(undefined)}>
      <h2>Show several namespaces</h2>
      <div class="choices" tabIndex={0} role="group" aria-label="Namespaces">
        {names.map((name) => (
          <label key={name} class="row">
            <input
              type="checkbox"
              checked={chosen.includes(name)}
              onChange={({ currentTarget: { checked } }) =>
                setChosen(checked ? [...chosen, name] : chosen.filter((one) => one !== name))
              }
            />
            {name}
          </label>
        ))}
      </div>
      <div class="row">
        <button type="button" class="primary" disabled={chosen.length === 0} onClick={() => onClose(chosen.join(','))}>
          {`Show ${chosen.length}`}
        </button>
        <button type="button" onClick={() => dialog.current?.close()}>
          Cancel
        </button>
      </div>
    </dialog>
  )
}
