import { expect, test } from 'vitest'
import { editFile } from '#assistant/tools/editing.ts'
import type { Workbench } from '#assistant/tools/tool.ts'

test('an edit replaces a text that the file has once, and no other', async () => {
  let text = 'One.\nTwo.\nTwo.\n'
  const draft = {
    read: () => Promise.resolve(text),
    write: (path: string, content: string) => {
      text = content
      return Promise.resolve({ path, isNew: false })
    },
  }
  const edit = (find: string) =>
    editFile
      .prepare(JSON.stringify({ path: 'a.mdx', find, replace: 'Three.' }))
      .run({ draft, signal: new AbortController().signal } as unknown as Workbench)

  await expect(edit('Two.')).rejects.toThrow('more than once')
  await expect(edit('Four.')).rejects.toThrow('does not have this text')
  expect(text).toBe('One.\nTwo.\nTwo.\n')
  await edit('One.')
  expect(text).toBe('Three.\nTwo.\nTwo.\n')
})
