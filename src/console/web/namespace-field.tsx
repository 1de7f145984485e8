// The field for the namespace. A user who may not list namespaces types the name.
import { useEffect, useState } from 'preact/hooks'
import { ask, problemOf } from './api.ts'
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
          onChange={({ currentTarget }) => onChoose(currentTarget.value.trim())}
        />
      ) : (
        <select
          aria-label="Namespace"
          data-hotkey="n"
          value={value}
          onFocus={() => void read()}
          onChange={({ currentTarget }) => onChoose(currentTarget.value)}
        >
          <option value="">all</option>
          {(value === '' || names.includes(value) ? names : [value, ...names]).map((name) => (
            <option key={name} value={name}>
              {name}
            </option>
          ))}
        </select>
      )}
    </div>
  )
}
