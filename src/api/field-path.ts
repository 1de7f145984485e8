// Where a field is inside an object. A path is a chain of small nodes; its text is made only when it is read,
// so that validating an object without faults builds no strings.

export class FieldPath {
  private readonly parent: FieldPath | undefined
  private readonly name: string
  private readonly subscript: string | number

  private constructor(parent: FieldPath | undefined, name: string, subscript: string | number) {
    this.parent = parent
    this.name = name
    this.subscript = subscript
  }

  static root(name: string): FieldPath {
    return new FieldPath(undefined, name, '')
  }

  /** The member `name` of the object here. */
  child(name: string): FieldPath {
    return new FieldPath(this, name, '')
  }

  /** The item at a position of the list here. */
  index(position: number): FieldPath {
    return new FieldPath(this, '', position)
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
