// What messages.ts needs to know of the generated code; the messages' own types are written there.
import type { Reader, Writer } from 'protobufjs/minimal.js'

export declare const etcd: Readonly<
  Record<string, { readonly encode: (message: object) => Writer; readonly decode: (reader: Reader) => object }>
>
