// Removes the undefined members of records.

/** `T`, but members that could be undefined are optional, and are never undefined. */
type Given<T> = { [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>
}

/** The record without the members that are undefined. */
export function givenMembers<T extends object>(record: T): Given<T> {
  return Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined)) as Given<T>
}
