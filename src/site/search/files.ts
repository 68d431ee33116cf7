import { partPath, readWords, rootPath, wordsPath, type IndexRoot, type PartText } from './format.ts'

/** The files of the index of one scope, as the engine reads them. What is not there rejects. */
export interface IndexFiles {
  root(): Promise<IndexRoot>
  /** @param name as the root has it */
  words(name: string): Promise<ReadonlyMap<string, string>>
  part(number: number): Promise<PartText>
}

/** Files that are read once and kept as long as the object. */
export class KeptFiles implements IndexFiles {
  readonly #read: (path: string) => Promise<string>
  readonly #scope: number
  readonly #kept = new Map<string, Promise<unknown>>()

  /** @param read reads a file by its URL path */
  constructor(read: (path: string) => Promise<string>, scope: number) {
    this.#read = read
    this.#scope = scope
  }

  root(): Promise<IndexRoot> {
    return this.#get(rootPath(this.#scope), (text) => JSON.parse(text) as IndexRoot)
  }

  words(name: string): Promise<ReadonlyMap<string, string>> {
    return this.#get(wordsPath(name), readWords)
  }

  part(number: number): Promise<PartText> {
    return this.#get(partPath(number), (text) => JSON.parse(text) as PartText)
  }

  #get<T>(path: string, parse: (text: string) => T): Promise<T> {
    const known = this.#kept.get(path)
    if (known !== undefined) return known as Promise<T>
    const made = this.#read(path).then(parse)
    this.#kept.set(path, made)
    // The next one tries again.
    made.catch(() => this.#kept.delete(path))
    return made
  }
}

/** An index in one piece. */
export interface WholeIndex {
  readonly root: IndexRoot
  /** Files of words, by name. */
  readonly files: Readonly<Record<string, string>>
  /** By number. */
  readonly parts: readonly PartText[]
}

/** An index that is there as a whole. */
export class WholeFiles implements IndexFiles {
  readonly #index: WholeIndex
  readonly #words = new Map<string, ReadonlyMap<string, string>>()

  constructor(index: WholeIndex) {
    this.#index = index
  }

  root(): Promise<IndexRoot> {
    return Promise.resolve(this.#index.root)
  }

  words(name: string): Promise<ReadonlyMap<string, string>> {
    const words = this.#words.get(name) ?? readWords(this.#index.files[name] ?? '')
    this.#words.set(name, words)
    return Promise.resolve(words)
  }

  part(number: number): Promise<PartText> {
    const part = this.#index.parts[number]
    return part === undefined ? Promise.reject(new Error(`no part ${number}`)) : Promise.resolve(part)
  }
}
