// The faults of a configuration document, field by field, in the reference's words.
import type { ValueMap } from './value.ts'

export class DocumentFaults {
  readonly all: string[] = []

  add(at: string, problem: string): void {
    this.all.push(`${at}: ${problem}`)
  }

  invalid(at: string, text: string, why: string): void {
    this.add(at, `Invalid value: ${JSON.stringify(text)}: ${why}`)
  }

  duplicate(at: string, text: string): void {
    this.add(at, `Duplicate value: ${JSON.stringify(text)}`)
  }

  unsupported(at: string, text: string, known: readonly string[]): void {
    const supported = known.map((each) => JSON.stringify(each)).join(', ')
    this.add(at, `Unsupported value: ${JSON.stringify(text)}: supported values: ${supported}`)
  }

  /** Adds a fault for each unknown field: if a misspelt field had no effect, a user could gain or lose access. */
  checkFields(map: ValueMap, known: readonly string[], at: string): void {
    for (const name of Object.keys(map)) {
      if (!known.includes(name)) this.all.push(`unknown field "${at === '' ? name : `${at}.${name}`}"`)
    }
  }
}
