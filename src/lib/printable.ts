// Makes texts from outside harmless for a terminal.

/** Escapes control characters, and characters that change the direction of a text, as in JSON. Line feeds and tabs stay. */
export function printable(text: string): string {
  return text.replaceAll(/[^\P{Cc}\n\t]|\p{Bidi_Control}|[\u2028\u2029]/gu, escaped)
}

function escaped(character: string): string {
  return String.raw`\u${character.codePointAt(0)!.toString(16).padStart(4, '0')}`
}
