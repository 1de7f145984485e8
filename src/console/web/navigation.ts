// Going to another page without loading everything anew.

/** Told on `window` when the address has changed without the browser's doing. */
export const NAVIGATED = 'navigated'

export function navigate(address: string, how: 'push' | 'replace' = 'push'): void {
  if (how === 'push') history.pushState(null, '', address)
  else history.replaceState(null, '', address)
  window.dispatchEvent(new Event(NAVIGATED))
}
