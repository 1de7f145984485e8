// A button that opens a list below it. Escape, a press of the button or a move of the focus closes the list.
import type { ComponentChildren } from 'preact'
import { useRef, useState } from 'preact/hooks'

interface Props {
  readonly label: string
  /** The items stay in the page while the list is closed, so that the search finds their commands. */
  readonly children: (close: () => void) => ComponentChildren
}

export function Menu({ label, children }: Props) {
  const [isOpen, setOpen] = useState(false)
  const menu = useRef<HTMLDivElement>(null)
  const close = (): void => setOpen(false)
  return (
    <div
      class="menu"
      ref={menu}
      onFocusOut={({ relatedTarget }) => {
        if (!(relatedTarget instanceof Node && menu.current?.contains(relatedTarget) === true)) close()
      }}
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || !isOpen) return
        event.stopPropagation()
        close()
        event.currentTarget.querySelector('button')?.focus()
      }}
    >
      <button type="button" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        {label}
      </button>
      {/* Safari does not focus a clicked button, so a click must not move the focus out of the menu. */}
      <ul hidden={!isOpen} onMouseDown={(event) => event.preventDefault()}>
        {children(close)}
      </ul>
    </div>
  )
}
