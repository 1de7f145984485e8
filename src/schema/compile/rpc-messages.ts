// Writes the messages and calls of `proto/etcd/rpc.proto` as TypeScript: types, and functions that read and write the messages. The
// functions use no table, because every request to the store runs them.
import protobufjs from 'protobufjs'

const HEAD = `// Made from proto/etcd/rpc.proto by \`make generate\`; changes made here are lost. Fields are written from the last to the first.
import { ProtobufReader } from '../../wire/protobuf-reader.ts'
import { keyFromBytes } from '../key-text.ts'
import { lengthOf, type Message, type Rpc, SMALL_BYTES, sizeOfAll, sizeOfOne, writeAll, writeKey, writeOne } from '../rpc.ts'

const NO_BYTES = Buffer.alloc(0)
`

/** The TypeScript code for values of a scalar type. */
interface Scalar {
  readonly type: string
  readonly zero: string
  readonly read: string
  /** A method of `MessageWriter`. Keys are written by the function `writeKey` instead. */
  readonly write: string
  /** The wire type. */
  readonly wire: 0 | 2
}

const NUMBER: Scalar = { type: 'number', zero: '0', read: 'reader.safeUint()', write: 'integer', wire: 0 }
const ROUNDED: Scalar = { ...NUMBER, read: 'Number(reader.int64())' }
const ID: Scalar = { type: 'bigint', zero: '0n', read: 'BigInt(reader.int64())', write: 'integer', wire: 0 }
const TEXT: Scalar = { type: 'string', zero: "''", read: 'reader.looseText()', write: 'text', wire: 2 }
const KEY: Scalar = { ...TEXT, read: 'reader.looseText(keyFromBytes)', write: 'key' }
const ENUM: Scalar = { ...NUMBER, read: 'reader.int32()' }
const SCALARS: Readonly<Record<string, Scalar>> = {
  uint32: NUMBER,
  int64: NUMBER,
  uint64: NUMBER,
  bool: { type: 'boolean', zero: 'false', read: 'reader.bool()', write: 'flag', wire: 0 },
  string: TEXT,
  bytes: { type: 'Buffer', zero: 'NO_BYTES', read: 'reader.bytes()', write: 'bytes', wire: 2 },
}

export function formatRpc(text: string): string {
  const { package: packageName, root } = protobufjs.parse(text, new protobufjs.Root(), { keepCase: true })
  const space = root.lookup(packageName ?? '')
  if (!(space instanceof protobufjs.Namespace)) throw new Error('rpc.proto: has no package')
  root.resolveAll()
  const types = space.nestedArray.filter((one) => one instanceof protobufjs.Type)
  const enums = [space, ...types].flatMap(({ nestedArray }) =>
    nestedArray.filter((one) => one instanceof protobufjs.Enum),
  )
  const fields = types.flatMap((type) => type.fieldsArray)
  const zeros = new Set(fields.filter((field) => hasZeroMessage(field)).map(({ type }) => type))
  return [
    HEAD,
    enums.map((one) => formatEnum(one)).join(''),
    ...types.map((type) => formatType(type)),
    [...zeros].map((type) => `const ${zeroOf(type)}: ${type} = ${type}.read(new ProtobufReader(NO_BYTES))\n`).join(''),
    ...space.nestedArray.filter((one) => one instanceof protobufjs.Service).map((service) => formatCalls(service)),
  ].join('\n')
}

/** The name of an enum inside a message begins with the name of the message: `CompareTarget`. */
function formatEnum({ name, parent, values }: protobufjs.Enum): string {
  const members = Object.entries(values).map(([value, number]) => `${value}: ${number}`)
  const outer = parent instanceof protobufjs.Type ? parent.name : ''
  return `export const ${outer}${name} = { ${members.join(', ')} } as const\n`
}

function formatType({ name, fieldsArray: fields }: protobufjs.Type): string {
  const members = fields.map((field) => `  readonly ${nameOf(field)}: ${typeOf(field)}\n`)
  const sizes = fields.map((field) => sizeOf(field)).filter((size) => size !== '')
  const read = fields.filter((field) => formOf(field) !== 'WRITTEN')
  return `export interface ${name} {
${members.join('')}}

export const ${name}: Message<${name}> = {
  size: (${sizes.length === 0 ? '' : 'message'}) => ${['SMALL_BYTES', ...sizes].join(' + ')},
  write(${fields.length === 0 ? '' : 'writer, message'}) {
${fields
  .toReversed()
  .map((field) => `    ${writeOf(field)}\n`)
  .join('')}  },
  read(reader) {
${read.map((field) => `    ${declare(field)}\n`).join('')}    for (let tag = reader.nextTag(); tag !== 0; tag = reader.nextTag()) {
      switch (tag) {
${read.map((field) => readOf(field)).join('')}        default:
          reader.skip(tag)
      }
    }
    return { ${fields.map((field) => (read.includes(field) ? nameOf(field) : `${nameOf(field)}: ${scalarOf(field)!.zero}`)).join(', ')} }
  },
}
`
}

