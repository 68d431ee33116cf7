import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { git, gitSays, type GitSaid } from './git.ts'
import type { OwnFile } from './ledger.ts'
import { ownPath, ownText } from './texts.ts'
import type { World } from './world.ts'

/** A developer with a clone: commits, pushes to a branch, and merges what others pushed when that is refused. */
export class Pusher {
  readonly #world: World
  readonly #name: string
  readonly #branch: string
  readonly #clone: string
  readonly #own: OwnFile

  private constructor(world: World, place: { readonly name: string; readonly branch: string; readonly clone: string }) {
    this.#world = world
    this.#name = place.name
    this.#branch = place.branch
    this.#clone = place.clone
    this.#own = { path: ownPath(place.name), branch: place.branch, kept: 0, tried: 0 }
    world.ledger.ownFiles.push(this.#own)
  }

  /** Clones: the service must be up. */
  static async open(world: World, place: { name: string; branch: string; home: string }): Promise<Pusher> {
    await git(place.home, 'clone', '--quiet', world.cloneUrl, place.name)
    return new Pusher(world, { ...place, clone: join(place.home, place.name) })
  }

  async run(): Promise<void> {
    while (!this.#world.stopping) {
      const save = ++this.#own.tried
      await writeFile(join(this.#clone, this.#own.path), ownText(this.#name, save))
      await this.#must('commit', '--quiet', '--all', '--message', `Save ${save} of ${this.#name}`)
      await this.#push(save)
      await this.#world.rest(100, 600)
    }
  }

  async #push(save: number): Promise<void> {
    const { ledger } = this.#world
    while (!this.#world.stopping) {
      const head = await this.#must('rev-parse', 'HEAD')
      const said = await this.#git('push', '--porcelain', 'origin', `HEAD:refs/heads/${this.#branch}`)
      if (said.ok) return this.#kept(save, head, 'pushes')
      if (/\[(?:remote )?rejected\]/.test(said.text)) this.#refused(said)
      else ledger.count('cut')
      if (!(await this.#fetch())) return
      if (await this.#arrived(head)) return this.#kept(save, head, 'pushesLanded')
      await this.#merge()
    }
  }

  #kept(save: number, commit: string, how: 'pushes' | 'pushesLanded'): void {
    const { ledger } = this.#world
    this.#own.kept = save
    ledger.count(how)
    ledger.acknowledged.push({ commit, branch: this.#branch, by: this.#name })
  }

  #refused({ text }: GitSaid): void {
    const { ledger } = this.#world
    if (/fetch first|non-fast-forward|somebody else moved it|There is a branch .* already/.test(text))
      ledger.count('pushesRefused')
    else ledger.unexpected.push(`${this.#name}: ${text.trim()}`)
  }

  /** False when the run ended before the service was there again. */
  async #fetch(): Promise<boolean> {
    const refs = '+refs/heads/*:refs/remotes/origin/*'
    while (!(await this.#git('fetch', '--quiet', '--prune', 'origin', refs)).ok) {
      if (this.#world.stopping) return false
      this.#world.ledger.count('cut')
      await this.#world.rest(50, 200)
    }
    return true
  }

  /** It is on the branch, or the branch was published with it. */
  async #arrived(head: string): Promise<boolean> {
    for (const name of [this.#branch, 'main'])
      if ((await this.#git('merge-base', '--is-ancestor', head, `refs/remotes/origin/${name}`)).ok) return true
    return false
  }

  async #merge(): Promise<void> {
    const theirs = `refs/remotes/origin/${this.#branch}`
    if (!(await this.#git('rev-parse', '--quiet', '--verify', theirs)).ok) return
    const merged = await this.#git('merge', '--quiet', '--no-edit', theirs)
    if (merged.ok) return
    // The branch had been made anew from an older copy: the file that is only this developer's decides for itself.
    await this.#must('checkout', '--ours', '--', this.#own.path)
    await this.#must('commit', '--quiet', '--all', '--no-edit')
  }

  #git(...args: string[]): Promise<GitSaid> {
    return gitSays(this.#clone, this.#name, args)
  }

  async #must(...args: string[]): Promise<string> {
    const { ok, out, text } = await this.#git(...args)
    if (!ok) throw new Error(`${this.#name}: git ${args.join(' ')}: ${text}`)
    return out
  }
}
