// The front door: bytes to objects and back.

/** How one object is written. A watch in CBOR is a sequence of such. */
export type Encoding = 'json' | 'yaml' | 'protobuf' | 'cbor'
