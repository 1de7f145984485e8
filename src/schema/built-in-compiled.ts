// The compiled form of the built-in kinds under its own type: the compiler's idea of a large JSON file is of no use to anybody.
import compiled from './gen/built-in-kinds.json' with { type: 'json' }
import rules from './gen/built-in-rules.json' with { type: 'json' }
import type { CompiledRules, CompiledSchema, CompiledType } from './table-compiled.ts'

export const BUILT_IN: CompiledSchema = compiled as unknown as CompiledSchema
export const BUILT_IN_RULES: CompiledRules = rules as unknown as CompiledRules

/** A type by the stem of its file and its name: `core_v1`, `Pod`. */
export function builtInType(stem: string, name: string): CompiledType | undefined {
  return BUILT_IN.files.find((file) => file.stem === stem)?.types.find((type) => type.name === name)
}
