// The parts that handlers need to read bodies and write answers in every encoding.
import type { EncodingTools } from './list-protobuf.ts'
import { Negotiator } from './negotiate.ts'
import { Transcoder } from './transcode.ts'
import { type Decoded, decodeObject } from '../schema/decode.ts'
import type { SourceValue } from '../schema/exact-value.ts'
import type { KindSchema, SchemaTable } from '../schema/table.ts'
import { InvariantError } from '../lib/errors.ts'

export interface WireParts {
  readonly kinds: { readonly partialMetadata: KindSchema; readonly status: KindSchema }
  /** The tools for encodings that need the table of kinds. */
  readonly encoding: EncodingTools
  readonly negotiator: Negotiator
  readonly deleteOptions: { readonly schema: KindSchema; readonly decode: (source: SourceValue) => Decoded }
}

export function wireParts(schema: SchemaTable, tools: Pick<EncodingTools, 'turns' | 'writeElsewhere'>): WireParts {
  const deleteOptions = kindIn(schema, '', 'DeleteOptions')
  return {
    kinds: {
      partialMetadata: kindIn(schema, 'meta.k8s.io', 'PartialObjectMetadata'),
      status: kindIn(schema, '', 'Status'),
    },
    encoding: {
      schemas: schema,
      transcoder: new Transcoder(),
      ...tools,
    },
    negotiator: new Negotiator(),
    deleteOptions: { schema: deleteOptions, decode: (source) => decodeObject(source, deleteOptions.shape) },
  }
}

/** A kind that every schema has. */
export function kindIn(schema: SchemaTable, group: string, kind: string, version = 'v1'): KindSchema {
  const found = schema.kind({ group, version, kind })
  if (found === undefined) throw new InvariantError(`the schema has no ${kind}`)
  return found
}
