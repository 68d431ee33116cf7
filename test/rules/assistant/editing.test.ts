import { expect, test } from 'vitest'
import { editFile } from '#assistant/tools/editing.ts'
import type { Workbench } from '#assistant/tools/tool.ts'

/** What a file of three lines is after an edit. */
async function edited(find: string): Promise<string> {
  let text = 'One.\nTwo.\nTwo.\n'
  const draft = {
    read: () => Promise.resolve(text),
    write: (path: string, content: string) => {
      text = content
      return Promise.resolve({ path, isNew: false })
    },
  }
  const call = editFile.prepare(JSON.stringify({ path: 'a.mdx', find, replace: 'Three.' }))
  await call.run({ draft, signal: new AbortController().signal } as unknown as Workbench)
  return text
}

test('an edit replaces a text that the file has once, and no other', async () => {
  expect(await edited('One.')).toBe('Three.\nTwo.\nTwo.\n')
  await expect(edited('Two.')).rejects.toThrow('more than once')
  await expect(edited('Four.')).rejects.toThrow('does not have this text')
})
