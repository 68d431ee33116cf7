/** Languages whose exported symbols are read. */
export type Language = 'typescript' | 'javascript' | 'python' | 'go' | 'rust' | 'java'

/**
 * What a file is for: `source` in a language that is read; `doc` for people (README, Markdown); `config` that describes
 * a package; `test` and `example` by their place or name; `other` is any other text.
 */
export type FileKind = 'source' | 'doc' | 'config' | 'test' | 'example' | 'other'

export interface SourceFile {
  /** Below the source folder, `/`-separated. */
  readonly path: string
  readonly absolute: string
  readonly kind: FileKind
  /** Also of tests and examples. */
  readonly language?: Language
  /** Bytes. */
  readonly size: number
  /** Of the content as it was read and found free of secrets, hexadecimal. */
  readonly sha256: string
}

export type SkipReason =
  | 'secret'
  | 'symbolic-link'
  | 'not-regular'
  | 'binary'
  | 'lock-file'
  | 'generated'
  | 'minified'
  | 'vendored'
  | 'too-large'
  | 'too-many'
  | 'unreadable'
  | 'odd-name'

export interface SkippedFile {
  /** Of a file, or of a folder with all below it (ends with `/`). */
  readonly path: string
  readonly reason: SkipReason
  /** For people: `holds an AWS access key`. Never what was found. */
  readonly detail: string
  /** Where a secret stands. */
  readonly line?: number
}

export interface Scan {
  /** The source folder, absolute. */
  readonly root: string
  /** Sorted by path. */
  readonly files: readonly SourceFile[]
  /** What is not sent though no ignore file names it, sorted by path. */
  readonly skipped: readonly SkippedFile[]
}
