// The palette: one field that finds kinds, objects in all namespaces, pages and actions. Ctrl-K or Cmd-K opens it.
import { useEffect, useId, useRef, useState } from 'preact/hooks'
import { Icon } from './icon.tsx'
import type { Kind } from './kind.ts'
import { type Found, NOTHING, searchObjects, searchOf } from './object-search.ts'
import { actionsOnPage, entriesOf, type Entry, keyOf, likelyKinds, type PaletteContext } from './palette-entries.ts'
import { usePlaces } from './places.ts'

interface Props {
  readonly kinds: readonly Kind[]
  readonly namespace: string
}

/** Shorter texts are in too many names. */
const SHORTEST_NAME = 2
/** A text that is still being written is not searched. */
const PAUSE_MS = 150
/** The least time between two searches for one text. After a long search, the time is ten times as long as the search. */
const AGAIN_MS = 3000

export function Palette({ kinds, namespace }: Props) {
  const dialog = useRef<HTMLDialogElement>(null)
  const [opened, setOpened] = useState<{ readonly actions: readonly Entry[]; readonly atMs: number }>()
  const open = (): void => {
    setOpened({ actions: actionsOnPage(), atMs: performance.now() })
    dialog.current?.showModal()
  }
  useEffect(() => {
    const press = (event: KeyboardEvent): void => {
      const isOurs =
        event.key.toLowerCase() === 'k' && (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey
      if (!isOurs) return
      event.preventDefault()
      if (document.querySelector('dialog[open]') === null) open()
    }
    document.addEventListener('keydown', press)
    return () => document.removeEventListener('keydown', press)
  }, [])
  return (
    <>
      <button type="button" class="search-button" title="Search ( Ctrl K )" onClick={open}>
        <Icon name="search" /> <span>Search</span> <kbd aria-hidden="true">Ctrl K</kbd>
      </button>
      <dialog
        ref={dialog}
        class="palette"
        aria-label="Search"
        // The event comes late. The palette may be open again.
        onClose={({ currentTarget }) => currentTarget.open || setOpened(undefined)}
        onClick={({ target, currentTarget }) => target === currentTarget && currentTarget.close()}
      >
        {opened !== undefined && (
          <Finder
            key={opened.atMs}
            kinds={kinds}
            namespace={namespace}
            actions={opened.actions}
            close={() => dialog.current?.close()}
          />
        )}
      </dialog>
    </>
  )
}

interface FinderProps extends Props {
  readonly actions: readonly Entry[]
  readonly close: () => void
}

function Finder({ kinds, namespace, actions, close }: FinderProps) {
  const id = useId()
  const [text, setText] = useState('')
  const [active, setActive] = useState('')
  const context = { kinds, namespace, starred: usePlaces('starred'), recent: usePlaces('recent') }
  const found = useFound(text, context)
  const input = useRef<HTMLInputElement>(null)
  useEffect(() => input.current?.focus(), [])
  const entries = entriesOf(text, context, actions, found.objects)
  // Answers that arrive do not move the choice to another entry.
  const current = Math.max(
    entries.findIndex((entry) => keyOf(entry) === active),
    0,
  )
  useEffect(() => document.getElementById(`${id}${current}`)?.scrollIntoView({ block: 'nearest' }), [current])
  const choose = (entry: Entry | undefined): void => {
    if (entry === undefined) return
    close()
    entry.run()
  }
  const move = (step: number): void => {
    const next = entries.at((current + step) % entries.length)
    if (next !== undefined) setActive(keyOf(next))
  }
  const press = (event: KeyboardEvent): void => {
    const steps: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1 }
    const step = steps[event.key]
    if (step !== undefined) move(step)
    else if (event.key === 'Enter') choose(entries[current])
    else return
    event.preventDefault()
  }
  const groups = [...Map.groupBy(entries, ({ group }) => group)]
  return (
    <>
      <input
        ref={input}
        type="text"
        role="combobox"
        aria-label="Search"
        aria-autocomplete="list"
        aria-expanded={entries.length > 0}
        aria-controls={`${id}list`}
        aria-activedescendant={entries.length === 0 ? undefined : `${id}${current}`}
        placeholder="Kind, object, page or action: “web”, “deploy web”, “shop/web”"
        autocomplete="off"
        spellcheck={false}
        value={text}
        onInput={({ currentTarget }) => {
          setText(currentTarget.value)
          setActive('')
        }}
        onKeyDown={press}
      />
      <div id={`${id}list`} role="listbox" aria-label="Found" class="found">
        {groups.map(([group, members]) => (
          <div key={group} role="group" aria-label={group}>
            <p aria-hidden="true" class="dim">
              {group}
            </p>
            {members.map((entry) => {
              const index = entries.indexOf(entry)
              return (
                <div
                  key={keyOf(entry)}
                  id={`${id}${index}`}
                  role="option"
                  aria-selected={index === current}
                  onMouseMove={() => setActive(keyOf(entry))}
                  onClick={() => choose(entry)}
                >
                  <span>{entry.label}</span> <span class="dim">{entry.note}</span>
                </div>
              )
            })}
          </div>
        ))}
      </div>
      <p class="dim" role="status">
        {statusOf(entries.length, found)}
      </p>
    </>
  )
}

function statusOf(count: number, { refused, problem, isDone }: Found): string {
  if (!isDone) return 'Searching…'
  const some = count === 0 ? 'Nothing found.' : `${count} found.`
  const names = refused.map(({ kind }) => kind).join(', ')
  return [some, problem, names === '' ? '' : `No permission to search ${names}.`]
    .filter((text) => text !== '')
    .join(' ')
}

/** A new text cancels the requests for the text before. A text that stays is searched again, to find new objects. */
function useFound(text: string, context: PaletteContext): Found {
  const [found, setFound] = useState(NOTHING)
  useEffect(() => {
    setFound(NOTHING)
    const asked = searchOf(text, likelyKinds(context))
    if (asked.name.length < SHORTEST_NAME) return undefined
    const closing = new AbortController()
    setFound({ ...NOTHING, isDone: false })
    let timer: number | undefined
    const search = async (tell: (found: Found) => void): Promise<void> => {
      const begun = performance.now()
      await searchObjects(asked, tell, closing.signal)
      const again = (): Promise<void> => search((next) => next.isDone && setFound(next))
      const afterMs = Math.max(AGAIN_MS, (performance.now() - begun) * 10)
      if (!closing.signal.aborted) timer = window.setTimeout(() => void again(), afterMs)
    }
    timer = window.setTimeout(() => void search(setFound), PAUSE_MS)
    return () => {
      window.clearTimeout(timer)
      closing.abort()
    }
  }, [text])
  return found
}
