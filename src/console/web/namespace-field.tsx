// The field for the namespace, or for several of them: `a,b`. A user who may not list namespaces types the name.
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { ask, problemOf } from './api.ts'
import { namespacesIn } from './kind.ts'
import { useAttempts } from './polling.ts'

interface Props {
  readonly value: string
  readonly onChoose: (namespace: string) => void
}

interface NamespaceList {
  readonly items: readonly { readonly metadata: { readonly name: string } }[]
}

const NAMES_ONLY = 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1'

export function NamespaceField({ value, onChoose }: Props) {
  const [names, setNames] = useState<readonly string[]>([])
  const [isChoosing, setChoosing] = useState(false)
  const { count, report } = useAttempts()
  const read = async (): Promise<void> => {
    try {
      const { items } = await ask<NamespaceList>('/api/v1/namespaces', { accept: NAMES_ONLY })
      setNames(items.map(({ metadata }) => metadata.name))
      report()
    } catch (error) {
      if (problemOf(error).kind === 'forbidden') setNames([])
      report(error)
    }
  }
  useEffect(() => void read(), [count])
  return (
    <div class="namespace">
      <span aria-hidden="true">Namespace</span>
      {names.length === 0 ? (
        <input
          key={value}
          class="mono"
          aria-label="Namespace"
          data-hotkey="n"
          placeholder="all"
          defaultValue={value}
          onChange={({ currentTarget }) => onChoose(namespacesIn(currentTarget.value).join(','))}
        />
      ) : (
        <select
          aria-label="Namespace"
          data-hotkey="n"
          value={value}
          onFocus={() => void read()}
          onChange={({ currentTarget }) => {
            if (currentTarget.value !== SEVERAL) return onChoose(currentTarget.value)
            currentTarget.value = value
            setChoosing(true)
          }}
        >
          <option value="">all</option>
          <option value={SEVERAL}>several …</option>
          {(value === '' || names.includes(value) ? names : [value, ...names]).map((name) => (
            <option key={name} value={name}>
              {name.replaceAll(',', ', ')}
            </option>
          ))}
        </select>
      )}
      {isChoosing && (
        <SeveralDialog
          names={names}
          value={value}
          onClose={(chosen) => {
            setChoosing(false)
            if (chosen !== undefined) onChoose(chosen)
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
      <div class="attempts choices" tabIndex={0} role="group" aria-label="Namespaces">
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
