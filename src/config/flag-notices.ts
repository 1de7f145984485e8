// Tells of the flags that have no effect.
import { FLAGS } from './flags.ts'
import type { SettingReader } from './setting-reader.ts'
import { usageError } from './start-error.ts'

/** A line for each that asks for something else than what the server does. Throws a `StartError` where that is not supported. */
export function ignoredNotices(read: SettingReader): readonly string[] {
  return FLAGS.flatMap(({ name, kind, ignored, help }) => {
    const setting = ignored === undefined || !read.isSet(name) ? undefined : read.optional(name)
    if (ignored === undefined || setting === undefined) return []
    const value = kind === 'switch' ? String(read.switch(name)) : setting.text
    if (value === '' || ignored.accepted.includes(value)) return []
    const why = `${help.charAt(0).toLowerCase()}${help.slice(1).replace(/\.$/, '')}`
    if (ignored.otherwise === 'reject') throw usageError(`${setting.source}: "${value}" is not supported: ${why}`)
    return [`${setting.source} has no effect: ${why}`]
  })
}
