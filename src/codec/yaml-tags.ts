// YAML scalars with an explicit tag.
import { YamlError } from './yaml-faults.ts'
import { type PlainScalar, resolveNumber, resolvePlain } from './yaml-scalar.ts'

const YAML_TAG = 'tag:yaml.org,2002:'
const MERGE_TAGS: ReadonlySet<string> = new Set(['', '!!merge', `!<${YAML_TAG}merge>`])

/** Whether a key `<<` with this tag is a merge key. Without a tag it is. */
export function isMergeTag(tag: string): boolean {
  return MERGE_TAGS.has(tag)
}

/** A scalar with the type that its tag names. Unknown tags do not change the text. */
export function taggedScalar(tag: string, text: string): PlainScalar {
  const name = tag.startsWith('!!')
    ? tag.slice(2)
    : tag.startsWith(`!<${YAML_TAG}`)
      ? tag.slice(2 + YAML_TAG.length, -1)
      : ''
  switch (name) {
    case 'int':
    case 'float': {
      const number = resolveNumber(text)
      if (number !== undefined) return number
      throw new YamlError(`yaml: cannot decode !!str \`${text.slice(0, 30)}\` as a !!${name}`)
    }
    case 'bool':
    case 'null': {
      const value = resolvePlain(text)
      if (name === 'bool' ? typeof value === 'boolean' : value === null) return value
      throw new YamlError(`yaml: cannot decode !!str \`${text.slice(0, 30)}\` as a !!${name}`)
    }
    case 'binary': {
      const packed = text.replace(/\s/g, '')
      if (!/^(?:[\w+/-]{4})*(?:[\w+/-]{2}==|[\w+/-]{3}=)?$/.test(packed)) {
        throw new YamlError('yaml: !!binary value contains invalid base64 data')
      }
      return Buffer.from(packed, 'base64').toString('utf8')
    }
    default:
      return text
  }
}
