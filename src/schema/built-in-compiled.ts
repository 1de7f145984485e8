// The compiled built-in kinds, with types of ours: the types that TypeScript infers for large JSON files are useless.
import { byLevel } from '../api/level.ts'
import { compiledAt } from './compiled-level.ts'
import compiled from './gen/built-in-kinds.json' with { type: 'json' }
import rules from './gen/built-in-rules.json' with { type: 'json' }
import type { CompiledField, CompiledRules, CompiledSchema, CompiledType } from './table-compiled.ts'

/** The table with the types and fields of all levels. */
export const BUILT_IN: CompiledSchema = compiled as unknown as CompiledSchema
export const BUILT_IN_RULES: CompiledRules = rules as unknown as CompiledRules

/** The table of a level. */
export const builtInAt = byLevel((level) => compiledAt(level, BUILT_IN))

/** A type by the stem of its file and its name: `core_v1`, `Pod`. */
export function builtInType(stem: string, name: string): CompiledType | undefined {
  return BUILT_IN.files.find((file) => file.stem === stem)?.types.find((type) => type.name === name)
}

/** The fields of a type by its name in the table (`core_v1.Volume`), including the fields of inlined types. */
export function builtInFields(type: string): readonly CompiledField[] {
  const dot = type.lastIndexOf('.')
  const { fields = [] } = builtInType(type.slice(0, dot), type.slice(dot + 1)) ?? {}
  return fields.flatMap((field) => (field[3]?.includes('i') === true ? builtInFields(field[2]) : [field]))
}
