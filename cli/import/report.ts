/** What can be said of what was not carried over, in the order in which it is told. */
export const kinds = {
  page: 'Pages that need a look',
  component: 'Components of the site’s own',
  include: 'Parts of files that were not found',
  markup: 'Markup without a counterpart',
  code: 'Options of code blocks without a counterpart',
  navigation: 'Navigation',
  config: 'Settings that could not be read or carried',
  plugin: 'Plugins',
  theme: 'Theme, styles and scripts',
  blog: 'Blogs and pages in code',
  redirect: 'Redirects',
} as const
export type Kind = keyof typeof kinds

/** Something that was not carried over. */
export interface Left {
  readonly kind: Kind
  /** Path in the project that was imported. */
  readonly path: string
  readonly line?: number
  readonly message: string
  /** At how many places, where only the first is named. */
  readonly places?: number
}

/** Collects what could not be carried over. */
export class Report {
  readonly #left = new Map<string, Left>()
  readonly #counted = new Map<string, Left>()

  add(kind: Kind, path: string, message: string, line?: number): void {
    const left = { kind, path, ...(line === undefined ? {} : { line }), message }
    this.#left.set(JSON.stringify([kind, path, line, message]), left)
  }

  /** For what is the same at many places: the first is named, the others are counted. */
  count(kind: Kind, path: string, message: string, line?: number): void {
    const key = JSON.stringify([kind, message])
    const { places = 0, ...first } = this.#counted.get(key) ?? {
      kind,
      path,
      ...(line === undefined ? {} : { line }),
      message,
    }
    this.#counted.set(key, { ...first, places: places + 1 })
  }

  /** By kind, path and line. */
  get left(): readonly Left[] {
    const order = Object.keys(kinds)
    return [...this.#left.values(), ...this.#counted.values()].sort(
      (one, other) =>
        order.indexOf(one.kind) - order.indexOf(other.kind) ||
        (one.path < other.path ? -1 : one.path > other.path ? 1 : (one.line ?? 0) - (other.line ?? 0)),
    )
  }
}
