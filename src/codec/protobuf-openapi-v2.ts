// OpenAPI 2.0 in the protobuf form that older clients insist on. The numbers are those of the public description `openapi.v2`.
import type { Value, ValueMap } from '../api/value.ts'
import { isMap } from '../api/value.ts'
import { ProtobufEncoder } from './protobuf-encode.ts'
import {
  anything,
  bool,
  choose,
  double,
  each,
  holding,
  integer,
  message,
  messageInSteps,
  named,
  namedInSteps,
  one,
  oneInSteps,
  text,
  type FieldRule,
  type MessageRule,
} from './protobuf-rules.ts'

/** The bytes of a whole document. */
export function* encodeOpenApiV2(document: ValueMap): Generator<void, Buffer> {
  const encoder = new ProtobufEncoder(1 << 21)
  yield* DOCUMENT(encoder, document)
  return encoder.finish()
}

/** Rules that refer to themselves are looked up when they are used. */
const schema: MessageRule = (encoder, value) => {
  SCHEMA(encoder, value)
}

const SCHEMA = message(
  {
    $ref: text(1),
    format: text(2),
    title: text(3),
    description: text(4),
    default: one(5, anything),
    multipleOf: double(6),
    maximum: double(7),
    exclusiveMaximum: bool(8),
    minimum: double(9),
    exclusiveMinimum: bool(10),
    maxLength: integer(11),
    minLength: integer(12),
    pattern: text(13),
    maxItems: integer(14),
    minItems: integer(15),
    uniqueItems: bool(16),
    maxProperties: integer(17),
    minProperties: integer(18),
    required: each(text(19)),
    enum: each(one(20, anything)),
    additionalProperties: one(
      21,
      choose((value) => holding(isMap(value) ? one(1, schema) : bool(2))),
    ),
    type: one(22, holding(each(text(1)))),
    items: one(23, holding(each(one(1, schema)))),
    allOf: each(one(24, schema)),
    properties: one(25, holding(named(1, schema))),
    externalDocs: one(29, message({ description: text(1), url: text(2) })),
    example: one(30, anything),
  },
  named(31, anything),
)

const BODY_PARAMETER = message({
  description: text(1),
  name: text(2),
  in: text(3),
  required: bool(4),
  schema: one(5, schema),
})

const QUERY_PARAMETER = message({
  required: bool(1),
  in: text(2),
  description: text(3),
  name: text(4),
  type: text(6),
  uniqueItems: bool(20),
})

const PATH_PARAMETER = message({
  required: bool(1),
  in: text(2),
  description: text(3),
  name: text(4),
  type: text(5),
  uniqueItems: bool(19),
})

/** Three messages around each other say what the member `in` says. */
function parameters(number: number): FieldRule {
  const parameter = choose((value): MessageRule => {
    switch (placeOf(value)) {
      case 'body':
        return holding(one(1, BODY_PARAMETER))
      case 'path':
        return holding(one(2, holding(one(4, PATH_PARAMETER))))
      default:
        return holding(one(2, holding(one(3, QUERY_PARAMETER))))
    }
  })
  return each(one(number, holding(one(1, parameter))))
}

function placeOf(value: Value): Value | undefined {
  return isMap(value) ? value['in'] : undefined
}

const RESPONSE = message({ description: text(1), schema: one(2, holding(one(1, schema))) })

const SECURITY = holding(named(1, holding(each(text(1)))))

const OPERATION = message(
  {
    tags: each(text(1)),
    summary: text(2),
    description: text(3),
    operationId: text(5),
    produces: each(text(6)),
    consumes: each(text(7)),
    parameters: parameters(8),
    responses: one(9, holding(named(1, holding(one(1, RESPONSE))))),
    schemes: each(text(10)),
    deprecated: bool(11),
    security: each(one(12, SECURITY)),
  },
  named(13, anything),
)

const PATH_ITEM = message(
  {
    get: one(2, OPERATION),
    put: one(3, OPERATION),
    post: one(4, OPERATION),
    delete: one(5, OPERATION),
    options: one(6, OPERATION),
    head: one(7, OPERATION),
    patch: one(8, OPERATION),
    parameters: parameters(9),
  },
  named(10, anything),
)

const API_KEY = message({ type: text(1), name: text(2), in: text(3), description: text(4) })

const DOCUMENT = messageInSteps({
  swagger: text(1),
  info: one(2, message({ title: text(1), version: text(2), description: text(3) })),
  paths: oneInSteps(8, namedInSteps(2, PATH_ITEM)),
  definitions: oneInSteps(9, namedInSteps(1, schema)),
  security: each(one(12, SECURITY)),
  securityDefinitions: one(13, holding(named(1, holding(one(2, API_KEY))))),
})
