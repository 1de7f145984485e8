// Renders OpenAPI documents. Version 2.0 ("Swagger") has one document for everything, for older clients. Version 3.0 has one document for
// each group-version, which clients fetch by its hash and keep.
import type { ValueMap } from '../api/value.ts'
import { givenMembers } from '../lib/given-members.ts'
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
  type OpenApiVersion,
} from './openapi-model.ts'

/** The document of these parts: all parts in version 2, one part in version 3. Yields after every path and every type. */
export function* openApiDocument(
  openApi: OpenApiVersion,
  parts: readonly OpenApiPart[],
  { title, version }: OpenApiInfo,
): Generator<void, ValueMap> {
  const types = new CollectedSchemas(openApi)
  const items: (readonly [string, ValueMap])[] = []
  for (const part of parts) {
    const paths = part.paths()
    for (const path of paths) {
      items.push([path.path, pathItem(openApi, path)])
      yield
    }
    yield* types.add(typesIn(paths), part.types)
  }
  const info = { title, version }
  const paths = Object.fromEntries(items.sort(([a], [b]) => compareStrings(a, b)))
  const schemas = types.sorted()
  if (openApi === 2) {
    const securityDefinitions = { BearerToken: BEARER_TOKEN }
    return { swagger: '2.0', info, paths, definitions: schemas, securityDefinitions, security: [{ BearerToken: [] }] }
  }
  const components = givenMembers({
    schemas: Object.keys(schemas).length === 0 ? undefined : schemas,
    securitySchemes: parts.some(({ isSecured }) => isSecured) ? { BearerToken: BEARER_TOKEN } : undefined,
  })
  return { openapi: '3.0.0', info, paths, components }
}

function pathItem(openApi: OpenApiVersion, path: OpenApiPath): ValueMap {
  const shared = sharedParameters(path)
  const operation = openApi === 2 ? operation2 : operation3
  const operations = path.operations.map((one) => [one.method, operation(one, ownParameters(one, shared))])
  return { ...Object.fromEntries(operations), ...parametersOf(shared.map(openApi === 2 ? parameter2 : parameter3)) }
}

function parametersOf(parameters: readonly ValueMap[]): ValueMap {
  return parameters.length === 0 ? {} : { parameters }
}

function operation2(one: OpenApiOperation, own: readonly OpenApiParameter[]): ValueMap {
  const { body, consumes, produces } = one
  const bodyParameter =
    body === undefined ? [] : [{ name: 'body', in: 'body', ...requiredOf(body), schema: schemaOf(2, body.content) }]
  return {
    ...describe(one, ({ content }) => ({ schema: schemaOf(2, content) })),
    ...(consumes.length === 0 ? {} : { consumes }),
    produces,
    schemes: ['https'],
    ...parametersOf([...bodyParameter, ...own.map(parameter2)]),
  }
}

function operation3(one: OpenApiOperation, own: readonly OpenApiParameter[]): ValueMap {
  const { body, consumes, produces } = one
  const contents = (mediaTypes: readonly string[], content: Content): ValueMap => ({
    content: Object.fromEntries(mediaTypes.toSorted().map((type) => [type, { schema: schemaOf(3, content) }])),
  })
  return {
    ...describe(one, ({ content }) => contents(produces, content)),
    ...(body === undefined ? {} : { requestBody: { ...contents(consumes, body.content), ...requiredOf(body) } }),
    ...parametersOf(own.map(parameter3)),
  }
}

type Answer = OpenApiOperation['answers'][number]

/** The members of an operation that both versions have. */
function describe(one: OpenApiOperation, contentOf: (answer: Answer) => ValueMap): ValueMap {
  const answers = one.answers.map((answer) => {
    return [String(answer.code), { description: answer.description, ...contentOf(answer) }] as const
  })
  return {
    description: one.description,
    tags: one.tags,
    operationId: one.id,
    responses: { ...Object.fromEntries(answers), '401': { description: 'Unauthorized' } },
    ...extensionsOf(one),
  }
}

function requiredOf({ required }: { readonly required: boolean }): ValueMap {
  return required ? { required } : {}
}

function schemaOf(openApi: OpenApiVersion, content: Content): ValueMap {
  if (content.kind === 'text') return { type: 'string' }
  return { $ref: `${openApi === 2 ? '#/definitions/' : '#/components/schemas/'}${content.name}` }
}

function parameter2(one: OpenApiParameter): ValueMap {
  return { ...namedParameter(one), type: one.type, uniqueItems: true }
}

function parameter3(one: OpenApiParameter): ValueMap {
  return { ...namedParameter(one), schema: { type: one.type, uniqueItems: true } }
}

function namedParameter({ name, in: place, description }: OpenApiParameter): ValueMap {
  return givenMembers({ name, in: place, description, required: place === 'path' || undefined })
}
