import type { Branch } from '#contract/branches.ts'
import { contract } from '#contract/index.ts'
import { DashboardTest, type Person, type Size } from './dashboard.ts'

/** Somebody with a branch to write on. */
export interface Desk {
  readonly person: Person
  readonly slug: string
  readonly branch: Branch
  /** The text on the branch now. */
  readonly saved: (path: string) => Promise<string>
  /** Another one saves a file. */
  readonly saveElsewhere: (path: string, content: string) => Promise<void>
  readonly open: (path: string, query?: string) => Promise<void>
}

/** Desks of a service that renders what stands beside the text as in the preview: by the real builder. */
export class Desks {
  readonly dashboard: DashboardTest
  static #count = 0

  private constructor(dashboard: DashboardTest) {
    this.dashboard = dashboard
  }

  static async start(): Promise<Desks> {
    return new Desks(await DashboardTest.shared('rendering'))
  }

  close(): Promise<void> {
    return this.dashboard.close()
  }

  /** Somebody with a branch that has these files. */
  async with(files: Readonly<Record<string, string>>, size: Size = 'desktop'): Promise<Desk> {
    Desks.#count += 1
    const slug = `desk-${Desks.#count}`
    const person = await this.dashboard.person(`writer${Desks.#count}`, size)
    const { client } = person
    await client.call(contract.projects.create, { body: { slug } })
    const branch = await client.call(contract.branches.create, { params: { slug }, body: { name: 'draft' } })
    const { id } = branch
    const changes = Object.entries(files).map(([path, content]) => ({ path, content }))
    await client.call(contract.branches.commit, { params: { slug, id }, body: { changes } })
    return {
      person,
      slug,
      branch,
      saved: async (path) => (await client.call(contract.branches.readFile, { params: { slug, id, path } })).content,
      saveElsewhere: async (path, content) => {
        const headers = { 'if-match': '*' } as const
        await client.call(contract.branches.saveFile, { params: { slug, id, path }, headers, body: { content } })
      },
      open: (path, query = '') => person.open(`/dashboard/${slug}/branches/${id}/edit/${path}${query}`),
    }
  }

  /** Another member of its project. */
  async member({ person, slug }: Desk, name: string, size: Size): Promise<Person> {
    const member = await this.dashboard.person(name, size)
    const invitation = await person.client.call(contract.invitations.create, {
      params: { slug },
      body: { email: member.email, role: 'writer' },
    })
    await member.client.call(contract.invitations.accept, {
      params: { id: invitation.id },
      body: { code: invitation.code },
    })
    return member
  }
}

export const textOf = (person: Pick<Person, 'page'>, path: string) =>
  person.page.getByRole('textbox', { name: `Text of ${path}` })

export async function typeAtEnd(person: Pick<Person, 'page'>, path: string, words: string): Promise<void> {
  await textOf(person, path).click()
  await person.page.keyboard.press('Control+End')
  await person.page.keyboard.type(words)
}

/** What the editor says of a text: what becomes of it, or what came of others. */
export const state = (person: Pick<Person, 'page'>, words: string | RegExp) =>
  person.page.getByRole('status').filter({ hasText: words }).first()

/** On a phone one part of the editor is seen at a time. */
export async function turnTo(person: Person, size: Size, part: 'Files' | 'Write' | 'Preview'): Promise<void> {
  if (size === 'phone')
    await person.page.getByRole('group', { name: 'Part of the editor' }).getByRole('button', { name: part }).click()
}
