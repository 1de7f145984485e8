// Navigation to another page without a full reload. The user is asked before unsaved edits are discarded.
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'

/** Dispatched on `window` when `navigate` has changed the address. */
const NAVIGATED = 'navigated'
/** Dispatched on `window` before a page is left. An editor with unsaved edits cancels it. */
const LEAVING = 'leaving'

export function hasUnsaved(): boolean {
  return !window.dispatchEvent(new Event(LEAVING, { cancelable: true }))
}

/** True if there are no unsaved edits, or if the user discards them. */
export function mayLeave(): boolean {
  return !hasUnsaved() || confirm('You have unsaved edits. Leave this page and discard them?')
}

/** While there are unsaved edits, the user is asked before the page is left, reloaded or closed. */
export function useUnsaved(isUnsaved: boolean): void {
  useLayoutEffect(() => {
    if (!isUnsaved) return undefined
    const keep = (event: Event): void => event.preventDefault()
    for (const type of [LEAVING, 'beforeunload']) window.addEventListener(type, keep)
    return () => {
      for (const type of [LEAVING, 'beforeunload']) window.removeEventListener(type, keep)
    }
  }, [isUnsaved])
}

export function navigate(address: string, how: 'push' | 'replace' = 'push'): void {
  const isSame = address === addressNow()
  if (!isSame && !mayLeave()) return
  const place = placeNow() ?? 0
  if (how === 'push' && !isSame) history.pushState({ place: place + 1 }, '', address)
  else history.replaceState({ place }, '', address)
  window.dispatchEvent(new Event(NAVIGATED))
}

/**
 * The address of the page to show. If the user goes back or forward but keeps the unsaved edits, the browser returns to the entry that is
 * shown.
 */
export function useAddress(): string {
  const [address, setAddress] = useState(addressNow)
  const shown = useRef({ address, place: placeNow() ?? 0 })
  useEffect(() => {
    const show = (): void => {
      // The entry of a first visit or of a link within the page has no place yet.
      if (placeNow() === undefined) history.replaceState({ place: shown.current.place + 1 }, '')
      shown.current = { address: addressNow(), place: placeNow() ?? 0 }
      setAddress(shown.current.address)
    }
    const traverse = (): void => {
      if (addressNow() === shown.current.address || mayLeave()) show()
      else history.go(shown.current.place - (placeNow() ?? 0))
    }
    show()
    window.addEventListener(NAVIGATED, show)
    window.addEventListener('popstate', traverse)
    return () => {
      window.removeEventListener(NAVIGATED, show)
      window.removeEventListener('popstate', traverse)
    }
  }, [])
  return address
}

function addressNow(): string {
  return location.pathname + location.search
}

/** The place of the current entry in the history of the tab. */
function placeNow(): number | undefined {
  return (history.state as { readonly place?: number } | null)?.place
}
