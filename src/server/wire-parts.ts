// What the handlers need to read bodies and to write answers in every encoding.
import type { EncodingTools } from '../codec/list-protobuf.ts'
import { Negotiator } from '../codec/negotiate.ts'
import { Transcoder } from '../codec/transcode.ts'
import type { ResourceParts } from '../handlers/resource-parts.ts'
import { decodeObject } from '../schema/decode.ts'
import type { KindSchema, SchemaTable } from '../schema/table.ts'
import { InvariantError } from '../lib/errors.ts'

export function wireParts(
  schema: SchemaTable,
  tools: Pick<EncodingTools, 'turns' | 'writeElsewhere'>,
): Pick<ResourceParts, 'kinds' | 'encoding' | 'negotiator' | 'deleteOptions'> {
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
