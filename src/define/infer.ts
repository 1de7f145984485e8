// The static types of the values that a schema accepts and gives, and the faults of structure that the compiler can find.
import type { JsonSchema, KEYWORDS_INSTEAD } from './json-schema.ts'
import type { INSTEAD, ZodSchema } from './zod-schema.ts'

export type Schema = ZodSchema | JsonSchema

/** The type of objects that the server returns: defaults are filled in. */
export type OutputOf<S> = S extends { readonly _zod: { readonly output: infer Output } }
  ? Output
  : JsonType<S, 'output'>

/** The type of objects that clients send: fields with a default may be left out. */
export type InputOf<S> = S extends { readonly _zod: { readonly input: infer Input } } ? Input : JsonType<S, 'input'>

type Direction = 'input' | 'output'

type JsonType<S, D extends Direction> = JsonValue<S, D> | NullOf<S>

type NullOf<S> = S extends { readonly nullable: true }
  ? null
  : S extends { readonly type: readonly (infer Types)[] }
    ? 'null' extends Types
      ? null
      : never
    : never

type JsonValue<S, D extends Direction> = S extends { readonly 'x-kubernetes-int-or-string': true }
  ? number | string
  : S extends { readonly enum: readonly (infer Values)[] }
    ? Values
    : S extends { readonly const: infer Only }
      ? Only
      : S extends { readonly type: infer T }
        ? JsonTyped<S, Exclude<T extends readonly (infer Each)[] ? Each : T, 'null'>, D>
        : unknown

type JsonTyped<S, T, D extends Direction> = T extends 'string'
  ? string
  : T extends 'integer' | 'number'
    ? number
    : T extends 'boolean'
      ? boolean
      : T extends 'array'
        ? S extends { readonly items: infer Items }
          ? JsonType<Items, D>[]
          : unknown[]
        : JsonObject<S, D>

type JsonObject<S, D extends Direction> = S extends { readonly properties: infer Fields }
  ? Fieldwise<Fields, PresentIn<S, Fields, D>, D> &
      (KeepsUnknown<S> extends true ? { [field: string]: unknown } : unknown)
  : S extends { readonly additionalProperties: infer Values extends JsonSchema }
    ? { [key: string]: JsonType<Values, D> }
    : { [field: string]: unknown }

type KeepsUnknown<S> = S extends { readonly 'x-kubernetes-preserve-unknown-fields': true } ? true : false

type Fieldwise<Fields, Present, D extends Direction> = {
  -readonly [K in keyof Fields as K extends Present ? K : never]: JsonType<Fields[K], D>
} & { -readonly [K in keyof Fields as K extends Present ? never : K]?: JsonType<Fields[K], D> }

type PresentIn<S, Fields, D extends Direction> = D extends 'output'
  ? RequiredOf<S> | Defaulted<Fields>
  : Exclude<RequiredOf<S>, Defaulted<Fields>>

type RequiredOf<S> = S extends { readonly required: readonly (infer Names)[] } ? Names : never

type Defaulted<Fields> = {
  [K in keyof Fields]: Fields[K] extends { readonly default: unknown } ? K : never
}[keyof Fields]

/** A text with the place and the replacement if the compiler sees that the schema is not structural. Otherwise `never`. */
export type Unstructural<S, Path extends string> = S extends { readonly _zod: unknown }
  ? UnstructuralZod<S, Path, []>
  : UnstructuralJson<S, Path, []>

/** A schema with this depth contains itself: no schema that is written by hand is so deep. */
type TooDeep = 24

type UnstructuralZod<S, Path extends string, Depth extends readonly 0[]> = Depth['length'] extends TooDeep
  ? `${Path}: ${(typeof INSTEAD)['lazy']}`
  : S extends { readonly _zod: { readonly def: infer Def } }
    ? UnstructuralDef<Def, Path, [...Depth, 0]>
    : never

type UnstructuralDef<Def, Path extends string, Depth extends readonly 0[]> = Def extends {
  readonly type: 'object'
  readonly shape: infer Shape
}
  ? { [K in keyof Shape & string]: UnstructuralZod<Shape[K], `${Path}.${K}`, Depth> }[keyof Shape & string]
  : Def extends { readonly type: 'array'; readonly element: infer Element }
    ? UnstructuralZod<Element, `${Path}[]`, Depth>
    : Def extends { readonly type: 'record'; readonly keyType: infer Key; readonly valueType: infer Value }
      ? UnstructuralKey<Key, Path> | UnstructuralZod<Value, `${Path}{}`, Depth>
      : Def extends { readonly type: 'union'; readonly options: readonly (infer Options)[] }
        ? UnstructuralUnion<Options, Path>
        : Def extends { readonly type: keyof typeof INSTEAD & (infer T extends keyof typeof INSTEAD) }
          ? `${Path}: ${(typeof INSTEAD)[T]}`
          : Def extends { readonly innerType: infer Inner }
            ? UnstructuralZod<Inner, Path, Depth>
            : never

type UnstructuralKey<Key, Path extends string> = Key extends {
  readonly _zod: { readonly def: { readonly type: 'string' } }
}
  ? never
  : `${Path}: ${(typeof INSTEAD)['record keys']}`

/** A union with null, or of literals, enumerations, texts and numbers only, passes here. Its other faults are found at run time. */
type UnstructuralUnion<Options, Path extends string> =
  TypeOf<Options> extends 'literal' | 'enum' | 'string' | 'number'
    ? never
    : 'null' extends TypeOf<Options>
      ? never
      : `${Path}: ${(typeof INSTEAD)['union']}`

type TypeOf<S> = S extends { readonly _zod: { readonly def: { readonly type: infer T } } } ? T : never

type UnstructuralJson<S, Path extends string, Depth extends readonly 0[]> = Depth['length'] extends TooDeep
  ? never
  :
      | {
          [K in keyof S]: K extends keyof typeof KEYWORDS_INSTEAD ? `${Path}: ${(typeof KEYWORDS_INSTEAD)[K]}` : never
        }[keyof S]
      | (S extends { readonly properties: infer Fields }
          ? { [K in keyof Fields & string]: UnstructuralJson<Fields[K], `${Path}.${K}`, [...Depth, 0]> }[keyof Fields &
              string]
          : never)
      | (S extends { readonly items: infer Items } ? UnstructuralJson<Items, `${Path}[]`, [...Depth, 0]> : never)
      | (S extends { readonly additionalProperties: infer Values extends object }
          ? UnstructuralJson<Values, `${Path}{}`, [...Depth, 0]>
          : never)
