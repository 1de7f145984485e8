import { describe, expect, it } from 'vitest'
import { mergeTexts } from '../../../../src/console/web/three-way-merge.ts'

const BASE = 'a: 1\nb: 2\nc: 3\nd: 4\ne: 5\n'

describe('two edits of one text', () => {
  it.each([
    [
      'of different lines are both made',
      'a: 9\nb: 2\nc: 3\nd: 4\ne: 5\n',
      'a: 1\nb: 2\nc: 3\nd: 4\ne: 7\n',
      'a: 9\nb: 2\nc: 3\nd: 4\ne: 7\n',
    ],
    [
      'that are the same are made once',
      'a: 1\nb: 5\nc: 3\nd: 4\ne: 5\n',
      'a: 1\nb: 5\nc: 3\nd: 4\ne: 5\n',
      'a: 1\nb: 5\nc: 3\nd: 4\ne: 5\n',
    ],
    [
      'may add and remove lines',
      'a: 1\nb: 2\nx: 0\nc: 3\nd: 4\ne: 5\n',
      'a: 1\nb: 2\nc: 3\nd: 4\n',
      'a: 1\nb: 2\nx: 0\nc: 3\nd: 4\n',
    ],
    ['may be none at all', BASE, BASE, BASE],
  ])('%s', (_title, mine, theirs, text) => expect(mergeTexts(BASE, mine, theirs)).toEqual({ text, clashes: [] }))

  it('of one line leave mine, and tell theirs', () => {
    const merged = mergeTexts(
      BASE,
      BASE.replace('c: 3', 'c: mine'),
      BASE.replace('c: 3', 'c: theirs').replace('a: 1', 'a: 0'),
    )
    expect(merged).toEqual({
      text: 'a: 0\nb: 2\nc: mine\nd: 4\ne: 5\n',
      clashes: [{ mine: 'c: mine\n', theirs: 'c: theirs\n' }],
    })
  })
})
