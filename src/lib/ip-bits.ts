// IP addresses as numbers. The text has to be an address, which `node:net` tells.

export function bitsOfIpv4(text: string): bigint {
  return text.split('.').reduce((bits, part) => (bits << 8n) | BigInt(part), 0n)
}

/** Without a zone; the last part may be written as an IPv4 address. */
export function bitsOfIpv6(text: string): bigint {
  const [head = '', rest] = text.split('::')
  const before = wordsOf(head)
  const after = rest === undefined ? [] : wordsOf(rest)
  const zeros = rest === undefined ? [] : Array.from({ length: 8 - before.length - after.length }, () => 0n)
  return [...before, ...zeros, ...after].reduce((bits, word) => (bits << 16n) | word, 0n)
}

function wordsOf(text: string): bigint[] {
  if (text === '') return []
  return text.split(':').flatMap((part) => {
    if (!part.includes('.')) return [BigInt(`0x${part}`)]
    const bits = bitsOfIpv4(part)
    return [bits >> 16n, bits & 0xffffn]
  })
}
