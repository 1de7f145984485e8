// The place of a field inside an object. A path is a chain of small nodes; its text is made only when it is read,
// so that validating an object without faults builds no strings.

/** The names below a value of a type; any name if the type is not known. */
type NameIn<T> = unknown extends T
  ? string
  : string extends keyof NonNullable<T>
    ? string
    : keyof NonNullable<T> & string
type Member<T, K> = unknown extends T
  ? unknown
  : string extends keyof NonNullable<T>
    ? unknown
    : K extends keyof NonNullable<T>
      ? NonNullable<NonNullable<T>[K]>
      : never
type Item<T> = unknown extends T ? unknown : Extract<T, readonly unknown[]>[number]

/** `T` is the type of the value at the path. Methods take it from `this`, so that a path to a type is also a path to every type that it extends. */
export class FieldPath<out T = unknown> {
  /** For the compiler alone. */
  declare readonly type?: T
  private readonly parent: FieldPath | undefined
  private readonly name: string
  private readonly subscript: string | number

  private constructor(parent: FieldPath | undefined, name: string, subscript: string | number) {
    this.parent = parent
    this.name = name
    this.subscript = subscript
  }

  static root<T = unknown>(name: string): FieldPath<T> {
    return new FieldPath<T>(undefined, name, '')
  }

  /** The member `name` of the object here. */
  child<P, K extends NameIn<P>>(this: FieldPath<P>, name: K): FieldPath<Member<P, K>> {
    return new FieldPath<Member<P, K>>(this, name, '')
  }

  /** A name below here that appears in messages and is not a field. */
  place(name: string): FieldPath {
    return new FieldPath(this, name, '')
  }

  /** The item at a position of the list here. */
  index<P>(this: FieldPath<P>, position: number): FieldPath<Item<P>> {
    return new FieldPath<Item<P>>(this, '', position)
  }

  /** The value under a key of the map here. */
  key(key: string): FieldPath {
    return new FieldPath(this, '', key)
  }

  /** `spec.containers[0].name`, `metadata.annotations[a/b]`. */
  toString(): string {
    const text = this.name === '' ? `[${this.subscript}]` : this.name
    if (this.parent === undefined) return text
    return this.name === '' ? `${this.parent.toString()}${text}` : `${this.parent.toString()}.${text}`
  }
}
