// OpenAPI 3.0: one document a group-version, which clients fetch by a hash and keep.
import type { ValueMap } from '../api/value.ts'
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

export function* openApiV3(part: OpenApiPart, { title, version }: OpenApiInfo): Generator<void, ValueMap> {
  const paths = part.paths()
  const items: (readonly [string, ValueMap])[] = []
  for (const path of paths) {
    items.push([path.path, pathItem(path)])
    yield
  }
  const collected = new CollectedSchemas(3)
  yield* collected.add(typesIn(paths), part.types)
  const schemas = collected.sorted()
  return {
    openapi: '3.0.0',
    info: { title, version },
    paths: Object.fromEntries(items),
    components: {
      ...(Object.keys(schemas).length === 0 ? {} : { schemas }),
      ...(part.isSecured ? { securitySchemes: { BearerToken: BEARER_TOKEN } } : {}),
    },
  }
}

function pathItem(path: OpenApiPath): ValueMap {
  const shared = sharedParameters(path)
  return {
    ...(shared.length === 0 ? {} : { parameters: shared.map(parameter) }),
    ...Object.fromEntries(path.operations.map((one) => [one.method, operation(one, ownParameters(one, shared))])),
  }
}

function operation(one: OpenApiOperation, parameters: readonly OpenApiParameter[]): ValueMap {
  const { tags, description, id, body, consumes } = one
  return {
    tags,
    description,
    operationId: id,
    ...(parameters.length === 0 ? {} : { parameters: parameters.map(parameter) }),
    ...(body === undefined
      ? {}
      : { requestBody: { content: contents(consumes, body.content), ...(body.required ? { required: true } : {}) } }),
    responses: {
      ...Object.fromEntries(one.answers.map((answer) => [String(answer.code), response(one, answer)])),
      '401': { description: 'Unauthorized' },
    },
    ...extensionsOf(one),
  }
}

function response({ produces }: OpenApiOperation, answer: OpenApiOperation['answers'][number]): ValueMap {
  return { description: answer.description, content: contents(produces, answer.content) }
}

function contents(mediaTypes: readonly string[], content: Content): ValueMap {
  return Object.fromEntries(mediaTypes.toSorted().map((type) => [type, { schema: schemaOf(content) }]))
}

function schemaOf(content: Content): ValueMap {
  return content.kind === 'type' ? { $ref: `#/components/schemas/${content.name}` } : { type: 'string' }
}

function parameter({ name, in: place, description, type }: OpenApiParameter): ValueMap {
  return {
    name,
    in: place,
    ...(description === undefined ? {} : { description }),
    ...(place === 'path' ? { required: true } : {}),
    schema: { type, uniqueItems: true },
  }
}
