// What became of the flags that change nothing here.
import { FLAGS, type Flag, type FlagName } from './flags.ts'
import type { SettingReader } from './setting-reader.ts'
import { usageError } from './start-error.ts'

/** A line for each that was set to something else than what is the case. Throws a `StartError` where that cannot be left alone. */
export function idleNotices(read: SettingReader): readonly string[] {
  const flags: readonly Flag[] = FLAGS
  return flags.flatMap(({ name, kind, idle, help }) => {
    const setting = idle === undefined || !read.isSet(name as FlagName) ? undefined : read.optional(name as FlagName)
    if (idle === undefined || setting === undefined) return []
    const value = kind === 'switch' ? String(read.switch(name as FlagName)) : setting.text
    if (value === '' || idle.asItIs.includes(value)) return []
    if (idle.otherwise === 'refused') throw usageError(`${setting.source}: "${value}" cannot be had: ${asClause(help)}`)
    return [`${setting.source} has no effect: ${asClause(help)}`]
  })
}

function asClause(sentence: string): string {
  return `${sentence.charAt(0).toLowerCase()}${sentence.slice(1).replace(/\.$/, '')}`
}
