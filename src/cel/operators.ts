// The names that operators have as functions, in signatures and messages.

export const AND = '_&&_'
export const OR = '_||_'
export const NOT = '!_'
export const NEGATE = '-_'
export const CONDITIONAL = '_?_:_'
export const INDEX = '_[_]'
export const OPTIONAL_INDEX = '_[?_]'
export const OPTIONAL_SELECT = '_?._'
export const IN = '@in'
export const EQUALS = '_==_'
export const ADD = '_+_'
export const NOT_STRICTLY_FALSE = '@not_strictly_false'

export interface BinaryOperator {
  readonly name: string
  readonly level: 'relation' | 'sum' | 'product'
}

export const BINARY_OPERATORS: ReadonlyMap<string, BinaryOperator> = new Map<string, BinaryOperator>([
  ['==', { name: EQUALS, level: 'relation' }],
  ['!=', { name: '_!=_', level: 'relation' }],
  ['<', { name: '_<_', level: 'relation' }],
  ['<=', { name: '_<=_', level: 'relation' }],
  ['>', { name: '_>_', level: 'relation' }],
  ['>=', { name: '_>=_', level: 'relation' }],
  ['in', { name: IN, level: 'relation' }],
  ['+', { name: ADD, level: 'sum' }],
  ['-', { name: '_-_', level: 'sum' }],
  ['*', { name: '_*_', level: 'product' }],
  ['/', { name: '_/_', level: 'product' }],
  ['%', { name: '_%_', level: 'product' }],
])
