/** A verified domain in memory. */
export interface Holding {
  readonly name: string
  /** Id of the project. */
  readonly project: string
  /** RFC 3339. */
  readonly verifiedAt: string
  /** When its record is looked for again, in milliseconds since 1970. */
  readonly lookAt: number
}

/** Which project each verified domain belongs to. In memory, because every request for a site on one asks. */
export class Holders {
  readonly #byName = new Map<string, Holding>()
  /** Names by project. */
  readonly #names = new Map<string, Set<string>>()
  /** The domain that each project has chosen, which it may not have. */
  readonly #chosen = new Map<string, string>()

  projectOf(name: string): string | undefined {
    return this.#byName.get(name)?.project
  }

  holding(name: string): Holding | undefined {
    return this.#byName.get(name)
  }

  /** The verified domain that a project leads its readers to. */
  primaryOf(project: string): string | undefined {
    const name = this.#chosen.get(project)
    return name !== undefined && this.projectOf(name) === project ? name : undefined
  }

  choose(project: string, name: string | undefined): void {
    if (name === undefined) this.#chosen.delete(project)
    else this.#chosen.set(project, name)
  }

  /** The domain that a project has had for the longest time. */
  firstOf(project: string): string | undefined {
    let first: Holding | undefined
    for (const name of this.#names.get(project) ?? []) {
      const holding = this.#byName.get(name)
      if (holding === undefined) continue
      const isEarlier =
        first === undefined ||
        holding.verifiedAt < first.verifiedAt ||
        (holding.verifiedAt === first.verifiedAt && holding.name < first.name)
      if (isEarlier) first = holding
    }
    return first?.name
  }

  /** Whose record was looked for longest ago is first. */
  all(): Iterable<Holding> {
    return this.#byName.values()
  }

  put(holding: Holding): void {
    this.drop(holding.name)
    this.#byName.set(holding.name, holding)
    const names = this.#names.get(holding.project)
    if (names === undefined) this.#names.set(holding.project, new Set([holding.name]))
    else names.add(holding.name)
  }

  drop(name: string): void {
    const project = this.#byName.get(name)?.project
    this.#byName.delete(name)
    if (project === undefined) return
    const names = this.#names.get(project)
    names?.delete(name)
    if (names?.size === 0) this.#names.delete(project)
  }

  forget(project: string): void {
    this.#chosen.delete(project)
    for (const name of this.#names.get(project) ?? []) this.drop(name)
  }
}
