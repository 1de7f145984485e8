// IP addresses as numbers. Callers check with `node:net` that the text is an address.

export function bitsOfIpv4(text: string): bigint {
  return BigInt(text.split('.').reduce((bits, part) => bits * 256 + Number(part), 0))
}

/** Without a zone; the last part may be written as an IPv4 address. */
export function bitsOfIpv6(text: string): bigint {
  const [head = '', rest] = text.split('::')
  const [before, after] = [digitsOf(head), digitsOf(rest ?? '')]
  return BigInt(`0x${before}${'0'.repeat(32 - before.length - after.length)}${after}`)
}

/** Four hexadecimal digits for each of the words. */
function digitsOf(text: string): string {
  if (text === '') return ''
  const digits = (part: string): string =>
    part.includes('.') ? bitsOfIpv4(part).toString(16).padStart(8, '0') : part.padStart(4, '0')
  return text.split(':').map(digits).join('')
}
