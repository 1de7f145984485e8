// A message about something that went wrong. Screen readers read it at once.

/** Nothing if there is no text. */
export function Alert({ text = '' }: { readonly text?: string | undefined }) {
  if (text === '') return null
  return (
    <p class="notice bad" role="alert">
      {text}
    </p>
  )
}
