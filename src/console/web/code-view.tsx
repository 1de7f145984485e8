// Shows YAML to read, edit or compare, by CodeMirror. The editor is in a shadow root with adopted style sheets. The policy of the page
// allows them, but no inline styles.
import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands'
import { yaml } from '@codemirror/lang-yaml'
import { bracketMatching, HighlightStyle, indentOnInput, syntaxHighlighting } from '@codemirror/language'
import { unifiedMergeView } from '@codemirror/merge'
import { Compartment, EditorState, type Extension, RangeSetBuilder, StateField } from '@codemirror/state'
import {
  Decoration,
  type DecorationSet,
  drawSelection,
  EditorView,
  gutter,
  GutterMarker,
  highlightActiveLine,
  keymap,
  lineNumbers,
  placeholder,
  WidgetType,
} from '@codemirror/view'
import { tags } from '@lezer/highlight'
import { useEffect, useRef } from 'preact/hooks'
import type { ManagedFields } from './field-owners.ts'
import type { LineMark } from './rejected-lines.ts'

export type LineOwners = ReadonlyMap<number, readonly ManagedFields[]>

interface Props {
  readonly label: string
  /** Shown while there is no text. */
  readonly hint?: string
  /** The text at the start and after each change of `edition`. Edits in between stay in the editor. */
  readonly text: string
  readonly edition?: number
  /** Absent: the text is read-only. */
  readonly onChange?: (text: string) => void
  readonly owners?: LineOwners
  /** The rejected lines. When they change, the editor goes to the first of them. */
  readonly marks?: readonly LineMark[]
  /** The text to compare with. */
  readonly original?: string
  /** Further extensions of the editor. They must not change. */
  readonly more?: Extension
}

const NO_OWNERS: LineOwners = new Map()
const NO_MARKS: readonly LineMark[] = []

export function CodeView(props: Props) {
  const {
    label,
    hint = '',
    text,
    edition = 0,
    onChange,
    owners = NO_OWNERS,
    marks = NO_MARKS,
    original,
    more = [],
  } = props
  const host = useRef<HTMLDivElement>(null)
  const view = useRef<EditorView>(undefined)
  const changed = useRef(onChange)
  changed.current = onChange
  const ownersPart = useRef(new Compartment())
  const marksPart = useRef(new Compartment())
  const isEdited = onChange !== undefined
  useEffect(() => {
    const element = host.current
    if (element === null) return undefined
    const root = element.shadowRoot ?? element.attachShadow({ mode: 'open' })
    const opened = new EditorView({
      root,
      parent: root,
      state: EditorState.create({
        doc: text,
        extensions: [
          common(label),
          isEdited ? EDITING : READING,
          more,
          placeholder(hint),
          ownersPart.current.of(ownersGutter(owners)),
          marksPart.current.of([]),
          ...(original === undefined ? [] : [comparison(original)]),
          EditorView.updateListener.of((update) => {
            if (update.docChanged) changed.current?.(update.state.doc.toString())
          }),
        ],
      }),
    })
    view.current = opened
    return () => opened.destroy()
  }, [label, isEdited, original])
  useEffect(() => {
    const { current } = view
    if (current === undefined || current.state.doc.toString() === text) return
    current.dispatch({ changes: { from: 0, to: current.state.doc.length, insert: text } })
  }, [edition])
  useEffect(() => {
    view.current?.dispatch({ effects: ownersPart.current.reconfigure(ownersGutter(owners)) })
  }, [owners])
  useEffect(() => {
    const { current } = view
    if (current === undefined) return
    const [first] = marks
    const line = first === undefined ? undefined : lineOf(current.state, first)
    current.dispatch({
      effects: [
        marksPart.current.reconfigure(markedLines(marks)),
        ...(line === undefined ? [] : [EditorView.scrollIntoView(line.from, { y: 'center' })]),
      ],
      ...(line === undefined ? {} : { selection: { anchor: line.from } }),
    })
    if (line !== undefined) current.focus()
  }, [marks])
  return <div class="code" ref={host} />
}

function comparison(original: string): Extension {
  return unifiedMergeView({
    original,
    mergeControls: false,
    highlightChanges: true,
    gutter: true,
    collapseUnchanged: { margin: 3, minSize: 6 },
  })
}

const READING: Extension = [EditorState.readOnly.of(true), EditorView.editable.of(false)]

const EDITING: Extension = [
  history(),
  drawSelection(),
  indentOnInput(),
  bracketMatching(),
  highlightActiveLine(),
  keymap.of([...defaultKeymap, ...historyKeymap, indentWithTab]),
]

const COLOURS = HighlightStyle.define([
  { tag: [tags.propertyName, tags.definition(tags.propertyName)], color: 'var(--code-key)' },
  { tag: [tags.string, tags.content], color: 'var(--code-text)' },
  { tag: [tags.number, tags.bool, tags.keyword, tags.atom], color: 'var(--code-value)' },
  { tag: [tags.comment, tags.lineComment], color: 'var(--dim)' },
  { tag: [tags.separator, tags.punctuation, tags.squareBracket, tags.brace], color: 'var(--dim)' },
])

