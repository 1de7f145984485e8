// Finds the keys for the page: the keys that no field, editor or dialog takes.

/** The key, if no modifier is pressed and no field has the focus. */
export function pageKey(event: KeyboardEvent): string | undefined {
  const { target, metaKey, ctrlKey, altKey, key } = event
  const writes =
    target instanceof HTMLElement && (target.matches('input, select, textarea') || target.shadowRoot !== null)
  const isTaken = writes || event.defaultPrevented || document.querySelector('dialog[open]') !== null
  return isTaken || metaKey || ctrlKey || altKey ? undefined : key
}
