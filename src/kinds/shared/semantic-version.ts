// Checks and compares semantic versions (semver.org).
const SEMVER =
  /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(?:-((?:0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*)(?:\.(?:0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*))*))?(?:\+[0-9a-zA-Z-]+(?:\.[0-9a-zA-Z-]+)*)?$/

export function isVersion(text: string): boolean {
  return SEMVER.test(text)
}

/** Less than zero: `a` is older. A text that is not a version counts as 0.0.0. */
export function compareVersions(a: string, b: string): number {
  const [left, right] = [partsOf(a), partsOf(b)]
  for (let i = 0; i < 3; i++) {
    const order = compareNumbers(left.numbers[i] ?? '0', right.numbers[i] ?? '0')
    if (order !== 0) return order
  }
  return compareStages(left.stage, right.stage)
}

function partsOf(text: string): { readonly numbers: readonly string[]; readonly stage: readonly string[] } {
  const [, major = '0', minor = '0', patch = '0', stage] = SEMVER.exec(text) ?? []
  return { numbers: [major, minor, patch], stage: stage?.split('.') ?? [] }
}

/** Compares numbers of any length, without leading zeros. */
function compareNumbers(a: string, b: string): number {
  return a.length - b.length || compareTexts(a, b)
}

function compareTexts(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1
}

/** A version without a stage is newer than a version with a stage. In a stage, a number is older than a word. */
function compareStages(a: readonly string[], b: readonly string[]): number {
  if (a.length === 0 || b.length === 0) return Number(a.length === 0) - Number(b.length === 0)
  for (const [i, left] of a.entries()) {
    const right = b[i]
    if (right === undefined) return 1
    const [isNumber, isOtherNumber] = [/^\d+$/.test(left), /^\d+$/.test(right)]
    const order =
      isNumber !== isOtherNumber
        ? Number(isOtherNumber) - Number(isNumber)
        : isNumber
          ? compareNumbers(left, right)
          : compareTexts(left, right)
    if (order !== 0) return order
  }
  return a.length - b.length
}
