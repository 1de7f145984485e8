// OpenAPI 3.0 in protobuf. The numbers are those of the public description `openapi.v3`.
import { isMap, type Value, type ValueMap } from '../api/value.ts'
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

/** The bytes of a document. */
export function* encodeOpenApiV3(document: ValueMap): Generator<void, Buffer> {
  const encoder = new ProtobufEncoder(1 << 18)
  yield* DOCUMENT(encoder, document)
  return encoder.finish()
}

const REFERENCE = message({ $ref: text(1) })

/** Every place that may hold a schema may hold a reference to one. */
const schema: MessageRule = (encoder, value) => {
  if (isMap(value) && Object.hasOwn(value, '$ref')) one(2, REFERENCE)(encoder, value)
  else one(1, SCHEMA)(encoder, value)
}

/** The description has no words for a default that is not a scalar. */
const defaultRule: FieldRule = (encoder, value) => {
  const rule = scalarRule(value)
  if (rule !== undefined) one(33, holding(rule))(encoder, value)
}

function scalarRule(value: Value): FieldRule | undefined {
  switch (typeof value) {
    case 'number':
    case 'bigint':
      return double(1)
    case 'boolean':
      return bool(2)
    case 'string':
      return text(3)
    default:
      return undefined
  }
}

const SCHEMA: MessageRule = message(
  {
    nullable: bool(1),
    externalDocs: one(6, message({ description: text(1), url: text(2) })),
    example: one(7, anything),
    title: text(9),
    multipleOf: double(10),
    maximum: double(11),
    exclusiveMaximum: bool(12),
    minimum: double(13),
    exclusiveMinimum: bool(14),
    maxLength: integer(15),
    minLength: integer(16),
    pattern: text(17),
    maxItems: integer(18),
    minItems: integer(19),
    uniqueItems: bool(20),
    maxProperties: integer(21),
    minProperties: integer(22),
    required: each(text(23)),
    enum: each(one(24, anything)),
    type: text(25),
    allOf: each(one(26, schema)),
    oneOf: each(one(27, schema)),
    anyOf: each(one(28, schema)),
    not: one(29, (encoder, value) => {
      SCHEMA(encoder, value)
    }),
    items: one(30, holding(each(one(1, schema)))),
    properties: one(31, holding(named(1, schema))),
    additionalProperties: one(
      32,
      choose((value) => holding(isMap(value) ? one(1, schema) : bool(2))),
    ),
    default: defaultRule,
    description: text(34),
    format: text(35),
  },
  named(36, anything),
)

const PARAMETER = holding(
  one(1, message({ name: text(1), in: text(2), description: text(3), required: bool(4), schema: one(10, schema) })),
)

const CONTENT = holding(named(1, message({ schema: one(1, schema) })))

const REQUEST_BODY = holding(one(1, message({ description: text(1), content: one(2, CONTENT), required: bool(3) })))

const RESPONSE = holding(one(1, message({ description: text(1), content: one(3, CONTENT) })))

const SECURITY = holding(named(1, holding(each(text(1)))))

const OPERATION = message(
  {
    tags: each(text(1)),
    summary: text(2),
    description: text(3),
    operationId: text(5),
    parameters: each(one(6, PARAMETER)),
    requestBody: one(7, REQUEST_BODY),
    responses: one(8, holding(named(2, RESPONSE))),
    deprecated: bool(10),
    security: each(one(11, SECURITY)),
  },
  named(13, anything),
)

const PATH_ITEM = message(
  {
    get: one(4, OPERATION),
    put: one(5, OPERATION),
    post: one(6, OPERATION),
    delete: one(7, OPERATION),
    options: one(8, OPERATION),
    head: one(9, OPERATION),
    patch: one(10, OPERATION),
    parameters: each(one(13, PARAMETER)),
  },
  named(14, anything),
)

const SECURITY_SCHEME = holding(one(1, message({ type: text(1), description: text(2), name: text(3), in: text(4) })))

const DOCUMENT = messageInSteps({
  openapi: text(1),
  info: one(2, message({ title: text(1), description: text(2), version: text(6) })),
  paths: oneInSteps(4, namedInSteps(1, PATH_ITEM)),
  components: oneInSteps(
    5,
    messageInSteps({
      schemas: oneInSteps(1, namedInSteps(1, schema)),
      securitySchemes: one(7, holding(named(1, SECURITY_SCHEME))),
    }),
  ),
  security: each(one(6, SECURITY)),
})