const LOOK = EditorView.theme({
  '&': { height: '100%', backgroundColor: 'var(--bg)', color: 'var(--text)', fontSize: '12px' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '19px', fontVariantLigatures: 'none' },
  '.cm-content': { padding: '8px 0', caretColor: 'var(--text)' },
  '.cm-cursor': { borderLeftColor: 'var(--text)' },
  '.cm-gutters': { backgroundColor: 'var(--bg)', color: 'var(--dim)', border: 'none' },
  '.cm-lineNumbers .cm-gutterElement': { minWidth: '38px', padding: '0 10px 0 8px' },
  '.cm-placeholder': { color: 'var(--dim)' },
  '.cm-activeLine': { backgroundColor: 'var(--bg-hover)' },
  '.cm-activeLineGutter': { backgroundColor: 'transparent' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': {
    backgroundColor: 'var(--bg-active)',
  },
  '.cm-owners': { width: 'min(170px, 24vw)', borderLeft: '1px solid var(--line)' },
  '.cm-owner': {
    display: 'block',
    height: '100%',
    padding: '0 8px',
    borderLeft: '3px solid transparent',
    overflow: 'hidden',
    textOverflow: 'ellipsis',
    whiteSpace: 'nowrap',
  },
  '.cm-changedLine': { backgroundColor: 'var(--add)' },
  '.cm-deletedChunk': { backgroundColor: 'var(--remove)' },
  '.cm-deletedChunk .cm-deletedText, &.cm-merge-b .cm-changedText': { background: 'transparent', fontWeight: '700' },
  '.cm-tooltip': {
    border: '1px solid var(--line)',
    borderRadius: '6px',
    backgroundColor: 'var(--bg-raised)',
    color: 'var(--text)',
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul': { fontFamily: 'var(--mono)', maxHeight: '18em' },
  '.cm-tooltip-autocomplete ul li[aria-selected]': { backgroundColor: 'var(--bg-active)', color: 'var(--text)' },
  '.cm-completionDetail': { color: 'var(--dim)', fontStyle: 'normal' },
  '.cm-completionInfo': { maxWidth: '380px', padding: '6px 10px', fontFamily: 'var(--font)' },
  '.cm-rejected': { backgroundColor: 'var(--bg-bad)' },
  '.cm-fault': {
    width: '0',
    minWidth: '100%',
    boxSizing: 'border-box',
    padding: '2px 8px 4px',
    backgroundColor: 'var(--bg-bad)',
    color: 'var(--bad)',
    whiteSpace: 'pre-wrap',
  },
  '.cm-collapsedLines': { background: 'var(--bg-side)', color: 'var(--dim)', padding: '2px 12px' },
})

function common(label: string): Extension {
  return [
    lineNumbers(),
    yaml(),
    syntaxHighlighting(COLOURS),
    LOOK,
    EditorView.contentAttributes.of({ 'aria-label': label, tabindex: '0' }),
  ]
}

/** Marks the owners of a line. The names are shown only where they change. */
class OwnerMarker extends GutterMarker {
  readonly #names: string
  readonly #title: string
  readonly #isFirst: boolean

  constructor(owners: readonly ManagedFields[], isFirst: boolean) {
    super()
    this.#names = owners.map(nameOf).join(', ')
    this.#title = owners.map(describe).join('\n')
    this.#isFirst = isFirst
  }

  override eq(other: OwnerMarker): boolean {
    return other.#title === this.#title && other.#isFirst === this.#isFirst
  }

  override toDOM(): Node {
    const element = document.createElement('span')
    element.className = 'cm-owner'
    element.title = this.#title
    element.style.borderLeftColor = `var(--owner-${colourOf(this.#names)})`
    if (this.#isFirst) element.textContent = this.#names
    return element
  }
}

const COLOUR_COUNT = 6

function colourOf(name: string): number {
  let sum = 0
  for (const character of name) sum = (sum * 31 + (character.codePointAt(0) ?? 0)) % 65_521
  return sum % COLOUR_COUNT
}

function nameOf({ manager = '?', subresource }: ManagedFields): string {
  return subresource === undefined ? manager : `${manager} (${subresource})`
}

function describe(owner: ManagedFields): string {
  return `${nameOf(owner)}: ${owner.operation ?? ''} ${owner.time ?? ''}`
}

function ownersGutter(owners: LineOwners): Extension {
  if (owners.size === 0) return []
  return gutter({
    class: 'cm-owners',
    side: 'after',
    markers: ({ state }) => {
      const builder = new RangeSetBuilder<GutterMarker>()
      let last = ''
      for (let number = 1; number <= state.doc.lines; number++) {
        const found = owners.get(number)
        const title = found?.map(describe).join('\n') ?? ''
        if (found !== undefined) {
          const { from } = state.doc.line(number)
          builder.add(from, from, new OwnerMarker(found, title !== last))
        }
        last = title
      }
      return builder.finish()
    },
  })
}

function lineOf({ doc }: EditorState, { line }: LineMark): { readonly from: number; readonly to: number } {
  return doc.line(Math.max(1, Math.min(line, doc.lines)))
}

/** The marks stay with their lines during edits. */
function markedLines(marks: readonly LineMark[]): Extension {
  if (marks.length === 0) return []
  const create = (state: EditorState): DecorationSet =>
    Decoration.set(
      marks.flatMap((mark) => {
        const { from, to } = lineOf(state, mark)
        const told = Decoration.widget({ widget: new FaultWidget(mark.message), block: true, side: 1 })
        return [Decoration.line({ class: 'cm-rejected' }).range(from), told.range(to)]
      }),
      true,
    )
  return StateField.define<DecorationSet>({
    create,
    update: (shown, { changes }) => shown.map(changes),
    provide: (field) => EditorView.decorations.from(field),
  })
}

/** The message of a rejected line, below it. */
class FaultWidget extends WidgetType {
  readonly #message: string

  constructor(message: string) {
    super()
    this.#message = message
  }

  override eq(other: FaultWidget): boolean {
    return other.#message === this.#message
  }

  override toDOM(): HTMLElement {
    const element = document.createElement('div')
    element.className = 'cm-fault'
    element.textContent = this.#message
    return element
  }
}
