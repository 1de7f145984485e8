// The line of a field in a YAML (or JSON) text, for error messages.
import { EVENT_ID, type Event, getScalarValue, parseEvents, YAMLException } from 'js-yaml'
import { MAX_JSON_DEPTH } from './json-exact.ts'
import { LineIndex } from './line-index.ts'

interface YamlNode {
  readonly at: number
  readonly members: Map<string, YamlNode>
  readonly items: YamlNode[]
}

/** Returns the line, from 1, of a field such as `spec.list[0].name`. If the field is absent, this is the line of its nearest parent. */
export type FindLine = (field: string) => number

/** Returns a function that finds lines in `text`, which is one document. */
export function yamlLines(text: string): FindLine {
  const root = treeOf(text)
  const lines = new LineIndex(text)
  return (field) => {
    let node = root
    for (const part of partsOf(field, (name) => node.members.has(name))) {
      const inner =
        typeof part === 'number' ? (node.items[part] ?? node.members.get(String(part))) : node.members.get(part)
      if (inner === undefined) break
      node = inner
    }
    return lines.at(node.at)
  }
}

/** The steps of a path: names, and indexes of lists in brackets. A name may contain dots. */
function* partsOf(field: string, isMember: (name: string) => boolean): Generator<string | number> {
  let rest = field
  while (rest !== '') {
    if (isMember(rest)) {
      yield rest
      return
    }
    const bracketed = /^\[([^\]]*)\]\.?/.exec(rest)
    const [whole, name = ''] = bracketed ?? /^([^.[]*)\.?/.exec(rest) ?? [rest]
    if (whole === '') return
    yield bracketed !== null && /^\d+$/.test(name) ? Number(name) : name
    rest = rest.slice(whole.length)
  }
}

function treeOf(text: string): YamlNode {
  try {
    return new Reader(text, parseEvents(text, { maxDepth: MAX_JSON_DEPTH })).read()
  } catch (error) {
    if (error instanceof YAMLException) return nodeAt(0)
    throw error
  }
}

function nodeAt(at: number): YamlNode {
  return { at, members: new Map(), items: [] }
}

class Reader {
  readonly #text: string
  readonly #events: readonly Event[]
  #next = 1

  constructor(text: string, events: readonly Event[]) {
    this.#text = text
    this.#events = events
  }

  read(): YamlNode {
    return this.#node(this.#startOf(this.#events[this.#next]) ?? 0)
  }

  #node(at: number): YamlNode {
    const event = this.#events[this.#next++]
    const node = nodeAt(at)
    if (event?.type === EVENT_ID.SEQUENCE) {
      while (this.#isOpen()) node.items.push(this.#node(this.#startOf(this.#events[this.#next]) ?? at))
    } else if (event?.type === EVENT_ID.MAPPING) {
      while (this.#isOpen()) {
        const key = this.#events[this.#next]
        const start = this.#startOf(key) ?? at
        this.#node(start)
        const value = this.#node(start)
        if (key?.type === EVENT_ID.SCALAR) node.members.set(getScalarValue(this.#text, key), value)
      }
    }
    return node
  }

  #isOpen(): boolean {
    const event = this.#events[this.#next]
    if (event !== undefined && event.type !== EVENT_ID.POP) return true
    this.#next++
    return false
  }

  #startOf(event: Event | undefined): number | undefined {
    switch (event?.type) {
      case EVENT_ID.SCALAR:
        return Math.max(event.valueStart, 0)
      case EVENT_ID.SEQUENCE:
      case EVENT_ID.MAPPING:
        return event.start
      default:
        return undefined
    }
  }
}