function formatCalls({ name: service, methodsArray: calls }: protobufjs.Service): string {
  return calls
    .map(({ name, requestType: request, responseType: response }) => {
      const constant = name.replaceAll(/(?<=[a-z])(?=[A-Z])/g, '_').toUpperCase()
      const rpc = `{ path: '/etcdserverpb.${service}/${name}', request: ${request}, response: ${response} }`
      return `export const ${constant}: Rpc<${request}, ${response}> = ${rpc}\n`
    })
    .join('')
}

function formOf({ options }: protobufjs.Field): unknown {
  return options?.['(form)']
}

/** Undefined: the field is a message. */
function scalarOf(field: protobufjs.Field): Scalar | undefined {
  const scalar = field.resolvedType instanceof protobufjs.Enum ? ENUM : SCALARS[field.type]
  switch (formOf(field)) {
    case 'KEY':
      return KEY
    case 'ID':
      return ID
    case 'ROUNDED':
      return ROUNDED
    case 'WRITTEN':
      return scalar === NUMBER ? ID : scalar
    default:
      return scalar
  }
}

function nameOf({ name, options }: protobufjs.Field): string {
  const other: unknown = options?.['json_name']
  return typeof other === 'string' ? other : name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase())
}

function mayBeAbsent(field: protobufjs.Field): boolean {
  return field.partOf !== null
}

function hasZeroMessage(field: protobufjs.Field): boolean {
  return scalarOf(field) === undefined && !field.repeated && !mayBeAbsent(field)
}

function zeroOf(type: string): string {
  return `NO_${type.replaceAll(/(?<=[a-z])(?=[A-Z])/g, '_').toUpperCase()}`
}

function typeOf(field: protobufjs.Field): string {
  const type = scalarOf(field)?.type ?? field.type
  if (field.repeated) return `readonly ${type}[]`
  return mayBeAbsent(field) ? `${type} | undefined` : type
}

function sizeOf(field: protobufjs.Field): string {
  const scalar = scalarOf(field)
  const value = `message.${nameOf(field)}`
  if (scalar === undefined) return `${field.repeated ? 'sizeOfAll' : 'sizeOfOne'}(${field.type}, ${value})`
  return scalar.wire === 0 || field.repeated ? '' : `lengthOf(${value})`
}

function writeOf(field: protobufjs.Field): string {
  const { id, type } = field
  const value = `message.${nameOf(field)}`
  const scalar = scalarOf(field)
  if (scalar === undefined) return `${field.repeated ? 'writeAll' : 'writeOne'}(writer, ${id}, ${type}, ${value})`
  const write = (one: string): string =>
    scalar === KEY ? `writeKey(writer, ${id}, ${one})` : `writer.${scalar.write}(${id}, ${one})`
  if (!field.repeated) return write(value)
  return `for (const item of ${value}?.toReversed() ?? []) ${write('item, true')}`
}

function declare(field: protobufjs.Field): string {
  const scalar = scalarOf(field)
  const name = nameOf(field)
  if (field.repeated) return `const ${name}: ${scalar?.type ?? field.type}[] = []`
  if (mayBeAbsent(field)) return `let ${name}: ${typeOf(field)}`
  return `let ${name}: ${typeOf(field)} = ${scalar?.zero ?? zeroOf(field.type)}`
}

function readOf(field: protobufjs.Field): string {
  const scalar = scalarOf(field)
  const name = nameOf(field)
  const value = scalar?.read ?? `reader.message(${field.type}.read)`
  const others = field.partOf?.fieldsArray.filter((other) => other !== field).map((other) => nameOf(other)) ?? []
  const statements = [
    field.repeated ? `${name}.push(${value})` : `${name} = ${value}`,
    ...(others.length === 0 ? [] : [[...others, 'undefined'].join(' = ')]),
    'break',
  ]
  const packed =
    field.repeated && scalar?.wire === 0
      ? [
          `case ${(field.id << 3) | 2}:`,
          `  for (const outer = reader.enter(); ; ${name}.push(${value}))`,
          '    if (!reader.hasMore) {',
          '      reader.leave(outer)',
          '      break',
          '    }',
          '  break',
        ]
      : []
  const lines = [`case ${(field.id << 3) | (scalar?.wire ?? 2)}:`, ...statements.map((one) => `  ${one}`), ...packed]
  return lines.map((line) => `        ${line}\n`).join('')
}
