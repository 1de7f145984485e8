// The options of a parsed file, message or field. Each option is taken by name and type. `done` refuses options that were not taken: a
// misspelt option is an error.
import type protobufjs from 'protobufjs'

/** protobuf's own options of fields. The names of our options are in parentheses. */
const OWN_OPTIONS: readonly string[] = ['json_name', 'packed', 'proto3_optional']

export class Options {
  readonly place: string
  readonly #values: Map<string, unknown[]>

  constructor(place: string, values: Map<string, unknown[]>) {
    this.place = place
    this.#values = values
  }

  text(name: string): string | undefined {
    return this.#one(name, (value) => typeof value === 'string')
  }

  required(name: string): string {
    const value = this.text(name)
    if (value === undefined) throw new Error(`${this.place}: has no ${name}`)
    return value
  }

  number(name: string): number | undefined {
    return this.#one(name, (value) => typeof value === 'number')
  }

  flag(name: string): boolean | undefined {
    return this.#one(name, (value) => typeof value === 'boolean')
  }

  /** Undefined if the flag is false: the table has only unusual values. */
  isTrue(name: string): true | undefined {
    return this.flag(name) === true ? true : undefined
  }

  isFalse(name: string): false | undefined {
    return this.flag(name) === false ? false : undefined
  }

  oneOf<T extends string>(name: string, values: readonly T[]): T | undefined {
    return this.#one(name, (value): value is T => values.some((known) => known === value))
  }

  texts(name: string): readonly string[] | undefined {
    const texts = this.#take(name, (value) => typeof value === 'string')
    return texts.length === 0 ? undefined : texts
  }

  /** The words of an option, which are separated by commas. */
  list<T extends string>(name: string, values: readonly T[]): readonly T[] | undefined {
    return this.text(name)
      ?.split(',')
      .map((word) => {
        const known = values.find((value) => value === word)
        if (known === undefined) throw new Error(`${this.place}: ${name} cannot be ${word}`)
        return known
      })
  }

  records(name: string): readonly Options[] {
    return this.#take(name, (value) => typeof value === 'object' && value !== null).map(
      (value) => new Options(`${this.place} ${name}`, valuesOf(Object.entries(value))),
    )
  }

  done(): void {
    const [left] = this.#values.keys()
    if (left !== undefined) throw new Error(`${this.place}: has the unknown option ${left}`)
  }

  #one<T>(name: string, is: (value: unknown) => value is T): T | undefined {
    const values = this.#take(name, is)
    if (values.length > 1) throw new Error(`${this.place}: says ${name} twice`)
    return values[0]
  }

  #take<T>(name: string, is: (value: unknown) => value is T): T[] {
    const values = this.#values.get(name) ?? []
    this.#values.delete(name)
    return values.map((value) => {
      if (!is(value)) throw new Error(`${this.place}: ${name} cannot be ${JSON.stringify(value)}`)
      return value
    })
  }
}

/** protobufjs keeps our options in the order of the file, with all repetitions, and apart from protobuf's own options. */
export function optionsOf(object: protobufjs.ReflectionObject, place: string): Options {
  const written: readonly Readonly<Record<string, unknown>>[] = object.parsedOptions ?? []
  const ours = written.flatMap((option) => Object.entries(option)).filter(([name]) => name.startsWith('('))
  const own = Object.entries(object.options ?? {}).filter(([name]) => OWN_OPTIONS.includes(name))
  return new Options(place, valuesOf([...ours.map(([name, value]) => [name.slice(1, -1), value] as const), ...own]))
}

function valuesOf(entries: readonly (readonly [string, unknown])[]): Map<string, unknown[]> {
  const values = new Map<string, unknown[]>()
  for (const [name, value] of entries) {
    values.set(name, [...(values.get(name) ?? []), ...(Array.isArray(value) ? (value as unknown[]) : [value])])
  }
  return values
}
