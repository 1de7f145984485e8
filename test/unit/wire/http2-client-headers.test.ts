import { expect, it } from 'vitest'
import { HeaderReader } from '../../../src/wire/http2-client-headers.ts'
import { literal } from '../../corpora/header-blocks.ts'

it('a block that comes again is read as it was read before, however many others came between', () => {
  const reader = new HeaderReader()
  const blocks = Array.from({ length: 10 }, (_, i) => literal('a', String(i)))
  for (const block of [...blocks, ...blocks.flatMap((some) => [some, blocks[0]!])]) {
    const shown = Buffer.from(block)
    expect(reader.read(shown)).toEqual(new HeaderReader().read(block))
    shown.fill(0)
  }
})
