// The place of a field inside an object. A path is a chain of small nodes. Its text is made only when a caller needs the text. So
// validating an object without faults builds no strings.

/** The names of the members of a type. Any name, if the type is unknown. */
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

/**
 * `T` is the type of the value at the path. Methods take `T` from `this`, so a path to a type is also a path to every type that this type
 * extends.
 */
export class FieldPath<out T = unknown> {
  /** Only the compiler uses this member. */
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

  /** The path of the member `name` of the object at this path. */
  child<P, K extends NameIn<P>>(this: FieldPath<P>, name: K): FieldPath<Member<P, K>> {
    return new FieldPath<Member<P, K>>(this, name, '')
  }

  /** A path for messages, whose last name is not a field. */
  place(name: string): FieldPath {
    return new FieldPath(this, name, '')
  }

  /** The path of the item at a position of the list at this path. */
  index<P>(this: FieldPath<P>, position: number): FieldPath<Item<P>> {
    return new FieldPath<Item<P>>(this, '', position)
  }

  /** The path of the value under a key of the map at this path. */
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
