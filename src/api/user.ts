// Who is asking, as every room sees it.

export interface User {
  readonly name: string
  readonly uid: string | undefined
  readonly groups: readonly string[]
  /** What the authenticator has to say beyond that; keys are lower case. */
  readonly extra: Readonly<Record<string, readonly string[]>>
}
