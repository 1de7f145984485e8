import { describe, expect, it } from 'vitest'
import { YamlError } from '../../../src/codec/yaml-faults.ts'
import { parseYaml } from '../../../src/codec/yaml-parse.ts'
import { YAML_READINGS } from './yaml-readings.ts'

describe('reading YAML', () => {
  it.each(YAML_READINGS)('%j as the reference does', (text, json, complaint) => {
    if (complaint !== undefined) {
      expect(() => parseYaml(Buffer.from(text))).toThrow(new YamlError(complaint))
      return
    }
    expect(JSON.stringify(parseYaml(Buffer.from(text)).value)).toBe(json)
  })
})
