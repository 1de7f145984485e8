// Refuses options that a function does not have, and values that are missing. A mistyped option would have no effect: with
// `{ dryrun: true }` an object would be deleted.
import { suggestion } from './closest-word.ts'

/** The names of all options of a record. */
export type OptionNames<T> = readonly (T extends unknown ? keyof T : never)[]

/** Throws a `TypeError` that names the first option that is not known. */
export function checkOptions(subject: string, options: object, known: readonly string[]): void {
  const unknown = Object.keys(options ?? {}).find((name) => !known.includes(name))
  if (unknown === undefined) return
  throw new TypeError(`${subject}: there is no option "${unknown}"${suggestion(unknown, known)}`)
}

/** Throws a `TypeError` that names what is missing, for a value that is undefined or empty. */
export function checkPresent(subject: string, what: string, value: unknown): void {
  if (value !== undefined && value !== null && value !== '') return
  throw new TypeError(`${subject}: the ${what} is missing (it is ${value === '' ? 'empty' : value})`)
}
