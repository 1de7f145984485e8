// OpenAPI documents in protobuf. The field numbers are those of the public descriptions `openapi.v2` and `openapi.v3`. Parts that both
// versions have are described once, with both numbers.
import { isMap, type ValueMap } from '../api/value.ts'
import type { OpenApiVersion } from '../schema/openapi-model.ts'
import {
  anything,
  bool,
  double,
  each,
  type FieldRule,
  type Fields,
  holding,
  integer,
  message,
  type MessageRule,
  named,
  one,
  type Part,
  text,
  writeParts,
} from './protobuf-rules.ts'

/** The bytes of a document, in buffers in their order. Yields after every path and every type. */
export function encodeOpenApi(version: OpenApiVersion, document: ValueMap): Generator<void, readonly Buffer[]> {
  return writeParts(version === 2 ? VERSION_2 : VERSION_3, document)
}

const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch'] as const
const SECURITY = one(holding(1, named(holding(1, each(text)))))

/** The rule that writes a schema. In version 3 a reference is allowed there too, so each value is marked as a schema or a reference. */
function schemaRule(version: OpenApiVersion): MessageRule {
  const schema: MessageRule = (encoder, value) => {
    if (version === 2) return fields(encoder, value)
    if (isMap(value) && Object.hasOwn(value, '$ref')) one(REFERENCE)(encoder, 2, value)
    else one(fields)(encoder, 1, value)
  }
  const n = (inVersion2: number, inVersion3: number): number => (version === 2 ? inVersion2 : inVersion3)
  const others: Fields =
    version === 2
      ? { $ref: [1, text], default: [5, one(anything)], type: [22, one(holding(1, each(text)))] }
      : {
          nullable: [1, bool],
          type: [25, text],
          oneOf: [27, each(one(schema))],
          anyOf: [28, each(one(schema))],
          not: [29, one((encoder, value) => fields(encoder, value))],
          default: [33, scalarDefault],
        }
  const fields = message(
    {
      ...others,
      format: [n(2, 35), text],
      title: [n(3, 9), text],
      description: [n(4, 34), text],
      multipleOf: [n(6, 10), double],
      maximum: [n(7, 11), double],
      exclusiveMaximum: [n(8, 12), bool],
      minimum: [n(9, 13), double],
      exclusiveMinimum: [n(10, 14), bool],
      maxLength: [n(11, 15), integer],
      minLength: [n(12, 16), integer],
      pattern: [n(13, 17), text],
      maxItems: [n(14, 18), integer],
      minItems: [n(15, 19), integer],
      uniqueItems: [n(16, 20), bool],
      maxProperties: [n(17, 21), integer],
      minProperties: [n(18, 22), integer],
      required: [n(19, 23), each(text)],
      enum: [n(20, 24), each(one(anything))],
      additionalProperties: [n(21, 32), one(schemaOrBool)],
      items: [n(23, 30), one(holding(1, each(one(schema))))],
      allOf: [n(24, 26), each(one(schema))],
      properties: [n(25, 31), one(holding(1, named(schema)))],
      externalDocs: [n(29, 6), one(message({ description: [1, text], url: [2, text] }))],
      example: [n(30, 7), one(anything)],
    },
    n(31, 36),
  )
  function schemaOrBool(...[encoder, value]: Parameters<MessageRule>): void {
    if (isMap(value)) one(schema)(encoder, 1, value)
    else bool(encoder, 2, value)
  }
  return schema
}

const REFERENCE = message({ $ref: [1, text] })

/** Version 3 has no field for a default that is not a scalar. */
const scalarDefault: FieldRule = (encoder, number, value) => {
  const isNumber = typeof value === 'number' || typeof value === 'bigint'
  if (isNumber) one(holding(1, double))(encoder, number, value)
  else if (typeof value === 'boolean') one(holding(2, bool))(encoder, number, value)
  else if (typeof value === 'string') one(holding(3, text))(encoder, number, value)
}

/** The operations of a path. `first` is the field number of the first method. */
function pathItem(first: number, operation: Fields, more: Fields, extensions: number): MessageRule {
  const known: Fields = {
    tags: [1, each(text)],
    summary: [2, text],
    description: [3, text],
    operationId: [5, text],
    ...operation,
  }
  const rule = one(message(known, 13))
  const methods = METHODS.map((method, i) => [method, [first + i, rule]] as const)
  return message({ ...Object.fromEntries(methods), ...more }, extensions)
}

