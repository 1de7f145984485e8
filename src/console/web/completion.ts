// Completes fields of the kind, and values if they are few.
import {
  autocompletion,
  type Completion,
  type CompletionContext,
  type CompletionResult,
} from '@codemirror/autocomplete'
import type { Extension } from '@codemirror/state'
import { ask } from './api.ts'
import { type Kind, versionPath } from './kind.ts'
import { KindSchema, type OpenApiDocument } from './kind-schema.ts'
import { positionAt } from './yaml-position.ts'

/** The schema of the kind, from the server's OpenAPI document of the group-version. */
export async function schemaOf(kind: Kind): Promise<KindSchema> {
  return new KindSchema(await ask<OpenApiDocument>(`/openapi/v3${versionPath(kind)}`), kind)
}

/** The OpenAPI document is requested when the user begins to write. */
export function completionOf(kind: Kind): Extension {
  let schema: Promise<KindSchema> | undefined
  const source = async (context: CompletionContext): Promise<CompletionResult | null> => {
    const word = context.matchBefore(/[\w./-]*/)
    if (word === null || (word.from === word.to && !context.explicit)) return null
    schema ??= schemaOf(kind)
    const known = await schema.catch(() => undefined)
    if (known === undefined) return null
    const { path, key } = positionAt(context.state.sliceDoc(0, context.pos))
    const options =
      key === undefined
        ? fieldsOf(known, path)
        : known.valuesAt([...path, key]).map((label) => ({ label, type: 'enum' }))
    return options.length === 0 ? null : { from: word.from, options, validFor: /^[\w./-]*$/ }
  }
  return autocompletion({ override: [source], icons: false })
}

function fieldsOf(schema: KindSchema, path: readonly string[]): readonly Completion[] {
  return schema.fieldsAt(path).map(({ name, type, description, isRequired }) => ({
    label: name,
    detail: isRequired ? `${type}, required` : type,
    info: description,
    apply: `${name}:${type === 'object' || type === 'array' ? '' : ' '}`,
    boost: isRequired ? 1 : 0,
  }))
}
