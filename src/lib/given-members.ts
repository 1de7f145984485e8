// Records with members that may be unknown when they are written down.

/** Members that can be undefined may be absent in it, and are never undefined. */
type Given<T> = { [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>
}

/** The record without the members that are undefined. */
export function givenMembers<T extends object>(record: T): Given<T> {
  return Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined)) as Given<T>
}
