// OpenAPI 2.0 ("Swagger"): one document of everything, for clients from before version 3.
import type { ValueMap } from '../api/value.ts'
import { compareStrings } from '../lib/text-order.ts'
import {
  BEARER_TOKEN,
  CollectedSchemas,
  extensionsOf,
  ownParameters,
  sharedParameters,
  typesIn,
  type Content,
  type OpenApiInfo,
  type OpenApiOperation,
  type OpenApiParameter,
  type OpenApiPart,
  type OpenApiPath,
} from './openapi-model.ts'

export function* openApiV2(parts: readonly OpenApiPart[], { title, version }: OpenApiInfo): Generator<void, ValueMap> {
  const definitions = new CollectedSchemas(2)
  const items: (readonly [string, ValueMap])[] = []
  for (const part of parts) {
    const paths = part.paths()
    for (const path of paths) {
      items.push([path.path, pathItem(path)])
      yield
    }
    yield* definitions.add(typesIn(paths), part.types)
  }
  return {
    swagger: '2.0',
    info: { title, version },
    paths: Object.fromEntries(items.sort(([a], [b]) => compareStrings(a, b))),
    definitions: definitions.sorted(),
    securityDefinitions: { BearerToken: BEARER_TOKEN },
    security: [{ BearerToken: [] }],
  }
}

function pathItem(path: OpenApiPath): ValueMap {
  const shared = sharedParameters(path)
  return {
    ...Object.fromEntries(path.operations.map((one) => [one.method, operation(one, ownParameters(one, shared))])),
    ...(shared.length === 0 ? {} : { parameters: shared.map(parameter) }),
  }
}

function operation(one: OpenApiOperation, own: readonly OpenApiParameter[]): ValueMap {
  const { tags, description, id, body, consumes, produces } = one
  const bodyParameter =
    body === undefined
      ? []
      : [{ name: 'body', in: 'body', ...(body.required ? { required: true } : {}), schema: schemaOf(body.content) }]
  const parameters = [...bodyParameter, ...own.map(parameter)]
  return {
    description,
    ...(consumes.length === 0 ? {} : { consumes }),
    produces,
    schemes: ['https'],
    tags,
    operationId: id,
    ...(parameters.length === 0 ? {} : { parameters }),
    responses: {
      ...Object.fromEntries(
        one.answers.map((answer) => [
          String(answer.code),
          { description: answer.description, schema: schemaOf(answer.content) },
        ]),
      ),
      '401': { description: 'Unauthorized' },
    },
    ...extensionsOf(one),
  }
}

function schemaOf(content: Content): ValueMap {
  return content.kind === 'type' ? { $ref: `#/definitions/${content.name}` } : { type: 'string' }
}

function parameter({ name, in: place, description, type }: OpenApiParameter): ValueMap {
  return {
    ...(description === undefined ? {} : { description }),
    in: place,
    name,
    ...(place === 'path' ? { required: true } : {}),
    type,
    uniqueItems: true,
  }
}
