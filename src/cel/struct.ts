// An object that an expression made: `Object.spec{replicas: 3}`.
import type { ObjectType } from './type.ts'
import { type CelValue, NamedMap } from './value.ts'

export class StructMap extends NamedMap {
  readonly #type: ObjectType
  readonly #fields: ReadonlyMap<string, CelValue>

  constructor(type: ObjectType, fields: ReadonlyMap<string, CelValue>) {
    super()
    this.#type = type
    this.#fields = fields
  }

  get typeName(): string {
    return this.#type.name
  }

  get size(): number {
    return this.#fields.size
  }

  get(key: CelValue): CelValue | undefined {
    return typeof key === 'string' ? this.#fields.get(key) : undefined
  }

  keys(): Iterable<string> {
    return this.#fields.keys()
  }
}
