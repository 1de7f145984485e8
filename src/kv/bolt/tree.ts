// Writes a B+ tree from its first key to its last. Each level keeps the elements of one page until it is full, and hands the
// first key of the page to the level above. So a tree of any size takes the memory of a few pages.
import { EMPTY_PAGE_BYTES, PAGE_BYTES, type PageElement, type PageId, sizeOfElement } from './pages.ts'

/** Writes a page and returns its number. */
export type WritePage = (elements: readonly PageElement[], bytes: number) => PageId

const LEAST_IN_LEAF = 1
/** bbolt merges a smaller branch with its neighbour, and assumes that it has a neighbour. */
const LEAST_IN_BRANCH = 2

export class TreeLevel {
  readonly #write: WritePage
  readonly #least: number
  #elements: PageElement[] = []
  #bytes = EMPTY_PAGE_BYTES
  #above: TreeLevel | undefined

  /** Without `least`, this is the level of the leaves. */
  constructor(write: WritePage, least: number = LEAST_IN_LEAF) {
    this.#write = write
    this.#least = least
  }

  /** Add the elements in ascending order of the bytes of their keys. */
  add(element: PageElement): void {
    // With the kept elements, both this page and the next one have at least `least` elements.
    const keep = this.#least - 1
    const isFull = this.#bytes + sizeOfElement(element) > PAGE_BYTES
    if (isFull && this.#elements.length >= this.#least + keep) this.#endPage(keep)
    this.#put(element)
  }

  /** Writes the remaining pages and returns the root of the tree. Call it after the last `add`. */
  finish(): PageId {
    if (this.#above === undefined) return this.#write(this.#elements, this.#bytes)
    this.#endPage(0)
    return this.#above.finish()
  }

  #put(element: PageElement): void {
    this.#elements.push(element)
    this.#bytes += sizeOfElement(element)
  }

  /** Writes a page with all elements except the last `keep` ones. */
  #endPage(keep: number): void {
    const elements = this.#elements
    const kept = elements.splice(elements.length - keep)
    const bytes = kept.reduce((left, element) => left - sizeOfElement(element), this.#bytes)
    const page = this.#write(elements, bytes)
    this.#above ??= new TreeLevel(this.#write, LEAST_IN_BRANCH)
    this.#above.add({ kind: 'page', key: elements[0]!.key, page })
    this.#elements = []
    this.#bytes = EMPTY_PAGE_BYTES
    for (const element of kept) this.#put(element)
  }
}
