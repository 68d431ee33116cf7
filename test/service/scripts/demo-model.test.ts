import { describe, expect, it, onTestFinished } from 'vitest'
import { demoModel } from '#scripts/demo/demo-model.ts'
import { contract } from '#contract/index.ts'
import type { ModelReply, WireRequest } from '#test/support/model-server.ts'
import { createProject } from '#test/support/service-process.ts'
import { startTestService } from '#test/support/service.ts'

function ask(body: Partial<WireRequest> & { readonly messages: WireRequest['messages'] }): ModelReply {
  return demoModel({ body, headers: {}, model: 'demo', aborted: false })
}

const textOf = ({ chunks = [] }: ModelReply): string => chunks.join('')
const user = (content: string) => ({ role: 'user', content })
const outline = (name: string, value: unknown): string =>
  `Do it.\n\n\`\`\`json ${name}\n${JSON.stringify(value)}\n\`\`\`\n\nMore.`
const madeUp = 'Made up by the demo’s model'

describe('the model of the demo', () => {
  it('plans pages for everything that exports something, as few as there may be', () => {
    const exporting = Array.from({ length: 30 }, (_, index) => `src/room${index}/A_${index}.ts`)
    const files = [
      { path: 'README.md', kind: 'doc' },
      { path: 'src/empty.ts', language: 'typescript', symbols: [] },
      ...exporting.map((path) => ({ path, language: 'typescript', symbols: [{ name: 'a', lines: [1, 2] }] })),
    ]
    for (const maxPages of [40, 5]) {
      const text = textOf(ask({ messages: [user(outline('project-outline', { project: 'mill', maxPages, files }))] }))
      const { groups } = JSON.parse(text) as { groups: { pages: { path: string; sources: string[] }[] }[] }
      const pages = groups.flatMap((group) => group.pages)
      expect(pages[0]).toMatchObject({ path: 'index', sources: ['README.md'] })
      expect(new Set(pages.map(({ path }) => path)).size).toBe(pages.length)
      expect(pages.length).toBeLessThanOrEqual(maxPages)
      expect(pages.flatMap(({ sources }) => sources).toSorted()).toEqual(['README.md', ...exporting.toSorted()])
    }
  })

  it('writes pages that build, whatever stands in the source', async () => {
    const doc = 'Takes {all} of <it>, `so`: import x from "y"; see https://a.example/{b} | # * _ ~~~ ```` </Note>'
    const symbol = {
      name: 'grind<T>',
      kind: 'function',
      signature: 'grind<T>({ a }: T): Map<string, T> ````',
      doc,
      lines: [3, 9],
    }
    const page = {
      page: { path: 'index' },
      sources: [{ path: 'src/{mill}.ts', lines: 12, language: 'typescript', doc, symbols: [symbol] }],
      pages: [{ href: '/other', title: 'Other [x](y) <b>', description: doc }],
    }
    const content = textOf(ask({ messages: [user(outline('page-outline', page))] }))
    expect(content).toContain(madeUp)
    expect(content).toContain('{/* source: src/{mill}.ts:3-9 */}')
    const service = await startTestService()
    onTestFinished(() => service.close())
    const { client } = await createProject(service.url, 'docs')
    const other = { path: 'other.mdx', content: '# Other' }
    const deploy = await client.call(contract.deploys.create, {
      body: { files: [{ path: 'index.mdx', content }, other] },
    })
    expect(deploy).toMatchObject({ status: 'live', warnings: [] })
  })

  it('lists files and writes one page when the assistant is asked for one', () => {
    const tools = ['list_files', 'write_file'].map((name) => ({ function: { name, parameters: {} } }))
    const question = user('Please write a page about {mills}')
    const first = ask({ tools, messages: [question] })
    expect(textOf(first)).toContain(madeUp)
    expect(first.calls).toMatchObject([{ name: 'list_files' }])
    const listed = { role: 'tool', tool_call_id: 'x', content: 'index.mdx' }
    const second = ask({ tools, messages: [question, listed] })
    expect(second.calls).toMatchObject([{ name: 'write_file', arguments: { path: 'notes/demo.mdx' } }])
    expect(JSON.stringify(second.calls)).toContain(madeUp)
    expect(ask({ tools, messages: [question, listed, listed] }).calls).toBeUndefined()
    expect(ask({ tools, messages: [user('What is there?'), listed] }).calls).toBeUndefined()
  })

  it('answers readers from the section that has most of their words, or says that none has', () => {
    const sections =
      '=== 0a1b section 1: Home (/)\nGrain goes in.\n\n=== 0a1b section 2: Flour (/flour)\nFlour comes out of mills.'
    const reader = (question: string) =>
      textOf(ask({ messages: [user(`${sections}\n\n=== 0a1b question\n${question}\n=== 0a1b end`)] }))
    expect(reader('Where does flour come from?')).toMatch(new RegExp(`^${madeUp}.*Flour comes out of mills.*\\[2\\]$`))
    expect(reader('Who sells bicycles?')).toBe('NOT_IN_DOCS')
  })

  it('says of everything else that it is made up', () => {
    const reply = ask({ messages: [user('Hello there')] })
    expect(reply.model).toBe('demo/made-up')
    expect(textOf(reply)).toContain(madeUp)
  })
})
