import { bringFromGone, findDrafts } from '../drafts/found-drafts.ts'
import { KeptMessage } from '../drafts/kept-message.ts'
import type { MessageKind, UnsentMessage } from '../drafts/message.ts'
import type { UnsavedFile } from '../workspace.ts'
import type { ServiceAccess } from './service-access.ts'

const names: Readonly<Record<MessageKind, string>> = {
  assistant: 'Message to the assistant',
  publish: 'Message of the publish',
}

interface MessagePlace {
  readonly slug: string
  readonly branch: string
  readonly branchId: string
}

/** The messages of one workspace that are not sent yet: open for as long as it is, once each. */
export class Messages {
  readonly #access: ServiceAccess
  /** By their id, in the place of a branch’s. */
  readonly #open = new Map<string, KeptMessage>()
  /** Those that are looked for on the disk now: what is found twice would stand there twice. */
  readonly #finding = new Map<KeptMessage, Promise<void>>()

  constructor(access: ServiceAccess) {
    this.#access = access
  }

  async open(kind: MessageKind, { slug, branch, branchId }: MessagePlace): Promise<UnsentMessage> {
    const { store, url: service, tell } = this.#access
    const { drafts: files, cache } = store
    // Neither is one of a branch, or of a file: those have no colon, and do not begin with a slash.
    const where = { service, slug, branch, branchId: `${kind}:${branchId}`, path: `/${kind}` }
    let message = this.#open.get(where.branchId)
    if (message === undefined) {
      const makeRoom = (): Promise<void> => cache.clear()
      message = new KeptMessage({ kind, name: names[kind], where, files, makeRoom, onChange: tell })
      this.#open.set(where.branchId, message)
    }
    if (message.text !== '') return message
    const finding = this.#finding.get(message) ?? this.#find(message)
    this.#finding.set(message, finding)
    await finding
    return message
  }

  async #find(message: KeptMessage): Promise<void> {
    const { where } = message
    const { store, log } = this.#access
    const { drafts: files, instance } = store
    try {
      // What was sent has gone from the disk before it is looked for what else is there.
      await message.keep()
      await bringFromGone(files, where, ({ branchId: id }) => this.#open.has(id))
      message.found(await findDrafts(files, instance, where))
    } catch (error) {
      // What cannot be found now is found later: it must keep nobody from writing.
      log(`${where.path} of ${where.branch}: ${String(error)}`)
    } finally {
      this.#finding.delete(message)
    }
  }

  /** What is not on the disk yet. */
  get unkept(): readonly string[] {
    return [...this.#open.values()].flatMap(({ isKept, name }) => (isKept ? [] : [name]))
  }

  /** All is on the disk. @throws Failure when one cannot be kept */
  async keep(): Promise<void> {
    const kept = await Promise.allSettled([...this.#open.values()].map((message) => message.keep()))
    for (const one of kept) if (one.status === 'rejected') throw one.reason
  }

  /** As people know it, where it is a message at all. */
  unsaved(file: UnsavedFile): UnsavedFile {
    const kind = kindOf(file)
    if (kind === undefined) return file
    const discard = async (): Promise<void> => {
      const open = this.#open.get(file.branchId)
      if (open === undefined) return file.discard?.()
      open.changed('')
      await open.keep()
      this.#access.tell()
    }
    return { ...file, path: names[kind], message: kind, discard }
  }
}

function kindOf({ branchId }: Pick<UnsavedFile, 'branchId'>): MessageKind | undefined {
  if (branchId.startsWith('assistant:')) return 'assistant'
  return branchId.startsWith('publish:') ? 'publish' : undefined
}