const SCHEMA_2 = schemaRule(2)
const RESPONSE_2 = message({ description: [1, text], schema: [2, one(holding(1, one(SCHEMA_2)))] })
const BODY_PARAMETER = message({
  description: [1, text],
  name: [2, text],
  in: [3, text],
  required: [4, bool],
  schema: [5, one(SCHEMA_2)],
})

/** A parameter of version 2 that is not the body. */
function plainParameter(number: number, type: number, uniqueItems: number): MessageRule {
  const place: Fields = { required: [1, bool], in: [2, text], description: [3, text], name: [4, text] }
  const rule = one(message({ ...place, type: [type, text], uniqueItems: [uniqueItems, bool] }))
  return holding(1, one(holding(2, one(holding(number, rule)))))
}

const QUERY_PARAMETER = plainParameter(3, 6, 20)
const PATH_PARAMETER = plainParameter(4, 5, 19)

/** The messages around a parameter depend on its member `in`. */
const PARAMETERS_2: FieldRule = each(
  one((encoder, value) => {
    const place = isMap(value) ? value['in'] : undefined
    if (place === 'body') one(holding(1, one(BODY_PARAMETER)))(encoder, 1, value)
    else (place === 'path' ? PATH_PARAMETER : QUERY_PARAMETER)(encoder, value)
  }),
)

const PATH_ITEM_2 = pathItem(
  2,
  {
    produces: [6, each(text)],
    consumes: [7, each(text)],
    parameters: [8, PARAMETERS_2],
    responses: [9, one(holding(1, named(holding(1, one(RESPONSE_2)))))],
    schemes: [10, each(text)],
    deprecated: [11, bool],
    security: [12, each(SECURITY)],
  },
  { parameters: [9, PARAMETERS_2] },
  10,
)

const API_KEY = message({ type: [1, text], name: [2, text], in: [3, text], description: [4, text] })

const VERSION_2: Fields<Part> = {
  swagger: [1, text],
  info: [2, one(message({ title: [1, text], version: [2, text], description: [3, text] }))],
  paths: [8, { entries: [2, PATH_ITEM_2] }],
  definitions: [9, { entries: [1, SCHEMA_2] }],
  security: [12, each(SECURITY)],
  securityDefinitions: [13, one(holding(1, named(holding(2, one(API_KEY)))))],
}

const SCHEMA_3 = schemaRule(3)
const CONTENT = one(holding(1, named(message({ schema: [1, one(SCHEMA_3)] }))))
const RESPONSE_3 = message({ description: [1, text], content: [3, CONTENT] })
const REQUEST_BODY = message({ description: [1, text], content: [2, CONTENT], required: [3, bool] })
const PARAMETERS_3: FieldRule = each(
  one(
    holding(
      1,
      one(
        message({
          name: [1, text],
          in: [2, text],
          description: [3, text],
          required: [4, bool],
          schema: [10, one(SCHEMA_3)],
        }),
      ),
    ),
  ),
)

const PATH_ITEM_3 = pathItem(
  4,
  {
    parameters: [6, PARAMETERS_3],
    requestBody: [7, one(holding(1, one(REQUEST_BODY)))],
    responses: [8, one(holding(2, named(holding(1, one(RESPONSE_3)))))],
    deprecated: [10, bool],
    security: [11, each(SECURITY)],
  },
  { parameters: [13, PARAMETERS_3] },
  14,
)

const SECURITY_SCHEME = message({ type: [1, text], description: [2, text], name: [3, text], in: [4, text] })

const VERSION_3: Fields<Part> = {
  openapi: [1, text],
  info: [2, one(message({ title: [1, text], description: [2, text], version: [6, text] }))],
  paths: [4, { entries: [1, PATH_ITEM_3] }],
  components: [
    5,
    {
      parts: {
        schemas: [1, { entries: [1, SCHEMA_3] }],
        securitySchemes: [7, one(holding(1, named(holding(1, one(SECURITY_SCHEME)))))],
      },
    },
  ],
  security: [6, each(SECURITY)],
}
