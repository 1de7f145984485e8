// A character for random texts: any that Unicode has room for. fast-check's own unit for this makes a table of all of them first,
// which takes it a second.
import * as fc from 'fast-check'

const FIRST_SURROGATE = 0xd800
const SURROGATES = 0x800

export const anyCharacter: fc.Arbitrary<string> = fc
  .nat(0x10ffff - SURROGATES)
  .map((code) => String.fromCodePoint(code < FIRST_SURROGATE ? code : code + SURROGATES))
