// Refuses unknown options of a function, and values of the wrong type. A misspelt option would have no effect: a delete with
// `{ dryrun: true }` would delete the object. Types are not checked by class: test runners have an `Array` class of their own.
import { inspect } from 'node:util'
import { suggestion } from './closest-word.ts'

/** A type of values, in words and as a check. */
export interface ValueType {
  readonly wanted: string
  readonly fits: (value: unknown) => boolean
}

const isFunction = (value: unknown): boolean => typeof value === 'function'
/** A text with NUL is refused: the server ends a selector at a NUL. */
const isString = (value: unknown): boolean => typeof value === 'string' && !value.includes('\0')
/** A text of spaces and commas alone is refused: the server reads it as an empty selector. */
const isText = (value: unknown): boolean => isString(value) && /[^\s,]/.test(value as string)
const isNumber = (value: unknown): value is number => typeof value === 'number' && value >= 0
const can = (value: unknown, functions: readonly string[]): boolean =>
  typeof value === 'object' && value !== null && functions.every((name) => isFunction(Reflect.get(value, name)))

/** A plain object. Lists, Maps and Dates are not records. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return Object.prototype.toString.call(value) === '[object Object]'
}

const TYPES = {
  text: { wanted: 'a text that is not empty', fits: isText },
  string: { wanted: 'a text without NUL', fits: isString },
  texts: { wanted: 'a list of texts', fits: (value) => Array.isArray(value) && value.every(isText) },
  boolean: { wanted: 'true or false', fits: (value) => typeof value === 'boolean' },
  scalar: { wanted: 'a number or a boolean', fits: (value) => typeof value === 'boolean' || Number.isFinite(value) },
  object: { wanted: 'an object', fits: isRecord },
  filled: { wanted: 'an object that is not empty', fits: (value) => isRecord(value) && Object.keys(value).length > 0 },
  functions: {
    wanted: 'functions by name',
    fits: (value) => isRecord(value) && Object.values(value).every(isFunction),
  },
  list: { wanted: 'a list', fits: Array.isArray },
  function: { wanted: 'a function', fits: isFunction },
  count: { wanted: 'a whole number from 0 on', fits: (value) => isNumber(value) && Number.isInteger(value) },
  duration: { wanted: 'a number of milliseconds from 0 on', fits: isNumber },
  /** A Node timer with a longer interval overflows, and fires all the time. */
  interval: {
    wanted: 'a number of milliseconds above 0 and below 2 ** 31',
    fits: (value) => isNumber(value) && value > 0 && value < 2 ** 31,
  },
  signal: { wanted: 'an AbortSignal', fits: (value) => can(value, ['addEventListener', 'throwIfAborted']) },
  clock: { wanted: 'a clock', fits: (value) => can(value, ['now', 'timeOfDay', 'callAfter']) },
  client: { wanted: 'a client', fits: (value) => can(value, ['resource', 'request']) },
  transport: { wanted: 'a transport', fits: (value) => can(value, ['send', 'close']) },
  log: { wanted: 'a logger', fits: (value) => can(value, ['debug', 'info', 'warn', 'error']) },
} as const satisfies Readonly<Record<string, ValueType>>

type TypeName = keyof typeof TYPES

/**
 * One type, two types, or the allowed words. A question mark allows undefined. Without the mark, undefined is refused: the call would do
 * more than its caller wants.
 */
export type OptionType = TypeName | `${TypeName}?` | `${TypeName}|${TypeName}` | readonly string[] | ValueType

/** The types of all options of a record. */
export type OptionTypes<T> = Readonly<Record<T extends unknown ? keyof T : never, OptionType>>

/** Throws a `TypeError` that names the first option that is not known or has a value of another type. */
export function checkOptions(subject: string, options: object, types: Readonly<Record<string, OptionType>>): void {
  checkValue(subject, 'options object', options, 'object')
  const stray = Object.keys(options).find((name) => !Object.hasOwn(types, name))
  if (stray !== undefined)
    throw new TypeError(`${subject}: there is no option "${stray}"${suggestion(stray, Object.keys(types))}`)
  // Options of a prototype are checked too: the function reads them.
  for (const [name, type] of Object.entries(types))
    if (name in options) checkValue(subject, name, Reflect.get(options, name), type)
}

export function fits(value: unknown, type: TypeName): boolean {
  return TYPES[type].fits(value)
}

/** Throws a `TypeError` that names the value, its type and the wanted type. */
export function checkValue(subject: string, what: string, value: unknown, type: OptionType): void {
  const { wanted, fits } = typeOf(type)
  if (fits(value) || (value === undefined && typeof type === 'string' && type.endsWith('?'))) return
  const isMissing = value === undefined || value === null || value === ''
  const given = typeof value === 'string' ? JSON.stringify(value) : inspect(value, { depth: -1 })
  if (!isMissing) throw new TypeError(`${subject}: ${what} must be ${wanted}, not ${given}`)
  throw new TypeError(`${subject}: the ${what} is missing (it is ${value === '' ? 'empty' : value}); say ${wanted}`)
}

function typeOf(type: OptionType): ValueType {
  if (typeof type !== 'string') return 'fits' in type ? type : wordIn(type)
  const [one, other] = type.replace('?', '').split('|') as [TypeName, TypeName?]
  if (other === undefined) return TYPES[one]
  return {
    wanted: `${TYPES[one].wanted} or ${TYPES[other].wanted}`,
    fits: (value) => fits(value, one) || fits(value, other),
  }
}

function wordIn(words: readonly string[]): ValueType {
  return { wanted: `one of ${words.join(', ')}`, fits: (value) => words.includes(value as string) }
}
