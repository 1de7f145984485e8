import { describe, expect, it } from 'vitest'
import {
  duplicate,
  forbidden,
  internalFault,
  invalid,
  notFound,
  notSupported,
  OMITTED,
  required,
  shownJson,
  shownMap,
  tooLong,
  tooMany,
} from '../../../src/api/field-error.ts'
import { FieldPath } from '../../../src/api/field-path.ts'

const at = FieldPath.root('spec').child('list').index(2).child('name')

describe('field paths (R-004)', () => {
  it.each([
    [FieldPath.root('spec'), 'spec'],
    [at, 'spec.list[2].name'],
    [FieldPath.root('metadata').child('labels').key('a/b'), 'metadata.labels[a/b]'],
    [FieldPath.root(''), '[]'],
  ])('%# reads %s', (path, text) => {
    expect(path.toString()).toBe(text)
  })
})

describe('texts of field errors (R-004, W-008, W-009)', () => {
  it.each([
    ['required', required(at), 'FieldValueRequired', 'Required value'],
    ['required with detail', required(at, 'why'), 'FieldValueRequired', 'Required value: why'],
    ['a string', invalid(at, 'a"b', 'no'), 'FieldValueInvalid', 'Invalid value: "a\\"b": no'],
    [
      'control characters',
      invalid(at, 'bad\x01\n\u00ad', 'no'),
      'FieldValueInvalid',
      'Invalid value: "bad\\x01\\n\\u00ad": no',
    ],
    ['letters of any script', invalid(at, 'é<ß', 'no'), 'FieldValueInvalid', 'Invalid value: "é<ß": no'],
    ['a number', invalid(at, -1, 'no'), 'FieldValueInvalid', 'Invalid value: -1: no'],
    ['a big number', invalid(at, 2n ** 62n, 'no'), 'FieldValueInvalid', 'Invalid value: 4611686018427387904: no'],
    ['a boolean', invalid(at, true, 'no'), 'FieldValueInvalid', 'Invalid value: true: no'],
    ['nothing', invalid(at, undefined, 'no'), 'FieldValueInvalid', 'Invalid value: null: no'],
    ['an object', invalid(at, { a: ['<'] }, 'no'), 'FieldValueInvalid', 'Invalid value: {"a":["\\u003c"]}: no'],
    ['an enumerated word', invalid(at, shownJson('a&b'), 'no'), 'FieldValueInvalid', 'Invalid value: "a\\u0026b": no'],
    [
      'a map, its keys in order',
      invalid(at, shownMap({ b: '1', a: '2' }), 'no'),
      'FieldValueInvalid',
      'Invalid value: {"a":"2","b":"1"}: no',
    ],
    ['a value left out', invalid(at, OMITTED, 'no'), 'FieldValueInvalid', 'Invalid value: no'],
    ['duplicate', duplicate(at, 'x'), 'FieldValueDuplicate', 'Duplicate value: "x"'],
    ['not found', notFound(at, 'x'), 'FieldValueNotFound', 'Not found: "x"'],
    [
      'not supported',
      notSupported(at, 'x', ['a', 'b']),
      'FieldValueNotSupported',
      'Unsupported value: "x": supported values: "a", "b"',
    ],
    ['forbidden', forbidden(at, 'no'), 'FieldValueForbidden', 'Forbidden: no'],
    ['too long', tooLong(at, 5), 'FieldValueTooLong', 'Too long: may not be more than 5 bytes'],
    ['too many', tooMany(at, 4, 3), 'FieldValueTooMany', 'Too many: 4: must have at most 3 items'],
    ['too many for one', tooMany(at, 2, 1), 'FieldValueTooMany', 'Too many: 2: must have at most 1 item'],
    ['internal', internalFault(at, 'no'), 'InternalError', 'Internal error: no'],
  ] as const)('%s', (_, error, reason, message) => {
    expect(error).toMatchObject({ reason, message, field: 'spec.list[2].name' })
  })
})
