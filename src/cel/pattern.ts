// Regular expressions of users: RE2, so that no text takes more than linear time.
import { RE2JS, RE2JSException } from 're2js'
import { Fault } from './value.ts'

/** The longest pattern; what RE2 makes of one is many times as large. */
const MAX_PATTERN = 10_000

export function compilePattern(text: string): RE2JS | Fault {
  if (text.length > MAX_PATTERN) return new Fault('error parsing regexp: expression nests too deeply')
  try {
    return RE2JS.compile(text)
  } catch (error) {
    if (error instanceof RE2JSException) return new Fault(error.message)
    throw error
  }
}

export function matches(text: string, pattern: string): boolean | Fault {
  const compiled = compilePattern(pattern)
  return compiled instanceof Fault ? compiled : compiled.matcher(text).find()
}
