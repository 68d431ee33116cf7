import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { Connection } from '#cli/tui/data/service/connection.ts'
import type { Disk } from '#cli/tui/data/disk/disk.ts'
import { Drafts, type DraftTarget } from '#cli/tui/data/service/drafts.ts'
import { forgetInstance } from '#cli/tui/data/disk/instance.ts'
import type { KeptDraft } from '#cli/tui/data/drafts/kept-draft.ts'
import type { RemoteBranch } from '#cli/tui/data/service/remote-branch.ts'
import type { RemoteFile } from '#cli/tui/data/drafts/remote-file.ts'
import { openStore, type Store } from '#cli/tui/data/service/store.ts'
import type { Client } from '#client/client.ts'
import { blobOid } from '#contract/blob-oid.ts'
import { Failure } from '#contract/failure.ts'
import { memoryDisk } from '#test/support/cli/tui/data/disk/memory-disk.ts'
import { cases } from '#test/support/properties.ts'

const path = 'page.mdx'
const oidOf = (text: string | null): string | null => (text === null ? null : blobOid(Buffer.from(text)))

/** A branch with one file, and a network that fails as it is told. */
class FakeBranch {
  text: string | null = 'begin'
  mode: 'up' | 'down' | 'answer lost' | 'refusing' | 'hanging' = 'up'
  isOffline = false

  readonly remote: RemoteFile & Pick<RemoteBranch, 'read' | 'keep'> = {
    save: async (_, bytes, { expected }) => {
      this.#reach()
      if (this.mode === 'refusing') throw new Failure('forbidden', 'no')
      if (expected !== oidOf(this.text)) throw new Failure('stale_file', 'moved')
      this.text = bytes.toString('utf8')
      if (this.mode === 'hanging') await new Promise(() => undefined)
      if (this.mode === 'answer lost') this.#fail()
      return oidOf(this.text) ?? ''
    },
    theirs: async () => {
      this.#reach()
      return { oid: oidOf(this.text), text: this.text }
    },
    read: async () => {
      this.#reach()
      const { text } = this
      if (text === null) throw new Failure('not_found', 'no such file')
      return { value: { path, oid: oidOf(text), text, size: text.length }, asOf: new Date(), offline: false }
    },
    keep: () => undefined,
    isOffline: false,
  }

  constructor() {
    Object.defineProperty(this.remote, 'isOffline', { get: () => this.isOffline })
  }

  #reach(): void {
    if (this.mode === 'down') this.#fail()
    this.isOffline = false
  }

  #fail(): never {
    this.isOffline = true
    throw new Failure('unavailable', 'away')
  }
}

/** One UI after the other on the same disk. */
class Ui {
  readonly #branch: FakeBranch
  readonly #disk: Disk
  #store: Store | undefined
  #draft: KeptDraft | undefined

  constructor(branch: FakeBranch, disk: Disk) {
    this.#branch = branch
    this.#disk = disk
  }

  async draft(): Promise<KeptDraft> {
    if (this.#draft !== undefined) return this.#draft
    const log = (): void => undefined
    const options = {
      stateDirectory: '/state',
      url: 'http://localhost',
      credential: { kind: 'session' as const, email: 'ada' },
      log,
      disk: this.#disk,
    }
    this.#store ??= await openStore(options)
    const drafts = new Drafts({
      url: 'http://localhost',
      connection: {} as Connection,
      client: {} as Client,
      store: this.#store,
      log,
      tell: log,
    })
    const place: DraftTarget = { remote: this.#branch.remote, slug: 'docs', branch: 'b', branchId: 'b' }
    this.#draft = await drafts.open(place, path)
    return this.#draft
  }

  /** It ends at once; what was typed a second ago is on the disk. */
  async crash(): Promise<void> {
    await this.#draft?.close()
    if (this.#store !== undefined) forgetInstance(this.#store.instance)
    this.#store = undefined
    this.#draft = undefined
  }
}

function wordsOf(text: string | null): Set<string> {
  return new Set((text ?? '').split(' ').filter((word) => word !== ''))
}

function joined(one: string | null, other: string | null): string {
  return [...new Set([...wordsOf(one), ...wordsOf(other)])].join(' ')
}

const step = fc.oneof(
  { weight: 4, arbitrary: fc.constant('type' as const) },
  { weight: 3, arbitrary: fc.constant('save' as const) },
  fc.constantFrom('other saves', 'other deletes', 'resolve', 'look', 'crash', 'crash amid a save', 'type amid a save'),
  fc.constantFrom('up', 'down', 'answer lost', 'refusing'),
)

// Hundreds of runs, each with many waits: some seconds of the processor.
const patience = { timeout: 300_000 }

it('whatever happens in whatever order, no word of anybody is lost, and none comes back', patience, async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 25 }), async (steps) => {
      const branch = new FakeBranch()
      const ui = new Ui(branch, memoryDisk())
      const written = new Set<string>()
      let count = 0
      const type = (draft: KeptDraft): void => {
        const word = `mine${(count += 1)}`
        written.add(word)
        const text = joined(draft.text, word)
        const spaces = ' '.repeat(200_000)
        // In pieces, some of which come later.
        draft.changed(
          () => text,
          () => text.length,
          () => Object.assign([text.slice(0, 4), spaces, text.slice(4)], { units: text.length + spaces.length }),
        )
      }
      const resolve = (draft: KeptDraft): void => {
        if (draft.state === 'conflict') draft.rebase(joined(draft.text, draft.theirs?.text ?? null))
      }
      const act = async (name: (typeof steps)[number]): Promise<void> => {
        const { mode } = branch
        // A page can be opened only where it is known.
        const draft = await ui.draft().catch(() => undefined)
        if (name === 'up' || name === 'down' || name === 'answer lost' || name === 'refusing') branch.mode = name
        else if (name === 'other saves') {
          const word = `theirs${(count += 1)}`
          written.add(word)
          branch.text = joined(branch.text, word)
        } else if (name === 'other deletes') {
          // Somebody means it: what was on the branch may be missing, what is only here not.
          for (const word of wordsOf(branch.text)) written.delete(word)
          branch.text = null
        } else if (draft === undefined) return
        else if (name === 'type') type(draft)
        else if (name === 'save') await draft.save().catch(() => undefined)
        else if (name === 'type amid a save') {
          type(draft)
          const saving = draft.save().catch(() => undefined)
          await Promise.resolve()
          type(draft)
          await saving
        } else if (name === 'resolve') resolve(draft)
        else if (name === 'look') await draft.refresh().catch(() => undefined)
        else if (name === 'crash') await ui.crash()
        else {
          branch.mode = mode === 'up' ? 'hanging' : mode
          type(draft)
          void draft.save().catch(() => undefined)
          await expect.poll(() => draft.state, { interval: 1 }).not.toBe('changed')
          await new Promise((done) => setTimeout(done, 2))
          await ui.crash()
          branch.mode = mode
        }
      }
      for (const name of steps) await act(name)

      branch.mode = 'up'
      branch.isOffline = false
      if (branch.text === null && (await ui.draft().catch(() => undefined)) === undefined) return
      const draft = await ui.draft()
      for (let tries = 0; tries < 4 && (tries === 0 || draft.state !== 'saved'); tries++) {
        resolve(draft)
        await draft.save()
      }
      expect(draft.state).toBe('saved')
      if (branch.text !== null) expect([...written].filter((word) => !wordsOf(branch.text).has(word))).toEqual([])
      await draft.close()
    }),
    { numRuns: cases(20) },
  )
})
