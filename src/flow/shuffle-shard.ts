// Deals each flow a hand of queues. Two flows seldom get the same hand, so a flow that floods its queues usually leaves other flows at
// least one free queue (P-208).

/** Returns an integer below 2^53. The integers are evenly distributed, and equal texts give equal integers. */
export function flowHash(schema: string, flow: string): number {
  let low = 0x811c9dc5
  let high = 0x2545f491
  for (let i = 0; i < schema.length; i++) {
    low = Math.imul(low ^ schema.charCodeAt(i), 0x01000193)
    high = Math.imul(high ^ schema.charCodeAt(i), 0x85ebca6b)
  }
  low = Math.imul(low ^ 0x2f, 0x01000193)
  for (let i = 0; i < flow.length; i++) {
    low = Math.imul(low ^ flow.charCodeAt(i), 0x01000193)
    high = Math.imul(high ^ flow.charCodeAt(i), 0x85ebca6b)
  }
  return mixed(low) * 0x20_0000 + (mixed(high ^ low) >>> 11)
}

function mixed(hash: number): number {
  let h = hash ^ (hash >>> 16)
  h = Math.imul(h, 0x7feb352d)
  h ^= h >>> 15
  h = Math.imul(h, 0x846ca68b)
  return (h ^ (h >>> 16)) >>> 0
}

/** Returns the indexes of `handSize` different queues. */
export function dealHand(
  hash: number,
  { queues, handSize }: { readonly queues: number; readonly handSize: number },
): readonly number[] {
  const hand: number[] = []
  const taken: number[] = []
  let rest = hash
  for (let dealt = 0; dealt < handSize; dealt++) {
    const left = queues - dealt
    let card = rest % left
    rest = Math.floor(rest / left)
    // Skips the queues that were already dealt.
    let at = 0
    while (at < taken.length && taken[at]! <= card) {
      card++
      at++
    }
    taken.splice(at, 0, card)
    hand.push(card)
  }
  return hand
}
