// How large a regular expression becomes when it is compiled. Few characters can ask for much: `a{1000}` is a thousand instructions.

/** A new pattern for each text, because patterns with `g` keep their position. */
const tokens = (): RegExp =>
  /\\Q(?<quoted>[^]*?)(?:\\E|$)|(?<wide>\\[pP](?:\{[^}]*\}|.))|\\x\{[^}]*\}|\\[^]|(?<set>\[\^?\]?(?:\\[^]|\[:\^?\w+:\]|[^\]\\])*\]?)|\{(?<least>\d+)(?<more>,(?<most>\d*))?\}|[^]/gu
const IGNORES_CASE = /\(\?[a-zA-Z-]*i/
/** A set with characters beyond ASCII. */
const WIDE_SET = /[^\0-\x7f]|\\[pPx]/
/** A set of many characters takes as long to read as this many instructions, and longer if both cases of each character are looked up. */
const WIDE_COST = 30
const FOLDED_COST = 800

/** The number of instructions, or a little more. Reading wide sets counts as instructions too. */
export function patternSize(pattern: string): number {
  const wideCost = IGNORES_CASE.test(pattern) ? FOLDED_COST : WIDE_COST
  const outside: number[] = []
  let size = 0
  let last = 0
  let reading = 0
  const add = (more: number): void => {
    size += more
    last = more
  }
  for (const { 0: token, groups = {} } of pattern.matchAll(tokens())) {
    const { quoted, wide, set, least, more, most } = groups
    if (wide !== undefined || (set !== undefined && WIDE_SET.test(set))) reading += wideCost
    if (quoted !== undefined) {
      add(quoted.length)
      last = 1
    } else if (least !== undefined) {
      const copies = Math.max(Number(least) + (more === undefined ? 0 : 1), Number(most ?? 0), 1)
      size += last * (copies - 1) + copies
      last = (last + 1) * copies
    } else if (token === '(') {
      outside.push(size)
      size = 0
    } else if (token === ')') {
      const inside = size + 2
      size = outside.pop() ?? 0
      add(inside)
    } else add(1)
  }
  return outside.reduce((sum, part) => sum + part, size + reading)
}
